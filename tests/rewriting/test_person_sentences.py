"""Sentences rewritten as a person would, both ways, for each person, in each language."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from epicene.core.errors import InputError
from epicene.rewriting import Confidence, find_rewriter
from epicene.rewriting.persons import GENDERS, PERSONS, Person
from rewriting.person_cases import LANGUAGES, Case, pairs, read_cases, rewritten, turned

ALL = [
    pytest.param(language, person, case, id=f"{language} {person}: {case.masculine}")
    for language in LANGUAGES
    for person in PERSONS
    for case in pairs(language, person)
]


def _rows(name: str) -> list[Any]:
    return [
        pytest.param(
            language, row, id=f"{language}: {row if isinstance(row, str) else row['text']}"
        )
        for language in LANGUAGES
        for row in read_cases(language)[name]
    ]


@pytest.mark.parametrize(("language", "person", "case"), ALL)
def test_both_ways(language: str, person: Person, case: Case) -> None:
    assert turned(language, case.masculine, person, "feminine") == case.feminine
    assert turned(language, case.feminine, person, "masculine") == case.masculine


@pytest.mark.parametrize(("language", "person", "case"), ALL)
def test_who_has_the_gender_already_is_left_alone(
    language: str, person: Person, case: Case
) -> None:
    assert turned(language, case.masculine, person, "masculine") == case.masculine
    assert turned(language, case.feminine, person, "feminine") == case.feminine


@pytest.mark.parametrize(("language", "row"), _rows("one person at a time, to the feminine"))
def test_only_who_is_named_changes(language: str, row: dict[str, str]) -> None:
    found = {person: turned(language, row["text"], person, "feminine") for person in PERSONS}
    assert found == {person: row[person] for person in PERSONS}


@pytest.mark.parametrize(("language", "row"), _rows("several people at once, to the feminine"))
def test_several_at_once(language: str, row: dict[str, Any]) -> None:
    rewrite = find_rewriter(language).open(dict.fromkeys(row["people"], "f"))
    found = [each.text for each in rewrite([row["text"], ""])]
    assert found == [row["rewritten"], ""]


@pytest.mark.parametrize(("language", "row"), _rows("one way"))
def test_one_way(language: str, row: dict[str, Any]) -> None:
    assert turned(language, row["text"], row["person"], row["gender"]) == row["rewritten"]


@pytest.mark.parametrize(("language", "text"), _rows("unchanged for the speaker"))
def test_left_alone(language: str, text: str) -> None:
    assert [turned(language, text, "speaker", gender) for gender in GENDERS] == [text, text]


@pytest.mark.parametrize(("language", "row"), _rows("how sure"))
def test_every_change_says_whose_it_is_its_rule_and_how_sure_it_is(
    language: str, row: dict[str, Any]
) -> None:
    text = row["text"]
    changes = rewritten(language, text, "speaker", "feminine").changes
    assert [[change.after, change.sure] for change in changes] == row["sure"]
    assert [change.before for change in changes] == [text[c.start : c.end] for c in changes]
    assert all(change.rule and change.sure in get_args(Confidence) for change in changes)
    assert {change.whose for change in changes} == {"speaker"}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("options", "says"),
    [({}, "No person is given .*--speaker"), ({"speaker": "x"}, "--speaker must be m, f or n")],
)
def test_wrong_options(language: str, options: dict[str, str], says: str) -> None:
    with pytest.raises(InputError, match=says):
        find_rewriter(language).open(options)
