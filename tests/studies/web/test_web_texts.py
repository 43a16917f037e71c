"""Texts on the pages: none is lost in cutting it up, and every sentence can be said."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epicene.studies.design.schema import Span
from epicene.studies.web.item_form import compare_words, markable_words
from epicene.studies.web.translations import interface_text, page_language
from study_examples import forced_choice

LANGUAGES = ("en", "ar", "hi", "fr", "")
PAGES = files("epicene.studies.web")


@given(st.text(max_size=60), st.text(max_size=60), st.sampled_from(LANGUAGES))
def test_a_comparison_keeps_both_texts(before: str, after: str, language: str) -> None:
    pieces = compare_words(before, after, language)
    for text, found in zip((before, after), pieces, strict=True):
        assert "".join(piece.text for piece in found) == text
    same = [
        [piece.text for piece in side if not piece.changed and piece.text.strip()]
        for side in pieces
    ]
    assert same[0] == same[1]
    if before == after:
        assert not any(piece.changed for side in pieces for piece in side)


@given(st.text(max_size=60), st.sampled_from(LANGUAGES))
def test_words_to_mark_are_places_in_the_text(text: str, language: str) -> None:
    pieces = list(markable_words(text, language, ()))
    assert "".join(piece.text for piece in pieces) == text
    for piece in pieces:
        if piece.span:
            start, end = map(int, piece.span.split("-"))
            assert text[start:end] == piece.text
        assert piece.mark is None


def test_marks_come_back() -> None:
    pieces = list(markable_words("the old man", "en", (Span(start=8, end=11, label="noun"),)))
    assert {piece.text: piece.mark for piece in pieces if piece.span} == {
        "the": None,
        "old": None,
        "man": "noun",
    }


@pytest.mark.parametrize(
    ("chosen", "accepted", "language"),
    [
        ("en", "hi", "en"),
        ("", "en-GB,hi;q=0.5", "en"),
        ("", "de, HI-IN;q=0.7, en", "hi"),
        ("", "", "hi"),
        ("fr", ";;,,", "hi"),
    ],
)
def test_the_language_of_a_page(chosen: str, accepted: str, language: str) -> None:
    assert page_language(forced_choice(), chosen, accepted) == language


def test_everything_that_is_said_can_be_said_in_all_four_languages() -> None:
    words = tomllib.loads((PAGES / "translations.toml").read_text("utf-8"))
    assert all(set(texts) == {"en", "fr", "ar", "hi"} for texts in words.values())
    source = "".join(
        path.read_text("utf-8")
        for folder in (PAGES, PAGES / "templates")
        for path in folder.iterdir()
        if path.name.endswith((".py", ".html"))
    )
    used = set(re.findall(r"""say\(["'](\w+)["']""", source))
    assert used <= set(words)
    quoted = set(re.findall(r'"(\w+)"', source)) | used
    assert set(words) <= quoted
    assert interface_text("next", "de") == "Continue"
