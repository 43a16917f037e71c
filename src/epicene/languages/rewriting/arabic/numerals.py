"""People who are counted: the numeral goes with them, and says the form of their noun."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from epicene.languages.rewriting.arabic import fixed
from epicene.languages.rewriting.arabic.findings import Fixed

if TYPE_CHECKING:
    from epicene.languages.rewriting.arabic.conjugation import Number
    from epicene.languages.rewriting.arabic.declension import Case
    from epicene.languages.rewriting.arabic.reading import Reading

_TENS = frozenset(
    ten + ending
    for ten in ("عشر", "ثلاث", "اربع", "خمس", "ست", "سبع", "ثمان", "تسع")
    for ending in ("ون", "ين")
)
_HUNDREDS = frozenset("مئة مائة مئتا مئتي مائتا مائتي ثلاثمئة خمسمئة ألف الف ألفا ألفي".split())


class Counted(NamedTuple):
    """The words that turn, and where the noun stands (-1: nowhere), in which number and case."""

    words: list[tuple[int, Fixed]]
    end: int
    noun: int = -1
    number: Number = "plural"
    case: Case = "genitive"


def counted(reading: Reading, at: int) -> Counted | None:
    """A numeral and what it counts, if one stands there and counts people."""
    word = reading.line[at]
    if word.is_mark:
        return None
    if word.key in _TENS and _is_person(reading, at + 1):
        return Counted([], at + 1, at + 1, "singular", "accusative")
    if word.letters in _HUNDREDS and _is_person(reading, at + 1):
        return Counted([], at + 1, at + 1, "singular", "genitive")
    prefix = next((one for one in ("ال", "وال", "و", "") if _is_numeral(word.letters, one)), None)
    if prefix is None:
        return None
    numeral = Fixed(prefix, "numerals", word.letters[len(prefix) :])
    after = reading.line[at + 1].letters
    if fixed.pair("tens", after):
        ten = Fixed("", "tens", after)
        noun = at + 2 if _is_person(reading, at + 2) else -1
        return Counted([(at, numeral), (at + 1, ten)], at + 2, noun, "singular", "accusative")
    if _is_two(numeral.word):
        return Counted([(at, numeral)], at + 1)
    if _is_person(reading, at + 1):
        return Counted([(at, numeral)], at + 1, at + 1)
    return None


def _is_numeral(letters: str, prefix: str) -> bool:
    return letters.startswith(prefix) and fixed.pair("numerals", letters[len(prefix) :]) is not None


def _is_two(word: str) -> bool:
    return word.startswith("اثن") and word.endswith("ن")


def _is_person(reading: Reading, at: int) -> bool:
    return any(parse.lemma.person for parse in reading.known_nouns(at))
