"""Runs with models that are in memory: the same answers, nothing closed, nothing lost."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from copy import deepcopy
from pathlib import Path
from typing import Any

import msgspec
import pytest
import torch

import epicene
import two_stage
from epicene.app.arguments import ModelInput
from epicene.app.opening import resolve_models
from epicene.core import registry
from epicene.core.errors import InputError
from epicene.models import ModelOptions, open_model
from epicene.results.summary import summarise
from epicene.runs.config import RunConfig
from epicene.runs.executors import CachingExecutor
from epicene.runs.manifest import Manifest
from epicene.runs.run import run
from epicene.runs.stored_run import read_run
from epicene.suites import choose_protocol
from models.hf.tiny_causal import llama, save, smollm2_like
from runs.conftest import Silent


def two_stages(
    under: Path, writer: ModelInput, *readers: ModelInput, **settings: str
) -> tuple[Path, Manifest]:
    models: dict[str, list[ModelInput]] = {"writer": [writer], "reader": list(readers)}
    specs, use_held = resolve_models(models, ModelOptions())
    config = RunConfig(
        suite=two_stage.suite,
        protocol=choose_protocol(
            two_stage.suite, "paper", {"items": "12", "new_tokens": "3", **settings}, None
        ),
        models=specs,
        under=under,
    )
    return run(config, Silent(), use_held(open_model))


def stored(folder: Path) -> list[Any]:
    with closing(sqlite3.connect(folder / "answers.sqlite")) as db:
        return db.execute("SELECT failed, answer FROM answers ORDER BY number").fetchall()


def tables(folder: Path) -> bytes:
    """The tables, but for the models' names."""
    summary = summarise([read_run(folder)])
    return msgspec.json.encode([[row.cells for row in table.rows] for table in summary.tables])


def test_a_model_in_memory_gives_what_its_folder_gives(tmp_path: Path) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder = save(tmp_path / "m", llama(), smollm2_like())
    named, manifest = two_stages(tmp_path / "named", f"hf:{folder}", f"hf:{folder}")
    assert manifest.state == "complete"
    model = AutoModelForCausalLM.from_pretrained(folder).train()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    pair, _ = two_stages(tmp_path / "pair", (model, tokenizer), (model, tokenizer))
    assert stored(pair) == stored(named)
    assert tables(pair) == tables(named)
    assert model.training

    opened = epicene.open_model(model, tokenizer)
    assert opened.score("she was")["tokens"].item() > 0
    again, manifest = two_stages(tmp_path / "again", opened, opened)
    assert stored(again) == stored(named)
    assert opened.score("she was")["tokens"].item() > 0  # it is still open
    (notes,) = manifest.sessions[-1].notes.values()
    assert isinstance(notes, dict)


def test_an_open_model_of_a_spec_is_used_and_stays_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from epicene.models.hf import loading

    folder = save(tmp_path / "m", llama(), smollm2_like())
    named, _ = two_stages(tmp_path / "named", f"hf:{folder}", "random")
    opened = epicene.open_model(f"hf:{folder}")
    opened.score("she was")

    def refuse(*_: object) -> None:
        raise AssertionError("loaded once more")

    monkeypatch.setattr(loading, "_load_weights", refuse)
    again, manifest = two_stages(tmp_path / "again", opened, "random")
    assert stored(again) == stored(named)
    assert manifest.models["writer"] == read_run(named).manifest.models["writer"]
    assert "before_this_run" in str(manifest.sessions[-1].notes)
    assert opened.score("she was")["tokens"].item() > 0


def test_other_weights_are_another_run(tmp_path: Path) -> None:
    model, tokenizer = deepcopy((llama(), smollm2_like()))
    opened = epicene.open_model(model, tokenizer)
    first, _ = two_stages(tmp_path, opened, "random")
    same, manifest = two_stages(tmp_path, opened, "random")
    assert same == first
    assert len(manifest.sessions) == 2
    with torch.no_grad():
        model.lm_head.weight.mul_(1.1)
    other, _ = two_stages(tmp_path, opened, "random")
    assert other != first


def test_functions_take_part_in_a_run(tmp_path: Path) -> None:
    def generate(prompts: list[str], samples: int) -> list[list[str]]:
        return [[f"{prompt[:3]}{n}" for n in range(samples)] for prompt in prompts]

    def score(texts: list[str]) -> list[float]:
        return [-float(len(text)) for text in texts]

    writer = epicene.open_model(generate=generate)
    reader = epicene.open_model(score=score)
    folder, manifest = two_stages(tmp_path, writer, reader, "random")
    assert manifest.state == "complete"
    assert [identity.label for identity in manifest.models["reader"]] == ["score", "random"]
    assert manifest.sessions[-1].notes["generate"] == {
        "generate": {
            "calls": 1,
            "passed": ["samples"],
            "not taken": [
                "temperature", "max_new_tokens", "top_k", "top_p", "stop", "seed", "exact_length",
                "language",
            ],
        }
    }  # fmt: skip
    assert tables(folder)


