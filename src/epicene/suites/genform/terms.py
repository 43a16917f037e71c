"""Gendered terms of a sentence, and what an answer made of them (the paper's Appendix C.2).

Gendered terms are the differences between the two forms under the word alignment: a word of the
reference that the other form has otherwise or not at all, and a word of the other form that the
reference does without. Their number is the word edit distance of the forms, so it is the same in
both directions. An answer's mismatches are its differences from the reference.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from epicene.suites.genform.alignment import MISSING, Alignment, align

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.suites.genform.words import Words


class Reference(NamedTuple):
    """The words wanted, those of the other form, and where the two differ."""

    words: Words
    counterfactual: Words
    alignment: Alignment
    gendered: tuple[int, ...]  # places of words that the other form has otherwise
    dropped: dict[int, int]  # before which place the other form has how many words more

    @property
    def terms(self) -> int:
        """How many gendered terms there are."""
        return len(self.gendered) + sum(self.dropped.values())


class Tally(NamedTuple):
    """What an answer made of a sentence.

    right      gendered terms that are as they should be
    kept       gendered terms that are still as in the other form
    spurious   mismatches that are no gendered terms: words changed, missing or added
    changed    places of the words, not gendered ones, for which the answer has others
    shared     how many of the words that both forms have are in the answer
    """

    alignment: Alignment
    right: int
    kept: int
    spurious: int
    changed: tuple[int, ...]
    shared: int


def reference_of(words: Words, counterfactual: Words) -> Reference:
    """Find the gendered terms."""
    found = align(words, counterfactual)
    gendered = tuple(
        place
        for place, (word, partner) in enumerate(zip(words, found.partners, strict=True))
        if partner == MISSING or counterfactual[partner] != word
    )
    dropped = {place: len(extra) for place, extra in found.extra.items()}
    return Reference(words, counterfactual, found, gendered, dropped)


def tally(reference: Reference, answer: Words) -> Tally:
    """Count what is right and what was changed besides."""
    words = reference.words
    if answer == words:
        same = Alignment(list(range(len(words))), {})
        return Tally(same, reference.terms, 0, 0, (), len(words) - len(reference.gendered))
    found = align(words, answer)
    wrong = [
        place
        for place, partner in enumerate(found.partners)
        if partner == MISSING or answer[partner] != words[place]
    ]
    gendered = set(reference.gendered)
    outside = [place for place in wrong if place not in gendered]
    missed = [place for place in wrong if place in gendered]
    left_out, brought_back = _dropped(reference, found, set(wrong))
    added = sum(len(extra) for extra in found.extra.values())
    return Tally(
        alignment=found,
        right=len(gendered) - len(missed) + left_out,
        kept=sum(_is_kept(reference, found, answer, place) for place in missed) + brought_back,
        spurious=len(outside) + added - brought_back,
        changed=tuple(place for place in outside if found.partners[place] != MISSING),
        shared=len(words) - len(gendered) - len(outside),
    )


def _is_kept(reference: Reference, found: Alignment, answer: Words, place: int) -> bool:
    """Whether the answer has at that place the word of the other form."""
    mine, theirs = found.partners[place], reference.alignment.partners[place]
    if mine == MISSING or theirs == MISSING:
        return mine == theirs
    return answer[mine] == reference.counterfactual[theirs]


def _dropped(reference: Reference, found: Alignment, wrong: set[int]) -> tuple[int, int]:
    """Of the words that should have gone: how many are gone, and how many came back.

    A word counts as gone only where the answer has a word beside its place, so that nothing at
    all never counts for something.
    """
    gone = back = 0
    size = len(reference.words)
    for place, count in reference.dropped.items():
        there = min(count, len(found.extra.get(place, ())))
        back += there
        beside = (each for each in (place - 1, place) if 0 <= each < size)
        if any(each not in wrong for each in beside):
            gone += count - there
    return gone, back


def columns(reference: Reference, found: Alignment, answer: Words) -> Iterator[str]:
    """Answer, reference and counterfactual word by word: one word where all three have it, else
    three, with a dash for a word that is not there."""
    for place in range(len(reference.words) + 1):
        mine = [answer[each] for each in found.extra.get(place, ())]
        theirs = [
            reference.counterfactual[each] for each in reference.alignment.extra.get(place, ())
        ]
        for number in range(max(len(mine), len(theirs))):
            yield f"{_at(mine, number)} – {_at(theirs, number)}"
        if place < len(reference.words):
            yield _column(
                _at(answer, found.partners[place]),
                reference.words[place],
                _at(reference.counterfactual, reference.alignment.partners[place]),
            )


def _at(words: Words | list[str], place: int) -> str:
    return words[place] if 0 <= place < len(words) else "–"


def _column(answer: str, reference: str, counterfactual: str) -> str:
    if answer == reference == counterfactual:
        return reference
    return f"{answer} {reference} {counterfactual}"
