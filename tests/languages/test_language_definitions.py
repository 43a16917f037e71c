"""Languages are found by code, and texts know which way they run."""

from __future__ import annotations

import pytest

from epicene import languages
from epicene.core import registry
from epicene.core.errors import InputError
from epicene.languages import Language, direction, get, known
from epicene.languages.tokenisation import words


def test_nine_languages_are_known_by_code() -> None:
    codes = {language.code for language in known()}
    assert {"ar", "de", "en", "es", "fr", "hi", "it", "ru", "zh"} <= codes
    for language in known():
        assert get(language.code) is language
        assert direction(language.own_name) == language.direction


def test_an_unknown_language_names_the_nearest() -> None:
    with pytest.raises(InputError, match="There is no language 'fra'; did you mean 'fr'"):
        get("fra")


def test_a_language_of_another_package_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    breton = Language(
        code="br",
        name="Breton",
        own_name="brezhoneg",
        direction="ltr",
        scripts=("Latn",),
        elision="m['’]",
    )
    monkeypatch.setattr(registry, "_added", {("languages", "br"): breton})
    assert languages.get("br") is breton
    assert [span[:2] for span in words("m'eus", "br")] == [(0, 2), (2, 5)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("she said", "ltr"),
        ("قالت", "rtl"),
        ("123 — «قالت» she", "rtl"),
        ("1. She said «قالت»", "ltr"),
        ("वह", "ltr"),
        ("她", "ltr"),
        ("\u200f123", "rtl"),  # a mark is a strong character
        ("\u2067قالت\u2069 she", "ltr"),  # what is isolated does not count
        ("\u2069قالت", "rtl"),  # a stray end of isolation
        ("… 12!", "ltr"),
        ("", "ltr"),
    ],
)
def test_direction_is_that_of_the_first_strong_character(text: str, expected: str) -> None:
    assert direction(text) == expected
