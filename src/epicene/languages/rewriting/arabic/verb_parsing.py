"""What a word can be as a verb."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from epicene.languages.rewriting.arabic import conjugation
from epicene.languages.rewriting.arabic.clitics import (
    SUFFIXES,
    VERB_PREFIXES,
    Suffix,
    verb_stems,
)
from epicene.languages.rewriting.arabic.letters import folded
from epicene.languages.rewriting.arabic.lexicon import verbs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.languages.rewriting.arabic.conjugation import Cell, Verb

# Words whose readings are remembered.
_REMEMBERED = 2**15


class VerbParse(NamedTuple):
    """A word as a verb, without what is joined to it."""

    prefix: str
    written: str  # the form as the line has it
    stem: str  # as the table has it
    suffix: Suffix | None
    verb: Verb
    cell: Cell

    @property
    def exact(self) -> bool:
        """Whether it is spelled as the table has it, hamzas too."""
        return self.written == self.stem


@lru_cache(maxsize=_REMEMBERED)
def verb_parses(letters: str) -> tuple[VerbParse, ...]:
    """All readings as a verb, those spelled exactly so first, then those with fewest clitics."""
    found = sorted(_verb_parses(letters), key=_rank)
    return tuple(found)


def _rank(parse: VerbParse) -> tuple[bool, int]:
    suffix = len(parse.suffix.letters) if parse.suffix else 0
    return not parse.exact, len(parse.prefix) + suffix


def _verb_parses(letters: str) -> Iterator[VerbParse]:
    table = verbs()
    for prefix in VERB_PREFIXES:
        if not letters.startswith(prefix):
            continue
        rest = letters[len(prefix) :]
        for suffix, stem in _cut_verb(rest):
            for verb, cell, form in table.get(folded(stem), ()):
                if _prefix_fits(prefix, cell):
                    yield VerbParse(prefix, stem, form, suffix, verb, cell)


def _cut_verb(rest: str) -> Iterator[tuple[Suffix | None, str]]:
    yield None, rest
    for suffix in SUFFIXES:
        if suffix.letters == "ي" or len(rest) - len(suffix.letters) < 2:
            continue
        if rest.endswith(suffix.letters) or (suffix.letters == "ني" and rest.endswith("نى")):
            for stem in verb_stems(rest[: -len(suffix.letters)]):
                yield suffix, stem


def _prefix_fits(prefix: str, cell: Cell) -> bool:
    if prefix.endswith("س"):
        return cell.tense == "imperfect" and cell.mood == "full"
    if prefix.endswith("ل"):
        return cell.tense == "perfect" or (cell.tense == "imperfect" and cell.mood != "full")
    if prefix.endswith("أ"):
        return cell.tense != "imperative"
    return True


@lru_cache(maxsize=_REMEMBERED)
def guessed_verbs(letters: str) -> tuple[VerbParse, ...]:
    """Imperfects of verbs that no list has, by their prefix; only where a verb must stand."""
    found = []
    for prefix in VERB_PREFIXES:
        rest = letters[len(prefix) :]
        if not letters.startswith(prefix) or len(rest) < 4 or rest[0] not in "يت":
            continue
        for suffix, form in reversed(list(_cut_verb(rest))):
            for stem in _imperfect_stems(form):
                verb = conjugation.Verb("", stem, "sound")
                for word, cell in conjugation.forms(verb):
                    if word == form and _prefix_fits(prefix, cell):
                        found.append(VerbParse(prefix, form, form, suffix, verb, cell))
            if found:
                return tuple(found)
    return tuple(found)


def _imperfect_stems(form: str) -> Iterator[str]:
    for ending in ("ين", "ون", "وا", "ن", "ي", ""):
        if form.endswith(ending) and len(form) - len(ending) >= 4:
            yield form[1 : len(form) - len(ending)]
            return
