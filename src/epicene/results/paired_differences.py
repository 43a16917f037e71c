"""Paired differences between runs, tested, and the one table that shows them."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from epicene.core.records import Column, Estimate, Row, Table
from epicene.runs.frames import check_unique_judgements
from epicene.stats.power import (
    ALPHA,
    LEAST_GROUPS,
    POWER,
    detectable_difference,
)
from epicene.stats.tabulate import group_codes, undetected_share

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import polars

    from epicene.stats import SignificanceResult
    from epicene.stats.paired_spread import PairedSpread

KEYS = ("item", "name")

FramePair = tuple["polars.DataFrame", "polars.DataFrame"]


class PairedDifference(NamedTuple):
    """The second minus the first, over the judgements that both have: a row of a table."""

    keys: tuple[str, ...]
    difference: Estimate
    test: SignificanceResult
    shared: int
    values: tuple[Estimate, ...] = ()  # each run's own, over all its judgements
    spread: PairedSpread | None = None  # None unless it is a difference of shares
    gained: int = 0  # judgements that were not right and are
    lost: int = 0  # judgements that were right and are not
    undetected: tuple[Estimate, ...] = ()  # of each, among the judgements both have


def pairwise_differences(
    frame: polars.DataFrame, models: Sequence[str], *, suite: str
) -> Iterator[PairedDifference]:
    """Every pair of models, by values between 0 and 1 paired by item and name, over groups.

    Pairs without shared judgements are left out.
    """
    parts = _parts_by_model(frame, models, suite)
    for first, second in combinations(models, 2):
        both = join_judgements(parts[first], parts[second])
        if len(both):
            yield _difference_of_shares((first, second), both)


def paired_scores(
    frame: polars.DataFrame, models: tuple[str, str], *, suite: str
) -> polars.DataFrame:
    """One row per judgement that both models have; the columns of the second end in _2."""
    first, second = _parts_by_model(frame, models, suite).values()
    return join_judgements(first, second)


def _parts_by_model(
    frame: polars.DataFrame, models: Sequence[str], suite: str
) -> dict[str, polars.DataFrame]:
    import polars as pl

    check_unique_judgements(frame, suite)
    texts = frame.select(pl.col(*KEYS, "group", "outcome", "model").cast(pl.String), "score")
    return {model: texts.filter(pl.col("model") == model).drop("model") for model in models}


def join_judgements(first: polars.DataFrame, second: polars.DataFrame) -> polars.DataFrame:
    """One row per judgement that both have; the second's columns end in _2."""
    return first.join(second.drop("group"), on=KEYS, suffix="_2", maintain_order="left")


def spread_of_scores(both: polars.DataFrame) -> PairedSpread:
    """How precisely the second minus the first is known."""
    from epicene.stats.paired_spread import paired_spread

    return paired_spread(
        both["score_2"].to_numpy(), both["score"].to_numpy(), groups=group_codes(both)
    )


def _difference_of_shares(keys: tuple[str, ...], both: polars.DataFrame) -> PairedDifference:
    import polars as pl

    spread = spread_of_scores(both)
    was, now = (pl.col(name) == "right" for name in ("outcome", "outcome_2"))
    gained, lost = both.select(gained=(now & ~was).sum(), lost=(was & ~now).sum()).row(0)
    return PairedDifference(
        keys,
        spread.estimate(),
        spread.test(),
        shared=len(both),
        spread=spread,
        gained=gained,
        lost=lost,
        undetected=(
            undetected_share(both),
            undetected_share(both.select("group", outcome="outcome_2")),
        ),
    )


def _difference_of_values(keys: tuple[str, ...], both: polars.DataFrame) -> PairedDifference:
    """The difference of values whose range is unknown, such as log-probabilities."""
    import numpy as np

    from epicene.stats.hypothesis_tests import studentised_test
    from epicene.stats.intervals import statistic_of_sums

    gaps = both["score_2"].to_numpy() - both["score"].to_numpy()
    columns, groups = np.column_stack([gaps, np.ones_like(gaps)]), group_codes(both)

    def mean(sums: Any) -> Any:
        return sums[:, 0] / sums[:, 1]

    return PairedDifference(
        keys,
        statistic_of_sums(columns, mean, groups, scale="difference"),
        studentised_test(columns, mean, groups),
        shared=len(both),
    )


# --- tables --------------------------------------------------------------------------------

PAIRED_NOTE = (
    "The second minus the first, over the judgements that both have: paired by item, with "
    "intervals and tests over groups (Student's t). p (Holm) is corrected over all rows of this "
    "table."
)


def differences_table(
    found: Sequence[PairedDifference],
    *,
    name: str,
    title: str,
    levels: tuple[str, ...],
    notes: tuple[str, ...] = (PAIRED_NOTE,),
    values: tuple[str, ...] = (),
    shares: bool = True,
    moves: bool = False,
) -> Table:
    """One row per difference, corrected over all of them.

    `values` names the columns of the runs' own values, if they are shown. `moves` shows how many
    judgements became right or no longer are, and how many are undetected.
    """
    from epicene.stats.hypothesis_tests import holm

    adjusted = holm([each.test.p for each in found])
    return Table(
        name=name,
        title=title,
        levels=levels,
        columns=(
            *(
                Column(name=each) if shares else Column(name=each, unit="number", decimals=3)
                for each in (*values, "difference")
            ),
            Column(name="p", unit="p"),
            Column(name="p (Holm)", unit="p"),
            *(Column(name=each, unit="count") for each in _MOVES if moves),
            Column(name="judgements", unit="count"),
            *(Column(name=each) for each in _UNDETECTED if moves),
        ),
        rows=tuple(
            Row(keys=each.keys, cells=tuple(_cells(each, p, values=bool(values), moves=moves)))
            for each, p in zip(found, adjusted, strict=True)
        ),
        notes=notes,
    )


