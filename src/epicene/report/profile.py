"""Models side by side: their headlines across all suites, and against their size."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import msgspec

from epicene import charts
from epicene.records import LEARNT, Column, Estimate, Row, Table, digest
from epicene.runs.pairing import SHORT
from epicene.suites import headlines
from epicene.suites.headlines import Headline, Unit, everything
from epicene.suites.tabulate import only, undetected, values_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from epicene.records import Figure, Identity
    from epicene.runs.summary import RunSummary, Summary
    from epicene.suites import RunInfo

# What headlines of each unit are called on an axis.
_MEASURED: dict[Unit, str] = {"share": "share", "number": "effect"}
_INTERVAL = "with 95 % interval"

_NOT_RUN = Estimate(value=None, why="this model was not run on this suite under this protocol")


@dataclass(frozen=True)
class Entry:
    """One headline, in one language if it names one, of each model that has it."""

    title: str
    headline: Headline
    language: str
    estimates: Mapping[str, Estimate]
    undetected: Mapping[str, Estimate]

    @property
    def column(self) -> Column:
        """How it is shown in a table."""
        decimals = 1 if self.headline.unit == "share" else 3
        return Column(name=self.title, unit=self.headline.unit, decimals=decimals)


def headlines_of(summary: Summary) -> tuple[Headline, ...]:
    """What is read first of a suite."""
    return headlines.headlines_of(summary.suite)


def entries_of(summary: Summary) -> Iterator[Entry]:
    """The headlines of one suite that have a number, then each by language if it has several."""
    if not len(summary.results.frame):
        return
    for headline in headlines_of(summary):
        codes = _languages(summary, headline) if headline.by_language else []
        for code in ("", *(codes if len(codes) > 1 else ())):
            made = _entry(summary, headline, code)
            if any(each.value is not None for each in made.estimates.values()):
                yield made


def _languages(summary: Summary, headline: Headline) -> list[str]:
    """Those of the judgements behind a headline, which may be of one where the suite has more."""
    judged = headline.figures or everything
    return [code for code in values_of(judged(summary.results), "language") if code]


def _entry(summary: Summary, headline: Headline, language: str) -> Entry:
    where = {"language": language} if language else {}
    parts = {
        run.info.model: replace(
            summary.results,
            frame=only(summary.results.frame, run=run.info.run, **where),
            runs=(run.info,),
        )
        for run in summary.runs
    }
    judged = headline.figures or everything
    return Entry(
        title=f"{headline.name} · {language}" if language else headline.name,
        headline=headline,
        language=language,
        estimates={model: headline.estimate(part) for model, part in parts.items()},
        undetected={model: undetected(judged(part)) for model, part in parts.items()},
    )


def told_apart(
    summaries: Sequence[Summary], entries: Sequence[Sequence[Entry]]
) -> tuple[list[Summary], list[list[Entry]]]:
    """The same with a short digest after labels that not one model has, but several."""
    who: dict[str, set[bytes]] = {}
    for summary in summaries:
        for run in summary.runs:
            who.setdefault(run.info.model, set()).add(_who(run.info))
    told = []
    renamed = []
    for summary, found in zip(summaries, entries, strict=True):
        names = {
            run.info.model: f"{run.info.model} ({_who(run.info).hex()[:SHORT]})"
            if len(who[run.info.model]) > 1
            else run.info.model
            for run in summary.runs
        }
        told.append(replace(summary, runs=tuple(_called(run, names) for run in summary.runs)))
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


def under_suites(summaries: Sequence[Summary], entries: Sequence[Sequence[Entry]]) -> list[Entry]:
    """All headlines, each titled by its suite, and its protocol where a suite has several."""
    several = len({each.suite.name for each in summaries}) < len(summaries)
    return [
        replace(entry, title=f"{_suite_title(summary, several=several)}: {entry.title}")
        for summary, found in zip(summaries, entries, strict=True)
        for entry in found
    ]


def _suite_title(summary: Summary, *, several: bool) -> str:
    title = summary.suite.card.title
    return f"{title} ({summary.protocol.name})" if several else title


def _called(run: RunSummary, names: Mapping[str, str]) -> RunSummary:
    return replace(run, info=msgspec.structs.replace(run.info, model=names[run.info.model]))


def _who(info: RunInfo) -> bytes:
    """Who answered, whatever it is called.

    A model that is fitted on each suite's own text is another in each, and yet one way to answer:
    it has one row.
    """
    if not info.identities:
        return b""
    identity = _first(info)
    learnt = str(identity.about.get(LEARNT, "")).split()
    key = {name: value for name, value in identity.key.items() if name not in learnt}
    return digest({"kind": identity.kind, "key": key})


def profile_table(
    summaries: Sequence[Summary], found: Sequence[Entry], hows: Sequence[str]
) -> Table:
    """A row for each model, a column for each headline and language; `hows` are the suites'."""
    models = dict.fromkeys(run.info.model for each in summaries for run in each.runs)
    return Table(
        name="profile",
        title="Headlines of every suite, by model",
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
            f"{each.suite.card.title}: {how}." for each, how in zip(summaries, hows, strict=True)
        ),
    )


def profile_figures(found: Sequence[Entry]) -> Iterator[Figure]:
    """A point with its interval for each model, a panel for each headline: shares, then others."""
    for unit, measured in _MEASURED.items():
        rows: list[dict[str, charts.Value]] = [
            {"headline": entry.title, "model": model, f"{measured}, {_INTERVAL}": estimate}
            for entry in found
            if entry.headline.unit == unit and not entry.language
            for model, estimate in entry.estimates.items()
        ]
        with suppress(charts.EmptyChartError):
            yield charts.points_with_intervals(
                f"{measured} by model",
                "Headlines of every suite",
                rows,
                x=f"{measured}, {_INTERVAL}",
                y="model",
                facet="headline",
                unit=unit,
            )


def size_figures(summaries: Sequence[Summary], found: Sequence[Entry]) -> Iterator[Figure]:
    """Headlines against the number of parameters, where two sizes or more are known."""
    runs = {run.info.model: run.info for each in summaries for run in each.runs}
    sizes = {model: size for model, info in runs.items() if (size := _size(info)) is not None}
    if len(set(sizes.values())) < 2:
        return
    unknown = [model for model in runs if model not in sizes]
    for unit, measured in _MEASURED.items():
        rows: list[dict[str, charts.Value]] = [
            {
                "headline": entry.title,
                "parameters": sizes[model],
                f"{measured}, {_INTERVAL}": estimate,
                "family": _family(runs[model]),
                "model": model,
            }
            for entry in found
            if entry.headline.unit == unit and not entry.language
            for model, estimate in entry.estimates.items()
            if model in sizes
        ]
        with suppress(charts.EmptyChartError):
            yield charts.scatter(
                f"{measured} by size",
                "Headlines against size, by family of models",
                rows,
                x="parameters",
                y=f"{measured}, {_INTERVAL}",
                color="family",
                label="model",
                facet="headline",
                unit=unit,
                log_x=True,
                notes=charts.without_size(unknown),
            )


def _size(info: RunInfo) -> float | None:
    size = _first(info).about.get("parameters") if info.identities else None
    return float(size) if size else None


def _family(info: RunInfo) -> str:
    about = _first(info).about
    return str(about.get("family") or about.get("architecture") or _first(info).kind)


def _first(info: RunInfo) -> Identity:
    """The model after which the run is named."""
    return next(iter(info.identities.values()))[0]
