"""`--threads` reaches the models of every command that runs models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.conftest import Epicene
from epicene.api import demo
from epicene.api.demo import DemoSuite
from epicene.core import registry
from epicene.models import Model, ModelOptions, open_model, parse_spec


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[int | None]:
    """With how many threads models of the kind `counting` were opened."""
    seen: list[int | None] = []

    def open_counting(name: str, options: ModelOptions) -> Model:
        seen.append(options.threads)
        return open_model(parse_spec(f"random?label=counting{name}"))

    registry.add("models", "counting", open_counting)
    return seen


def test_run(epicene: Epicene, opened: list[int | None]) -> None:
    run = ("run", "reflexives", "--limit=2")
    assert epicene(*run, "-m", "counting", "--threads=3", "--out=a").code == 0
    assert epicene(*run, "-m", "counting?threads=2", "--threads=3", "--out=b").code == 0
    assert epicene(*run, "-m", "counting", "--out=c").code == 0
    assert opened == [3, 2, None]
    refused = epicene(*run, "-m", "counting", "--threads=0")
    assert refused.code == 2
    assert "--threads" in refused.err


def test_demo(epicene: Epicene, opened: list[int | None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("epicene.models.embedded.fetch", lambda *_, **__: None)
    part = DemoSuite(suite="reflexives", models=({"model": "counting"},), limit=2, plug_in="")
    monkeypatch.setattr(demo, "DEMO_SUITES", (part,))
    assert epicene("demo", "-o", "out", "--threads=3").code == 0
    assert opened == [3]


def test_sweep(epicene: Epicene, opened: list[int | None]) -> None:
    Path("plan.toml").write_text(
        '[[models]]\nspec = "counting:1"\n[[models]]\nspec = "counting:2"\nthreads = 2\n'
        '[[suites]]\nname = "reflexives"\nlimit = 2\n',
        "utf-8",
    )
    done = epicene("sweep", "plan.toml", "--threads=3")
    assert done.code == 0, done.err
    assert {3, 2} == set(opened)


def test_build(epicene: Epicene, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []

    def build(config: Any, *_: Any) -> list[str]:
        seen.append(config)
        return []

    monkeypatch.setattr("epicene.runs.dataset_builder.build_dataset", build)
    done = epicene(
        "data", "build", "gramvis", "--out=out", "--model=proposers=random", "--threads=3"
    )
    assert done.code == 0, done.err
    ((spec,),) = seen[0].models.values()
    assert spec.options.threads == 3
    refused = epicene("data", "stats", "gramvis", "--threads=3")
    assert "--threads is for build, not for stats." in refused.err
