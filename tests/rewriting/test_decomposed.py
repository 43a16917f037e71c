"""Text in NFD (e and a combining accent) is read as in NFC, and only what differs is changed."""

from __future__ import annotations

import unicodedata

import pytest

from epicene.rewriting import find_rewriter
from epicene.rewriting.persons import PERSONS, assumed_gender
from epicene.rewriting.protected import visible_texts
from rewriting.person_cases import LANGUAGES, pairs, rewritten, turned


def _nfd(text: str) -> str:
    return unicodedata.normalize("NFD", text)


@pytest.mark.parametrize("language", [each for each in LANGUAGES if each != "hi"])  # has no such
def test_it_is_rewritten_like_composed_text(language: str) -> None:
    rewrote = 0
    for person in PERSONS:
        for case in pairs(language, person):
            masculine, feminine = _nfd(case.masculine), _nfd(case.feminine)
            if masculine not in {case.masculine, feminine}:
                _same(turned(language, masculine, person, "feminine"), feminine)
                assert turned(language, masculine, person, "masculine") == masculine
                rewrote += 1
            if feminine not in {case.feminine, masculine}:
                _same(turned(language, feminine, person, "masculine"), masculine)
    assert rewrote


def _same(found: str, expected: str) -> None:
    """Alike and decomposed, the marks of a letter in whatever order."""
    assert _nfd(found) == expected
    assert len(found) == len(expected)


def test_nobody_has_both_genders() -> None:
    found = assumed_gender(_nfd("Je suis né à Sète, gâté et inquiet."), "fr")
    assert found.gender == "masculine"
    assert found.words == tuple(map(_nfd, ("né", "gâté", "inquiet")))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Je suis ge\u0302né, même fier.", "Je suis ge\u0302née, même fière."),  # in part
        ("J'e\u0301tais fier.", "J'e\u0301tais fie\u0300re."),
        ("Je suis <b>ge\u0302ne\u0301</b>.", "Je suis <b>ge\u0302ne\u0301e</b>."),
        (
            "{n, plural, one {De\u0301ja\u0300, je suis ne\u0301} other {Je suis ne\u0301}}",
            "{n, plural, one {De\u0301ja\u0300, je suis ne\u0301e} other {Je suis ne\u0301e}}",
        ),
        ("Je suis « e\u0301mu ».", "Je suis « e\u0301mue »."),
    ],
)
@pytest.mark.parametrize("syntax", ["", "icu"])
def test_only_what_differs_changes(text: str, expected: str, syntax: str) -> None:
    (found,) = find_rewriter("fr").open({"speaker": "f", "syntax": syntax})([text])
    assert found.text == expected


def test_marks_that_compose_nothing_stay() -> None:
    text = "\u0915\u093c \u064e\u0651 \u0958 у\u0301 e\u0302"  # nukta, vowel signs, stress
    (visible,) = visible_texts(text)
    assert visible.text == text.replace("e\u0302", "ê")
    assert visible_texts(text, composed=False)[0].text == text


def test_changes_quote_the_text_as_it_is_written() -> None:
    (change,) = rewritten("de", _nfd("Ich bin Köchin."), "speaker", "masculine").changes
    assert (change.before, change.after) == (_nfd("Köchin"), "Koch")
