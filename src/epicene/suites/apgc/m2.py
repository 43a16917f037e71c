"""The M2 (MaxMatch) score: how many of the gold edits an output makes, and what else it changes.

A gold edit replaces words [start, end) of the source. The output's own edits are not known; of all
ways to read it as edits of the source, the one with the most gold edits counts, then the shortest,
then the one with the fewest edits. Candidates are all paths through the alignments of least cost,
where a substitution costs as much as one step or as two; an edit may contain at most two unchanged
words.
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
    """The numbers of correct, proposed and gold edits."""

    correct: int
    proposed: int
    gold: int

    def __add__(self, other: object) -> EditCounts:
        """The sums of both, instead of a longer tuple."""
        if not isinstance(other, EditCounts):
            return NotImplemented
        return EditCounts(*(one + two for one, two in zip(self, other, strict=True)))

    @property
    def precision(self) -> float:
        """The share of proposed edits that are correct; 1 if there is none."""
        return self.correct / self.proposed if self.proposed else 1.0

    @property
    def recall(self) -> float:
        """The share of gold edits that were made; 1 if there is none."""
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
    for index, (before, after) in enumerate(zip(source, target, strict=True)):
        if before != after and start is None:
            start = index
        elif before == after and start is not None:
            edits.append(Edit(start, index, tuple(target[start:index])))
            start = None
    if start is not None:
        edits.append(Edit(start, len(source), tuple(target[start:])))
    return edits


def count_edits(source: Words, output: Words, gold: Sequence[Edit]) -> EditCounts:
    """The counts of one sentence, by the faster method if it is exact."""
    if list(source) == list(output):
        return EditCounts(0, 0, len(gold))
    if len(source) == len(output) and not _may_be_shifted(source, output, gold):
        return count_aligned(source, output, gold)
    return count_by_lattice(source, output, gold)


def _may_be_shifted(source: Words, output: Words, gold: Sequence[Edit]) -> bool:
    """Whether comparing word by word may miss the best reading.

    Either words have moved, or a gold edit that was not made in its position may be found in
    another, since its words are in the output.
    """
    missed = [edit for edit in gold if tuple(output[edit.start : edit.end]) != edit.words]
    if any(word in output for edit in missed for word in edit.words):
        return True
    changed = sum(before != after for before, after in zip(source, output, strict=True))
    return changed > 1 and _costs(source, output, 1)[-1][-1] < changed


def count_aligned(source: Words, output: Words, gold: Sequence[Edit]) -> EditCounts:
    """The counts of an output whose words correspond one to one to those of the source.

    A gold edit that was made is one edit. The other changed words are covered from left to right
    by as few edits as possible.
    """
    changed = [
        index
        for index, (before, after) in enumerate(zip(source, output, strict=True))
        if before != after
    ]
    made = [edit for edit in gold if tuple(output[edit.start : edit.end]) == edit.words]
    within = {index for edit in made for index in range(edit.start, edit.end)}
    spans = 0
    last = None  # the last changed word of the span that is open
    unchanged = 0
    for index in changed:
        if index in within:
            last = None
            continue
        gap = 0 if last is None else index - last - 1
        if last is None or unchanged + gap > _MOST_UNCHANGED:
            spans += 1
            unchanged = 0
        else:
            unchanged += gap
        last = index
    return EditCounts(len(made), len(made) + spans, len(gold))


# --- outputs of any length -----------------------------------------------------------------

Node: TypeAlias = tuple[int, int]  # how many words of the source and of the output are consumed
_Steps: TypeAlias = dict[Node, list[tuple[Node, bool]]]  # next nodes, and if the word is unchanged


def count_by_lattice(source: Words, output: Words, gold: Sequence[Edit]) -> EditCounts:
    """The counts of an output of any length."""
    steps = _alignments(source, output)
    wanted = {(edit.start, edit.end, edit.words) for edit in gold}
    # For each node the best path to it: gold edits (negative), steps, edits.
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
    """Every step of every alignment of least cost, for both costs of a substitution."""
    steps: _Steps = {}
    for substitution in (1, 2):
        for node, onward in _least_cost_steps(source, output, substitution).items():
            known = steps.setdefault(node, [])
            known += [step for step in onward if step not in known]
    steps.setdefault((len(source), len(output)), [])
    return steps


def _least_cost_steps(source: Words, output: Words, substitution: int) -> _Steps:
    """The steps of all alignments of least cost, traced back from the end."""
    cost = _costs(source, output, substitution)
    steps: _Steps = {}
    todo = [(len(source), len(output))]
    seen = set(todo)
    while todo:
        i, j = todo.pop()
        same = i > 0 and j > 0 and source[i - 1] == output[j - 1]
        for before, extra in (
            ((i - 1, j - 1), 0 if same else substitution),
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


def _costs(source: Words, output: Words, substitution: int) -> list[list[int]]:
    """Edit distances between all prefixes of the two."""
    rows = [list(range(len(output) + 1))]
    for i, before in enumerate(source, start=1):
        row = [i]
        above = rows[-1]
        for j, after in enumerate(output, start=1):
            diagonal = above[j - 1] + (0 if before == after else substitution)
            row.append(min(diagonal, above[j] + 1, row[j - 1] + 1))
        rows.append(row)
    return rows


def _arcs(node: Node, steps: _Steps) -> dict[tuple[Node, bool], int]:
    """The nodes that one edit, or one unchanged word, leads to, and in how few steps.

    An edit is any path that changes something and contains at most two unchanged words.
    """
    arcs: dict[tuple[Node, bool], int] = {}
    # A path's state: its last node, its number of unchanged words, whether nothing has changed.
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
