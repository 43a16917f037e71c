"""The two studies of a suite in one file: are judgements right, and which text is better."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import epicene
from epicene.studies.analysis.study_builder import study_from_data, study_from_runs
from epicene.studies.analysis.study_summary import StudySummary, summarise_study
from epicene.studies.design.checks import study_problems
from epicene.studies.design.sampling import SamplingOptions
from epicene.studies.design.schema import Response, Study
from epicene.suites import DataSource, find_suite
from suites.test_suite_definition import PAIRS, judged_by, pairs, run_suite


def answered(study: Study, question: str, said: dict[str, tuple[str, ...]]) -> StudySummary:
    """The results, if people say this of the items, by the item they are about."""
    responses = [
        Response(study=study.name, participant=f"p{n}", item=item.id, answers={question: label})
        for item in study.items
        for n, label in enumerate(said[item.fields["item"]])
    ]
    return summarise_study(study, responses)


def test_people_check_judgements(tmp_path: Path) -> None:
    made = pairs(items=[{**PAIRS[n % 2], "id": f"item {n}"} for n in range(4)])
    made.judge(lambda item, _answer: item.gender == "f")
    suite = find_suite(made)
    stored = run_suite(suite, tmp_path / "run")
    study = study_from_runs([stored], SamplingOptions())
    assert not list(study_problems(study))
    assert (study.name, study.drawn and study.drawn.kind) == ("own-pairs-check", "check")
    assert study.practice
    assert {item.fields["judgement"] for item in study.items} == {"right", "wrong"}
    shown = next(item for item in study.items if item.fields["item"] == "item 0")
    assert shown.fields["asked"] == "The queen saw herself.\nThe queen saw himself."
    assert shown.fields["answer"] in shown.fields["asked"].split("\n")
    # What people are not shown.
    assert set(study.hidden) == {"model", "item", "name", "facets"}

    summary = answered(
        study,
        "correct",
        {
            "item 0": ("yes", "yes"),
            "item 1": ("yes", "yes"),
            "item 2": ("no", "no"),
            "item 3": ("yes", "unclear"),
        },
    )
    assert tuple(table.name for table in summary.tables) == suite.card.studies["check"].tables
    rows = {row.keys: row.cells for row in summary.tables[0].rows}
    right, unclear = rows["gender", "f"]
    assert isinstance(right, epicene.Estimate)
    assert isinstance(unclear, epicene.Estimate)
    assert (right.value, unclear.value) == (0.5, 0)
    assert {keys[0] for keys in rows} == {"all", "gender", "judgement"}
    (row,) = summary.tables[1].rows
    assert isinstance(row.cells[0], epicene.Estimate)
    assert row.cells[0].value == 0.75  # of the four items, people agree on three
    assert summary.metrics["right"].n == 3  # people are divided on the last one


@pytest.mark.parametrize(
    ("judge", "judgement"),
    [
        (lambda _item, _answer: None, "neither right nor wrong"),
        (lambda _item, _answer: "polite", "polite"),
        (lambda _item, _answer: 0.25, "0.25"),
        (lambda _item, _answer: {"agrees": True}, "agrees: right"),
    ],
)
def test_every_kind_of_judgement_is_shown(judge: Any, judgement: str, tmp_path: Path) -> None:
    stored = run_suite(find_suite(_judged(judge)), tmp_path / "run")
    study = study_from_runs([stored], SamplingOptions())
    assert {item.fields["judgement"] for item in study.items} == {judgement}


def _judged(judge: Any) -> Any:
    made = pairs()
    made.judge(judge)
    return made


def test_cells_are_models_measures_and_verdicts(tmp_path: Path) -> None:
    made = pairs(items=[{**PAIRS[n % 2], "id": f"item {n}"} for n in range(40)])
    made.judge(lambda item, _answer: {"agrees": item.gender == "f" or None, "long": True})
    stored = run_suite(find_suite(made), tmp_path / "run")
    study = study_from_runs([stored], SamplingOptions(per_cell=3))
    assert Counter(item.fields["judgement"] for item in study.items) == {
        "agrees: right": 3, "agrees: neither right nor wrong": 3, "long: right": 3,
    }  # fmt: skip


def test_people_choose_between_the_texts_of_a_choice() -> None:
    suite = judged_by(lambda _item, answer: answer.best == 0)
    find_suite(_judged(lambda _item, answer: answer.best == 0))
    study = study_from_data(suite, DataSource(), SamplingOptions())
    assert not list(study_problems(study))
    assert {item.fields["right"] for item in study.items} == {"first"}
    summary = answered(study, "better", {"1": ("first", "first"), "2": ("second", "second")})
    assert summary.metrics["right"].value == 0.5
    assert tuple(table.name for table in summary.tables) == suite.card.studies["choice"].tables
    rows = {row.keys: row.cells[0] for row in summary.tables[0].rows}
    assert [getattr(rows["gender", gender], "value", None) for gender in "fm"] == [1, 0]


def test_a_suite_without_choices_has_nothing_to_choose_between() -> None:
    made = epicene.suite("own", items=[{"id": "a"}])
    made.ask(lambda _item: epicene.Generate(prompt="Say x."))
    made.judge(lambda _item, _answer: True)
    with pytest.raises(epicene.InputError, match="There are no items to sample a study from"):
        study_from_data(made.suite, DataSource(), SamplingOptions())


def test_a_study_is_found_again_by_the_file_of_its_suite(tmp_path: Path) -> None:
    study = study_from_data(
        judged_by(lambda _item, answer: answer.best == 0), DataSource(), SamplingOptions()
    )
    assert study.drawn is not None
    assert Path(study.drawn.suite_file).name == "test_suite_definition.py"