_MOVES = ("became right", "no longer right")
_UNDETECTED = ("undetected, first", "undetected, second")


def _cells(
    each: PairedDifference, adjusted: float | None, *, values: bool, moves: bool
) -> Iterator[Estimate]:
    if values:
        yield from each.values
    yield each.difference
    for p in (each.test.p, adjusted):
        yield Estimate(value=p, n=each.test.n, why=each.test.why)
    if moves:
        yield Estimate(value=each.gained)
        yield Estimate(value=each.lost)
    yield Estimate(value=each.shared)
    if moves:
        yield from each.undetected


def detectable_table(found: Sequence[PairedDifference], levels: tuple[str, ...]) -> Table | None:
    """What could have been detected wherever a difference is not significant; None if all are
    significant.
    """
    from epicene.stats.hypothesis_tests import holm

    tests = [each.test.p for each in found]
    alpha = ALPHA / max(1, sum(p is not None for p in tests))
    rows = tuple(
        Row(
            keys=each.keys,
            cells=(
                _detectable(each.spread, alpha),
                each.difference,
                Estimate(value=each.spread.groups),
            ),
        )
        for each, p in zip(found, holm(tests), strict=True)
        if each.spread is not None and (p is None or p > ALPHA)
    )
    if not rows:
        return None
    return Table(
        name="detectable",
        title="No significant difference: what could have been detected",
        levels=levels,
        columns=(
            Column(name="detectable difference"),
            Column(name="difference"),
            Column(name="groups", unit="count"),
        ),
        rows=rows,
        notes=(
            f"A true difference of this size is significant in {100 * POWER:.0f} % of such "
            f"comparisons, two-sided at {100 * ALPHA:.0f} %"
            + (f" over {len(found)} comparisons. " if len(found) > 1 else ". ")
            + "A result that is not significant says nothing about smaller differences; use "
            "`epicene plan` to estimate how much data they need.",
        ),
    )


def _detectable(spread: PairedSpread, alpha: float) -> Estimate:
    if spread.groups < LEAST_GROUPS:
        why = f"fewer than {LEAST_GROUPS} groups say too little about how much answers vary"
        return Estimate(value=None, n=spread.groups, why=why)
    return detectable_difference(spread, spread.groups, alpha=alpha)


# --- by the names of judgements ----------------------------------------------------------------

ALL = "all"


def pair_judgements(frames: FramePair) -> polars.DataFrame:
    """One row per judgement that both runs have; the second run's columns end in _2."""
    first, second = (
        frame.select(*KEYS, "group", "outcome", "score") for frame in map(_with_figures, frames)
    )
    return join_judgements(first, second)


def _with_figures(frame: polars.DataFrame) -> polars.DataFrame:
    """Add a column `score`: the credit of an outcome, from 0 to 1, or the judgement's value."""
    import polars as pl

    right = (pl.col("outcome") == "right").cast(pl.Float64)
    if "credit" in frame.columns:
        right = pl.col("credit").fill_null(right)
    figure = pl.when(pl.col("outcome").is_not_null()).then(right).otherwise(pl.col("value"))
    return frame.with_columns(figure.alias("score"))


def differences_by_name(frames: FramePair, *, alike: bool) -> list[PairedDifference]:
    """One per name of judgements that both runs have, and one for all outcomes together if they
    are `alike`.
    """
    import polars as pl

    first, second = (_with_figures(frame).filter(pl.col("score").is_not_null()) for frame in frames)
    both = first.join(second, on=KEYS, how="semi")
    names = sorted(both["name"].unique().to_list())
    if len(names) <= 1:
        parts = {ALL: pl.col("name").is_in(names)}
    else:
        parts = {name or "(unnamed)": pl.col("name") == name for name in names}
        # Shares of right outcomes have a mean together; with other values it would mean nothing.
        if alike and both["outcome"].is_not_null().any():
            parts = {ALL: pl.col("outcome").is_not_null(), **parts}
    return [
        _named_difference(name, (first.filter(which), second.filter(which)))
        for name, which in parts.items()
    ]


def _named_difference(name: str, part: FramePair) -> PairedDifference:
    shares = all(map(_are_shares, part))
    of = _difference_of_shares if shares else _difference_of_values
    return of((name,), pair_judgements(part))._replace(values=tuple(map(_run_estimate, part)))


def _run_estimate(frame: polars.DataFrame) -> Estimate:
    """One run's value, with the interval that it has in every other table."""
    from epicene.stats.intervals import proportion
    from epicene.stats.tabulate import mean

    if _are_shares(frame):
        return proportion(frame["score"].to_numpy(), groups=group_codes(frame))
    return mean(frame, "score")


def _are_shares(frame: polars.DataFrame) -> bool:
    return bool(frame["outcome"].is_not_null().all())


def changed_outcomes(both: polars.DataFrame) -> list[dict[str, Any]]:
    """The judgements whose outcome differs, with both outcomes."""
    import polars as pl

    moved = both.filter(pl.col("outcome") != pl.col("outcome_2"))
    return moved.select("item", "name", first="outcome", second="outcome_2").to_dicts()
