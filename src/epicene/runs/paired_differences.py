"""Paired differences between runs, tested: by headline metric and by name of judgement."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from epicene.core.records import Column, Estimate, Row, Table
from epicene.runs.frames import check_unique_judgements
from epicene.stats.tabulate import group_codes, undetected_share

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import polars

    from epicene.stats import SignificanceResult
    from epicene.stats.paired_spread import PairedSpread

KEYS = ("item", "name")


class PairedDifference(NamedTuple):
    """The difference between two models: second minus first, over the judgements that both have."""

    first: str
    second: str
    difference: Estimate
    test: SignificanceResult  # whether either sign is as likely
    means: SignificanceResult  # whether the mean difference is zero
    gained: int  # judgements that were not right and are
    lost: int  # judgements that were right and are not
    shared: int
    undetected: tuple[Estimate, Estimate]  # of each, among the judgements both have
    spread: PairedSpread


def pairwise_differences(
    frame: polars.DataFrame, models: Sequence[str], *, suite: str
) -> Iterator[PairedDifference]:
    """Every pair of models, by values between 0 and 1 paired by item and name.

    Clustered by group, with a permutation test; pairs without shared judgements are left out.
    """
    import polars as pl

    parts = _parts_by_model(frame, models, suite)
    for first, second in combinations(models, 2):
        both = join_judgements(parts[first], parts[second])
        if not len(both):
            continue
        difference, test, means = _tested_difference(both, bounds=(-1, 1))
        was, now = (pl.col(name) == "right" for name in ("outcome", "outcome_2"))
        moves = both.select(gained=(now & ~was).sum(), lost=(was & ~now).sum()).row(0)
        yield PairedDifference(
            first=first,
            second=second,
            difference=difference,
            test=test,
            means=means,
            gained=moves[0],
            lost=moves[1],
            shared=len(both),
            undetected=(
                undetected_share(both),
                undetected_share(both.select("group", outcome="outcome_2")),
            ),
            spread=spread_of_scores(both),
        )


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
    columns = [*KEYS, "group", "outcome"]
    texts = frame.select(pl.col(*columns, "model").cast(pl.String), "score")
    return {model: texts.filter(pl.col("model") == model).drop("model") for model in models}


def join_judgements(first: polars.DataFrame, second: polars.DataFrame) -> polars.DataFrame:
    """One row per judgement that both have; the second's columns end in _2."""
    return first.join(second.drop("group"), on=KEYS, suffix="_2", maintain_order="left")


def spread_of_scores(both: polars.DataFrame) -> PairedSpread:
    """The precision of the second minus the first."""
    from epicene.stats.paired_spread import spread_of_rows

    return spread_of_rows(
        both["score_2"].to_numpy(), both["score"].to_numpy(), groups=group_codes(both)
    )


def _tested_difference(
    both: polars.DataFrame, *, bounds: tuple[float, float] | None
) -> tuple[Estimate, SignificanceResult, SignificanceResult]:
    """The second value minus the first over paired rows, with the permutation test and the test
    of means.
    """
    from epicene.stats.hypothesis_tests import permutation_test, studentised_test
    from epicene.stats.intervals import clustered_difference

    a, b, groups = both["score"].to_numpy(), both["score_2"].to_numpy(), group_codes(both)
    return (
        clustered_difference(b, a, groups=groups, bounds=bounds),
        permutation_test(b, a, groups=groups),
        studentised_test(b, a, groups=groups),
    )


class MetricDifference(NamedTuple):
    """The difference by one headline metric."""

    headline: str
    change: PairedDifference


_PAIRED_NOTES = (
    "The second minus the first, over the judgements that both have: paired by item, with "
    "intervals and tests over groups. p comes from a permutation test of whether each group's "
    "difference is equally likely with either sign; p (Holm) is corrected over all rows of this "
    "table; p (means) comes from Student's t, which tests whether the mean difference is zero.",
)
_OWN_FIGURES_NOTES = (
    "The two values are each run's own, over all its judgements; if the runs do not have the "
    "same judgements, the difference is not the difference of these two values.",
)
_DIFFERENCE_COLUMNS = (
    Column(name="difference"),
    Column(name="p", unit="p"),
    Column(name="p (Holm)", unit="p"),
    Column(name="p (means)", unit="p"),
    Column(name="became right", unit="count"),
    Column(name="no longer right", unit="count"),
    Column(name="judgements", unit="count"),
    Column(name="undetected, first"),
    Column(name="undetected, second"),
)


