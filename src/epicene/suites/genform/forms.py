"""Whether two words are two forms of one word.

They are if they share a stem, that is, if half of the shorter word or more is the beginning of
the longer one too; or if they stand together in forms.toml, which has words that share no stem
(homme, femme; هذا، هذه; गया, गई). The parts of a hyphenated word are compared one by one. Arabic
words are compared by what is left of them without what is joined to them and without the letters
that patterns add, since a plural keeps its consonants and little else (عمال، عاملات).
"""

from __future__ import annotations

import tomllib
from functools import cache, lru_cache
from pathlib import Path

import regex

_ARABIC_MARKS = regex.compile(r"[\u064b-\u0652\u0640]")
_AND = regex.compile(r"^[وف](?=\p{L}{2})")
_BEFORE = regex.compile(r"^[بكل]?(?:ال|لل)?(?=\p{L}{2})")
_IMPERFECT = regex.compile(r"^[يتأن](?=\p{L}{2})")
_PRONOUN = regex.compile(r"(?<=\p{L}{2})(?:نا|هما|هم|هن|ها|كم|كن|ه|ك|ي)$")
_WEAK = regex.compile(r"[اأإآىيوءئؤة]")
_ENDING = regex.compile(r"(?<=\p{L}{2})[تن]$")


@lru_cache(maxsize=2**15)
def are_forms(one: str, other: str, language: str) -> bool:
    """Whether the two are forms of one word."""
    first, second = one.casefold(), other.casefold()
    if first == second or _stand_together(first, second, language):
        return True
    if "-" in first and first.count("-") == second.count("-"):
        parts = zip(first.split("-"), second.split("-"), strict=True)
        return all(are_forms(*both, language) for both in parts)
    return _arabic(first, second) if language == "ar" else _share_stem(first, second)


def _arabic(one: str, other: str) -> bool:
    plain = [_ARABIC_MARKS.sub("", word) for word in (one, other)]
    alone = [_AND.sub("", word) for word in plain]
    bare = [_BEFORE.sub("", word) for word in alone]
    without = [_PRONOUN.sub("", word) for word in bare]
    cut = (plain, alone, bare, without)
    if any(_stand_together(first, second, "ar") for first, second in cut):
        return True
    if _share_stem(*bare) or _share_stem(*(_IMPERFECT.sub("", word) for word in bare)):
        return True
    first, second = (_ENDING.sub("", _WEAK.sub("", word)) for word in without)
    return len(first) > 1 and first == second


def _share_stem(one: str, other: str) -> bool:
    shorter = min(len(one), len(other))
    common = 0
    while common < shorter and one[common] == other[common]:
        common += 1
    return common > 0 and 2 * common >= shorter


def _stand_together(one: str, other: str, language: str) -> bool:
    sets = _sets(language)
    return not sets.get(one, frozenset()).isdisjoint(sets.get(other, frozenset()))


@cache
def _sets(language: str) -> dict[str, frozenset[int]]:
    """By word, the numbers of the sets that it stands in."""
    text = (Path(__file__).parent / "forms.toml").read_text(encoding="utf-8")
    found: dict[str, set[int]] = {}
    for number, line in enumerate(tomllib.loads(text).get(language, ())):
        for word in line.split():
            found.setdefault(word, set()).add(number)
    return {word: frozenset(numbers) for word, numbers in found.items()}
