"""Align an answer with its reference, find the gendered terms and count what is right.

Alignment takes the fewest word edits (a word replaced, missing or extra). Equal words at the
beginning are matched first, then equal words at the end. Between them, of all alignments with the
fewest edits, the one is taken that

1. matches the most equal words (a missing and an extra word rather than two replaced ones), 2.
pairs the most words with the same first letter where words are replaced, 3. from left to right
pairs words before one counts as missing, and counts one as missing before one counts as extra.

Gendered terms (the paper's Appendix C.2) are the words of the reference that the other form has
otherwise or not at all. Where there is none and yet the other form has more words, the terms are
those words, which the answer should leave out. An answer's mismatches are its differences from the
reference: words that are replaced or missing, and words that are added.
"""

from __future__ import annotations

from itertools import compress, zip_longest
from operator import ne
from typing import TYPE_CHECKING, NamedTuple

from epicene.suites.genform.words import TOKENISATIONS, Tokenisation

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from epicene.suites.genform.words import Words

MISSING = -1


class Alignment(NamedTuple):
    """Where each word of the reference went, and what the other sentence has besides.

    `partners` holds for each word of the reference the place of its word in the other sentence,
    or MISSING. `extra` holds, by the place in the reference before which they stand, the places
    of words that have no partner.
    """

    partners: list[int]
    extra: dict[int, list[int]]


def align(reference: Sequence[str], other: Sequence[str]) -> Alignment:
    """The alignment of two sentences' words."""
    shorter = min(len(reference), len(other))
    start = _common_prefix(reference, other, shorter)
    end = _common_prefix(reversed(reference), reversed(other), shorter - start)
    middle, extra = _align_middle(
        reference[start : len(reference) - end], other[start : len(other) - end]
    )
    partners = [
        *range(start),
        *(place if place == MISSING else place + start for place in middle),
        *range(len(other) - end, len(other)),
    ]
    return Alignment(
        partners,
        {start + gap: [start + place for place in places] for gap, places in extra.items()},
    )


def _common_prefix(one: Iterable[str], other: Iterable[str], most: int) -> int:
    """How many words the two begin with alike."""
    return next(compress(range(most), map(ne, one, other)), most)


def _align_middle(reference: Sequence[str], other: Sequence[str]) -> Alignment:
    rows, columns = len(reference), len(other)
    if not rows or not columns:
        return Alignment([MISSING] * rows, {0: list(range(columns))} if columns else {})
    if rows == columns and _is_one_to_one(reference, other):
        return Alignment(list(range(rows)), {})
    if columns == 1:
        place = _best_index(other[0], reference)
        return Alignment([MISSING] * place + [0] + [MISSING] * (rows - place - 1), {})
    if rows == 1:
        place = _best_index(reference[0], other)
        gaps = {0: list(range(place)), 1: list(range(place + 1, columns))}
        return Alignment([place], {gap: places for gap, places in gaps.items() if places})
    left = _costs(reference, other)
    partners: list[int] = []
    extra: dict[int, list[int]] = {}
    i = j = 0
    while i < rows and j < columns:
        here = left[i][j]
        if reference[i] == other[j] or here == left[i + 1][j + 1] + _replacement_cost(
            reference[i], other[j]
        ):
            partners.append(j)
            i, j = i + 1, j + 1
        elif here == left[i + 1][j] + _EDIT:
            partners.append(MISSING)
            i += 1
        else:
            extra.setdefault(i, []).append(j)
            j += 1
    partners += [MISSING] * (rows - i)
    if j < columns:
        extra.setdefault(rows, []).extend(range(j, columns))
    return Alignment(partners, extra)


def _best_index(word: str, words: Sequence[str]) -> int:
    """Where a word goes that is alone: to its like, else to the first letter's, else in front."""
    if word in words:
        return words.index(word)
    return next((place for place, each in enumerate(words) if each[0] == word[0]), 0)


# Costs are compared digit by digit: edits first, then replaced words, then those unlike each other.
_UNLIKE = 1
_REPLACED = 1 << 16
_EDIT = 1 << 32
_FAR = 1 << 62


def _replacement_cost(word: str, other: str) -> int:
    return _EDIT + _REPLACED + (0 if word[0] == other[0] else _UNLIKE)


def _is_one_to_one(reference: Sequence[str], other: Sequence[str]) -> bool:
    """Whether word for word is the one best way to align sentences of one length.

    It is where no differing word of the one is anywhere in the other: then no more words can be
    matched than are in place, and as few edits leave no room for a missing and an extra word. It
    is, too, where only one word differs, or only the first and the last, unless all but one word
    of each are the same, one place on.
    """
    differing = [before for before, after in zip(reference, other, strict=True) if before != after]
    if len(differing) == 1 or set(other).isdisjoint(differing):
        return True
    shifted = reference[1:] == other[:-1] or reference[:-1] == other[1:]
    return len(differing) == 2 and not shifted


