"""Rank the models of one suite and tabulate changes between them, if they are comparable."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from epicene.core.records import Column, Estimate, Row, Table
from epicene.results.missing import missing_judgements
from epicene.results.model_ranking import RankedModel, Ranking, rank
from epicene.results.paired_differences import (
    PairedDifference,
    detectable_table,
    differences_table,
    pairwise_differences,
)
from epicene.show.model_profiles import headline_results
from epicene.show.provenance import (
    differing_protocol_settings,
    joined_line,
    protocols_by_model,
    undetected_line_of,
)
from epicene.stats.ranking import SIGNIFICANCE_LEVEL

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import polars

    from epicene.results.summary import Summary
    from epicene.runs.stored_run import StoredRun
    from epicene.show.model_profiles import HeadlineResult
    from epicene.suites import Results

# Up to this many models, each pair has a row; with more, the ranks have to do.
MAX_COMPARED_MODELS = 6
_MAX_NAMED_MODELS = 5  # models in a list of those that one is better than; more are only counted

_RANKING_NOTES = (
    "Each pair of models is tested on the same items with a one-sided test that flips the "
    f"signs of whole groups, at {100 * SIGNIFICANCE_LEVEL:.0f} % after Holm's correction over "
    "all pairs in both directions.",
    "A place is a range of ranks: it starts just below the models that are significantly better "
    "and ends just above those that are significantly worse. Models that share a letter do not "
    "differ significantly.",
    "The error level holds for each headline separately, so a false difference becomes more "
    "likely with more headlines.",
    "Missing scores can only widen the ranges of ranks: a score that is missing in one run or in "
    "all counts against its model when that model is tested for being better, and in its favour "
    "when another model is.",
)


def _rankings(
    summary: Summary, entries: Sequence[HeadlineResult], lacking: polars.DataFrame | None
) -> Iterator[tuple[HeadlineResult, Ranking]]:
    """The ranking by each headline on which models can be compared."""
    models = [run.info.model for run in summary.runs]
    if len(models) < 2:
        return
    asked = (
        summary.results if lacking is None else _with_missing_judgements(summary.results, lacking)
    )
    for entry in entries:
        if not entry.language and entry.headline.item_scores is not None:
            scores = entry.headline.item_scores(asked)
            yield entry, rank(scores, models, suite=summary.suite.name)


def _no_ranking(ranking: Ranking, entry: HeadlineResult) -> str:
    return (
        f"No two models differ significantly by “{entry.headline.name}”, so there is no "
        f"ranking ({ranking.shared} of {ranking.judgements} scores are in all runs)."
    )


def _with_missing_judgements(results: Results[Any], lacking: polars.DataFrame) -> Results[Any]:
    import polars as pl

    return replace(results, frame=pl.concat([results.frame, lacking], how="diagonal"))


def _ranking_table(ranking: Ranking, entry: HeadlineResult) -> Table:
    lacking = any(model.lacking for model in ranking.models)
    columns = (
        Column(name="place", unit="text"),
        Column(name="group", unit="text"),
        entry.column,
        Column(name="better than", unit="text"),
        *((Column(name="judgements lacking", unit="count"),) if lacking else ()),
    )
    rows = tuple(
        Row(
            keys=(model.model,),
            cells=(
                _rank_range(model, len(ranking.models)),
                model.letters,
                entry.estimates[model.model],
                _model_list(model.better_than),
                *((Estimate(value=model.lacking),) if lacking else ()),
            ),
        )
        for model in ranking.models
    )
    return Table(
        name="places",
        title=f"Ranks by “{entry.headline.name}”",
        levels=("model",),
        columns=columns,
        rows=rows,
        notes=(
            *_RANKING_NOTES,
            f"{ranking.shared} of {ranking.judgements} scores are in all runs.",
        ),
    )


def _rank_range(model: RankedModel, models: int) -> str:
    best, worst = model.rank
    return f"{best} of {models}" if best == worst else f"{best} to {worst} of {models}"


def _model_list(models: Sequence[str]) -> str:
    if not models:
        return "none"
    shown = ", ".join(models[:_MAX_NAMED_MODELS])
    return (
        shown
        if len(models) <= _MAX_NAMED_MODELS
        else f"{shown} and {len(models) - _MAX_NAMED_MODELS} more"
    )


def _headline_differences(
    summary: Summary, entries: Sequence[HeadlineResult]
) -> Iterator[PairedDifference]:
    models = [run.info.model for run in summary.runs]
    if not 2 <= len(models) <= MAX_COMPARED_MODELS:
        return
    for headline in (entry.headline for entry in entries if not entry.language):
        if headline.item_scores is not None:
            scores = headline.item_scores(summary.results)
            for change in pairwise_differences(scores, models, suite=summary.suite.name):
                yield change._replace(keys=(headline.name, *change.keys))


_LEVELS = ("headline", "first", "second")


def _changes_table(found: Sequence[PairedDifference]) -> Table:
    return differences_table(
        found,
        name="changes",
        title="What changed between every two models",
        levels=_LEVELS,
        moves=True,
    )


@dataclass(frozen=True)
class ModelComparison:
    """The headline metrics of all runs, and how the models compare by them."""

    entries: tuple[HeadlineResult, ...]
    rankings: tuple[tuple[HeadlineResult, Table], ...]  # where models differ
    changes: Table | None
    detectable: Table | None  # what could have been found where no change is significant
    reasons: tuple[str, ...]  # sentences: why models are not ranked
    differences: tuple[PairedDifference, ...] = ()  # the rows of `changes`
    ranks: Mapping[str, Ranking] = field(default_factory=dict)  # by the names of headlines

    @property
    def undetected(self) -> str:
        """The undetected rates of the judgements behind each headline."""
        return undetected_per_headline(self.entries)


def compare_models(summary: Summary, runs: Sequence[StoredRun]) -> ModelComparison:
    """Rankings and differences, if all runs were made by one method."""
    entries = tuple(headline_results(summary))
    if different := differing_protocol_settings(protocols_by_model(summary, runs)):
        sentence = (
            f"These runs differ in settings ({', '.join(different)}), so their models are "
            "neither ranked nor compared."
        )
        return ModelComparison(entries, (), None, None, (sentence,))
    lacking = _missing_judgements(summary, runs)
    ranked = list(_rankings(summary, entries, lacking))
    found = tuple(_headline_differences(summary, entries))
    return ModelComparison(
        entries,
        tuple(
            (entry, _ranking_table(ranking, entry))
            for entry, ranking in ranked
            if ranking.any_significant
        ),
        _changes_table(found) if found else None,
        detectable_table(found, _LEVELS),
        tuple(
            _no_ranking(ranking, entry) for entry, ranking in ranked if not ranking.any_significant
        ),
        found,
        {entry.headline.name: ranking for entry, ranking in ranked},
    )


def undetected_per_headline(entries: Sequence[HeadlineResult]) -> str:
    """The undetected rates of the judgements behind each headline, in one line."""
    return joined_line(
        undetected_line_of(f"“{entry.headline.name}”", entry.undetected)
        for entry in entries
        if not entry.language
    )


def _missing_judgements(summary: Summary, runs: Sequence[StoredRun]) -> polars.DataFrame | None:
    """The expected judgements of items that have no answer."""
    whole = all(run.coverage is None or run.coverage.whole for run in summary.runs)
    if whole or summary.same is None or len(runs) < 2:
        return None
    return missing_judgements(runs, summary.same)
