"""Gendered terms of a sentence, and what an answer made of them (the paper's Appendix C.2).

Gendered terms are the words of the reference that the other form has otherwise or not at all,
under the word alignment. Where there is none and yet the other form has more words, the terms are
those words, which the answer should do without. An answer's mismatches are its differences from
the reference: words of it that are replaced or missing, and words that are added.
"""

from __future__ import annotations

from itertools import compress, zip_longest
from operator import ne
from typing import TYPE_CHECKING, NamedTuple

from epicene.suites.genform.alignment import MISSING, Alignment, align

if TYPE_CHECKING:
    from epicene.suites.genform.words import Words


class Reference(NamedTuple):
    """The words wanted, those of the other form, and where the two differ."""

    words: Words
    counterfactual: Words
    alignment: Alignment
    gendered: frozenset[int]  # places of words that the other form has otherwise
    dropped: dict[int, int]  # if none: before which place the other form has how many words more
    terms: int


class Tally(NamedTuple):
    """What an answer made of a sentence.

    mismatched places of words that the answer has otherwise or not at all
    right      how many gendered terms are as they should be
    kept       how many are still as in the other form
    spurious   mismatches that are no gendered terms: words changed, missing or added
    shared     how many of the words that both forms have are in the answer
    """

    alignment: Alignment
    mismatched: tuple[int, ...]
    right: int
    kept: int
    spurious: int
    shared: int


def reference_of(words: Words, counterfactual: Words) -> Reference:
    """Find the gendered terms."""
    found = align(words, counterfactual)
    gendered = _mismatched(words, counterfactual, found)
    dropped = {} if gendered else {place: len(extra) for place, extra in found.extra.items()}
    terms = len(gendered) + sum(dropped.values())
    return Reference(words, counterfactual, found, frozenset(gendered), dropped, terms)


def tally(reference: Reference, answer: Words) -> Tally:
    """Count what is right and what was changed besides."""
    words, gendered = reference.words, reference.gendered
    common = len(words) - len(gendered)
    if answer == words:
        return Tally(Alignment(list(range(len(words))), {}), (), reference.terms, 0, 0, common)
    found = align(words, answer)
    mismatched = _mismatched(words, answer, found)
    missed = [place for place in mismatched if place in gendered]
    outside = len(mismatched) - len(missed)
    gone, back = _dropped(reference, found, mismatched)
    added = sum(len(extra) for extra in found.extra.values())
    return Tally(
        alignment=found,
        mismatched=mismatched,
        right=len(gendered) - len(missed) + gone,
        kept=sum(_is_kept(reference, found, answer, place) for place in missed) + back,
        spurious=outside + added - back,
        shared=common - outside,
    )


def _mismatched(words: Words, other: Words, found: Alignment) -> tuple[int, ...]:
    partners = found.partners
    found_words = [None if partner == MISSING else other[partner] for partner in partners]
    return tuple(compress(range(len(words)), map(ne, words, found_words)))


def _is_kept(reference: Reference, found: Alignment, answer: Words, place: int) -> bool:
    """Whether the answer has at that place the word of the other form."""
    mine, theirs = found.partners[place], reference.alignment.partners[place]
    if mine == MISSING or theirs == MISSING:
        return mine == theirs
    return answer[mine] == reference.counterfactual[theirs]


def _dropped(
    reference: Reference, found: Alignment, mismatched: tuple[int, ...]
) -> tuple[int, int]:
    """Of the words that should have gone: how many are gone, and how many came back.

    A word counts as gone only where the answer has a word beside its place, so that nothing at
    all never counts for something.
    """
    gone = back = 0
    for place, count in reference.dropped.items():
        there = min(count, len(found.extra.get(place, ())))
        back += there
        beside = {place - 1, place} & set(range(len(reference.words)))
        if not beside <= set(mismatched):
            gone += count - there
    return gone, back


# --- for people to read --------------------------------------------------------------------

_NO_WORD = "–"


def set_side_by_side(reference: Reference, tally: Tally, answer: Words) -> str:
    """Answer, reference and counterfactual word by word, a line each.

    A line has one word where all three have it, else three, with a dash for one that is not there.
    """
    lines = list(reference.words)
    for place in {*reference.gendered, *tally.mismatched}:
        mine = _at(answer, tally.alignment.partners[place])
        theirs = _at(reference.counterfactual, reference.alignment.partners[place])
        lines[place] = f"{mine} {reference.words[place]} {theirs}"
    extra = tally.alignment.extra
    for place in sorted({*extra, *reference.alignment.extra}, reverse=True):
        mine_here, theirs_here = extra.get(place, []), reference.alignment.extra.get(place, [])
        lines[place:place] = [
            f"{_at(answer, mine)} {_NO_WORD} {_at(reference.counterfactual, theirs)}"
            for mine, theirs in zip_longest(mine_here, theirs_here, fillvalue=MISSING)
        ]
    return "\n".join(lines)


def _at(words: Words, place: int) -> str:
    return _NO_WORD if place == MISSING else words[place]
