"""Compare two runs of one suite on the judgements they share, or measure their agreement."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from epicene.core.errors import InputError, unknown
from epicene.core.records import Column, Estimate, Row, Table
from epicene.runs.frames import check_unique_judgements, judgement_frame
from epicene.runs.matching import match_items
from epicene.runs.paired_differences import (
    MetricDifference,
    changed_outcomes,
    detectable_table,
    differences_by_name,
    pair_judgements,
    pairwise_differences,
    two_run_table,
)
from epicene.runs.score_differences import score_table
from epicene.runs.stored_run import RunJudgements, StoredRun
from epicene.runs.summary import RunSummary, label_runs, primary_judgements, settings_diff_sentences
from epicene.runs.wordings import HeadlineScores, wording_differences_table
from epicene.stats import paired_agreement
from epicene.stats.tabulate import undetected_share
from epicene.suites import Results
from epicene.suites.headline_metrics import headline_metrics_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars

    from epicene.runs.manifest import Coverage
    from epicene.runs.matching import ItemMatching
    from epicene.runs.paired_differences import FramePair
    from epicene.suites import RunInfo
    from epicene.suites.headline_metrics import HeadlineMetric

POSITIONS = ("first", "second")


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
    notes: tuple[str, ...]  # what makes the two differ besides the model


def compare_runs(first: StoredRun, second: StoredRun, *, crossed: str = "") -> Comparison:
    """Pair the judgements of two runs by item and name, and test the differences: first by the
    suite's headlines, as in a report, then by every name of judgements.

    `crossed` is a factor that is crossed with groups, such as names.
    """
    check_same_suite(first, second)
    read = read_pair(first, second)
    both = pair_judgements(read.texts)
    if not len(both):
        raise _nothing_shared(read, "judged item")
    found = list(_metric_differences(read))
    by_headline = [change for change, _ in found]
    models = (read.infos[0].model, read.infos[1].model)
    table, metrics = differences_by_name(
        read.texts,
        models,
        # Where a suite names no headline, all its outcomes are one.
        alike=not first.suite.headline_metrics,
    )
    once = primary_judgements(both)
    detectable = detectable_table(by_headline, models=False)
    scores = score_table(first.suite.sum_scores, read.results, models)
    by_wording = wording_differences_table(
        [
            HeadlineScores(headline, parts, figures)
            for headline, parts, figures in headline_figures(read)
            if figures is not None
        ],
        POSITIONS,
        suite=first.suite.name,
    )
    return _comparison(
        read,
        shared=len(both),
        outcomes=len(both.drop_nulls(["outcome", "outcome_2"])),
        metrics={
            **{f"change_{each.headline}": each.change.difference for each in by_headline},
            **metrics,
        },
        judged=(once, once.select("group", outcome="outcome_2")),
        tables=(
            *([two_run_table(by_headline, [figures for _, figures in found])] if found else ()),
            *([_crossed_table(read, crossed)] if crossed else ()),
            *([detectable] if detectable else ()),
            *([scores] if scores else ()),
            *([by_wording] if by_wording else ()),
            table,
        ),
        changed=changed_outcomes(both),
    )


@dataclass(frozen=True)
class RunPair:
    """The judgements of two runs, with different names for different items."""

    runs: tuple[StoredRun, StoredRun]
    infos: tuple[RunInfo, RunInfo]
    frames: FramePair
    coverages: tuple[Coverage, Coverage]
    same: ItemMatching
    notes: tuple[str, ...]

    @property
    def texts(self) -> FramePair:
        """The judgements with categories as strings, which can be compared."""
        import polars as pl

        words = pl.col("name", "outcome", "label").cast(pl.String)
        first, second = (frame.with_columns(words) for frame in self.frames)
        return first, second

    @property
    def results(self) -> tuple[Results[Any], Results[Any]]:
        """Each run's judgements under its own protocol."""
        first, second = (
            Results(frame, run.protocol, (info,))
            for frame, run, info in zip(self.frames, self.runs, self.infos, strict=True)
        )
        return first, second


def read_pair(first: StoredRun, second: StoredRun) -> RunPair:
    runs = first, second
    same = match_items(runs)
    infos = label_runs(runs)
    judged = RunJudgements(first), RunJudgements(second)
    frames = []
    for index, run in enumerate(runs):
        frame = judgement_frame(same.matched(index, judged[index]), infos[index])
        check_unique_judgements(frame, run.suite.name)
        frames.append(frame)
    return RunPair(
        runs,
        (infos[0], infos[1]),
        (frames[0], frames[1]),
        (judged[0].coverage, judged[1].coverage),
        same,
        (*settings_diff_sentences(runs), *same.sentences([str(run.folder) for run in runs])),
    )


