"""The words that agree with somebody, as they are found, and what becomes of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from epicene.languages.rewriting import Change
from epicene.languages.rewriting.arabic import spelling
from epicene.languages.rewriting.arabic.clitics import attached_to_verb, turned
from epicene.languages.rewriting.arabic.declension import Place, inflected
from epicene.languages.rewriting.arabic.fixed import fixed_forms
from epicene.languages.rewriting.arabic.lexicon import elatives, verbs
from epicene.languages.rewriting.arabic.letters import folded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.languages.rewriting import Sureness
    from epicene.languages.rewriting.arabic.clitics import Suffix
    from epicene.languages.rewriting.arabic.conjugation import Cell, Number
    from epicene.languages.rewriting.arabic.declension import Case
    from epicene.languages.rewriting.arabic.parsing import NounParse, VerbParse
    from epicene.languages.rewriting.arabic.spelling import Style
    from epicene.languages.rewriting.arabic.words import Line, Word
    from epicene.languages.rewriting.people import Gender, Person, Wanted


class Noun(NamedTuple):
    """A noun or an adjective, and where it stands."""

    parse: NounParse
    case: Case
    bound: bool = False  # a possessor follows


class VerbForm(NamedTuple):
    """A verb in one of its cells."""

    parse: VerbParse
    cell: Cell


class Fixed(NamedTuple):
    """A word that only has to be looked up, with what is joined to its front."""

    prefix: str
    key: str
    case: Case = "nominative"


class Finding(NamedTuple):
    """One word that agrees, in itself or in the pronoun at its end, with whom, and why."""

    at: int
    who: Person
    what: Noun | VerbForm | Fixed | Suffix
    rule: str
    sure: Sureness
    number: Number = "singular"


class Findings:
    """What was found so far; of two for the same part of a word the first is kept."""

    def __init__(self) -> None:
        self._found: dict[tuple[int, bool], Finding] = {}

    def add(self, finding: Finding) -> None:
        """Keep it, unless that part of the word has been claimed."""
        self._found.setdefault((finding.at, isinstance(finding.what, _suffix_type())), finding)

    def __contains__(self, at: int) -> bool:
        return (at, False) in self._found

    def by_word(self) -> Iterator[tuple[int, list[Finding]]]:
        """The findings of each word."""
        for at in sorted({place for place, _ in self._found}):
            yield at, [f for key in ((at, False), (at, True)) if (f := self._found.get(key))]
