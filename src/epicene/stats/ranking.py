"""Rank systems by pairwise tests: which is significantly better, and the ranks that allows.

A system's best rank is one below all that are significantly better, its worst rank one above all
that are significantly worse. Missing data only widens the range, so the worst rank, which is the
one to quote, never improves because something is missing.
"""

from __future__ import annotations

import string
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from epicene.core.errors import InputError
from epicene.stats.hypothesis_tests import holm

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from epicene.stats.arrays import Floats

    Relation = NDArray[np.bool_]

SIGNIFICANCE_LEVEL = 0.05

_FLIPS_IN_MEMORY = 2**22
_FLIPS_PER_PAIR = 50
# Sums that differ by less than this share of the largest are equal but for rounding.
_ROUNDING = 1e-9


class RankRange(NamedTuple):
    """The best and the worst rank that the data allow, counted from 1."""

    best: int
    worst: int


def superiority_p_values(
    low: Floats, high: Floats, *, resamples: int = 10_000, seed: int = 0
) -> Floats:
    """The p-values of “row's system is better than column's”, by flipping the signs of groups.

    `low` and `high` are each group's sums (group × system), with what is missing counted against
    the system and for it: it is taken as `low` where it should prove better, and as `high` where
    another should. So every p-value can only grow when something goes missing. The same flips
    serve all pairs; all of them are tried where there are no more than `resamples`.
    """
    if low.shape != high.shape or low.ndim != 2:
        raise InputError(f"The sums of groups have the shapes {low.shape} and {high.shape}.")
    groups, systems = low.shape
    # Enough that the smallest p-value is small enough after a correction over all pairs.
    resamples = max(resamples, _FLIPS_PER_PAIR * systems * (systems - 1))
    reached = np.zeros((systems, systems), dtype=np.int64)
    slack = _ROUNDING * float(np.abs(high).sum(axis=0).max(initial=0.0))
    tried = 0
    for flips in _flips(groups, resamples, seed):
        worse, best = flips @ low, flips @ high
        # Flipped, the difference is at least as large as it was: what was flipped sums to ≤ 0.
        for system in range(systems):
            reached[system] += np.count_nonzero(worse[:, [system]] - best <= slack, axis=0)
        tried += len(flips)
    return reached / tried


def _flips(groups: int, resamples: int, seed: int) -> Iterator[Floats]:
    """Rows of 0 and 1 for the groups; the first row flips nothing, as the data are."""
    if 2**groups <= resamples:
        yield np.array(list(product((0.0, 1.0), repeat=groups)))
        return
    yield np.zeros((1, groups))
    rng = np.random.default_rng(seed)
    chunk = max(1, _FLIPS_IN_MEMORY // groups)
    for start in range(0, resamples, chunk):
        size = (min(chunk, resamples - start), groups)
        yield rng.integers(2, size=size, dtype=np.uint8).astype(np.float64)


def significant_pairs(p_values: Floats, level: float = SIGNIFICANCE_LEVEL) -> Relation:
    """Which row's system is better than which column's, after Holm over all pairs both ways."""
    systems = len(p_values)
    pairs = [(a, b) for a in range(systems) for b in range(systems) if a != b]
    adjusted = holm([float(p_values[pair]) for pair in pairs])
    better = np.zeros((systems, systems), dtype=np.bool_)
    for pair, p in zip(pairs, adjusted, strict=True):
        better[pair] = p is not None and p < level
    return better


def rank_ranges(better: Relation) -> list[RankRange]:
    """Each system's range of ranks."""
    beats, beaten = better.sum(axis=1), better.sum(axis=0)
    return [RankRange(1 + int(b), len(better) - int(a)) for a, b in zip(beats, beaten, strict=True)]


def compact_letter_display(better: Relation, order: list[int]) -> list[str]:
    """Systems that share a letter do not differ significantly; `order` lists the systems."""
    alike = ~(better | better.T)
    cliques = sorted(
        sorted(map(order.index, clique)) for clique in _cliques(alike, set(order), set(), set())
    )
    names: list[str] = [""] * len(better)
    for letter, clique in zip(_names(), cliques, strict=False):
        for position in clique:
            names[order[position]] += letter
    return names


def _cliques(
    alike: Relation, candidates: set[int], chosen: set[int], excluded: set[int]
) -> Iterator[set[int]]:
    """The largest groups all of whose members are alike (Bron and Kerbosch, with a pivot)."""
    if not candidates and not excluded:
        yield chosen
        return

    def near(one: int) -> set[int]:
        return {other for other in candidates | excluded if other != one and alike[one, other]}

    pivot = max(candidates | excluded, key=lambda one: len(near(one) & candidates))
    for one in sorted(candidates - near(pivot)):
        around = near(one)
        yield from _cliques(alike, candidates & around, chosen | {one}, excluded & around)
        candidates = candidates - {one}
        excluded = excluded | {one}


def _names() -> Iterator[str]:
    """a … z, then a', b' …"""
    for primes in range(len(string.ascii_lowercase)):
        for letter in string.ascii_lowercase:
            yield letter + "'" * primes
