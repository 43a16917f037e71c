"""Every kind of study that a suite has lets people practise first."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from epicene.core import registry
from epicene.studies.design.checks import study_problems
from epicene.studies.design.schema import StudyItem
from epicene.suites import find_suite
from epicene.suites.genform.construction.annotation import study_of
from epicene.suites.genform.construction.generation import read_templates
from studies import suite_studies


@pytest.mark.parametrize("name", registry.names("suites"))
def test_every_study_has_practice_items(name: str) -> None:
    suite = find_suite(name)
    without = [
        study
        for study, kind in suite.studies.items()
        if not kind.for_items(
            replace(
                kind.study(suite.protocols["epicene"]),
                items=(StudyItem(id="one", language="fr", fields={}),),
            )
        ).practice
    ]
    assert without == []


@pytest.mark.parametrize("language", read_templates("").templates)
@pytest.mark.parametrize("name", ["review", "settle_review", "forms", "settle_forms"])
def test_every_study_that_writes_genform_data_has_practice_items(name: str, language: str) -> None:
    study = study_of(name, language, (), 2)
    assert len(study.practice) >= 2
    item = replace(study.practice[0], id="one", expected={}, feedback={})
    assert not list(study_problems(replace(study, items=(item,))))
    for each in study.practice:
        assert each.feedback.keys() == study.title.keys()


@pytest.mark.parametrize("kind", suite_studies.KINDS)
def test_every_kind_of_page_can_be_practised(kind: str, tmp_path: Path) -> None:
    assert suite_studies.KINDS[kind].study(tmp_path).practice
