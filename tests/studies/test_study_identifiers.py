"""Ids of items: always the same, no number to a spreadsheet, and nothing to be read from them."""

from __future__ import annotations

import re
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from epicene.studies.design.sampling import item_id
from epicene.studies.exchange.study_files import read_study, read_study_definition, write_study
from study_examples import forced_choice


@given(st.text(), st.integers())
def test_a_letter_that_no_number_or_date_has_comes_first(text: str, number: int) -> None:
    made = item_id(text, number)
    assert re.fullmatch("i[0-9a-f]{12}", made)
    assert made == item_id(text, number)
    assert made != item_id(text, number + 1)


def test_ids_stay_as_they_are_from_one_version_to_the_next() -> None:
    assert item_id("meaning", "a sentry") == "i7c9b19143288"


def test_a_definitions_own_names_do_not_reach_people(tmp_path: Path) -> None:
    study = forced_choice()
    write_study(study, tmp_path / "choice.toml")
    found = read_study_definition(tmp_path / "choice.toml")
    for part in ("practice", "checks", "fillers"):
        (before,), (after,) = getattr(study, part), getattr(found, part)
        assert after.id == item_id(study.name, before.id)
        assert after.fields == before.fields
        assert after.expected == before.expected
    assert read_study(tmp_path / "choice.toml").checks == study.checks
