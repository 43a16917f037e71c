"""Runs are told apart by their folders, whatever their models are called."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from epicene.results.summary import label_runs
from epicene.suites import RunInfo


def run(folder: str, model: str) -> Any:
    name = Path(folder).name
    info = RunInfo(run=name, model=model, protocol="epicene", identities={})
    return SimpleNamespace(folder=Path(folder), info=info)


def test_folders_of_one_name_are_two_runs() -> None:
    labelled = label_runs([run("a/mis", "A"), run("b/mis", "B"), run("c/other", "C")])
    assert [(each.run, each.model) for each in labelled] == [
        ("a/mis", "A"),
        ("b/mis", "B"),
        ("other", "C"),
    ]


def test_models_of_one_label_are_labelled_by_folder() -> None:
    labelled = label_runs([run("a/mis", "A"), run("b/mis", "A"), run("c", "A")])
    assert [each.model for each in labelled] == ["A (a/mis)", "A (b/mis)", "A (c)"]


def test_no_more_of_a_path_is_shown_than_is_needed_and_never_all_of_it() -> None:
    given = ["/home/me/runs/mis", "/home/me/other/mis", "/srv/me/runs/mis", "/mis", "/home/me/gf"]
    labelled = label_runs([run(folder, "A") for folder in given])
    assert [each.run for each in labelled] == [
        "home/me/runs/mis",
        "other/mis",
        "srv/me/runs/mis",
        "mis",
        "gf",
    ]
    assert [each.model for each in labelled] == [f"A ({each.run})" for each in labelled]


def test_one_folder_given_twice_is_one_run() -> None:
    labelled = label_runs([run("a/mis", "A"), run("a/mis", "A")])
    assert [(each.run, each.model) for each in labelled] == [("mis", "A")] * 2
