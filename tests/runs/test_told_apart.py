"""Runs are told apart by their folders, whatever their models are called."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from epicene.runs.summary import _told_apart
from epicene.suites import RunInfo


def run(folder: str, model: str) -> Any:
    name = Path(folder).name
    info = RunInfo(run=name, model=model, protocol="epicene", identities={})
    return SimpleNamespace(folder=Path(folder), info=info)


def test_folders_of_one_name_are_two_runs() -> None:
    told = _told_apart([run("a/mis", "A"), run("b/mis", "B"), run("c/other", "C")])
    assert [(each.run, each.model) for each in told] == [
        ("a/mis", "A"),
        ("b/mis", "B"),
        ("other", "C"),
    ]


def test_models_of_one_label_are_told_apart_by_the_same() -> None:
    told = _told_apart([run("a/mis", "A"), run("b/mis", "A"), run("c", "A")])
    assert [each.model for each in told] == ["A (a/mis)", "A (b/mis)", "A (c)"]
