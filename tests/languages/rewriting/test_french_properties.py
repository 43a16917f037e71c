"""What holds of every French text: it stays where nobody is named, and it comes back."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epicene.rewriting.french import rewrite
from epicene.rewriting.persons import GENDERS, PERSONS, Gender, Person, other_gender
from languages.rewriting.person_cases import Case, read_cases

SPEAKER = read_cases("french_speaker")
# Words that French is made of, in any order.
WORDS = sorted({word for case in SPEAKER for word in case.masculine.split()})
salads = st.lists(st.sampled_from([*WORDS, "«", "»", '"', "(", "-", "’"]), max_size=25).map(
    " ".join
)


def turned(text: str, person: Person, gender: Gender) -> str:
    return rewrite(text, {person: gender}).text


@given(salads | st.text(max_size=80), st.sampled_from(PERSONS), st.sampled_from(GENDERS))
def test_any_text_is_rewritten_where_it_says(text: str, person: Person, gender: Gender) -> None:
    """No text fails, and what is not among the changes stays."""
    done = rewrite(text, {person: gender})
    rebuilt, reached = [], 0
    for change in done.changes:
        assert text[change.start : change.end] == change.before != change.after
        rebuilt += [text[reached : change.start], change.after]
        reached = change.end
    assert "".join([*rebuilt, text[reached:]]) == done.text


@given(st.lists(st.sampled_from(SPEAKER), min_size=1, max_size=4), st.sampled_from(GENDERS))
def test_several_sentences_there_and_back(many: list[Case], gender: Gender) -> None:
    """What is in one sentence is of no matter to the next."""
    source = " ".join(getattr(case, gender) for case in many)
    there = turned(source, "speaker", other_gender(gender))
    assert turned(there, "speaker", gender) == source


@given(st.sampled_from(read_cases("french_others")), st.sampled_from(GENDERS))
def test_without_a_first_person_nothing_is_the_speakers(case: Case, gender: Gender) -> None:
    text: str = getattr(case, gender)
    own = {"je", "j'", "me", "m'", "moi", "mon", "ma", "mes"}
    if own.isdisjoint(text.lower().replace("'", "' ").replace("-", " ").split()):
        assert turned(text, "speaker", other_gender(gender)) == text


@pytest.fixture(scope="module")
def starter() -> list[dict[str, str]]:
    text = (files("epicene.suites.genform") / "starter" / "fr.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize("target", GENDERS)
def test_the_starter_set_stays_and_comes_back(
    starter: list[dict[str, str]], target: Gender
) -> None:
    """A second time changes nothing; where the first was right, the way back is the text."""
    for pair in starter:
        source, wanted = pair[other_gender(target)], pair[target]
        once = turned(source, "speaker", target)
        assert turned(once, "speaker", target) == once
        if once == wanted:
            assert turned(once, "speaker", other_gender(target)) == source
