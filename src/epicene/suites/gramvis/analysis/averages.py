"""Shares and effects: every average of the paper is a ratio of sums over words.

By images (micro) a word weighs as many images as it has; by words (macro) each weighs one, and a
word without an image that shows a man or a woman is left out or, as in the paper's Tables 15–19,
counts as showing no men.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from epicene.records import Estimate
from epicene.stats.bootstrap import clustered, difference
from epicene.stats.checks import plain, ratio
from epicene.stats.grouping import encode, group_sums
from epicene.suites.gramvis.names import CONDITIONS, LABELS

if TYPE_CHECKING:
    from epicene.stats.checks import Floats
    from epicene.suites.gramvis.analysis.words import Part

Rule: TypeAlias = Literal["images", "words", "words, empty as no men"]

NOTHING = "no image shows a man or a woman"


def columns(
    part: Part, condition: str, label: str, rule: Rule, *, with_neither: bool = False
) -> tuple[Floats, Floats]:
    """What each row adds above and below the line of a share."""
    counts = part.counts[:, CONDITIONS.index(condition)]
    below = counts.sum(axis=1) if with_neither else counts[:, :2].sum(axis=1)
    above = counts[:, LABELS.index(label)]
    if rule == "images":
        return above, below
    empty = below == 0
    shares = np.divide(above, below, out=np.zeros_like(above), where=~empty)
    if rule == "words":
        return shares, (~empty).astype(np.float64)
    return np.where(empty & (label == "female"), 1.0, shares), np.ones_like(below)


@dataclass(frozen=True)
class Average:
    """One way to average, with intervals that resample words or without any."""

    rule: Rule
    with_neither: bool = False
    intervals: bool = False
    resamples: int = 2000
    seed: int = 0

    def share(self, part: Part, condition: str, label: str) -> Estimate:
        """The share of images with that label."""
        above, below = self._columns(part, condition, label)
        if not below.sum():
            return Estimate(value=None, why=NOTHING)
        if not self.intervals:
            return Estimate(value=float(above.sum() / below.sum()), n=int(np.count_nonzero(below)))
        return clustered(
            above, below, part.words, bounds=(0, 1), resamples=self.resamples, seed=self.seed
        )

    def effect(self, part: Part, control: str, label: str) -> Estimate:
        """The share under the gendered prompt less the share under a control."""
        gendered, neutral = (
            self._columns(part, condition, label) for condition in ("gendered", control)
        )
        if not (gendered[1].sum() and neutral[1].sum()):
            return Estimate(value=None, why=NOTHING)
        if not self.intervals:
            value = gendered[0].sum() / gendered[1].sum() - neutral[0].sum() / neutral[1].sum()
            return Estimate(value=float(value), n=len(part.counts))
        return difference(
            gendered[0],
            neutral[0],
            part.words,
            first_denominators=gendered[1],
            second_denominators=neutral[1],
            bounds=(-1, 1),
            resamples=self.resamples,
            seed=self.seed,
        )

    def standard_error(self, part: Part, condition: str, label: str) -> Estimate:
        """The word-clustered standard error of a share, by linearisation."""
        return _standard_error([self._influence(part, condition, label)])

    def _columns(self, part: Part, condition: str, label: str) -> tuple[Floats, Floats]:
        return columns(part, condition, label, self.rule, with_neither=self.with_neither)

    def _influence(self, part: Part, condition: str, label: str) -> tuple[Floats, Part]:
        above, below = self._columns(part, condition, label)
        share = ratio(above.sum(keepdims=True), below.sum(keepdims=True))
        return (above - share * below) / below.sum(), part


def mean_of_shares(
    average: Average, parts: list[Part], condition: str, label: str
) -> tuple[Estimate, Estimate]:
    """The mean of cells' shares, and its standard error, in which a word's cells count as one."""
    shares = [average.share(part, condition, label).value for part in parts]
    if any(share is None for share in shares) or not parts:
        empty = Estimate(value=None, why=f"in one of the cells {NOTHING}")
        return empty, empty
    value = float(np.mean([share for share in shares if share is not None]))
    influences = [average._influence(part, condition, label) for part in parts]
    return Estimate(value=value, n=len(parts)), _standard_error(influences)


def _standard_error(influences: list[tuple[Floats, Part]]) -> Estimate:
    """From what each row moves its cell's share by; the mean of the cells is taken."""
    rows = np.concatenate([influence for influence, _ in influences]) / len(influences)
    words = np.concatenate([part.words for _, part in influences])
    moved = group_sums(rows[:, None], encode(words, len(words)))[:, 0]
    n = len(moved)
    if n < 2 or not np.isfinite(moved).all():
        return Estimate(value=None, n=n, why="there is one word only")
    return Estimate(value=plain(np.sqrt(n / (n - 1) * np.sum(moved**2))), n=n)
