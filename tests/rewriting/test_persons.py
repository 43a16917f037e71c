"""Who is named, and how changes become a text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epicene.core.errors import InputError
from epicene.rewriting import Change
from epicene.rewriting.persons import (
    GENDERS,
    PERSONS,
    TargetGenders,
    apply_changes,
    other_gender,
    person_rewriter,
    read_target_genders,
)


def change(start: int, before: str, after: str) -> Change:
    return Change(
        start=start, end=start + len(before), before=before, after=after, rule="r", sure="certain"
    )


def test_short_and_long_names_of_genders() -> None:
    assert read_target_genders({"speaker": "f", "others": "masculine"}) == {
        "speaker": "feminine",
        "others": "masculine",
    }
    assert [other_gender(gender) for gender in GENDERS] == ["feminine", "masculine"]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({}, "No person is given"),
        ({"speaker": "x"}, "--speaker must be m, f or n, not 'x'"),
        ({"listener": "femenine"}, "--listener must be m, f or n, not 'femenine'"),
    ],
)
def test_wrong_options(options: dict[str, str], says: str) -> None:
    with pytest.raises(InputError, match=says):
        read_target_genders(options)


def test_changes_are_made_in_order() -> None:
    done = apply_changes("un deux trois", [change(8, "trois", "3"), change(0, "un", "1")])
    assert done.text == "1 deux 3"
    assert [each.start for each in done.changes] == [0, 8]


def test_what_changes_nothing_is_no_change() -> None:
    assert apply_changes("un", [change(0, "un", "un")]).changes == ()


@pytest.mark.parametrize(
    "changes",
    [[change(0, "deux", "2")], [change(0, "un d", ""), change(3, "deux", "2")]],
    ids=["another text", "overlap"],
)
def test_changes_must_fit(changes: list[Change]) -> None:
    with pytest.raises(ValueError, match="does not match the text"):
        apply_changes("un deux", changes)


@given(st.text(), st.lists(st.integers(0, 30), max_size=6))
def test_text_between_changes_stays(text: str, indices: list[int]) -> None:
    """Replacing single characters, wherever they stand, keeps all others."""
    at = sorted({index for index in indices if index < len(text)})
    done = apply_changes(text, [change(index, text[index], "<>") for index in at])
    expected = "".join("<>" if index in at else letter for index, letter in enumerate(text))
    assert done.text == expected


def test_a_language_gives_one_function() -> None:
    def shout(text: str, wanted: TargetGenders) -> list[Change]:
        return [change(0, text, text.upper())] if wanted.get("speaker") == "feminine" else []

    rewriter = person_rewriter(shout, version="7", packages=lambda: {"ears": "2"})
    assert (rewriter.takes, rewriter.version, rewriter.packages()) == (PERSONS, "7", {"ears": "2"})
    assert [each.text for each in rewriter.open({"speaker": "f"})(["a", "b"])] == ["A", "B"]
    assert [each.text for each in rewriter.open({"others": "f"})(["a"])] == ["a"]