def _metric_differences(
    read: RunPair,
) -> Iterator[tuple[MetricDifference, tuple[Estimate, Estimate]]]:
    """The difference from the first run to the second for each headline that can be paired, and
    that headline's value in both.
    """
    for headline, parts, figures in headline_figures(read):
        if figures is None:
            continue
        first, second = (headline.estimate(part) for part in parts)
        for change in pairwise_differences(figures, POSITIONS, suite=read.runs[0].suite.name):
            named = change._replace(first=read.infos[0].model, second=read.infos[1].model)
            yield MetricDifference(headline.name, named), (first, second)


def _crossed_table(read: RunPair, field: str) -> Table:
    import polars as pl

    from epicene.runs.crossed_designs import crossed_changes_table, read_factor

    frame = pl.concat(read.frames, how="diagonal")
    factor = read_factor(field, read.runs, read.same, frame)
    suite = read.runs[0].suite.name
    return crossed_changes_table(headline_figures(read), factor, POSITIONS, suite)


class HeadlineFigures(NamedTuple):
    """A headline, the results of each run, and the scores of both under the model names of
    `POSITIONS`, or None if it has no scores to pair."""

    headline: HeadlineMetric
    parts: tuple[Results[Any], Results[Any]]
    scores: polars.DataFrame | None


def headline_figures(read: RunPair) -> Iterator[HeadlineFigures]:
    """Each headline with the judgements it is the mean of.

    Each run is read under its own protocol, because the two may differ in it, and identified by its
    position, because both may be the same run.
    """
    import polars as pl

    first, second = read.results
    both = replace(first, frame=pl.concat(read.frames, how="diagonal"))
    for headline in headline_metrics_of(read.runs[0].suite, both):
        scores = None
        if headline.item_scores is not None and len(first.frame) and len(second.frame):
            scores = pl.concat(
                [
                    headline.item_scores(part).with_columns(model=pl.lit(position))
                    for part, position in zip((first, second), POSITIONS, strict=True)
                ],
                how="diagonal_relaxed",
            )
        yield HeadlineFigures(headline, (first, second), scores)


def _nothing_shared(read: RunPair, what: str) -> InputError:
    first, second = (run.folder for run in read.runs)
    return InputError(" ".join((f"{first} and {second} share no {what}.", *read.notes)))


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
        RunSummary(
            info=info,
            data=run.manifest.settings.data,
            metrics={},
            undetected=undetected_share(part),
            coverage=coverage,
        )
        for run, info, part, coverage in zip(
            read.runs, read.infos, judged, read.coverages, strict=True
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


def check_same_suite(first: StoredRun, second: StoredRun) -> None:
    """Raise if the two are of different suites."""
    if first.suite.name != second.suite.name:
        raise InputError(
            f"{first.folder} is a run of {first.suite.name} and {second.folder} is a run of "
            f"{second.suite.name}; only runs of the same suite can be compared."
        )


def _join_distinct(one: str, other: str) -> str:
    return one if one == other else f"{one}, {other}"


def compare_agreement(
    first: StoredRun, second: StoredRun, names: tuple[str, str] | None = None
) -> Comparison:
    """How far two sets of judgements of the same items agree: raw agreement, Matthews, Cohen.

    Pairs the judgements of the same name in both runs, or those of two names, such as (probability,
    pre 1); in that case both runs may be the same.
    """
    import polars as pl

    check_same_suite(first, second)
    read = read_pair(first, second)
    frames = [frame.filter(pl.col("outcome").is_not_null()) for frame in read.texts]
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
        pairs = paired_agreement.paired_outcomes(a, b, on=("item",))
        shared += len(pairs)
        key = one if one == other else f"{one} / {other}"
        cells = tuple(
            measure(pairs, clustered=True)
            for measure in (paired_agreement.raw, paired_agreement.mcc, paired_agreement.kappa)
        )
        rows.append(Row(keys=(key or "(unnamed)",), cells=cells))
        metrics |= {f"{name}_{key}": cell for name, cell in zip(_MEASURES, cells, strict=True)}
    if not any(len(a) for a, _ in compared):
        raise _nothing_shared(read, "item with an outcome")
    table = Table(
        name="agreement",
        title=f"Agreement of {' and '.join(info.model for info in read.infos)}",
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


_MEASURES = ("agreement", "mcc", "kappa")
