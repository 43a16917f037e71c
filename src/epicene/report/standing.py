"""How the models of one suite stand to each other: places where data support them, and changes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from epicene.records import Column, Estimate, Row, Table
from epicene.runs.changes import HeadlineChange, changes, table_of_changes
from epicene.runs.ranking import Ranked, Ranking, rank
from epicene.stats.ranking import LEVEL

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import polars

    from epicene.report.profile import Entry
    from epicene.runs.summary import Summary
    from epicene.suites import Results

# Every pair of so many models has a row; of more, the places say what there is to say.
MOST_COMPARED = 6
_NAMED = 5  # models that another is better than, before they are only counted

_PLACES = (
    f"Every two models are tested on the same items: whole groups change sign, one-sided, at "
    f"{100 * LEVEL:.0f} % after Holm over all pairs both ways.",
    "A place is a range: at best one below those told to be better, at worst one above those told "
    "to be worse. Models that share a letter are not told apart.",
    "A judgement that was to be had and is lacking, in one run or in all, counts against its model "
    "where that should prove better and for it where another should, so that it can only widen a "
    "place.",
)


def places(
    summary: Summary, entries: Sequence[Entry], lacking: polars.DataFrame | None = None
) -> Iterator[Table | str]:
    """A table for each headline that tells some models apart, a sentence for each that does not.

    `lacking` are the judgements that were to be had of items without an answer.
    """
    models = [run.info.model for run in summary.runs]
    if len(models) < 2:
        return
    asked = summary.results if lacking is None else _with(summary.results, lacking)
    for entry in entries:
        if entry.language or entry.headline.figures is None:
            continue
        ranking = rank(entry.headline.figures(asked), models, suite=summary.suite.name)
        if ranking.tells:
            yield _places_table(ranking, entry)
        else:
            yield (
                f"By “{entry.headline.name}” no model is told apart from another "
                f"({ranking.shared} of {ranking.judgements} judgements are in all runs): there is "
                "no ranking."
            )


def _with(results: Results[Any], lacking: polars.DataFrame) -> Results[Any]:
    import polars as pl

    return replace(results, frame=pl.concat([results.frame, lacking], how="diagonal"))


def _places_table(ranking: Ranking, entry: Entry) -> Table:
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
                _place(model, len(ranking.models)),
                model.letters,
                entry.estimates[model.model],
                _named(model.better_than),
                *((Estimate(value=model.lacking),) if lacking else ()),
            ),
        )
        for model in ranking.models
    )
    return Table(
        name="places",
        title=f"Places by “{entry.headline.name}”",
        levels=("model",),
        columns=columns,
        rows=rows,
        notes=(
            *_PLACES,
            f"{ranking.shared} of {ranking.judgements} judgements are in all runs.",
        ),
    )


def _place(model: Ranked, models: int) -> str:
    best, worst = model.place
    return f"{best} of {models}" if best == worst else f"{best} to {worst} of {models}"


def _named(models: Sequence[str]) -> str:
    if not models:
        return "none"
    shown = ", ".join(models[:_NAMED])
    return shown if len(models) <= _NAMED else f"{shown} and {len(models) - _NAMED} more"


def changes_table(summary: Summary, entries: Sequence[Entry]) -> Table | None:
    """What changed between every two models, by each headline."""
    models = [run.info.model for run in summary.runs]
    if not 2 <= len(models) <= MOST_COMPARED:
        return None
    found = [
        HeadlineChange(entry.headline.name, change)
        for entry in entries
        if not entry.language and entry.headline.figures is not None
        for change in changes(
            entry.headline.figures(summary.results), models, suite=summary.suite.name
        )
    ]
    return table_of_changes(found) if found else None
