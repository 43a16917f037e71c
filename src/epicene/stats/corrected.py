"""Rates corrected by people's labels: prediction-powered estimates over groups.

Every judgement has an automatic value, and a few have a person's label. The corrected rate is the
automatic rate minus the error that the labels show, with the weight λ between 0 (labels alone) and
1 that makes the interval narrowest (PPI++), stratified by the cells of the sample. The interval is
over groups, as everywhere (`epicene.stats.jackknife`): a group is left out with its automatic
values and its labels. `benchmarks/corrected.py` measures coverage and width.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from epicene.core.errors import InputError
from epicene.core.records import ENOUGH_GROUPS, Estimate
from epicene.stats.arrays import encode_groups, group_sums, safe_ratio, same_length
from epicene.stats.intervals import clustered_mean, statistic_of_sums
from epicene.stats.jackknife import Spread, difference_ends, hidden_ends, share_ends, spread

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

    from epicene.stats.arrays import Floats, Groups, Ints

    Flags = NDArray[np.bool_]

# Labels that agree with every automatic value do not exclude errors. The variance of the correction
# counts so many unseen ones in either direction (as Bonett and Price's interval of a difference).
_UNSEEN_ERRORS = 0.5
# Cells with labels in fewer groups are put together: how two or three labels differ says little.
_FEWEST_GROUPS = ENOUGH_GROUPS


@dataclass(frozen=True)
class CheckedRate:
    """A rate over judgements, some of which people checked: one row per judgement.

    The rate is the sum of `automatic` over the sum of `below` (default: the number of rows), and is
    between 0 and 1. `human` and `human_below` have the same numbers according to people's labels,
    NaN in rows without a label. `weights` are one over the probability of being labelled (default:
    the same for all rows of a stratum); `strata` are the cells that were sampled. A row with a
    negative stratum needs no label: its automatic value is right.
    """

    automatic: Floats
    human: Floats
    groups: Groups = None
    strata: Ints | None = None
    weights: Floats | None = None
    below: Floats | None = None
    human_below: Floats | None = None

    @property
    def columns(self) -> Floats:
        """What each row adds to numerator and denominator, automatically."""
        below = np.ones_like(self.automatic) if self.below is None else self.below
        return np.column_stack([self.automatic, below])

    @property
    def human_columns(self) -> Floats:
        """What each row adds to numerator and denominator, according to its label."""
        below = np.ones_like(self.automatic) if self.below is None else self.below
        below = below if self.human_below is None else self.human_below
        return np.column_stack([self.human, below])


class CorrectedEstimates(NamedTuple):
    """An estimate from automatic values, from labels alone and from both, and the λ of each of its
    rates."""

    automatic: Estimate
    human: Estimate
    corrected: Estimate
    tuning: tuple[float, ...]


def corrected_rate(
    rate: CheckedRate, *, level: float = 0.95, tuning: float | None = None
) -> CorrectedEstimates:
    """A rate from automatic values, from labels alone and from both; `tuning` fixes λ."""
    return corrected_combination([rate], [1], level=level, tuning=tuning)


def corrected_combination(
    rates: Sequence[CheckedRate],
    signs: Sequence[int],
    *,
    level: float = 0.95,
    tuning: float | None = None,
) -> CorrectedEstimates:
    """A signed sum of rates, such as the difference between two models.

    Groups with the same label are the same group in all rates. Each rate has its own λ, so that a
    corrected difference is the difference of the corrected rates.
    """
    same_length(rates=rates, signs=signs)
    codes = _shared_groups(rates)
    automatic = _automatic(rates, signs, codes, level)
    why = next((why for rate in rates if (why := _why_undefined(rate))), "")
    n = sum(int(np.isfinite(rate.human).sum()) for rate in rates)
    if why:
        undefined = Estimate(value=None, n=n, why=why)
        return CorrectedEstimates(automatic, undefined, undefined, ())
    number = 1 + max(int(each.max()) for each in codes)
    totals = [_totals(rate, each, number) for rate, each in zip(rates, codes, strict=True)]
    human = _combine(totals, signs, [0.0] * len(totals), n, level)
    chosen = [_tuning(each, level) if tuning is None else tuning for each in totals]
    corrected = _combine(totals, signs, chosen, n, level)
    return CorrectedEstimates(automatic, human, corrected, tuple(chosen))


def _tuning(rate: _Totals, level: float) -> float:
    """The best λ of a rate; 0 if it makes the interval wider than that of the labels."""
    human, best = (_combine([rate], [1], [weight], 0, level) for weight in (0.0, rate.best_tuning))
    return rate.best_tuning if _width(best) <= _width(human) else 0.0


def _width(estimate: Estimate) -> float:
    if estimate.low is None or estimate.high is None:
        return float("inf")
    return estimate.high - estimate.low


def _shared_groups(rates: Sequence[CheckedRate]) -> list[Ints]:
    """The groups of each rate as numbers, the same ones for the same labels."""
    sizes = [len(rate.automatic) for rate in rates]
    if len(rates) == 1:
        return [encode_groups(rates[0].groups, sizes[0])]
    labels: list[Hashable] = []
    for rate, size in zip(rates, sizes, strict=True):
        if rate.groups is None:
            raise InputError("Combining rates requires their groups.")
        same_length(rows=range(size), groups=rate.groups)
        given = rate.groups
        labels += given.tolist() if isinstance(given, np.ndarray) else given
    return np.split(encode_groups(labels, sum(sizes)), np.cumsum(sizes)[:-1])


def _automatic(
    rates: Sequence[CheckedRate], signs: Sequence[int], codes: Sequence[Ints], level: float
) -> Estimate:
    if len(rates) == 1:
        above, below = rates[0].columns.T
        return clustered_mean(above, below, codes[0], level=level, bounds=(0, 1))
    columns = np.zeros((sum(map(len, codes)), 2 * len(rates)))
    start = 0
    for number, rate in enumerate(rates):
        end = start + len(rate.automatic)
        columns[start:end, 2 * number : 2 * number + 2] = rate.columns
        start = end

    def statistic(sums: Floats) -> Floats:
        ratios = safe_ratio(sums[:, ::2], sums[:, 1::2])
        found: Floats = ratios @ np.asarray(signs, dtype=np.float64)
        return found

    width = float(len(rates)) / 2
    return statistic_of_sums(
        columns, statistic, np.concatenate(codes), level=level, bounds=(-width, width),
        scale="difference", undefined="one of the rates has no judgements",
    )  # fmt: skip


def _why_undefined(rate: CheckedRate) -> str:
    """Why there is no estimate from labels; "" if there is one."""
    labelled = np.isfinite(rate.human) & ~_certain(rate)
    if not len(rate.automatic):
        return "there are no judgements"
    if not labelled.any():
        return "people labelled none of these judgements"
    codes = encode_groups(rate.groups, len(rate.automatic))
    if len(np.unique(codes[labelled])) == 1:
        return "all labels are from one group"
    return ""


def _certain(rate: CheckedRate) -> Flags:
    if rate.strata is None:
        return np.zeros(len(rate.automatic), dtype=np.bool_)
    return np.asarray(rate.strata) < 0


class _Labels(NamedTuple):
    """The labelled rows: above and below by the label and automatically (row × 4), their strata and
    how many judgements each label represents."""

    columns: Floats
    strata: Ints
    weights: Floats

    def explained(self, tuning: float, rate: float) -> float:
        """The share of the labels' variance that the strata and the automatic values explain."""
        above, below = self.columns.T[:2]
        labels = above - rate * below
        strata = encode_groups(self.strata, len(self.strata))
        sizes = np.bincount(strata)
        within = float(self.weights @ self._errors(tuning, rate, strata) ** 2)
        mean = np.average(labels, weights=self.weights)
        whole = float(self.weights @ (labels - mean) ** 2)
        freedom = len(labels) - len(sizes)
        if not whole or freedom < 1:
            return 0.0
        return min(max(1 - within / freedom / (whole / (len(labels) - 1)), 0.0), 1.0)

    def pooled_variance(self, tuning: float, rate: float) -> tuple[float, float]:
        """What a few labels of great weight may not show: how much larger the variance of their sum
        is if they vary as the others of their stratum do (0 if they vary more), and how far that
        variance itself varies from sample to sample."""
        strata = encode_groups(self.strata, len(self.strata))
        squares = self._errors(tuning, rate, strata) ** 2
        numbers = np.bincount(strata)
        second, fourth = (np.bincount(strata, weights=squares**n) / numbers for n in (1, 2))
        seen = float(self.weights**2 @ squares)
        expected = float(self.weights**2 @ second[strata])
        # Equal errors do not vary; rounding must not make that variance negative.
        of_variance = float(self.weights**4 @ np.maximum(fourth - second**2, 0.0)[strata])
        return max(expected - seen, 0.0), of_variance

    def _errors(self, tuning: float, rate: float, strata: Ints) -> Floats:
        """How far each label is from λ times its automatic value, less the mean of its stratum."""
        above, below, above_automatic, below_automatic = self.columns.T
        errors = above - rate * below - tuning * (above_automatic - rate * below_automatic)
        sizes = np.bincount(strata, weights=self.weights)
        means = np.bincount(strata, weights=self.weights * errors) / sizes
        found: Floats = errors - means[strata]
        return found


