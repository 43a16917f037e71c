"""What changed between two runs of one suite, over the judgements they share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from epicene.errors import InputError, unknown
from epicene.records import Column, Estimate, Row, Table
from epicene.runs.pairing import refuse_repeated, same_items
from epicene.runs.results import Finished, Judged, frame_of
from epicene.runs.summary import RunSummary, differing_settings
from epicene.suites import agreement
from epicene.suites.tabulate import codes, undetected

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import polars

    from epicene.runs.results import Coverage
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
    undetected: Estimate  # of both together; of each it is in `runs`
    runs: tuple[RunSummary, RunSummary]
    tables: tuple[Table, ...]
    changed: list[dict[str, Any]]  # the judgements whose outcome is another
    notes: tuple[str, ...]  # what makes the two differ besides the model


def compare_runs(first: Finished, second: Finished) -> Comparison:
    """Pair the judgements of two runs by item and name, and test what differs."""
    refuse_other_suite(first, second)
    read = _read(first, second)
    both = paired(read.frames)
    if not len(both):
        raise _nothing_shared(read, "judged item")
    table, metrics = differences(both, first.info.model, second.info.model)
    parts = both, both.select("group", outcome="outcome_2")
    return _comparison(
        read,
        shared=len(both),
        metrics=metrics,
        judged=parts,
        tables=(table,),
        changed=changed(both),
    )


@dataclass(frozen=True)
class _Read:
    """Two runs' judgements, items that are not the same told apart."""

    runs: tuple[Finished, Finished]
    frames: tuple[polars.DataFrame, polars.DataFrame]
    coverages: tuple[Coverage, Coverage]
    notes: tuple[str, ...]


def _read(first: Finished, second: Finished) -> _Read:
    import polars as pl

    runs = first, second
    same = same_items(runs)
    judged = Judged(first), Judged(second)
    frames = []
    for place, run in enumerate(runs):
        frame = frame_of(same.named(place, judged[place]), run.info)
        refuse_repeated(frame, run.suite.name)
        frames.append(frame.with_columns(pl.col("name", "outcome", "label").cast(pl.String)))
    return _Read(
        runs,
        (frames[0], frames[1]),
        (judged[0].coverage, judged[1].coverage),
        (*_unlike(runs), *same.told([str(run.folder) for run in runs])),
    )


def _unlike(runs: Sequence[Finished]) -> Iterator[str]:
    if different := differing_settings(runs):
        yield f"These runs were not asked alike: they differ in {', '.join(different)}."


def _nothing_shared(read: _Read, what: str) -> InputError:
    first, second = (run.folder for run in read.runs)
    return InputError(" ".join((f"{first} and {second} share no {what}.", *read.notes)))


def _comparison(
    read: _Read,
    *,
    shared: int,
    metrics: dict[str, Estimate],
    judged: tuple[polars.DataFrame, polars.DataFrame],
    tables: tuple[Table, ...],
    changed: list[dict[str, Any]],
) -> Comparison:
    """`judged` are the judgements of each run whose outcomes are compared."""
    import polars as pl

    first, second = (
        RunSummary(
            info=run.info,
            data=run.manifest.settings.data,
            metrics={},
            undetected=undetected(part),
            coverage=coverage,
        )
        for run, part, coverage in zip(read.runs, judged, read.coverages, strict=True)
    )
    return Comparison(
        suite=read.runs[0].suite.name,
        protocol=_either(*(run.protocol.name for run in read.runs)),
        data=_either(first.data, second.data),
        shared=shared,
        metrics=metrics,
        undetected=undetected(pl.concat([part.select("group", "outcome") for part in judged])),
        runs=(first, second),
        tables=(*tables, _undetected_table(first, second)),
        changed=changed,
        notes=read.notes,
    )


def _undetected_table(first: RunSummary, second: RunSummary) -> Table:
    return Table(
        name="undetected",
        title="Outcomes that are neither right nor wrong",
        levels=("run", "model"),
        columns=(Column(name="undetected"), Column(name="judgements", unit="count")),
        rows=tuple(
            Row(
                keys=(place, run.info.model),
                cells=(run.undetected, Estimate(value=run.undetected.n)),
            )
            for place, run in (("first", first), ("second", second))
        ),
        notes=("Of the judgements that are compared.",),
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


def paired(frames: tuple[polars.DataFrame, polars.DataFrame]) -> polars.DataFrame:
    """One row per judgement that both runs have; the second run's columns end in _2."""
    import polars as pl

    keys = ["item", "name"]
    kept = [*keys, "group", "outcome", "label", "value", "credit"]
    nothing = pl.lit(None, dtype=pl.Float64).alias("credit")
    first, second = (
        (frame if "credit" in frame.columns else frame.with_columns(nothing)).select(kept)
        for frame in frames
    )
    return first.join(second.drop("group"), on=keys, suffix="_2", maintain_order="left")


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
    read = _read(first, second)
    frames = [frame.filter(pl.col("outcome").is_not_null()) for frame in read.frames]
    there = [set(frame["name"].unique()) for frame in frames]
    for name, known in zip(names or (), there, strict=names is not None):
        if name not in known:
            raise unknown("judgement", name, known)
    chosen = [names] if names else [(name, name) for name in sorted(there[0] & there[1])]
    rows: list[Row] = []
    metrics: dict[str, Estimate] = {}
    shared = 0
    compared: list[tuple[polars.DataFrame, polars.DataFrame]] = []
    for one, other in chosen:
        a, b = frames[0].filter(pl.col("name") == one), frames[1].filter(pl.col("name") == other)
        compared.append((a.join(b, on="item", how="semi"), b.join(a, on="item", how="semi")))
        pairs = agreement.paired_outcomes(a, b, on=("item",))
        shared += len(pairs)
        key = one if one == other else f"{one} / {other}"
        cells = tuple(
            measure(pairs, clustered=True)
            for measure in (agreement.raw, agreement.mcc, agreement.kappa)
        )
        rows.append(Row(keys=(key or "(unnamed)",), cells=cells))
        metrics |= {f"{name}_{key}": cell for name, cell in zip(_MEASURES, cells, strict=True)}
    if not any(len(a) for a, _ in compared):
        raise _nothing_shared(read, "item with an outcome")
    table = Table(
        name="agreement",
        title=f"Agreement of {first.info.model} and {second.info.model}",
        levels=("judgement",),
        columns=tuple(Column(name=name, unit="number", decimals=3) for name in _MEASURES),
        rows=tuple(rows),
        notes=("Right or wrong, paired by item; undetected outcomes are left out.",),
    )
    return _comparison(
        read,
        shared=shared,
        metrics=metrics,
        judged=(pl.concat(a for a, _ in compared), pl.concat(b for _, b in compared)),
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
