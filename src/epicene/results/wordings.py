"""Prompt sensitivity: headlines in every wording of the prompt, and how far apart they are.

Computed from runs with `--set wordings=N`, whose judgements have the facet `wording`.
"""

from __future__ import annotations

from dataclasses import replace
from statistics import fmean
from typing import TYPE_CHECKING, Any

from epicene.core.records import Column, Estimate, Row, Table
from epicene.results.paired_differences import pairwise_differences
from epicene.stats.tabulate import distinct_values, rows_where
from epicene.suites.headline_metrics import headline_metrics_of
from epicene.suites.wordings import FACET, MARK

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import polars

    from epicene.results.paired_differences import PairedDifference
    from epicene.suites import Results, Suite
    from epicene.suites.headline_metrics import HeadlineMetric

_NOT_ASKED = Estimate(value=None, why="this run was not asked in this wording")
_NOTES = (
    "The same items in every wording; requests with a single wording are left out. Wording 1 is "
    "the default. Intervals are over groups of items, not over wordings.",
    "The range is the highest value minus the lowest. It is never below 0, and with few items it "
    "is mostly chance; `compare` tests two runs in every wording.",
)


def wordings_in(frame: polars.DataFrame) -> list[str]:
    """The wordings that items were asked in, in order; empty if there was only one, even if the
    user's data have a facet of this name.
    """
    if FACET not in frame.columns or not frame["item"].str.contains(MARK, literal=True).any():
        return []
    return sorted(distinct_values(frame, FACET), key=int)


def wording_tables(suite: Suite[Any, Any], results: Results[Any]) -> Iterator[Table]:
    """The headlines of each model by wording; nothing if every run was asked in one wording."""
    wordings = wordings_in(results.frame)
    if not wordings:
        return
    rows, number = [], False
    for title, headline, mine in _asked_in_wordings(suite, results):
        asked = wordings_in(mine.frame)
        values = {name: headline.estimate(_in_wording(mine, name)) for name in asked}
        known = [each.value for each in values.values() if each.value is not None]
        if not known:
            continue
        number = number or headline.unit == "number"
        rows.append(
            Row(
                keys=(title, mine.runs[0].model),
                cells=(
                    *(values.get(name, _NOT_ASKED) for name in wordings),
                    headline.estimate(mine) if headline.item_scores else _mean(values.values()),
                    Estimate(value=max(known) - min(known), n=len(known)),
                ),
            )
        )
    if rows:
        names = (*(f"wording {each}" for each in wordings), "all wordings", "range")
        yield Table(
            name="wordings",
            title="Headlines by the wording of the prompt",
            levels=("headline", "model"),
            columns=tuple(
                Column(name=name, unit="number", decimals=3) if number else Column(name=name)
                for name in names
            ),
            rows=tuple(rows),
            notes=_NOTES,
        )


def _asked_in_wordings(
    suite: Suite[Any, Any], results: Results[Any]
) -> Iterator[tuple[str, HeadlineMetric, Results[Any]]]:
    """Each headline, then each of its languages, with each model's judgements in wordings."""
    import polars as pl

    asked = results.frame.filter(pl.col(FACET).is_not_null())
    codes = [code for code in distinct_values(asked, "language") if code]
    for headline in headline_metrics_of(suite, results):
        by_language = codes if headline.by_language and len(codes) > 1 else []
        for code in ("", *by_language):
            title = f"{headline.name} · {code}" if code else headline.name
            for info in results.runs:
                where = {"run": info.run, **({"language": code} if code else {})}
                mine = replace(results, frame=rows_where(asked, **where), runs=(info,))
                if len(wordings_in(mine.frame)) > 1:
                    yield title, headline, mine


def _in_wording(results: Results[Any], wording: str) -> Results[Any]:
    return replace(results, frame=rows_where(results.frame, wording=wording))


def _mean(estimates: Iterable[Estimate]) -> Estimate:
    """The mean over wordings, without an interval: each has the same items."""
    values = [each.value for each in estimates if each.value is not None]
    return Estimate(value=fmean(values), n=len(values))


def wording_differences(
    headline: HeadlineMetric,
    parts: Mapping[str, Results[Any]],
    scores: polars.DataFrame,
    *,
    suite: str,
) -> list[PairedDifference]:
    """The difference between two runs in every wording that both were asked in.

    `scores` are the item scores of both, whose models are the names in `parts`.
    """
    import polars as pl

    if FACET not in scores.columns:
        return []
    found = []
    for wording in wordings_in(scores):
        if all(wording in wordings_in(part.frame) for part in parts.values()):
            mine = scores.filter(pl.col(FACET).cast(pl.String) == wording)
            values = tuple(headline.estimate(_in_wording(part, wording)) for part in parts.values())
            found += [
                change._replace(keys=(headline.name, wording), values=values)
                for change in pairwise_differences(mine, [*parts], suite=suite)
            ]
    return found


def order_sentence(headline: str, changes: Sequence[PairedDifference]) -> str:
    """In how many wordings each run is ahead."""
    gaps = [change.difference.value or 0.0 for change in changes]
    second, first = sum(gap > 0 for gap in gaps), sum(gap < 0 for gap in gaps)
    order = "the order changes" if first and second else "the order never changes"
    return (
        f"By “{headline}” the second is ahead in {second} of {len(gaps)} wordings and the first in "
        f"{first}: {order}."
    )