class _Sums(NamedTuple):
    """Sums above and below a rate by the labels, and how far the labelled automatic values, raised
    to the whole, are from the sums of all; also without each group (group × 2), and without each
    group but for its labels."""

    human: Floats
    shift: Floats
    human_without: Floats
    shift_without: Floats
    human_kept: Floats
    shift_kept: Floats

    def value(self, tuning: float) -> float:
        above, below = self.human - tuning * self.shift
        return float(above / below) if below > 0 else float("nan")

    def without(self, tuning: float) -> Floats:
        """The rate without each group."""
        left = self.human_without - tuning * self.shift_without
        return safe_ratio(left[:, 0], left[:, 1])

    def with_labels_kept(self, tuning: float) -> Floats:
        """The rate without each group but for its labels."""
        left = self.human_kept - tuning * self.shift_kept
        return safe_ratio(left[:, 0], left[:, 1])

    def best_tuning(self, unseen_variance: float) -> float:
        """λ by the regression of the rate on the shift, over groups."""
        moves = self.without(0.0) - self.value(0.0)
        moves -= moves.mean()
        # How the rate by labels moves with λ.
        share = self.value(0.0)
        slopes = (self.shift_without[:, 0] - share * self.shift_without[:, 1]) / self.human[1]
        slopes = slopes - slopes.mean()
        groups = len(moves)
        unseen = unseen_variance * groups / max(groups - 1, 1)
        below = float(slopes @ slopes) + unseen
        best = float(moves @ slopes) / below if below else 0.0
        return float(min(max(best, 0.0), 1.0))


