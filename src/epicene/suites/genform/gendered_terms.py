"""Align an answer with its reference, find the gendered terms and count what is right.

Alignment takes the fewest word edits (a word replaced, missing or extra). Equal words at the
beginning are matched first, then equal words at the end. Between them, of all alignments with the
fewest edits, the one is chosen that

1. matches the most equal words (a missing and an extra word rather than two replaced ones),
2. pairs the most words with the same first letter where words are replaced,
3. from left to right pairs words before one counts as missing, and counts one as missing before
   one counts as extra.

Gendered terms (the paper's Appendix C.2) are the words of the reference that differ in the other
form or are not in it. If there are none but the other form has more words, the terms are those
words, which the answer should leave out. An answer's mismatches are its differences from the
reference: words that are replaced or missing, and words that are added.
"""

from __future__ import annotations

from functools import cache
from itertools import compress, zip_longest
from operator import ne
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from epicene.suites.genform.words import Tokenisation, Words

MISSING = -1
SPELLING_IGNORED = "spelling ignored"


class Alignment(NamedTuple):
    """The words of another sentence that correspond to those of a reference.

    `partners` holds, for each word of the reference, the index of its counterpart in the other
    sentence, or MISSING. `extra` holds the indices of words without counterpart, by the index in
    the reference before which they are inserted.
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
        *(index if index == MISSING else index + start for index in middle),
        *range(len(other) - end, len(other)),
    ]
    return Alignment(
        partners,
        {start + gap: [start + index for index in indices] for gap, indices in extra.items()},
    )


def _common_prefix(one: Iterable[str], other: Iterable[str], most: int) -> int:
    """How many words at the beginning the two have in common, `most` at most."""
    return next(compress(range(most), map(ne, one, other)), most)


def _align_middle(reference: Sequence[str], other: Sequence[str]) -> Alignment:
    rows, columns = len(reference), len(other)
    if not rows or not columns:
        return Alignment([MISSING] * rows, {0: list(range(columns))} if columns else {})
    if rows == columns and _is_one_to_one(reference, other):
        return Alignment(list(range(rows)), {})
    if columns == 1:
        index = _best_index(other[0], reference)
        return Alignment([MISSING] * index + [0] + [MISSING] * (rows - index - 1), {})
    if rows == 1:
        index = _best_index(reference[0], other)
        gaps = {0: list(range(index)), 1: list(range(index + 1, columns))}
        return Alignment([index], {gap: indices for gap, indices in gaps.items() if indices})
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
    """The index of the same word, else of the first with the same first letter, else 0."""
    if word in words:
        return words.index(word)
    return next((index for index, each in enumerate(words) if each[0] == word[0]), 0)


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
    of each are the same, shifted by one.
    """
    differing = [before for before, after in zip(reference, other, strict=True) if before != after]
    if len(differing) == 1 or set(other).isdisjoint(differing):
        return True
    shifted = reference[1:] == other[:-1] or reference[:-1] == other[1:]
    return len(differing) == 2 and not shifted


def _costs(reference: Sequence[str], other: Sequence[str]) -> list[list[int]]:
    """The cost of aligning the rest of both sentences, from each pair of indices on.

    Pairs that no alignment with the fewest edits goes through, being too far from the diagonal,
    are left out.
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
    """How far before and after its own index in the reference a word's counterpart may be.

    Word for word from the left, or from the right, is one way to align. A way that is as good
    and goes through indices `d` apart has at least |d| edits before them and |longer − d| after.
    """
    longer = len(other) - len(reference)
    in_place = min(
        sum(map(ne, reference, other)), sum(map(ne, reversed(reference), reversed(other)))
    )
    room = in_place // 2
    return min(longer, 0) - room, max(longer, 0) + room


class Reference(NamedTuple):
    """The expected words, those of the other form, and where the two differ."""

    words: Words
    counterfactual: Words
    alignment: Alignment
    gendered: frozenset[int]  # indices of words that differ in the other form
    dropped: dict[int, int]  # if none: how many more words the other form has, by index
    terms: int


class AnswerDiff(NamedTuple):
    """The differences between an answer and its reference.

    mismatched indices of words that differ in the answer or are missing from it
    right      how many gendered terms are right
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
    dropped = {} if gendered else {index: len(extra) for index, extra in found.extra.items()}
    terms = len(gendered) + sum(dropped.values())
    return Reference(words, counterfactual, found, frozenset(gendered), dropped, terms)


