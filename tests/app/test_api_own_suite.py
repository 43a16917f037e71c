"""A user's own suite in Python: run, read back, compared, and the same as on the command line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import epicene
from app.conftest import Epicene
from app.test_api_runs import command, stored  # noqa: F401

SCRIPT = Path(__file__).with_name("user_suite.py")


def test_a_definition_is_run_and_read_back(tmp_path: Path) -> None:
    from app import user_suite

    rows, items = user_suite.measure(tmp_path)
    assert rows.metrics()["metric"].to_list() == [
        "accuracy_choice", "accuracy_text", "certain", "undetected",
    ]  # fmt: skip
    assert items.items()["label"].to_list() == ["herself", "himself"]
    assert rows.items(columns=["item"], where=pl.col("name") == "text 2").height == 2
    assert rows.scores()["text"].to_list()[:2] == ["The queen saw herself", "The queen saw himself"]
    assert items.scores()["right"].to_list() == [True, False, True, False]
    assert set(items.tables) == {"headlines", "overall"}
    assert items.figure("overall").svg().startswith("<svg")
    again = epicene.load(items.path)
    assert again.metrics().equals(items.metrics())
    assert epicene.load(items.path, suite=user_suite.typed_items).suite == "typed_items"
    with pytest.raises(epicene.InputError, match="is a run of the suite typed_items, not of"):
        epicene.load(items.path, suite=user_suite.typed_rows)
    assert epicene.suites(user_suite.typed_rows)["roles"] == {"model": ["generate", "score"]}


def test_python_and_the_command_line_store_the_same(tmp_path: Path, command: Epicene) -> None:  # noqa: F811
    from app import user_suite

    (by_python, _) = user_suite.measure(tmp_path)
    named = f"{SCRIPT}:typed_rows"
    done = command("run", named, "--model", "random", "--out", "by-command")
    assert done.code == 0, done.err
    assert stored(Path("by-command")) == stored(by_python.path)
    by_name = epicene.run(named, model="random", out="by-name", progress=False)
    assert stored(by_name.path) == stored(by_python.path)
    shown = [command("tables", folder).out for folder in ("by-command", by_python.path, "by-name")]
    assert len(set(shown)) == 1


def test_the_same_call_resumes(tmp_path: Path) -> None:
    from app import user_suite

    first, _ = user_suite.measure(tmp_path)
    again, _ = user_suite.measure(tmp_path)
    assert len(again.manifest.sessions) == 2
    assert stored(first.path) == stored(again.path)
    other = epicene.run(
        user_suite.typed_rows, model="random:2", out=tmp_path / "other", progress=False
    )
    assert epicene.compare(first, other).metrics().height
    page = epicene.report(first, other, out=tmp_path / "report.html")
    assert "typed_rows" in page.read_text("utf-8")


def test_a_script_is_a_program_too(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPT)], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "accuracy_choice" in done.stdout
    assert epicene.load(tmp_path / "runs" / "typed_rows").complete


def test_a_model_of_the_session_answers_a_suite_of_the_session(tmp_path: Path) -> None:
    """Nothing of either is on disk; another session names the suite."""
    scope: dict[str, Any] = {"__name__": "__main__"}
    text = SCRIPT.read_text("utf-8").partition("class Pair")[0]
    exec(text.replace("typed_rows", "notebook_rows"), scope)
    definition = scope["notebook_rows"]
    model = epicene.open_model(
        label="mine",
        version="1",
        generate=lambda prompts: ["herself" for _ in prompts],
        score=lambda texts: [-float(len(text)) for text in texts],
    )
    run = epicene.run(definition, model=model, out=tmp_path / "run", progress=False)
    assert run.items(where=pl.col("name") == "text 1")["outcome"].to_list() == ["right", "wrong"]
    assert run.manifest.suite_file is None
    code = f"import epicene; epicene.load({str(run.path)!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "If it is your own, give the file that defines it" in done.stderr