@dataclass(frozen=True)
class _Totals:
    """What a rate and its interval are computed from."""

    sums: _Sums
    labels: _Labels
    labelled_groups: float  # in effect, by the weights of the labels
    unseen_variance: float  # of errors that no label shows, if the rest explained every label
    best_tuning: float

    def label_variance(self, tuning: float) -> tuple[float, float, float]:
        """Of the rate: the variance of errors that no label shows, and the two of
        `_Labels.pooled_variance`."""
        value = self.sums.value(tuning)
        below = float(self.sums.human[1] - tuning * self.sums.shift[1])
        unseen = self.unseen_variance * self.labels.explained(tuning, value)
        missed, of_variance = self.labels.pooled_variance(tuning, value)
        return unseen, missed / below**2, of_variance / below**4


def _totals(rate: CheckedRate, codes: Ints, number: int) -> _Totals:
    certain = _certain(rate)
    labelled = np.isfinite(rate.human) & ~certain
    cells = _cells(rate, certain)
    weights = _cell_weights(rate, cells, labelled)
    strata = _merged(cells, codes, labelled)
    open_ = ~certain
    sizes = np.bincount(strata[open_]).astype(np.float64)
    sums = _sums(rate, codes, number, strata, weights)
    # A few labels of great weight must not decide on λ: it is chosen as if all of a stratum had the
    # same.
    evenly = _sums(rate, codes, number, strata, labelled.astype(np.float64))
    weight = np.bincount(strata[labelled], weights=weights[labelled])
    calibrated = np.where(labelled, weights * (sizes / weight)[strata.clip(0)], 0.0)
    group_weights = np.bincount(codes, weights=calibrated)
    effective = calibrated.sum() ** 2 / (calibrated**2).sum()
    share_open = open_.sum() / sums.human[1] if sums.human[1] > 0 else 0.0
    unseen = unseen_variance(effective) * share_open**2
    given = np.column_stack([rate.human_columns, rate.columns])[labelled]
    return _Totals(
        sums=sums,
        labels=_Labels(given, strata[labelled], calibrated[labelled]),
        labelled_groups=float(group_weights.sum() ** 2 / (group_weights**2).sum()),
        unseen_variance=unseen,
        best_tuning=evenly.best_tuning(unseen),
    )


