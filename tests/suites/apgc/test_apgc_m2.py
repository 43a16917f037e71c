"""The M2 score against hand-made cases and against a slow search through all readings."""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epicene.suites.apgc.m2 import (
    Edit,
    EditCounts,
    count_aligned,
    count_by_lattice,
    count_edits,
    gold_edits,
)
from suites.metric_cases import for_each_case


def test_gold_edits_are_the_longest_runs_of_changed_words() -> None:
    edits = gold_edits("a b c d e".split(), "a X Y d Z".split())
    assert edits == [Edit(1, 3, ("X", "Y")), Edit(4, 5, ("Z",))]
    assert gold_edits(["a"], ["a"]) == []


@for_each_case("apgc", "m2")
def test_counts_are_those_worked_out_by_hand(case: dict[str, Any]) -> None:
    source, target, output = (case[name].split() for name in ("source", "target", "output"))
    expected = EditCounts(case["correct"], case["proposed"], case["gold"])
    gold = gold_edits(source, target)
    assert count_edits(source, output, gold) == expected
    assert count_by_lattice(source, output, gold) == expected
    if len(source) == len(output):
        assert count_aligned(source, output, gold) == expected


def test_ratios_where_nothing_was_done_or_wanted() -> None:
    assert EditCounts(0, 0, 5).precision == 1
    assert EditCounts(0, 0, 5).f_half == 0
    assert EditCounts(0, 3, 0).recall == 1
    assert EditCounts(2, 3, 4).f_half == pytest.approx(
        1.25 * (2 / 3) * 0.5 / (0.25 * (2 / 3) + 0.5)
    )


# --- against a search that writes down every reading --------------------------------------------

Node = tuple[int, int]


def slow_count(source: list[str], output: list[str], gold: list[Edit]) -> EditCounts:
    """Every path through every least-cost alignment, cut into edits in every way there is."""
    paths = {path for price in (1, 2) for path in alignments(tuple(source), tuple(output), price)}
    steps: dict[Node, set[Node]] = {}
    for path in paths:
        for here, there in pairwise(path):
            steps.setdefault(here, set()).add(there)
    end = (len(source), len(output))
    wanted = {(edit.start, edit.end, edit.words) for edit in gold}
    scored = [
        score(cut, source, output, wanted)
        for path in walks((0, 0), end, steps)
        for cut in cuts(path)
    ]
    best = min(each for each in scored if each is not None)
    return EditCounts(-best[0], best[2], len(gold))


def alignments(
    source: tuple[str, ...], output: tuple[str, ...], price: int
) -> set[tuple[Node, ...]]:
    """All least-cost paths from (0, 0), by trying all paths."""
    found: dict[int, set[tuple[Node, ...]]] = {}

    def go(path: tuple[Node, ...], cost: int) -> None:
        i, j = path[-1]
        if (i, j) == (len(source), len(output)):
            found.setdefault(cost, set()).add(path)
            return
        if i < len(source) and j < len(output):
            go((*path, (i + 1, j + 1)), cost + (0 if source[i] == output[j] else price))
        if i < len(source):
            go((*path, (i + 1, j)), cost + 1)
        if j < len(output):
            go((*path, (i, j + 1)), cost + 1)

    go(((0, 0),), 0)
    return found[min(found)]


def walks(here: Node, end: Node, steps: dict[Node, set[Node]]) -> list[tuple[Node, ...]]:
    if here == end:
        return [(end,)]
    return [(here, *rest) for there in steps.get(here, ()) for rest in walks(there, end, steps)]


def cuts(path: tuple[Node, ...]) -> list[list[tuple[Node, ...]]]:
    """A path as pieces, in every way."""
    inner = len(path) - 2
    made = []
    for marks in product((False, True), repeat=max(inner, 0)):
        ends = [0, *(place + 1 for place, mark in enumerate(marks) if mark), len(path) - 1]
        made.append([path[a : b + 1] for a, b in pairwise(ends) if b > a])
    return made


def score(
    pieces: list[tuple[Node, ...]],
    source: list[str],
    output: list[str],
    wanted: set[tuple[int, int, tuple[str, ...]]],
) -> tuple[int, int, int] | None:
    correct = length = edits = 0
    for piece in pieces:
        unchanged = sum(
            there == (here[0] + 1, here[1] + 1) and source[here[0]] == output[here[1]]
            for here, there in pairwise(piece)
        )
        size = len(piece) - 1
        if unchanged == size == 1:
            length += 1
            continue
        if unchanged == size or unchanged > 2:
            return None
        edits += 1
        (i, j), (k, m) = piece[0], piece[-1]
        if (i, k, tuple(output[j:m])) in wanted:
            correct -= 1
        else:
            length += size
    return correct, length, edits


WORDS = st.lists(st.sampled_from("abx"), max_size=4)


@settings(max_examples=120, deadline=None)
@given(WORDS, WORDS, st.randoms(use_true_random=False))
def test_the_lattice_finds_the_best_reading(source: list[str], output: list[str], draw) -> None:  # type: ignore[no-untyped-def]
    target = [draw.choice("abx") for _ in source]
    gold = gold_edits(source, target)
    if source == output:
        assert count_edits(source, output, gold) == EditCounts(0, 0, len(gold))
    else:
        assert count_by_lattice(source, output, gold) == slow_count(source, output, gold)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(*[st.sampled_from("abcdef")] * 3), min_size=1, max_size=9))
def test_the_quick_way_is_taken_only_where_it_is_exact(rows: list[tuple[str, str, str]]) -> None:
    source, target, output = (list(column) for column in zip(*rows, strict=True))
    gold = gold_edits(source, target)
    if source != output:
        assert count_edits(source, output, gold) == count_by_lattice(source, output, gold)
