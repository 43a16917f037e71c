"""Pronouns, demonstratives and numerals: words whose other gender is looked up."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from epicene.languages.rewriting.arabic.letters import folded
from epicene.languages.rewriting.arabic.lexicon import read

if TYPE_CHECKING:
    from epicene.languages.rewriting.people import Gender


@cache
def _pairs() -> dict[str, dict[str, tuple[str, str]]]:
    """By the list's name, the two forms that a word belongs to; the first pair of a word counts."""
    found: dict[str, dict[str, tuple[str, str]]] = {}
    for title, entries in read("fixed").items():
        rows = found.setdefault(title, {})
        for entry in entries:
            masculine, feminine = entry.split("/")
            for word in (masculine, feminine):
                rows.setdefault(folded(word), (masculine, feminine))
    return found


def pair(sort: str, word: str) -> tuple[str, str] | None:
    """The masculine and the feminine of a word of one of the lists of `fixed.toml`."""
    return _pairs()[sort].get(folded(word))


# Nobody in particular, and everybody.
_ALL = frozenset("كلنا كلكم كلهم كلهن جميعنا".split())
_ANYBODY = frozenset("أحد أحدا الجميع الناس كل الكل المرء".split())


def is_anybody(letters: str) -> bool:
    """أحد, الجميع, الناس: people whose gender nobody asks about."""
    return letters in _ANYBODY


def member(letters: str) -> tuple[str, str] | None:
    """كلانا, أحدنا and their kin, with a conjunction before them or not: that, and the word."""
    for prefix in ("", "و", "ف"):
        word = letters[len(prefix) :]
        if letters.startswith(prefix) and pair("members", word) and not (prefix and word[0] == "ا"):
            return prefix, word
    return None


def is_somebody(letters: str) -> bool:
    """Whether it is one of these, though it may look like a verb."""
    return is_anybody(letters) or letters in _ALL or member(letters) is not None


def gender_of(sort: str, word: str) -> Gender | None:
    """The gender of a word of one of the lists, None if it is not there."""
    found = pair(sort, word)
    if found is None:
        return None
    return "masculine" if folded(found[0]) == folded(word) else "feminine"


def turned(sort: str, word: str, gender: Gender) -> str | None:
    """The word's form for a gender, None if it is not in the list."""
    found = pair(sort, word)
    return found and found[gender == "feminine"]