def _sums(rate: CheckedRate, codes: Ints, number: int, strata: Ints, weights: Floats) -> _Sums:
    """The sums with these weights of the labels; the labels of a stratum represent all its rows."""
    certain, columns = _certain(rate), rate.columns
    labelled = np.isfinite(rate.human) & ~certain
    # Per label: its weight, and weighted what it adds above and below, and automatically.
    given = np.column_stack([rate.human_columns, columns])[labelled]
    labels = weights[labelled, None] * np.column_stack([np.ones(len(given)), given])
    open_ = ~certain
    sizes = np.bincount(strata[open_]).astype(np.float64)
    of_strata = group_sums(labels, strata[labelled])
    weight, sums = of_strata[:, 0], of_strata[:, 1:]
    raised = sizes[:, None] * sums / weight[:, None]
    # The same without each group: only the strata that it has rows of change.
    pairs = codes * len(sizes) + strata
    present, own_sizes = np.unique(pairs[open_], return_counts=True)
    here, whose = present % len(sizes), present // len(sizes)
    own = np.zeros((len(present), labels.shape[1]))
    places, ranks = np.unique(pairs[labelled], return_inverse=True)
    own[np.searchsorted(present, places)] = group_sums(labels, ranks.astype(np.int64))
    means = sums[here] / weight[here][:, None]
    kept = _sums_of(-own_sizes[:, None] * means, whose, number)
    share_left = 1 - own[:, 0] / weight[here]
    others = (sums[here] - own[:, 1:]) / (weight[here] * share_left)[:, None]
    # Of two labels in a stratum, leaving one out moves the mean by more than it varies.
    means += np.sqrt(share_left)[:, None] * (others - means)
    moved = _sums_of((sizes[here] - own_sizes)[:, None] * means - raised[here], whose, number)
    totals = raised.sum(axis=0)
    fixed = _sums_of(np.where(certain[:, None], columns, 0.0), codes, number)
    varying = _sums_of(np.where(certain[:, None], 0.0, columns), codes, number)
    human = totals[:2] + fixed.sum(axis=0)
    shift = totals[2:] - varying.sum(axis=0)
    return _Sums(
        human=human,
        shift=shift,
        human_without=human - fixed + moved[:, :2],
        shift_without=shift + moved[:, 2:] + varying,
        human_kept=human - fixed + kept[:, :2],
        shift_kept=shift + kept[:, 2:] + varying,
    )


def _sums_of(rows: Floats, whose: Ints, number: int) -> Floats:
    """Sums of the rows of each of so many groups, also of those that have no row."""
    columns = [np.bincount(whose, weights=column, minlength=number) for column in rows.T]
    return np.column_stack(columns)


