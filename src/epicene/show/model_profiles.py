"""Headline metrics of several models side by side: across suites, and by language."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import msgspec

from epicene.core.records import LEARNT, Column, Estimate, Row, Table, digest
from epicene.results.matching import SHORT_HASH
from epicene.stats.tabulate import distinct_values, rows_where, undetected_share
from epicene.suites.headline_metrics import (
    HeadlineMetric,
    all_judgements,
    headline_metrics_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from epicene.core.records import Identity
    from epicene.results.summary import RunSummary, Summary
    from epicene.suites import RunInfo

_NOT_RUN = Estimate(value=None, why="this model was not run on this suite under this protocol")


@dataclass(frozen=True)
class HeadlineResult:
    """One headline, in one language if it names one, of each model that has it."""

    title: str
    headline: HeadlineMetric
    language: str
    estimates: Mapping[str, Estimate]
    undetected: Mapping[str, Estimate]

    @property
    def column(self) -> Column:
        """Its table column."""
        decimals = 1 if self.headline.unit == "share" else 3
        return Column(name=self.title, unit=self.headline.unit, decimals=decimals)


def headline_results(summary: Summary) -> Iterator[HeadlineResult]:
    """The headlines of one suite that have a number, then each by language if it has several."""
    if not len(summary.results.frame):
        return
    for headline in headline_metrics_of(summary.suite, summary.results):
        codes = _languages(summary, headline) if headline.by_language else []
        for code in ("", *(codes if len(codes) > 1 else ())):
            made = _headline_result(summary, headline, code)
            if any(each.value is not None for each in made.estimates.values()):
                yield made


def _languages(summary: Summary, headline: HeadlineMetric) -> list[str]:
    """The languages of the judgements behind a headline, perhaps fewer than the suite's."""
    judged = headline.item_scores or all_judgements
    return [code for code in distinct_values(judged(summary.results), "language") if code]


def _headline_result(summary: Summary, headline: HeadlineMetric, language: str) -> HeadlineResult:
    where = {"language": language} if language else {}
    parts = {
        run.info.model: replace(
            summary.results,
            frame=rows_where(summary.results.frame, run=run.info.run, **where),
            runs=(run.info,),
        )
        for run in summary.runs
    }
    judged = headline.item_scores or all_judgements
    return HeadlineResult(
        title=f"{headline.name} · {language}" if language else headline.name,
        headline=headline,
        language=language,
        estimates={model: headline.estimate(part) for model, part in parts.items()},
        undetected={model: undetected_share(judged(part)) for model, part in parts.items()},
    )


def with_distinct_labels(
    summaries: Sequence[Summary], entries: Sequence[Sequence[HeadlineResult]]
) -> tuple[list[Summary], list[list[HeadlineResult]]]:
    """Append a short digest to labels shared by several models."""
    who: dict[str, set[bytes]] = {}
    for summary in summaries:
        for run in summary.runs:
            who.setdefault(run.info.model, set()).add(_model_digest(run.info))
    told = []
    renamed = []
    for summary, found in zip(summaries, entries, strict=True):
        names = {
            run.info.model: f"{run.info.model} ({_model_digest(run.info).hex()[:SHORT_HASH]})"
            if len(who[run.info.model]) > 1
            else run.info.model
            for run in summary.runs
        }
        told.append(replace(summary, runs=tuple(_with_label(run, names) for run in summary.runs)))
        renamed.append(
            [
                replace(
                    entry,
                    estimates={names[model]: each for model, each in entry.estimates.items()},
                    undetected={names[model]: each for model, each in entry.undetected.items()},
                )
                for entry in found
            ]
        )
    return told, renamed


def titled_by_suite(
    summaries: Sequence[Summary], entries: Sequence[Sequence[HeadlineResult]]
) -> list[HeadlineResult]:
    """All headlines, each titled by its suite, with its protocol if a suite has several."""
    return [
        replace(entry, title=f"{title}: {entry.title}")
        for title, found in zip(suite_titles(summaries), entries, strict=True)
        for entry in found
    ]


def suite_titles(summaries: Sequence[Summary]) -> list[str]:
    """The title of each suite, with its protocol if a suite has several."""
    several = len({each.suite.name for each in summaries}) < len(summaries)
    return [
        f"{each.suite.card.title} ({each.protocol.name})" if several else each.suite.card.title
        for each in summaries
    ]


def _with_label(run: RunSummary, names: Mapping[str, str]) -> RunSummary:
    return replace(run, info=msgspec.structs.replace(run.info, model=names[run.info.model]))


def _model_digest(info: RunInfo) -> bytes:
    """The identity of a run's model, regardless of its label.

    A model that is fitted on each suite's own text counts as one model, and has one row.
    """
    if not info.identities:
        return b""
    identity = _first_identity(info)
    learnt = str(identity.about.get(LEARNT, "")).split()
    key = {name: value for name, value in identity.key.items() if name not in learnt}
    return digest({"kind": identity.kind, "key": key})


def profile_table(
    summaries: Sequence[Summary], found: Sequence[HeadlineResult], methods: Sequence[str]
) -> Table:
    """A row for each model, a column for each headline and language; `methods` are
    the suites' method lines."""
    models = dict.fromkeys(run.info.model for each in summaries for run in each.runs)
    return Table(
        name="profile",
        title="Headlines of all suites, by model",
        levels=("model",),
        columns=tuple(entry.column for entry in found),
        rows=tuple(
            Row(
                keys=(model,),
                cells=tuple(entry.estimates.get(model, _NOT_RUN) for entry in found),
            )
            for model in models
        ),
        notes=tuple(
            f"{each.suite.card.title}: {method}."
            for each, method in zip(summaries, methods, strict=True)
        ),
    )


def _first_identity(info: RunInfo) -> Identity:
    """The model that the run is named after."""
    return next(iter(info.identities.values()))[0]