def _costs(reference: Sequence[str], other: Sequence[str]) -> list[list[int]]:
    """What it costs to align what is left of both from each pair of places on.

    Pairs of places that no alignment with the fewest edits goes through are left out: they are
    too far from the diagonal.
    """
    columns = len(other)
    nearest, furthest = _band(reference, other)
    initials = [word[0] for word in other]
    alike, unlike = _EDIT + _REPLACED, _EDIT + _REPLACED + _UNLIKE
    below = [_EDIT * left for left in range(columns, -1, -1)]
    table = [below]
    for i in range(len(reference) - 1, -1, -1):
        word = reference[i]
        initial = word[0]
        row = [_FAR] * (columns + 1)
        last = i + furthest
        reached = _FAR
        if last >= columns:
            last = columns - 1
            row[columns] = reached = below[columns] + _EDIT
        for j in range(last, max(i + nearest, 0) - 1, -1):
            if other[j] == word:
                reached = below[j + 1]
            else:
                if below[j] < reached:
                    reached = below[j]
                reached += _EDIT
                replaced = below[j + 1] + (alike if initials[j] == initial else unlike)
                if replaced < reached:
                    reached = replaced
            row[j] = reached
        below = row
        table.append(row)
    table.reverse()
    return table


def _band(reference: Sequence[str], other: Sequence[str]) -> tuple[int, int]:
    """How far before and behind its own place in the reference a word's partner may stand.

    Word for word from the left, or from the right, is one way to align. A way that is as good
    and goes through places `d` apart has at least |d| edits before them and |longer − d| after.
    """
    longer = len(other) - len(reference)
    in_place = min(
        sum(map(ne, reference, other)), sum(map(ne, reversed(reference), reversed(other)))
    )
    room = in_place // 2
    return min(longer, 0) - room, max(longer, 0) + room


class Reference(NamedTuple):
    """The words wanted, those of the other form, and where the two differ."""

    words: Words
    counterfactual: Words
    alignment: Alignment
    gendered: frozenset[int]  # places of words that the other form has otherwise
    dropped: dict[int, int]  # if none: before which place the other form has how many words more
    terms: int


class AnswerDiff(NamedTuple):
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


def diff_answer(reference: Reference, answer: Words) -> AnswerDiff:
    """Count what is right and what was changed besides."""
    words, gendered = reference.words, reference.gendered
    common = len(words) - len(gendered)
    if answer == words:
        return AnswerDiff(Alignment(list(range(len(words))), {}), (), reference.terms, 0, 0, common)
    found = align(words, answer)
    mismatched = _mismatched(words, answer, found)
    missed = [place for place in mismatched if place in gendered]
    outside = len(mismatched) - len(missed)
    gone, back = _count_dropped(reference, found, mismatched)
    added = sum(len(extra) for extra in found.extra.values())
    return AnswerDiff(
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


def _count_dropped(
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


def format_alignment(reference: Reference, tally: AnswerDiff, answer: Words) -> str:
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


class TermCounts(NamedTuple):
    """Gendered terms that are no mismatch, gendered terms, and terms and mismatches together."""

    right: int
    terms: int
    union: int

    @property
    def sga(self) -> float | None:
        """The share of gendered terms that are right; none where the sentence has no such term."""
        return self.right / self.terms if self.terms else None

    @property
    def giou(self) -> float | None:
        """The same over the union, so that every other change counts against it."""
        return self.right / self.union if self.terms else None

    def named(self, how: Tokenisation) -> dict[str, float]:
        """The counts as a judgement carries them."""
        return dict(zip(COUNT_NAMES[how], self, strict=True))

    @classmethod
    def of(cls, carried: Mapping[str, float], how: Tokenisation) -> TermCounts:
        """The counts that a judgement carries."""
        return cls(*(int(carried[name]) for name in COUNT_NAMES[how]))


# Under which names a judgement carries the counts, by the way of cutting words.
COUNT_NAMES: dict[Tokenisation, tuple[str, ...]] = {
    how: tuple(f"{field} ({how})" for field in TermCounts._fields) for how in TOKENISATIONS
}


def count_columns(how: Tokenisation) -> dict[str, str]:
    """The columns of a frame that hold the counts by one way of cutting words."""
    return dict(zip(TermCounts._fields, COUNT_NAMES[how], strict=True))
