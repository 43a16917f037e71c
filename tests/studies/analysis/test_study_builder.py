"""Drawing a study from runs and from data, and what is refused."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import msgspec
import pytest

import reflexives
import two_stage
from epicene.core.errors import InputError
from epicene.core.records import digest
from epicene.models import parse_spec
from epicene.runs.config import RunConfig
from epicene.runs.run import run
from epicene.runs.stored_run import read_run
from epicene.studies.analysis.study_builder import study_from_data, study_from_runs
from epicene.studies.analysis.study_summary import summarise_study
from epicene.studies.design.checks import study_problems
from epicene.studies.design.sampling import SamplingOptions
from epicene.studies.design.schema import Response, SamplingRecord
from epicene.suites import DataSource, choose_protocol
from runs.conftest import Silent


@pytest.fixture(autouse=True)
def _registered() -> None:
    reflexives.register()
    two_stage.register()


def test_a_study_of_data_needs_no_model() -> None:
    suite = reflexives.suite
    study = study_from_data(suite, DataSource(), SamplingOptions(per_cell=2, seed=5))
    assert not list(study_problems(study))
    protocol = suite.protocols["epicene"]
    genders = {item.id: item.gender for item in suite.read(DataSource(), protocol).items}
    assert Counter(genders[item.id] for item in study.items) == {"masculine": 2, "feminine": 2}
    assert study.drawn == SamplingRecord(
        kind="choice",
        protocol="epicene",
        data="pairs.jsonl",
        per_cell=2,
        seed=5,
        cells=study.drawn.cells if study.drawn else (),
    )
    assert [(each.cell, each.sampled) for each in study.drawn.cells] == [
        (("feminine",), 2),
        (("masculine",), 2),
    ]
    assert sum(each.size for each in study.drawn.cells) == len(genders)
    sizes = {each.cell: each.size for each in study.drawn.cells}
    for item in study.items:
        assert item.inclusion == pytest.approx(2 / sizes[item.cell])
    # All are for three people, so none is for two.
    assert {item.judgements for item in study.items} == {None}
    assert study == study_from_data(
        suite, DataSource(), SamplingOptions(per_cell=2, seed=5), study="choice"
    )


def test_three_people_agree_as_computed_by_hand() -> None:
    study = study_from_data(reflexives.suite, DataSource(), SamplingOptions(total=4))
    said = [("good", "good", "good"), ("good", "good", "bad"), ("bad", "bad", "bad"), ("good",)]
    responses = [
        Response(study=study.name, participant=f"p{n}", item=item.id, answers={"better": label})
        for item, labels in zip(study.items, said, strict=True)
        for n, label in enumerate(labels)
    ]
    summary = summarise_study(study, responses)
    assert msgspec.to_builtins(summary.progress) == {
        "name": "reflexives-choice", "items": 4, "wanted": 12, "given": 10, "people": 3,
    }  # fmt: skip
    (row,) = summary.tables[0].rows
    raw, _, _, _, alpha = (cell for cell in row.cells if not isinstance(cell, str))
    assert raw.value == pytest.approx(7 / 9)
    # Krippendorff: 9 ratings, 5 good and 4 bad; observed 2 × 2 / (3 − 1), expected 2 × 5 × 4 / 8.
    assert alpha.value == pytest.approx(1 - 2 / 5)
    assert summary.undetected.value == 0


def test_studies_that_were_not_drawn_or_not_answered_have_no_tables() -> None:
    study = study_from_data(reflexives.suite, DataSource(), SamplingOptions(total=4))
    with pytest.raises(InputError, match="Nobody has answered"):
        summarise_study(study, [])
    with pytest.raises(InputError, match="was not sampled by a suite"):
        summarise_study(msgspec.structs.replace(study, drawn=None), [])


def test_what_cannot_be_drawn_is_refused(tmp_path: Path) -> None:
    suite = reflexives.suite
    with pytest.raises(InputError, match="already goes to 3 people; leave out --twice"):
        study_from_data(suite, DataSource(), SamplingOptions(twice=2))
    with pytest.raises(InputError, match="There is no study 'chose' in the suite reflexives"):
        study_from_data(suite, DataSource(), SamplingOptions(), study="chose")
    with pytest.raises(InputError, match="There is no protocol"):
        study_from_data(suite, DataSource(), SamplingOptions(), protocol="papr")
    with pytest.raises(InputError, match="has no items in hi"):
        study_from_data(suite, DataSource(), SamplingOptions(), languages=("hi",))
    with pytest.raises(InputError, match="The suite two-stage has no human studies"):
        study_from_data(two_stage.suite, DataSource(), SamplingOptions())
    folder, _ = run(
        RunConfig(
            suite=suite,
            protocol=choose_protocol(suite, "epicene", {}, None),
            models={"model": [parse_spec("random")]},
            out=tmp_path / "run",
        ),
        Silent(),
    )
    with pytest.raises(
        InputError, match="sampled from data, not from runs; use --suite reflexives"
    ):
        study_from_runs([read_run(folder)], SamplingOptions())


def test_the_seed_decides() -> None:
    suite = reflexives.suite
    many = [
        {
            item.id
            for item in study_from_data(
                suite, DataSource(), SamplingOptions(total=4, seed=seed)
            ).items
        }
        for seed in range(5)
    ]
    assert len({digest(sorted(ids)) for ids in many}) > 1