def unseen_variance(labels: float) -> float:
    """The variance of a rate due to errors that none of this many labels shows."""
    return 2 * _UNSEEN_ERRORS / (labels + 2 * _UNSEEN_ERRORS) ** 2


def _cells(rate: CheckedRate, certain: Flags) -> Ints:
    """The cells as numbers, −1 of rows that need no label."""
    cells = np.full(len(certain), -1, dtype=np.int64)
    given = np.zeros(len(certain)) if rate.strata is None else np.asarray(rate.strata)
    cells[~certain] = encode_groups(given[~certain], int((~certain).sum()))
    return cells


def _cell_weights(rate: CheckedRate, cells: Ints, labelled: Flags) -> Floats:
    """How many rows each label represents: the labels of a cell together represent all of its
    rows."""
    weights = np.where(labelled, 1.0 if rate.weights is None else rate.weights, 0.0)
    sizes = np.bincount(cells[cells >= 0])
    sums = np.bincount(cells[labelled], weights=weights[labelled], minlength=len(sizes))
    found: Floats = weights * np.where(sums > 0, sizes / np.where(sums > 0, sums, 1), 0)[cells]
    return found


def _merged(cells: Ints, codes: Ints, labelled: Flags) -> Ints:
    """The cells; neighbours with labels in too few groups are merged."""
    groups: dict[int, set[int]] = {}
    for cell, group in zip(cells[labelled].tolist(), codes[labelled].tolist(), strict=True):
        groups.setdefault(cell, set()).add(group)
    strata: list[int] = []
    current, seen = 0, set[int]()
    for cell in range(int(cells.max()) + 1):
        strata.append(current)
        seen |= groups.get(cell, set())
        if len(seen) >= _FEWEST_GROUPS:
            current, seen = current + 1, set()
    # Too few at the end belong to the one before.
    last = max(current if len(seen) >= _FEWEST_GROUPS else current - 1, 0)
    table = np.minimum(np.array(strata, dtype=np.int64), last)
    return np.where(cells < 0, -1, table[cells.clip(0)])


def _combine(
    totals: Sequence[_Totals],
    signs: Sequence[int],
    tuning: Sequence[float],
    n: int,
    level: float,
) -> Estimate:
    """The combination of rates at these λ, with its interval."""
    each = list(zip(totals, signs, tuning, strict=True))
    value = sum(sign * rate.sums.value(weight) for rate, sign, weight in each)
    left_out, kept = (
        sum((sign * without(weight) for without, sign, weight in parts), np.zeros(1))
        for parts in (
            [(rate.sums.without, sign, weight) for rate, sign, weight in each],
            [(rate.sums.with_labels_kept, sign, weight) for rate, sign, weight in each],
        )
    )
    unseen, missed, of_variance = np.sum(
        [rate.label_variance(weight) for rate, _, weight in each], axis=0
    ).tolist()
    # Errors that no label shows matter as far as little else varies.
    if unseen and np.isfinite(kept).all():
        unseen *= unseen / (unseen + spread(kept, np.ones(len(kept), dtype=np.int64)).variance)
    groups = min(rate.labelled_groups for rate in totals)
    return _estimate(
        value, left_out, unseen + missed, groups, n, level, rates=len(totals), at_least=groups,
        of_variance=of_variance,
    )  # fmt: skip


def _estimate(
    value: float,
    left_out: Floats,
    unseen: float,
    groups: float,
    n: int,
    level: float,
    *,
    rates: int = 1,
    at_least: float = 0.0,
    of_variance: float = 0.0,
) -> Estimate:
    """A rate or a combination of several, with its interval on so many labelled groups; that of a
    mean of labels varies no more than `at_least` independent ones. `of_variance` is how far its
    variance varies at least."""
    if not np.isfinite(value):
        return Estimate(value=None, n=n, why="the labels leave nothing to count")
    if not np.isfinite(left_out).all():
        return Estimate(value=value, n=n, why="no interval: all labels are from one group")
    found = spread(left_out, np.ones(len(left_out), dtype=np.int64))
    found = _with_unseen(found, unseen, groups, of_variance)
    if rates > 1:
        low, high = difference_ends(value, found, level, (-rates / 2, rates / 2))
    else:
        value = min(max(value, 0.0), 1.0)
        hidden = hidden_ends(value, groups, level)
        low, high = share_ends(value, found, level, unseen=hidden, at_least=at_least)
    return Estimate(
        value=float(value), low=float(low), high=float(high), n=n, groups=float(found.effective)
    )