def diff_answer(reference: Reference, answer: Words) -> AnswerDiff:
    """Count the terms that are right and the other changes."""
    words, gendered = reference.words, reference.gendered
    common = len(words) - len(gendered)
    if answer == words:
        return AnswerDiff(Alignment(list(range(len(words))), {}), (), reference.terms, 0, 0, common)
    found = align(words, answer)
    mismatched = _mismatched(words, answer, found)
    missed = [index for index in mismatched if index in gendered]
    outside = len(mismatched) - len(missed)
    gone, back = _count_dropped(reference, found, mismatched)
    added = sum(len(extra) for extra in found.extra.values())
    return AnswerDiff(
        alignment=found,
        mismatched=mismatched,
        right=len(gendered) - len(missed) + gone,
        kept=sum(_is_kept(reference, found, answer, index) for index in missed) + back,
        spurious=outside + added - back,
        shared=common - outside,
    )


def _mismatched(words: Words, other: Words, found: Alignment) -> tuple[int, ...]:
    partners = found.partners
    found_words = [None if partner == MISSING else other[partner] for partner in partners]
    return tuple(compress(range(len(words)), map(ne, words, found_words)))


def _is_kept(reference: Reference, found: Alignment, answer: Words, index: int) -> bool:
    """Whether the answer has the word of the other form there."""
    mine, theirs = found.partners[index], reference.alignment.partners[index]
    if mine == MISSING or theirs == MISSING:
        return mine == theirs
    return answer[mine] == reference.counterfactual[theirs]


def _count_dropped(
    reference: Reference, found: Alignment, mismatched: tuple[int, ...]
) -> tuple[int, int]:
    """Of the words to be left out: how many are gone, and how many are still there.

    A word counts as gone only if the answer has a word next to it, so that an empty answer scores
    nothing.
    """
    gone = back = 0
    for index, count in reference.dropped.items():
        there = min(count, len(found.extra.get(index, ())))
        back += there
        beside = {index - 1, index} & set(range(len(reference.words)))
        if not beside <= set(mismatched):
            gone += count - there
    return gone, back


# --- for people to read --------------------------------------------------------------------

_NO_WORD = "–"


def format_alignment(reference: Reference, diff: AnswerDiff, answer: Words) -> str:
    """Answer, reference and counterfactual, a line for each word.

    A line has one word where all three have it, else three, with a dash for a missing one.
    """
    lines = list(reference.words)
    for index in {*reference.gendered, *diff.mismatched}:
        mine = _at(answer, diff.alignment.partners[index])
        theirs = _at(reference.counterfactual, reference.alignment.partners[index])
        lines[index] = f"{mine} {reference.words[index]} {theirs}"
    extra = diff.alignment.extra
    for index in sorted({*extra, *reference.alignment.extra}, reverse=True):
        mine_here, theirs_here = extra.get(index, []), reference.alignment.extra.get(index, [])
        lines[index:index] = [
            f"{_at(answer, mine)} {_NO_WORD} {_at(reference.counterfactual, theirs)}"
            for mine, theirs in zip_longest(mine_here, theirs_here, fillvalue=MISSING)
        ]
    return "\n".join(lines)


def _at(words: Words, index: int) -> str:
    return _NO_WORD if index == MISSING else words[index]


class TermCounts(NamedTuple):
    """How many gendered terms are right, gendered terms there are, and terms or mismatches."""

    right: int
    terms: int
    union: int

    @property
    def sga(self) -> float | None:
        """The share of gendered terms that are right; None if the sentence has no such term."""
        return self.right / self.terms if self.terms else None

    @property
    def giou(self) -> float | None:
        """Right terms over the union of terms and mismatches, so that other changes count too."""
        return self.right / self.union if self.terms else None

    def named(self, tokenisation: Tokenisation, *, ignored: bool = False) -> dict[str, float]:
        """The counts by their names in a judgement."""
        return dict(zip(count_columns(tokenisation, ignored=ignored).values(), self, strict=True))

    @classmethod
    def of(
        cls, counts: Mapping[str, float], tokenisation: Tokenisation, *, ignored: bool = False
    ) -> TermCounts:
        """The counts of a judgement."""
        names = count_columns(tokenisation, ignored=ignored).values()
        return cls(*(int(counts[name]) for name in names))


@cache
def count_columns(tokenisation: Tokenisation, *, ignored: bool = False) -> dict[str, str]:
    """The names of the counts in a judgement, and of the columns that hold them in a frame: as
    the answer is written, or with spelling variants ignored."""
    how = f"{tokenisation}, {SPELLING_IGNORED}" if ignored else tokenisation
    return {field: f"{field} ({how})" for field in TermCounts._fields}
