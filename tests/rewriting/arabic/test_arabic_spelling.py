"""The spelling of an Arabic text stays its own."""

from __future__ import annotations

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from epicene.rewriting.persons import GENDERS, Gender, Person, other_gender
from rewriting.person_cases import Case, pairs, turned

SPEAKER = pairs("ar", "speaker")


def lengthened(text: str) -> str:
    """A tatweel after the second letter of each word that can have one."""
    return regex.sub(r"(?<!\p{L})(\p{L}[بتثجحخسشصضطظعغفقكلمني])(?=\p{L})", "\\1\u0640", text)


def nunated_after(text: str) -> str:
    """متعباً for متعبًا."""
    return text.replace("\u064bا", "ا\u064b")


@given(st.sampled_from(SPEAKER), st.sampled_from(GENDERS))
def test_lengthened_letters_are_read_through(case: Case, gender: Gender) -> None:
    source, wanted = getattr(case, other_gender(gender)), getattr(case, gender)
    answer = turned("ar", lengthened(source), "speaker", gender)
    assert answer.replace("\u0640", "") == wanted.replace("\u0640", "")


@given(st.sampled_from([case for case in SPEAKER if "\u064bا" in case.masculine]))
def test_the_nunation_is_written_where_the_line_writes_it(case: Case) -> None:
    masculine, feminine = nunated_after(case.masculine), nunated_after(case.feminine)
    assert turned("ar", masculine, "speaker", "feminine") == feminine
    if "ا\u064b" in feminine:
        assert turned("ar", feminine, "speaker", "masculine") == masculine


@pytest.mark.parametrize(
    ("text", "person", "gender", "wanted"),
    [
        ("كنت مشغولة جدا.", "speaker", "masculine", "كنت مشغولا جدا."),
        ("كنت مشغولة جدًا.", "speaker", "masculine", "كنت مشغولًا جدًا."),
        ("كنت مشغولة.", "speaker", "masculine", "كنت مشغولًا."),
        ("انا اسف لاني متاخر.", "speaker", "feminine", "انا اسفة لاني متاخرة."),
        ("انا اسفه.", "speaker", "masculine", "انا اسف."),
        ("أَنَا طَالِبٌ.", "speaker", "feminine", "أَنَا طَالِبَةٌ."),
        ("أَنَا طَالِبَةٌ.", "speaker", "masculine", "أَنَا طَالِبٌ."),
        ("أَنْتَ كَرِيمٌ.", "listener", "feminine", "أَنْتِ كَرِيمَةٌ."),
    ],
)
def test_nunation_hamza_and_vowels_are_written_as_the_line_writes_them(
    text: str, person: Person, gender: Gender, wanted: str
) -> None:
    assert turned("ar", text, person, gender) == wanted
