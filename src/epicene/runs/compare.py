"""What changed between two runs of one suite, over the judgements they share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from epicene.errors import InputError, RunError, unknown
from epicene.records import Column, Estimate, Row, Table
from epicene.runs.results import Finished, Judged, frame_of
from epicene.suites import agreement
from epicene.suites.tabulate import codes, undetected

if TYPE_CHECKING:
    import polars

    from epicene.stats import Test

ALL = "all"


@dataclass(frozen=True)
class Comparison:
    """Two runs set against each other; differences are second minus first."""

    suite: str
    protocol: str
    data: str
    shared: int
    metrics: dict[str, Estimate]
    undetected: Estimate
    tables: tuple[Table, ...]
    changed: list[dict[str, Any]]  # the judgements whose outcome is another


def compare_runs(first: Finished, second: Finished) -> Comparison:
    """Pair the judgements of two runs by item and name, and test what differs."""
    refuse_other_suite(first, second)
    both = paired(first, second)
    if not len(both):
        raise InputError(f"{first.folder} and {second.folder} share no judged item.")
    table, metrics = differences(both, first.info.model, second.info.model)
    return Comparison(
        suite=first.suite.name,
        protocol=_either(first.protocol.name, second.protocol.name),
        data=_either(first.manifest.settings.data, second.manifest.settings.data),
        shared=len(both),
        metrics=metrics,
        undetected=undetected(both.rename({"outcome": "_", "outcome_2": "outcome"})),
        tables=(table,),
        changed=changed(both),
    )


def refuse_other_suite(first: Finished, second: Finished) -> None:
    """Raise if the two are not of one suite."""
    if first.suite.name != second.suite.name:
        raise InputError(
            f"{first.folder} is a run of {first.suite.name} and {second.folder} one of "
            f"{second.suite.name}; only runs of one suite can be compared."
        )


def _either(one: str, other: str) -> str:
    return one if one == other else f"{one}, {other}"


def paired(first: Finished, second: Finished) -> polars.DataFrame:
    """One row per judgement that both runs have; the second run's columns end in _2."""
    import polars as pl

    keys = ["item", "name"]
    kept = [*keys, "group", "outcome", "label", "value", "credit"]
    frames = []
    for run in (first, second):
        frame = frame_of(Judged(run), run.info)
        if "credit" not in frame.columns:
            frame = frame.with_columns(pl.lit(None, dtype=pl.Float64).alias("credit"))
        frame = frame.select(kept)
        frame = frame.with_columns(pl.col("name", "outcome", "label").cast(pl.String))
        if frame.select(keys).is_duplicated().any():
            raise RunError(
                f"The suite {run.suite.name} gives two judgements of an item one name, so they "
                "cannot be paired."
            )
        frames.append(frame)
    return frames[0].join(frames[1].drop("group"), on=keys, suffix="_2", maintain_order="left")


def differences(
    both: polars.DataFrame, first: str, second: str
) -> tuple[Table, dict[str, Estimate]]:
    """A row for all judgements and one per name: both figures, the difference, and its test."""
    import polars as pl

    from epicene.stats.correction import holm

    scored = both.with_columns(
        _figure("a", "outcome", "credit", "value"),
        _figure("b", "outcome_2", "credit_2", "value_2"),
    )
    scored = scored.filter(pl.col("a").is_not_null() & pl.col("b").is_not_null())
    names = sorted(scored["name"].unique().to_list())
    # Shares of right outcomes have a mean together; with other values it would mean nothing.
    outcomes = scored.filter(pl.col("outcome").is_not_null() & pl.col("outcome_2").is_not_null())
    parts = {ALL: outcomes if len(outcomes) else scored}
    if len(names) > 1:
        parts |= {name or "(unnamed)": scored.filter(pl.col("name") == name) for name in names}
    tested = {name: _tested(part) for name, part in parts.items()}
    adjusted = holm([test.p for _, test in tested.values()])
    rows = []
    for (name, (estimates, test)), p in zip(tested.items(), adjusted, strict=True):
        cells = (*estimates, _p(test.p, test), _p(p, test))
        rows.append(Row(keys=(name,), cells=cells))
    table = Table(
        name="difference",
        title=f"{second} against {first}",
        levels=("judgement",),
        columns=(
            Column(name=f"first: {first}", unit="number", decimals=3),
            Column(name=f"second: {second}", unit="number", decimals=3),
            Column(name="difference", unit="number", decimals=3),
            Column(name="p", unit="p"),
            Column(name="p (Holm)", unit="p"),
        ),
        rows=tuple(rows),
        notes=(
            "Share of right outcomes, or the mean value where a judgement has no outcome; "
            "paired by item, clustered by group; permutation test.",
        ),
    )
    metrics = {f"difference_{name}": estimates[2] for name, (estimates, _) in tested.items()}
    return table, metrics


