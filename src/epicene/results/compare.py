"""Compare two runs of one suite on the judgements they share, or measure their agreement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from epicene.core.errors import unknown
from epicene.core.records import Column, Estimate, Row, Table
from epicene.results.paired_differences import (
    PAIRED_NOTE,
    PairedDifference,
    changed_outcomes,
    detectable_table,
    differences_by_name,
    differences_table,
    pair_judgements,
    pairwise_differences,
)
from epicene.results.run_pair import POSITIONS, RunPair, headline_figures, read_pair
from epicene.results.score_differences import score_table
from epicene.results.summary import RunSummary, primary_judgements
from epicene.results.wordings import order_sentence, wording_differences
from epicene.stats import paired_agreement
from epicene.stats.tabulate import undetected_share

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.results.paired_differences import FramePair
    from epicene.results.run_pair import HeadlineFigures
    from epicene.runs.stored_run import StoredRun

_OWN_VALUES_NOTE = (
    "The two values are each run's own, over all its judgements; if the runs do not have the same "
    "judgements, the difference is not the difference of these two values."
)
_BY_NAME_NOTE = (
    "Share of right outcomes, or the mean value if a judgement has no outcome: each run's own, "
    "over all its judgements of that name."
)


@dataclass(frozen=True)
class Comparison:
    """Two runs compared; differences are second minus first."""

    suite: str
    protocol: str
    data: str
    shared: int  # judgements that both runs have
    outcomes: int  # among them, those that have an outcome in both
    metrics: dict[str, Estimate]
    undetected: Estimate  # of both together; of each it is in `runs`
    runs: tuple[RunSummary, RunSummary]
    tables: tuple[Table, ...]
    changed: list[dict[str, Any]]  # the judgements whose outcome is another
    notes: tuple[str, ...]  # what makes the two differ besides the model, and what is missing
    outcome: str = ""  # only where a margin decides


def compare_runs(first: StoredRun, second: StoredRun) -> Comparison:
    """Pair the judgements of two runs by item and name, and test the differences: first by the
    suite's headlines, as in a report, then by every name of judgements.
    """
    read = read_pair(first, second)
    both = pair_judgements(read.texts)
    if not len(both):
        raise read.shares_nothing("judged item")
    headlines = list(headline_figures(read))
    by_headline = list(_headline_differences(headlines, first.suite.name))
    # Where a suite names no headline, all its outcomes are one.
    by_name = differences_by_name(read.texts, alike=not first.suite.headline_metrics)
    once = primary_judgements(both)
    return _comparison(
        read,
        shared=len(both),
        outcomes=len(both.drop_nulls(["outcome", "outcome_2"])),
        metrics={
            **{f"change_{each.keys[0]}": each.difference for each in by_headline},
            **{f"difference_{each.keys[0]}": each.difference for each in by_name},
        },
        judged=(once, once.select("group", outcome="outcome_2")),
        tables=tuple(_comparison_tables(read, headlines, by_headline, by_name)),
        changed=changed_outcomes(both),
    )


def _comparison_tables(
    read: RunPair,
    headlines: list[HeadlineFigures],
    by_headline: list[PairedDifference],
    by_name: list[PairedDifference],
) -> Iterator[Table]:
    first, second = read.models
    values = (f"first: {first}", f"second: {second}")
    if by_headline:
        yield differences_table(
            by_headline,
            name="changes",
            title=f"{second} against {first}, by the suite's headlines",
            levels=("headline",),
            notes=(PAIRED_NOTE, _OWN_VALUES_NOTE),
            values=values,
            moves=True,
        )
    if detectable := detectable_table(by_headline, ("headline",)):
        yield detectable
    if scores := score_table(read.runs[0].suite.sum_scores, read.parts, read.models):
        yield scores
    if by_wording := _wordings_table(headlines, read.runs[0].suite.name):
        yield by_wording
    yield differences_table(
        by_name,
        name="difference",
        title=f"{second} against {first}, by the names of judgements",
        levels=("judgement",),
        notes=(_BY_NAME_NOTE, PAIRED_NOTE),
        values=values,
        shares=False,
    )


def _wordings_table(headlines: list[HeadlineFigures], suite: str) -> Table | None:
    """The difference in every wording that both runs were asked in; None if there is only one."""
    found = {
        each.headline.name: wording_differences(each.headline, each.parts, each.scores, suite=suite)
        for each in headlines
        if each.scores is not None
    }
    if max(map(len, found.values()), default=0) < 2:
        return None
    return differences_table(
        [change for changes in found.values() for change in changes],
        name="wordings",
        title="The difference in every wording of the prompt",
        levels=("headline", "wording"),
        notes=(
            PAIRED_NOTE,
            *(order_sentence(name, changes) for name, changes in found.items() if changes),
        ),
        values=POSITIONS,
    )


def _headline_differences(
    headlines: list[HeadlineFigures], suite: str
) -> Iterator[PairedDifference]:
    """The difference for each headline that can be paired, with its value in both runs."""
    for each in headlines:
        if each.scores is not None:
            for change in pairwise_differences(each.scores, POSITIONS, suite=suite):
                yield change._replace(keys=(each.headline.name,), values=each.values)


def _comparison(
    read: RunPair,
    *,
    shared: int,
    outcomes: int,
    metrics: dict[str, Estimate],
    judged: FramePair,
    tables: tuple[Table, ...],
    changed: list[dict[str, Any]],
) -> Comparison:
    """`judged` are the judgements of each run whose outcomes are compared."""
    import polars as pl

    first, second = (
        RunSummary(part.runs[0], run.manifest.settings.data, {}, undetected_share(own), coverage)
        for run, part, own, coverage in zip(
            read.runs, read.parts, judged, read.coverages, strict=True
        )
    )
    return Comparison(
        suite=read.runs[0].suite.name,
        protocol=_join_distinct(*(run.protocol.name for run in read.runs)),
        data=_join_distinct(first.data, second.data),
        shared=shared,
        outcomes=outcomes,
        metrics=metrics,
        undetected=undetected_share(
            pl.concat([part.select("group", "outcome") for part in judged])
        ),
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
                keys=(position, run.info.model),
                cells=(run.undetected, Estimate(value=run.undetected.n)),
            )
            for position, run in zip(POSITIONS, (first, second), strict=True)
        ),
        notes=("Share of the compared judgements; an answer judged in several ways counts once.",),
    )


def _join_distinct(one: str, other: str) -> str:
    return one if one == other else f"{one}, {other}"


_MEASURES = {
    "agreement": paired_agreement.raw,
    "mcc": paired_agreement.mcc,
    "kappa": paired_agreement.kappa,
}


def compare_agreement(
    first: StoredRun, second: StoredRun, names: tuple[str, str] | None = None
) -> Comparison:
    """How far two sets of judgements of the same items agree: raw agreement, Matthews, Cohen.

    Pairs the judgements of the same name in both runs, or those of two names, such as (probability,
    pre 1); in that case both runs may be the same.
    """
    import polars as pl

    read = read_pair(first, second)
    left, right = (frame.filter(pl.col("outcome").is_not_null()) for frame in read.texts)
    known = [set(frame["name"].unique()) for frame in (left, right)]
    for name, there in zip(names or (), known, strict=names is not None):
        if name not in there:
            raise unknown("judgement", name, there)
    rows: list[Row] = []
    metrics: dict[str, Estimate] = {}
    compared: list[FramePair] = []
    shared = 0
    for one, other in [names] if names else [(each, each) for each in sorted(known[0] & known[1])]:
        a, b = left.filter(pl.col("name") == one), right.filter(pl.col("name") == other)
        compared.append((a.join(b, on="item", how="semi"), b.join(a, on="item", how="semi")))
        pairs = paired_agreement.paired_outcomes(a, b, on=("item",))
        shared += len(pairs)
        cells = {name: measure(pairs, clustered=True) for name, measure in _MEASURES.items()}
        key = one if one == other else f"{one} / {other}"
        rows.append(Row(keys=(key or "(unnamed)",), cells=tuple(cells.values())))
        metrics |= {f"{name}_{key}": cell for name, cell in cells.items()}
    if not any(len(a) for a, _ in compared):
        raise read.shares_nothing("item with an outcome")
    table = Table(
        name="agreement",
        title=f"Agreement of {' and '.join(read.models)}",
        levels=("judgement",),
        columns=tuple(Column(name=name, unit="number", decimals=3) for name in _MEASURES),
        rows=tuple(rows),
        notes=("Right or wrong, paired by item; undetected outcomes are left out.",),
    )
    judged = pl.concat(a for a, _ in compared), pl.concat(b for _, b in compared)
    return _comparison(
        read,
        shared=shared,
        outcomes=shared,
        metrics=metrics,
        judged=judged if names else (primary_judgements(judged[0]), primary_judgements(judged[1])),
        tables=(table,),
        changed=[],
    )
