"""Counts over the strings of an audit: per file and per prefix of their keys."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

import msgspec

from epicene.localisation.audit.findings import ProblemKind, ShownGender, Whose
from epicene.rewriting import Confidence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epicene.localisation.audit.findings import Finding

_SEPARATORS = "./|:"
_DEEPEST = 3  # parts of a key that a prefix may have


class Counts(msgspec.Struct, kw_only=True):
    """How many strings there are, and how many of them show which gender.

    `gendered` counts strings that show anyone's gender; `masculine`, `feminine` and `both` those
    with such a word, so a string can be in several. `people` counts strings by the gender that they
    show for each person, `user` by that of the program's user.
    """

    strings: int = 0
    gendered: int = 0
    masculine: int = 0
    feminine: int = 0
    both: int = 0
    undecided: int = 0
    with_problems: int = 0
    people: dict[Whose, dict[ShownGender, int]] = {}
    user: dict[ShownGender, int] = {}
    problems: dict[ProblemKind, int] = {}
    sure: dict[Confidence, int] = {}
    spellings: dict[str, int] = {}

    def add(self, finding: Finding | None) -> None:
        """Count one string."""
        self.strings += 1
        if finding is None:
            return
        genders = {word.gender for word in finding.words}
        self.gendered += bool(genders)
        self.masculine += "masculine" in genders
        self.feminine += "feminine" in genders
        self.both += "both" in genders
        self.undecided += finding.is_undecided
        self.with_problems += bool(finding.problems)
        for whose, gender in finding.people.items():
            of_person = self.people.setdefault(whose, {})
            of_person[gender] = of_person.get(gender, 0) + 1
        for gender in {finding.people[each] for each in finding.user if each in finding.people}:
            self.user[gender] = self.user.get(gender, 0) + 1
        for kind in {problem.kind for problem in finding.problems}:
            self.problems[kind] = self.problems.get(kind, 0) + 1
        if finding.sure is not None:
            self.sure[finding.sure] = self.sure.get(finding.sure, 0) + 1
        for style in {word.spelling for word in finding.words if word.spelling}:
            self.spellings[style] = self.spellings.get(style, 0) + 1

    def shown(self, whose: Whose, gender: ShownGender) -> int:
        """The number of strings that show that gender for a person."""
        return self.people.get(whose, {}).get(gender, 0)


class FileCounts(msgspec.Struct, kw_only=True):
    """The counts of one file in one language; `prefixes` those of the keys' first parts."""

    file: str
    format: str
    language: str
    counts: Counts
    prefixes: dict[str, Counts] = {}

    def main_prefixes(self) -> list[tuple[str, Counts]]:
        """The first parts of keys with the most strings that show a gender, at most eight."""
        gendered = [each for each in self.prefixes.items() if each[1].gendered]
        return sorted(gendered, key=lambda each: -each[1].gendered)[:8]


class Summary(msgspec.Struct, kw_only=True):
    """The counts of all files; `not_read` counts strings in languages that cannot be audited."""

    total: Counts = msgspec.field(default_factory=Counts)
    files: list[FileCounts] = []
    not_read: dict[str, int] = {}

    def headline(self) -> str:
        """The most important counts, in a sentence."""
        total = self.total
        verb, man, woman = "address", total.user.get("masculine", 0), total.user.get("feminine", 0)
        if not total.user:  # then those who are only spoken about are the news
            verb, man, woman = "mention", total.masculine, total.feminine
        return f"{man:,} of {total.strings:,} strings {verb} a man, {woman:,} a woman."


def key_prefixes(keys: Sequence[str]) -> list[str]:
    """The prefix of each key: as many of its first parts as are needed to distinguish keys.

    A key that is a sentence or has a single part has no prefix.
    """
    split = [_parts(key) for key in keys]
    prefixes: list[str] = []
    for depth in range(1, _DEEPEST + 1):
        prefixes = [".".join(parts[:depth]) if len(parts) > depth else "" for parts in split]
        if len(set(prefixes)) != 1 or not prefixes[0]:
            break
    return prefixes


def _parts(key: str) -> list[str]:
    """The parts of a key; one with a blank in it is a sentence, and ends them."""
    for separator in _SEPARATORS[1:]:
        key = key.replace(separator, ".")
    parts = key.strip(".").split(".")
    names = list(takewhile(lambda part: not any(map(str.isspace, part)), parts))
    return [*names, ""] if len(names) < len(parts) else names