def _figure(name: str, outcome: str, credit: str, value: str) -> polars.Expr:
    import polars as pl

    right = pl.col(credit).fill_null((pl.col(outcome) == "right").cast(pl.Float64))
    return pl.when(pl.col(outcome).is_not_null()).then(right).otherwise(pl.col(value)).alias(name)


def _tested(part: polars.DataFrame) -> tuple[tuple[Estimate, Estimate, Estimate], Test]:
    from epicene.stats.bootstrap import clustered, difference
    from epicene.stats.paired import permutation

    a, b, groups = part["a"].to_numpy(), part["b"].to_numpy(), codes(part)
    # Shares lie between 0 and 1; of other values the range is not known.
    shares = part["outcome"].is_not_null().all() and part["outcome_2"].is_not_null().all()
    estimates = (
        clustered(a, groups=groups, bounds=(0, 1) if shares else None),
        clustered(b, groups=groups, bounds=(0, 1) if shares else None),
        difference(b, a, groups=groups, bounds=(-1, 1) if shares else None),
    )
    return estimates, permutation(b, a, groups=groups)


def _p(value: float | None, test: Test) -> Estimate:
    return Estimate(value=value, n=test.n, why=test.why)


def agreement_of(
    first: Finished, second: Finished, names: tuple[str, str] | None = None
) -> Comparison:
    """Whether two sets of judgements of the same items agree: raw, Matthews, Cohen.

    The judgements of one name in both runs are paired, or those of two names, such as
    (probability, pre 1): the two runs may then be one.
    """
    import polars as pl

    refuse_other_suite(first, second)
    frames = [
        frame_of(Judged(run), run.info).with_columns(pl.col("name").cast(pl.String))
        for run in (first, second)
    ]
    there = [
        set(frame.filter(pl.col("outcome").is_not_null())["name"].unique()) for frame in frames
    ]
    for name, known in zip(names or (), there, strict=names is not None):
        if name not in known:
            raise unknown("judgement", name, known)
    chosen = [names] if names else [(name, name) for name in sorted(there[0] & there[1])]
    rows: list[Row] = []
    metrics: dict[str, Estimate] = {}
    shared = 0
    for one, other in chosen:
        pairs = agreement.paired_outcomes(
            frames[0].filter(pl.col("name") == one),
            frames[1].filter(pl.col("name") == other),
            on=("item",),
        )
        shared += len(pairs)
        key = one if one == other else f"{one} / {other}"
        cells = tuple(
            measure(pairs, clustered=True)
            for measure in (agreement.raw, agreement.mcc, agreement.kappa)
        )
        rows.append(Row(keys=(key or "(unnamed)",), cells=cells))
        metrics |= {f"{name}_{key}": cell for name, cell in zip(_MEASURES, cells, strict=True)}
    table = Table(
        name="agreement",
        title=f"Agreement of {first.info.model} and {second.info.model}",
        levels=("judgement",),
        columns=tuple(Column(name=name, unit="number", decimals=3) for name in _MEASURES),
        rows=tuple(rows),
        notes=("Right or wrong, paired by item; undetected outcomes are left out.",),
    )
    return Comparison(
        suite=first.suite.name,
        protocol=_either(first.protocol.name, second.protocol.name),
        data=_either(first.manifest.settings.data, second.manifest.settings.data),
        shared=shared,
        metrics=metrics,
        undetected=undetected(pl.concat(frames, how="diagonal")),
        tables=(table,),
        changed=[],
    )


_MEASURES = ("agreement", "mcc", "kappa")


def changed(both: polars.DataFrame) -> list[dict[str, Any]]:
    """The judgements with another outcome, before and after."""
    import polars as pl

    moved = both.filter(pl.col("outcome").ne_missing(pl.col("outcome_2")))
    return [
        {
            "item": row["item"],
            "name": row["name"],
            "first": row["outcome"],
            "second": row["outcome_2"],
        }
        for row in moved.iter_rows(named=True)
    ]
