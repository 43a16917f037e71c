"""SLOR: the log-probability of a sentence minus that of its words alone, per word.

The published measure uses unigram frequencies of the model's training text, which is rarely known.
Ours uses those of the package `wordfreq` and counts words: an approximation, the same for every
model. A word that is not listed counts as half as frequent as the rarest listed word; in Hindi,
whose list ends at one in a million, that is most causatives in -vā. Without the package, or for a
language that it lacks, there is no SLOR.
"""

from __future__ import annotations

import math
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

from epicene.languages.tokenisation import words
from epicene.suites.alternations.hindi_verbs import base_forms

if TYPE_CHECKING:
    from epicene.core.records import TextScore
    from epicene.suites.alternations.hindi_verbs import Verb


@cache
def has_frequencies(language: str) -> bool:
    """Whether `wordfreq` is installed and has the language."""
    if find_spec("wordfreq") is None:
        return False
    from wordfreq import available_languages

    return language in available_languages()


@cache
def log_frequency(word: str, language: str) -> float:
    """The natural logarithm of a word's share of all words."""
    from wordfreq import word_frequency

    return math.log(word_frequency(word, language) or _unlisted_frequency(language))


@cache
def _unlisted_frequency(language: str) -> float:
    """Half the smallest frequency that the package lists."""
    from wordfreq import get_frequency_list

    # Words by their frequency in hundredths of a power of ten, the commonest first.
    return float(10 ** (-(len(get_frequency_list(language)) - 1) / 100) / 2)


def slor(
    first: tuple[str, TextScore], second: tuple[str, TextScore], language: str
) -> tuple[float, float] | None:
    """SLOR of two texts with their scores; None where there are no frequencies."""
    if not language or not has_frequencies(language):
        return None
    return _slor_of(*first, language), _slor_of(*second, language)


def _slor_of(text: str, score: TextScore, language: str) -> float:
    found = [text[span.start : span.end] for span in words(text, language)]
    alone = sum(log_frequency(word, language) for word in found)
    return (score.sum - alone) / max(len(found), 1)


def zipf_value(verb: Verb) -> float:
    """The Zipf value of the base's most common form, in either spelling of a nasal; 0 if
    unlisted."""
    from wordfreq import zipf_frequency

    forms = base_forms(verb)
    spelt = {*forms, *(form.replace("ँ", "ं") for form in forms)}
    return max(float(zipf_frequency(form, "hi")) for form in spelt)