def _with_unseen(found: Spread, unseen: float, groups: float, of_variance: float) -> Spread:
    """The spread over labelled groups, plus the variance of unseen errors, which is not an
    estimate."""
    variance = found.variance + unseen
    most = max(groups - 1, 1.0)
    freedom = found.freedom * (variance / found.variance) ** 2 if found.variance else most
    if of_variance:
        freedom = min(freedom, max(2 * variance**2 / of_variance, 1.0))
    return Spread(groups, variance, min(freedom, most))


# --- a second method -------------------------------------------------------------------------


def rogan_gladen(rate: CheckedRate, *, level: float = 0.95) -> Estimate:
    """The share of right answers, corrected for how often the automatic scores detect right and
    wrong ones.

    The labels tell how often a right answer is scored right and a wrong one wrong (Rogan and Gladen
    1978); both values are 0 or 1. The interval is over groups.
    """
    labelled = np.isfinite(rate.human) & ~_certain(rate)
    n = int(labelled.sum())
    if why := _why_undefined(rate):
        return Estimate(value=None, n=n, why=why)
    values = np.concatenate([rate.automatic, rate.human[labelled]])
    counts = rate.columns[:, 1], rate.human_columns[labelled, 1]
    if not np.isin(values, (0.0, 1.0)).all() or not all((each == 1).all() for each in counts):
        return Estimate(value=None, n=n, why="it is defined only for right or wrong answers")
    codes = encode_groups(rate.groups, len(rate.automatic))
    number = int(codes.max()) + 1
    totals = _totals(rate, codes, number)
    weights = np.zeros(len(codes))
    weights[labelled] = totals.labels.weights
    human = np.where(labelled, rate.human, 0.0)
    found, open_ = rate.automatic, ~_certain(rate)
    columns = np.column_stack([
        np.ones(len(codes)), found * ~open_, open_, found * open_,
        weights * human * found, weights * human,
        weights * (1 - human) * (1 - found), weights * (1 - human),
    ])  # fmt: skip
    sums = group_sums(columns, codes)
    whole = sums.sum(axis=0)
    value = float(_rogan_gladen(whole[None])[0])
    if not np.isfinite(value):
        return Estimate(value=None, n=n, why=_why_no_rogan_gladen(whole))
    left_out = _rogan_gladen(whole - sums)
    right, wrong = _recognised(whole[None])
    unseen = totals.unseen_variance / float(right[0] + wrong[0] - 1) ** 2
    return _estimate(value, left_out, unseen, totals.labelled_groups, n, level)


def _recognised(sums: Floats) -> tuple[Floats, Floats]:
    """How often right answers are called right and wrong ones wrong, of each row of sums."""
    return safe_ratio(sums[:, 4], sums[:, 5]), safe_ratio(sums[:, 6], sums[:, 7])


def _rogan_gladen(sums: Floats) -> Floats:
    rows, certain, open_, called_right = sums.T[:4]
    right, wrong = _recognised(sums)
    better = right + wrong - 1
    share = safe_ratio(safe_ratio(called_right, open_) - 1 + wrong, np.where(better > 0, better, 0))
    found: Floats = (certain + open_ * share) / rows
    return found


def _why_no_rogan_gladen(sums: Floats) -> str:
    if not sums[5] or not sums[7]:
        kind = "wrong" if sums[5] else "right"
        return f"no answer was {kind} according to people's labels"
    return "the automatic scores are no better than chance according to people's labels"