def test_nothing_that_was_answered_is_lost(tmp_path: Path) -> None:
    """A function that fails for some items, and one that is mended and called the same."""
    asked: list[str] = []
    broken = {"on": True}

    def generate(prompts: list[str]) -> list[str]:
        asked.extend(prompts)
        return [prompt for prompt in prompts if not (broken["on"] and "nurse" in prompt)]

    writer = epicene.open_model(generate=generate, version="1")
    folder, manifest = two_stages(tmp_path, writer, "random", samples="1")
    assert manifest.state == "incomplete"
    (reasons,) = [count.reasons for count in manifest.counts if count.stage == "write"]
    told = "the function generate returned 0 results instead of 1 (item opening-{})"
    assert set(reasons) == {told.format(number) for number in (1, 6, 11)}
    failed = [row for row in stored(folder) if row[0]]
    assert len(failed) == 3
    broken["on"] = False
    asked.clear()
    again, manifest = two_stages(tmp_path, writer, "random", samples="1")
    assert again == folder
    assert manifest.state == "complete"
    assert len(asked) == 3
    assert all("nurse" in prompt for prompt in asked)


def test_a_changed_function_is_another_model(tmp_path: Path) -> None:
    def model(generate: Callable[..., Any], version: str = "") -> epicene.OpenModel:
        return epicene.open_model(generate=generate, label="mine", version=version)

    first, _ = two_stages(tmp_path, model(lambda p: p), "random", samples="1")
    same, _ = two_stages(tmp_path, model(lambda p: p), "random", samples="1")
    other, _ = two_stages(tmp_path, model(lambda p: [*p]), "random", samples="1")
    assert first == same != other


def test_models_are_checked_before_a_run(tmp_path: Path) -> None:
    reader = epicene.open_model(score=lambda texts: [-1.0 for _ in texts], label="mine")
    with pytest.raises(InputError, match=r"to generate, which mine cannot do \(it can score\)"):
        two_stages(tmp_path, reader, "random")
    with pytest.raises(InputError, match="The role reader names the same model twice"):
        two_stages(tmp_path, "random", reader, reader)
    reader.close()
    with pytest.raises(InputError, match="The model mine is closed"):
        two_stages(tmp_path, "random", reader)
    with pytest.raises(InputError, match="not int"):
        two_stages(tmp_path, 3)  # type: ignore[arg-type]


class Learning(epicene.PythonModel):
    def generate(self, prompts: list[str]) -> list[str]:
        return prompts

    def learn(self, texts: Iterable[tuple[str, str]]) -> None:
        raise AssertionError


def test_a_model_that_learns_or_charges_is_opened_for_the_run() -> None:
    """What it learnt or spent before would count in the run."""
    registry.add("models", "learning", Learning)
    learns = epicene.open_model("learning:a")
    charges = epicene.open_model("openai:x", base_url="http://localhost:9/v1", price="1/1")
    specs, use_held = resolve_models({"a": [learns, charges]}, ModelOptions())
    assert [spec.kind for spec in specs["a"]] == ["learning", "openai"]
    assert specs["a"][1].options.price == "1/1"
    opened: list[object] = []

    def executor(spec: Any) -> Any:
        opened.append(spec)

    for spec in specs["a"]:
        use_held(executor)(spec)
    assert opened == specs["a"]
    charges.close()
    with pytest.raises(
        InputError,
        match="Learning learns from a suite or charges for its answers",
    ):
        resolve_models({"a": [epicene.open_model(Learning())]}, ModelOptions())


def test_a_sweeps_cache_takes_models_in_memory() -> None:
    opened = epicene.open_model(generate=lambda prompts: prompts)
    specs, use_held = resolve_models({"a": [opened]}, ModelOptions())
    cached = CachingExecutor(use_held(open_model))(specs["a"][0])
    assert cached.verbs == {"generate"}


def test_options_are_for_named_models(tmp_path: Path) -> None:
    options = ModelOptions(dtype="bfloat16", batch_size=3)
    pair = deepcopy((llama(), smollm2_like()))
    specs, use_held = resolve_models({"a": ["hf:x?dtype=float16", "hf:y", pair]}, options)
    assert [spec.options.dtype for spec in specs["a"][:2]] == ["float16", "bfloat16"]
    model = use_held(open_model)(specs["a"][2])
    assert model.identity.key["dtype"] == "float32"
    assert model.batch_limit.requests == 3
