"""The demo and embedded models from Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from epicene.api import demo
from epicene.api.demo import DemoSuite

import epicene
import reflexives
from epicene.core.errors import InputError, RunError

WORKS = DemoSuite(suite="reflexives", models=({"model": "random"},), limit=4, plug_in="a command")
FAILS = DemoSuite(
    suite="reflexives", models=({"model": "hf:no/such/folder"},), limit=4, plug_in="another"
)


@pytest.fixture(autouse=True)
def _nothing_is_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reflexives.register()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("epicene.models.embedded.fetch", lambda *_, **__: Path("fetched"))


def test_the_demo_says_what_it_measured_and_what_not(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(demo, "DEMO_SUITES", (WORKS, FAILS))
    done = epicene.demo("out", progress=False)
    assert capfd.readouterr().err == ""
    assert done.report.read_text("utf-8").count("hf:no/such/folder")
    assert [epicene.load(folder).suite for folder in done.folders] == ["reflexives"]
    (missing,) = done.missing
    assert missing.command == "another"
    assert done.failed
    monkeypatch.setattr(demo, "DEMO_SUITES", (FAILS,))
    with pytest.raises(RunError, match="Nothing could be measured"):
        epicene.demo("other", progress=False)


def test_an_embedded_model_is_fetched(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def fetch(name: str, *, accept_licence: bool, progress: Any) -> Path:
        progress(f"Fetching {name}, {accept_licence}.")
        return Path(name)

    monkeypatch.setattr("epicene.models.embedded.fetch", fetch)
    monkeypatch.setattr("epicene.models.faces.fetch", fetch)
    assert epicene.fetch_model("smollm2") == Path("smollm2")
    assert epicene.fetch_model("random-face", accept_licence=True) == Path("random-face")
    assert capfd.readouterr().err == "Fetching smollm2, False.\nFetching random-face, True.\n"
    epicene.fetch_model("smollm2", progress=False)
    assert capfd.readouterr().err == ""
    monkeypatch.undo()
    with pytest.raises(InputError, match="'zork'"):
        epicene.fetch_model("zork")
