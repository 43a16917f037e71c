"""The M2 (MaxMatch) score: how many of the gold edits an output makes, and what else it changes.

A gold edit replaces words [start, end) of the source. The output's own edits are not given; of
all ways to read it as edits of the source, the one that has most gold edits counts, then the
shortest, then the one with fewest edits. All ways that matter are paths through the alignments
of least cost, with a substitution at the price of one step and at the price of two; an edit may
hold at most two words that did not change.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

Words: TypeAlias = Sequence[str]

_MOST_UNCHANGED = 2


class Edit(NamedTuple):
    """Words [start, end) of the source become `words`."""

    start: int
    end: int
    words: tuple[str, ...]


class EditCounts(NamedTuple):
    """Edits made that are right, edits made, edits wanted."""

    correct: int
    proposed: int
    gold: int

    def __add__(self, other: object) -> EditCounts:
        """Both together, where a tuple would be lengthened."""
        if not isinstance(other, EditCounts):
            return NotImplemented
        return EditCounts(*(one + two for one, two in zip(self, other, strict=True)))

    @property
    def precision(self) -> float:
        """1 if nothing was proposed."""
        return self.correct / self.proposed if self.proposed else 1.0

    @property
    def recall(self) -> float:
        """1 if nothing was wanted."""
        return self.correct / self.gold if self.gold else 1.0

    @property
    def f_half(self) -> float:
        """F0.5, in which precision weighs twice as much as recall."""
        precision, recall = self.precision, self.recall
        if precision + recall == 0:
            return 0.0
        return 1.25 * precision * recall / (0.25 * precision + recall)


def gold_edits(source: Words, target: Words) -> list[Edit]:
    """The longest runs of words that differ; both texts have as many words."""
    edits = []
    start = None
    for place, (before, after) in enumerate(zip(source, target, strict=True)):
        if before != after and start is None:
            start = place
        elif before == after and start is not None:
            edits.append(Edit(start, place, tuple(target[start:place])))
            start = None
    if start is not None:
        edits.append(Edit(start, len(source), tuple(target[start:])))
    return edits


def count_edits(source: Words, output: Words, gold: Sequence[Edit]) -> EditCounts:
    """The counts of one sentence, by whichever of the two ways is exact and quickest."""
    if list(source) == list(output):
        return EditCounts(0, 0, len(gold))
    if len(source) == len(output) and not _may_be_shifted(source, output, gold):
        return count_aligned(source, output, gold)
    return count_by_lattice(source, output, gold)


def _may_be_shifted(source: Words, output: Words, gold: Sequence[Edit]) -> bool:
    """Whether comparing place by place may miss the best reading.

    Either words have moved along, or a gold edit that was not made in its place could be found
    in another, its words being in the output.
    """
    missed = [edit for edit in gold if tuple(output[edit.start : edit.end]) != edit.words]
    if any(word in output for edit in missed for word in edit.words):
        return True
    changed = sum(before != after for before, after in zip(source, output, strict=True))
    return changed > 1 and _costs(source, output, 1)[-1][-1] < changed


def count_aligned(source: Words, output: Words, gold: Sequence[Edit]) -> EditCounts:
    """For an output whose words stand one for one for those of the source.

    A gold edit that was made is one edit. The other changed words are covered from left to right
    by as few edits as possible.
    """
    changed = [
        place
        for place, (before, after) in enumerate(zip(source, output, strict=True))
        if before != after
    ]
    made = [edit for edit in gold if tuple(output[edit.start : edit.end]) == edit.words]
    within = {place for edit in made for place in range(edit.start, edit.end)}
    spans = 0
    last = None  # the last changed word of the span that is open
    unchanged = 0
    for place in changed:
        if place in within:
            last = None
            continue
        gap = 0 if last is None else place - last - 1
        if last is None or unchanged + gap > _MOST_UNCHANGED:
            spans += 1
            unchanged = 0
        else:
            unchanged += gap
        last = place
    return EditCounts(len(made), len(made) + spans, len(gold))


# --- outputs of any length -----------------------------------------------------------------

Node: TypeAlias = tuple[int, int]  # so many words of the source and of the output are behind us
_Steps: TypeAlias = dict[Node, list[tuple[Node, bool]]]  # where one can go, and if nothing changes


def count_by_lattice(source: Words, output: Words, gold: Sequence[Edit]) -> EditCounts:
    """For an output of any length."""
    steps = _alignments(source, output)
    wanted = {(edit.start, edit.end, edit.words) for edit in gold}
    # For each node the best way to it: gold edits (negative), steps, edits.
    best: dict[Node, tuple[int, int, int]] = {(0, 0): (0, 0, 0)}
    for node in sorted(steps):
        so_far = best[node]
        for (end, unchanged), length in _arcs(node, steps).items():
            edit = (node[0], end[0], tuple(output[node[1] : end[1]]))
            if unchanged:
                reached = (so_far[0], so_far[1] + length, so_far[2])
            elif edit in wanted:
                reached = (so_far[0] - 1, so_far[1], so_far[2] + 1)
            else:
                reached = (so_far[0], so_far[1] + length, so_far[2] + 1)
            if end not in best or reached < best[end]:
                best[end] = reached
    correct, _, proposed = best[len(source), len(output)]
    return EditCounts(-correct, proposed, len(gold))


def _alignments(source: Words, output: Words) -> _Steps:
    """Every step of every alignment of least cost, by either price of a substitution."""
    steps: _Steps = {}
    for price in (1, 2):
        for node, onward in _least_cost_steps(source, output, price).items():
            known = steps.setdefault(node, [])
            known += [step for step in onward if step not in known]
    steps.setdefault((len(source), len(output)), [])
    return steps


def _least_cost_steps(source: Words, output: Words, price: int) -> _Steps:
    """The steps of all alignments of least cost, walked from the end."""
    cost = _costs(source, output, price)
    steps: _Steps = {}
    todo = [(len(source), len(output))]
    seen = set(todo)
    while todo:
        i, j = todo.pop()
        same = i > 0 and j > 0 and source[i - 1] == output[j - 1]
        for before, extra in (
            ((i - 1, j - 1), 0 if same else price),
            ((i - 1, j), 1),
            ((i, j - 1), 1),
        ):
            if min(before) < 0 or cost[before[0]][before[1]] + extra != cost[i][j]:
                continue
            steps.setdefault(before, []).append(((i, j), extra == 0))
            if before not in seen:
                seen.add(before)
                todo.append(before)
    return steps


def _costs(source: Words, output: Words, price: int) -> list[list[int]]:
    """Edit distances between all beginnings of the two."""
    rows = [list(range(len(output) + 1))]
    for i, before in enumerate(source, start=1):
        row = [i]
        above = rows[-1]
        for j, after in enumerate(output, start=1):
            diagonal = above[j - 1] + (0 if before == after else price)
            row.append(min(diagonal, above[j] + 1, row[j - 1] + 1))
        rows.append(row)
    return rows


def _arcs(node: Node, steps: _Steps) -> dict[tuple[Node, bool], int]:
    """Where one edit, or one unchanged word, leads from a node, and in how few steps.

    An edit is any path that changes something and holds at most two unchanged words.
    """
    arcs: dict[tuple[Node, bool], int] = {}
    # Paths are known by where they stand, how much of them is unchanged, and if all of it is.
    layer = {(node, 0, True)}
    seen = set(layer)
    length = 0
    while layer:
        length += 1
        following = set()
        for here, unchanged, nothing_yet in layer:
            for there, same in steps[here]:
                kept = unchanged + same
                state = (there, kept, nothing_yet and same)
                if kept > _MOST_UNCHANGED or state in seen:
                    continue
                seen.add(state)
                following.add(state)
                if not state[2]:
                    arcs.setdefault((there, False), length)
                elif length == 1:
                    arcs[there, True] = 1
        layer = following
    return arcs
