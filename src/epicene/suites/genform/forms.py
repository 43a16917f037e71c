"""Whether two words are two forms of one word.

They are if they share a stem, that is, if one half of the shorter word or more is the beginning
of the longer one too; or if they stand together in forms.toml, which has the pairs that share no
stem (homme, femme; هذا، هذه; गया, गई). In Arabic what is joined in front (و ف ب ك ل ال, and the
first letter of an imperfect verb) is taken off before.
"""

from __future__ import annotations

import tomllib
from functools import cache, lru_cache
from pathlib import Path

import regex

_ARABIC_BEFORE = regex.compile(r"^[وف]?[بكل]?(?:ال|لل)?(?=\p{L}{2})|[\u064b-\u0652\u0640]")
_IMPERFECT = regex.compile(r"^[يتأن](?=\p{L}{2})")


@lru_cache(maxsize=2**15)
def are_forms(one: str, other: str, language: str) -> bool:
    """Whether the two are forms of one word."""
    first, second = one.casefold(), other.casefold()
    if first == second or _sets(language).get(first, frozenset()) & _sets(language).get(
        second, frozenset()
    ):
        return True
    if language != "ar":
        return _share_stem(first, second)
    first, second = _ARABIC_BEFORE.sub("", first), _ARABIC_BEFORE.sub("", second)
    plain = _share_stem(first, second) or bool(
        _sets("ar").get(first, frozenset()) & _sets("ar").get(second, frozenset())
    )
    return plain or _share_stem(_IMPERFECT.sub("", first), _IMPERFECT.sub("", second))


def _share_stem(one: str, other: str) -> bool:
    shorter = min(len(one), len(other))
    common = 0
    while common < shorter and one[common] == other[common]:
        common += 1
    return common > 0 and 2 * common >= shorter


@cache
def _sets(language: str) -> dict[str, frozenset[int]]:
    """By word, the numbers of the sets that it stands in."""
    text = (Path(__file__).parent / "forms.toml").read_text(encoding="utf-8")
    found: dict[str, set[int]] = {}
    for number, line in enumerate(tomllib.loads(text).get(language, ())):
        for word in line.split():
            found.setdefault(word, set()).add(number)
    return {word: frozenset(numbers) for word, numbers in found.items()}
