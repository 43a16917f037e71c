"""Texts on the pages: none is lost in cutting it up, and every sentence can be said."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epicene.core import registry
from epicene.studies.design.interface_texts import (
    interface_text,
    interface_texts,
    plural_category,
)
from epicene.studies.design.schema import Span
from epicene.studies.web.item_form import compare_words, markable_words
from epicene.studies.web.translations import page_language
from epicene.suites import find_suite
from study_examples import forced_choice

if TYPE_CHECKING:
    from playwright.sync_api import Browser

LANGUAGES = ("en", "ar", "hi", "fr", "")
TRANSLATED = ("en", "fr", "ar", "hi", "es", "pt", "it", "de", "ru")
SAME_AS_ENGLISH = {
    "instructions_title": {"fr"},
    "question_number": {"fr"},
    "enter_key": {"pt", "de", "ru"},
}
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


def test_everything_that_is_said_can_be_said_in_all_languages() -> None:
    words = interface_texts()
    assert all(set(texts) == set(TRANSLATED) for texts in words.values())
    source = "".join(
        path.read_text("utf-8")
        for folder in (PAGES, PAGES / "templates", files("epicene.studies.exchange"))
        for path in folder.iterdir()
        if path.name.endswith((".py", ".html"))
    )
    used = set(re.findall(r"""say\(["'](\w+)["']""", source))
    assert used <= set(words)
    quoted = set(re.findall(r'"(\w+)"', source)) | used
    assert set(words) <= quoted
    assert interface_text("next", "tr") == "Continue"


def _forms(text: str | dict[str, str]) -> set[str]:
    return {text} if isinstance(text, str) else set(text.values())


def test_texts_have_the_placeholders_of_the_english_ones_and_are_not_english() -> None:
    words = interface_texts()
    for name, texts in words.items():
        expected = set(re.findall(r"{\w+}", str(texts["en"])))
        for language in TRANSLATED:
            for form in _forms(texts[language]):
                left_out = {"{answered}"} if language == "ar" else set()  # zero, one and two
                assert expected - left_out <= set(re.findall(r"{\w+}", form)) <= expected
        same = {code for code in TRANSLATED if texts[code] == texts["en"]}
        assert same <= {"en"} | SAME_AS_ENGLISH.get(name, set()), name


def test_every_study_of_a_suite_is_in_languages_that_the_pages_know() -> None:
    for name in registry.names("suites"):
        suite = find_suite(name)
        for kind in suite.studies.values():
            study = kind.study(suite.protocols["epicene"])
            assert set(study.title) <= set(TRANSLATED)
    rewritings = files("epicene.suites.genform.studies") / "rewritings"
    codes = {path.name.removesuffix(".toml") for path in rewritings.iterdir()}
    assert codes <= set(TRANSLATED)


@pytest.mark.parametrize(
    ("language", "categories"),
    [
        ("en", "other one other other other other"),
        ("fr", "one one other other other other"),
        ("hi", "one one other other other other"),
        ("ar", "zero one two few many other"),
        ("es", "other one other other other other"),
        ("pt", "other one other other other other"),
        ("it", "other one other other other other"),
        ("de", "other one other other other other"),
        ("ru", "many one few few many many"),
    ],
)
def test_plural_categories(language: str, categories: str) -> None:
    numbers = (0, 1, 2, 3, 11, 100)
    assert [plural_category(number, language) for number in numbers] == categories.split()


@pytest.mark.parametrize("language", TRANSLATED)
def test_plural_categories_are_those_of_cldr(language: str, chromium: Browser) -> None:
    """Browsers have CLDR's rules."""
    numbers = [*range(1200), 10**6, 10**6 + 1, 2 * 10**6]
    page = chromium.new_page()
    script = "([language, numbers]) => numbers.map((n) => new Intl.PluralRules(language).select(n))"
    known = page.evaluate(script, ["pt-PT" if language == "pt" else language, numbers])
    page.close()
    assert [plural_category(number, language) for number in numbers] == known


@pytest.mark.parametrize(
    ("language", "number", "expected"),
    [
        ("en", 1, "1 of 12 answered"),
        ("fr", 0, "0 réponse sur 12"),
        ("fr", 1, "1 réponse sur 12"),
        ("fr", 2, "2 réponses sur 12"),
        ("fr", 10**6, "1000000 réponses sur 12"),
        ("hi", 1, "12 में से 1 उत्तर दिया गया"),
        ("hi", 2, "12 में से 2 उत्तर दिए गए"),
        ("ar", 0, "لا إجابات بعد من أصل 12"),
        ("ar", 1, "إجابة واحدة من أصل 12"),
        ("ar", 2, "إجابتان من أصل 12"),
        ("ar", 3, "3 إجابات من أصل 12"),
        ("ar", 11, "11 إجابة من أصل 12"),
        ("ar", 100, "100 إجابة من أصل 12"),
        ("ar", 103, "103 إجابات من أصل 12"),
        ("es", 1, "1 respuesta de 12"),
        ("es", 0, "0 respuestas de 12"),
        ("pt", 1, "1 resposta de 12"),
        ("it", 2, "2 risposte su 12"),
        ("de", 1, "1 von 12 beantwortet"),
        ("ru", 1, "1 ответ из 12"),
        ("ru", 3, "3 ответа из 12"),
        ("ru", 11, "11 ответов из 12"),
        ("ru", 21, "21 ответ из 12"),
    ],
)
def test_the_progress_agrees_with_its_number(language: str, number: int, expected: str) -> None:
    text = interface_text("progress", language, number=number)
    assert text.format(answered=number, most=12) == expected
