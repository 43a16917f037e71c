"""Edit scripts: how one form of a word becomes another, in a way that fits other words too."""

from __future__ import annotations

from difflib import SequenceMatcher
from functools import cache
from typing import NamedTuple


class Script(NamedTuple):
    """The letters at both ends of a word, and what is put in their place."""

    start: str
    new_start: str
    end: str
    new_end: str

    def apply(self, word: str) -> str | None:
        """The word's other form; None if the word does not have these ends."""
        stem = len(word) - len(self.start) - len(self.end)
        if stem < 0 or not word.startswith(self.start) or not word.endswith(self.end):
            return None
        return self.new_start + word[len(self.start) : len(word) - len(self.end)] + self.new_end


@cache
def script_between(word: str, other: str) -> Script:
    """The script that keeps the longest stretch of letters that both have."""
    kept = SequenceMatcher(None, word, other, autojunk=False).find_longest_match()
    return Script(
        word[: kept.a],
        other[: kept.b],
        word[kept.a + kept.size :],
        other[kept.b + kept.size :],
    )
