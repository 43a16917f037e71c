"""Every kind of study that a suite has lets people practise first."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from epicene.core import registry
from epicene.studies.design.schema import StudyItem
from epicene.suites import find_suite


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
