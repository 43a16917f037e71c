"""The spelling of a Hindi text stays its own."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epicene.rewriting.persons import GENDERS, Gender, Person, other_gender
from rewriting.person_cases import Case, pairs, turned

_COMPOSED = {
    unicodedata.normalize("NFD", letter): letter for letter in map(chr, range(0x958, 0x960))
}


def composed(text: str) -> str:
    """Each letter with a dot below as one character."""
    for letters, letter in _COMPOSED.items():
        text = text.replace(letters, letter)
    return text


def decomposed(text: str) -> str:
    """Each letter with a dot below as two."""
    return unicodedata.normalize("NFD", text)


def without_candrabindu(text: str) -> str:
    return text.replace("ँ", "ं")


def without_dots_below(text: str) -> str:
    return decomposed(text).replace("\u093c", "")


@given(st.sampled_from(pairs("hi", "speaker")), st.sampled_from(GENDERS))
def test_every_spelling_is_kept(case: Case, gender: Gender) -> None:
    source, wanted = getattr(case, other_gender(gender)), getattr(case, gender)
    for spell in (composed, decomposed, without_candrabindu, without_dots_below):
        assert turned("hi", spell(source), "speaker", gender) == spell(wanted)


@pytest.mark.parametrize(
    ("text", "person", "gender", "wanted"),
    [
        ("मैं गया।", "speaker", "feminine", "मैं गई।"),
        ("मैं नयी किताब लेने गया।", "speaker", "feminine", "मैं नयी किताब लेने गयी।"),
        ("मैं नई किताब लेने गया।", "speaker", "feminine", "मैं नई किताब लेने गई।"),
        ("आप कब गये थे?", "listener", "feminine", "आप कब गयी थीं?"),
        ("आप कब गए थे?", "listener", "feminine", "आप कब गई थीं?"),
        ("आप कब गयी थीं?", "listener", "masculine", "आप कब गये थे?"),
        # A joiner inside a word stays.
        ("मैं रोज़ पढ़\u200dता हूँ।", "speaker", "feminine", "मैं रोज़ पढ़\u200dती हूँ।"),
    ],
)
def test_it_is_written_as_the_line_writes_it(
    text: str, person: Person, gender: Gender, wanted: str
) -> None:
    assert turned("hi", text, person, gender) == wanted
