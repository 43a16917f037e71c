"""Forests of token rows: every node, ancestor and pack against a plain reading of the rows."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from epicene.models.hf.scoring.routes import (
    IntArray,
    PrefixForest,
    PrefixTable,
    SharedPrefixGroup,
    best_pack_width,
    build_forest,
    prefix_table,
    shared_prefix_groups,
)

rows_of_tokens = st.lists(
    st.lists(st.integers(0, 2), min_size=1, max_size=9).map(tuple), min_size=1, max_size=30
).map(sorted)


def beginnings(
    forest: PrefixForest, reads: list[tuple[int, ...]]
) -> list[dict[int, tuple[int, ...]]]:
    """For each pack, the beginning of a row that each of its nodes stands for."""
    found = []
    for pack in forest.packs:
        nodes: dict[int, tuple[int, ...]] = {}
        for number in range(pack.rows.start, pack.rows.stop):
            for column in range(len(reads[number])):
                beginning = reads[number][: column + 1]
                assert nodes.setdefault(int(forest.paths[number, column]), beginning) == beginning
        found.append(nodes)
    return found


@given(reads=rows_of_tokens, width=st.integers(1, 40))
def test_a_node_is_a_distinct_beginning_and_sees_its_ancestors(
    reads: list[tuple[int, ...]], width: int
) -> None:
    forest = build_forest(prefix_table(reads), width, depth=5)
    packs = beginnings(forest, reads)
    assert [pack.rows.start for pack in forest.packs[1:]] == [
        pack.rows.stop for pack in forest.packs[:-1]
    ]
    for pack, nodes in zip(forest.packs, packs, strict=True):
        assert set(nodes) == set(range(pack.nodes.start, pack.nodes.stop))
        assert len(set(nodes.values())) == len(nodes) == pack.size
        assert (
            pack.size <= width
            or pack.rows.stop - pack.rows.start == 1
            or pack.size == max(len(read) for read in reads[pack.rows])
        )
        for i, mine in nodes.items():
            assert forest.tokens[i] == mine[-1]
            assert forest.depths[i] == len(mine) - 1 + 5
            for j, other in nodes.items():
                sees = j <= i < forest.ends[j]
                assert sees == (mine[: len(other)] == other)


@given(reads=rows_of_tokens)
def test_one_wide_pack_has_each_distinct_beginning_once(reads: list[tuple[int, ...]]) -> None:
    forest = build_forest(prefix_table(reads), 10_000)
    (pack,) = forest.packs
    assert pack.size == len({read[: n + 1] for read in reads for n in range(len(read))})


def item(first: int, candidates: int) -> list[tuple[int, ...]]:
    stem = tuple(range(first, first + 20))
    return [(*stem, 1000 + number, 7) for number in range(candidates)]


def test_the_width_weighs_repetition_against_attention() -> None:
    reads = sorted(row for first in range(0, 400, 20) for row in item(first, 60))
    dear, cheap = (
        best_pack_width(prefix_table(reads), 0, 1.0),
        best_pack_width(prefix_table(reads), 0, 1e-6),
    )
    assert dear < cheap


def test_rows_without_a_long_shared_beginning_stand_together() -> None:
    reads = sorted([(1, 2, 3), (1, 2, 4), (9, 9)])
    assert shared_prefix_groups(prefix_table(reads), np.array([3, 3, 2]), min_nodes=0) == [
        SharedPrefixGroup(slice(0, 3), 0)
    ]


def shared_by(count: int, length: int, wanted: int) -> tuple[PrefixTable, IntArray]:
    instruction = tuple(range(100, 100 + length))
    reads = sorted((*instruction, number, 5, 6, 7) for number in range(count))
    return prefix_table(reads), np.full(count, wanted)


def test_a_long_shared_beginning_is_run_apart_up_to_what_is_wanted() -> None:
    rows, wanted = shared_by(20, length=50, wanted=50)
    assert shared_prefix_groups(rows, wanted, min_nodes=10) == [SharedPrefixGroup(slice(0, 20), 48)]
    rows, wanted = shared_by(20, length=50, wanted=40)
    assert shared_prefix_groups(rows, wanted, min_nodes=10) == [SharedPrefixGroup(slice(0, 20), 32)]
    rows, wanted = shared_by(20, length=50, wanted=0)
    assert shared_prefix_groups(rows, wanted, min_nodes=10) == [SharedPrefixGroup(slice(0, 20), 0)]


def test_a_shared_beginning_with_little_behind_it_is_left_where_it_is() -> None:
    rows, wanted = shared_by(2, length=50, wanted=50)
    assert shared_prefix_groups(rows, wanted, min_nodes=256) == [SharedPrefixGroup(slice(0, 2), 0)]