def pairwise_table(found: Sequence[MetricDifference]) -> Table:
    """One row per headline and pair of models."""
    return Table(
        name="changes",
        title="What changed between every two models",
        levels=("headline", "first", "second"),
        columns=_DIFFERENCE_COLUMNS,
        rows=tuple(
            Row(keys=(each.headline, each.change.first, each.change.second), cells=cells)
            for each, cells in zip(found, _difference_cells(found), strict=True)
        ),
        notes=_PAIRED_NOTES,
    )


def two_run_table(
    found: Sequence[MetricDifference], figures: Sequence[tuple[Estimate, Estimate]]
) -> Table:
    """One row per headline of one pair of models, with the values of both."""
    first, second, *_ = found[0].change
    return Table(
        name="changes",
        title=f"{second} against {first}, by the suite's headlines",
        levels=("headline",),
        columns=(
            Column(name=f"first: {first}"),
            Column(name=f"second: {second}"),
            *_DIFFERENCE_COLUMNS,
        ),
        rows=tuple(
            Row(keys=(each.headline,), cells=(*own, *cells))
            for each, own, cells in zip(found, figures, _difference_cells(found), strict=True)
        ),
        notes=(*_PAIRED_NOTES, *_OWN_FIGURES_NOTES),
    )


def changes_of_suites_table(
    found: Sequence[tuple[str, Sequence[MetricDifference]]],
) -> Table | None:
    """The differences of all suites, by their titles, with one correction over all of them; None
    if fewer than two suites have any.
    """
    from epicene.stats.hypothesis_tests import holm

    if sum(bool(changes) for _, changes in found) < 2:
        return None
    tested = [(title, each) for title, changes in found for each in changes]
    adjusted = holm([each.change.test.p for _, each in tested])
    return Table(
        name="changes of all suites",
        title="What changed between every two models, over all suites",
        levels=("suite", "headline", "first", "second"),
        columns=_DIFFERENCE_COLUMNS[:3],
        rows=tuple(
            Row(
                keys=(title, each.headline, each.change.first, each.change.second),
                cells=(
                    each.change.difference,
                    *(Estimate(value=p, why=each.change.test.why) for p in (each.change.test.p, q)),
                ),
            )
            for (title, each), q in zip(tested, adjusted, strict=True)
        ),
        notes=(
            f"p (Holm) is corrected over all {len(tested)} rows, so that the chance of any false "
            "alarm among the headlines of all suites is at most 5 %; the tables of each suite "
            "are corrected over that suite's rows alone.",
        ),
    )


def _difference_cells(found: Sequence[MetricDifference]) -> Iterator[tuple[Estimate, ...]]:
    from epicene.stats.hypothesis_tests import holm

    adjusted = holm([each.change.test.p for each in found])
    for (_, change), p in zip(found, adjusted, strict=True):
        yield (
            change.difference,
            *(Estimate(value=each, why=change.test.why) for each in (change.test.p, p)),
            Estimate(value=change.means.p, why=change.means.why),
            *(Estimate(value=n) for n in (change.gained, change.lost, change.shared)),
            *change.undetected,
        )


def detectable_table(found: Sequence[MetricDifference], *, models: bool) -> Table | None:
    """What could have been detected wherever a difference is not significant; None if all are
    significant.

    With `models`, each row names its two models next to the headline.
    """
    from epicene.stats.hypothesis_tests import holm
    from epicene.stats.paired_spread import ALPHA, POWER, minimum_detectable_difference

    tests = [each.change.test.p for each in found]
    alpha = ALPHA / max(1, sum(p is not None for p in tests))
    rows = tuple(
        Row(
            keys=(each.headline, *((each.change.first, each.change.second) if models else ())),
            cells=(
                minimum_detectable_difference(each.change.spread, alpha=alpha, power=POWER),
                each.change.difference,
                Estimate(value=each.change.spread.groups),
            ),
        )
        for each, p in zip(found, holm(tests), strict=True)
        if p is None or p > ALPHA
    )
    if not rows:
        return None
    return Table(
        name="detectable",
        title="No significant difference: what could have been detected",
        levels=("headline", *(("first", "second") if models else ())),
        columns=(
            Column(name="minimum detectable difference"),
            Column(name="difference"),
            Column(name="groups", unit="count"),
        ),
        rows=rows,
        notes=(
            f"A true difference of this size is significant in {100 * POWER:.0f} % of such "
            f"comparisons: permutation test, two-sided, {100 * ALPHA:.0f} %"
            + (f" over {len(found)} comparisons. " if len(found) > 1 else ". ")
            + "A result that is not significant says nothing about smaller differences; use "
            "`epicene plan` to estimate how much data they need.",
        ),
    )


