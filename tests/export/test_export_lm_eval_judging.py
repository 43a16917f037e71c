"""The file that goes with exported tasks: how it reads and judges."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from epicene.core.errors import InputError
from epicene.export.harness import verdicts
from epicene.export.lm_eval.folder import write_tasks
from epicene.export.lm_eval.suite_judge import outcome_shares
from export.export_samples import read_lines, select


@pytest.fixture(scope="module")
def genform(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Genform, both ways, as a folder."""
    folder = tmp_path_factory.mktemp("genform") / "out"
    write_tasks(select("genform", limit=8, settings={"formats": "generation,probability"}), folder)
    return folder


def loaded(folder: Path) -> Any:
    """The folder's judging.py, loaded by its path as the harness does."""
    spec = importlib.util.spec_from_file_location("exported_judging", folder / "judging.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Rows:
    """In place of a dataset."""

    @classmethod
    def from_list(cls, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return rows


@pytest.fixture
def datasets(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in = ModuleType("datasets")
    stand_in.Dataset = Rows  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "datasets", stand_in)


@pytest.mark.parametrize(
    ("scores", "target", "units", "acc", "tied"),
    [
        ([-1.0, -2.0], 0, [1, 1], 1.0, 0.0),
        ([-1.0, -2.0], 1, [1, 1], 0.0, 0.0),
        ([-2.0, -2.0], 0, [1, 1], 0.5, 1.0),
        ([-2.0, -2.0, -2.0, -3.0], 2, [1, 1, 1, 1], 1 / 3, 1.0),
        ([-2.0, -2.0, -3.0], 2, [1, 1, 1], 0.0, 1.0),
        # Per unit the longer text is the likelier one.
        ([-4.0, -3.0], 0, [4, 2], 1.0, 0.0),
        # A model that gives no number is never right.
        ([float("nan"), float("nan")], 0, [1, 1], 0.0, 0.0),
    ],
)
def test_a_choice_is_judged_without_epicene(
    genform: Path, scores: list[float], target: int, units: list[int], acc: float, tied: float
) -> None:
    results = [(score, False) for score in scores]
    found = loaded(genform).choice({"target": target, "units": units}, results)
    assert found == {"acc": acc, "tied": tied}


@pytest.mark.usefixtures("datasets")
def test_documents_are_read_beside_the_file(
    genform: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    name = "epicene_genform_probability_hi.jsonl"
    found = loaded(genform).documents(name, version=1)
    assert found == {"test": read_lines(genform / name)}


@pytest.mark.usefixtures("datasets")
def test_without_epicene_writing_is_refused_before_it_begins(
    genform: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judging = loaded(genform)
    monkeypatch.setitem(sys.modules, "epicene.export.lm_eval.suite_judge", None)
    with pytest.raises(ImportError, match="Epicene judges what a model wrote: install it"):
        judging.documents("epicene_genform_generation_fr.jsonl", judged_by_epicene=True)
    assert judging.documents("epicene_genform_probability_fr.jsonl")["test"]


def test_texts_are_judged_by_the_suite(genform: Path) -> None:
    judging = loaded(genform)
    counts = {"right": 0, "wrong": 0, "undetected": 0}
    for document in read_lines(genform / "epicene_genform_generation_fr.jsonl"):
        pair = json.loads(document["record"])
        wanted = document["request"].removeprefix("generation ")
        other = {"masculine": "feminine", "feminine": "masculine"}[wanted]
        assert judging.writing(document, [pair[wanted]])["right"] == 1.0
        assert judging.writing(document, [""])["undetected"] == 1.0
        if pair[wanted] != pair[other]:
            counts["wrong"] += 1
            assert judging.writing(document, [pair[other]])["wrong"] == 1.0
    assert counts["wrong"] > 4


def test_shares_are_over_all_samples(tmp_path: Path) -> None:
    write_tasks(select("misgendering", limit=4, settings={"samples": "4"}), tmp_path / "out")
    judging = loaded(tmp_path / "out")
    document = read_lines(tmp_path / "out" / "epicene_misgendering_pre.jsonl")[0]
    item = json.loads(document["record"])
    forms = {each["pronoun"]: each["forms"]["nominative"] for each in item["sets"]}
    right = forms.pop(item["pronoun"])
    wrong = next(iter(forms.values()))
    texts = [f" {right} left.", f" {right} stayed.", f" {wrong} left.", " nobody left."]
    # As the harness gives several texts of one document: a list in a list.
    assert judging.writing(document, [texts]) == {"right": 0.5, "wrong": 0.25, "undetected": 0.25}


def test_another_version_of_the_suite_is_refused(genform: Path) -> None:
    asked = json.loads((genform / "asked.json").read_text(encoding="utf-8"))
    document = read_lines(genform / "epicene_genform_generation_fr.jsonl")[0]
    with pytest.raises(InputError, match="export them again"):
        outcome_shares({**asked, "version": "0"}, document, ["x"])


def test_tasks_exported_by_version_0_1_still_find_the_judge() -> None:
    assert verdicts.outcomes is outcome_shares
