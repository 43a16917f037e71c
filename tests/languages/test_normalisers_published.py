"""Normalisers that are not flagged keep apart what published parallel texts tell apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from epicene.languages.normalisers import NORMALISERS
from epicene.languages.tokenisation import words

if TYPE_CHECKING:
    from pathlib import Path

UNFLAGGED = [each for each in NORMALISERS.values() if not each.destroys_gender]


def different_words(
    masculine: list[str], feminine: list[str], language: str
) -> set[frozenset[str]]:
    """The pairs of words in which sentences of equally many words differ."""
    pairs = set()
    for one, other in zip(masculine, feminine, strict=True):
        one_words = [one[start:end] for start, end, _ in words(one, language)]
        other_words = [other[start:end] for start, end, _ in words(other, language)]
        if len(one_words) == len(other_words):
            pairs |= set(map(frozenset, zip(one_words, other_words, strict=True)))
    return {pair for pair in pairs if len(pair) == 2}


@pytest.mark.published(
    "MT-GenEval dev", "github.com/amazon-science/machine-translation-gender-eval"
)
@pytest.mark.parametrize("language", ["ar", "de", "es", "fr", "hi", "it", "pt", "ru"])
def test_masculine_and_feminine_stay_apart(published_data: Path, language: str) -> None:
    folder = published_data / "mt-geneval" / "dev"
    masculine, feminine = (
        (folder / f"geneval-sentences-{gender}-dev.en_{language}.{language}").read_text("utf-8")
        for gender in ("masculine", "feminine")
    )
    pairs = different_words(masculine.splitlines(), feminine.splitlines(), language)
    assert len(pairs) > 400
    for normaliser in UNFLAGGED:
        merged = [pair for pair in pairs if len(set(map(normaliser.function, pair))) == 1]
        assert merged == [], normaliser.name