ALL = "all"

_BY_NAME_NOTES = (
    "Share of right outcomes, or the mean value if a judgement has no outcome: each run's own, "
    "over all its judgements of that name.",
    *_PAIRED_NOTES,
)

FramePair = tuple["polars.DataFrame", "polars.DataFrame"]


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


class NamedDifferences(NamedTuple):
    """The table, and its differences by name."""

    table: Table
    metrics: dict[str, Estimate]


def differences_by_name(
    frames: FramePair, models: tuple[str, str], *, alike: bool
) -> NamedDifferences:
    """One row per name of judgements that both runs have, and one for all outcomes together if
    they are `alike`.
    """
    from epicene.stats.hypothesis_tests import holm

    parts = _frames_by_name(frames, alike=alike)
    tested = {name: _test_difference(part) for name, part in parts.items()}
    adjusted = holm([test.p for _, test, _ in tested.values()])
    first, second = models
    table = Table(
        name="difference",
        title=f"{second} against {first}, by the names of judgements",
        levels=("judgement",),
        columns=(
            Column(name=f"first: {first}", unit="number", decimals=3),
            Column(name=f"second: {second}", unit="number", decimals=3),
            Column(name="difference", unit="number", decimals=3),
            Column(name="p", unit="p"),
            Column(name="p (Holm)", unit="p"),
            Column(name="p (means)", unit="p"),
            Column(name="judgements", unit="count"),
        ),
        rows=tuple(
            Row(
                keys=(name,),
                cells=(
                    *estimates,
                    *(Estimate(value=each, n=test.n, why=test.why) for each in (test.p, p)),
                    Estimate(value=means.p, n=means.n, why=means.why),
                    Estimate(value=estimates[2].n),
                ),
            )
            for (name, (estimates, test, means)), p in zip(tested.items(), adjusted, strict=True)
        ),
        notes=_BY_NAME_NOTES,
    )
    return NamedDifferences(
        table, {f"difference_{name}": estimates[2] for name, (estimates, *_) in tested.items()}
    )


def _frames_by_name(frames: FramePair, *, alike: bool) -> dict[str, FramePair]:
    """The judgements of both runs that have a value, by the rows of the table."""
    import polars as pl

    figured = [_with_figures(frame).filter(pl.col("score").is_not_null()) for frame in frames]
    first, second = figured
    both = first.join(second, on=KEYS, how="semi")
    names = sorted(both["name"].unique().to_list())
    if len(names) <= 1:
        return {ALL: _filter_both(figured, pl.col("name").is_in(names))}
    parts = {}
    # Shares of right outcomes have a mean together; with other values it would mean nothing.
    if alike and both["outcome"].is_not_null().any():
        parts[ALL] = _filter_both(figured, pl.col("outcome").is_not_null())
    return parts | {
        name or "(unnamed)": _filter_both(figured, pl.col("name") == name) for name in names
    }


def _filter_both(frames: Sequence[polars.DataFrame], which: polars.Expr) -> FramePair:
    first, second = (frame.filter(which) for frame in frames)
    return first, second


def _test_difference(
    part: FramePair,
) -> tuple[tuple[Estimate, Estimate, Estimate], SignificanceResult, SignificanceResult]:
    # Shares are between 0 and 1; the range of other values is unknown.
    bounds = (-1, 1) if all(map(_are_shares, part)) else None
    difference, test, means = _tested_difference(pair_judgements(part), bounds=bounds)
    first, second = map(_run_estimate, part)
    return (first, second, difference), test, means


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
    return [
        {
            "item": row["item"],
            "name": row["name"],
            "first": row["outcome"],
            "second": row["outcome_2"],
        }
        for row in moved.iter_rows(named=True)
    ]
