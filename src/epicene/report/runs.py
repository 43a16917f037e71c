"""A report about runs: what was run on what, the headlines, the tables, the evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from epicene.errors import InputError
from epicene.report import how
from epicene.report.compared import Compared, compared, protocols_of, undetected_behind
from epicene.report.document import by_model, headlines
from epicene.report.evidence import Packer
from epicene.report.inventory import items_of, models_table, runs_table
from epicene.report.page import Headline, Missing, Section, page
from epicene.report.profile import (
    profile_figures,
    profile_table,
    size_figures,
    told_apart,
    under_suites,
)
from epicene.report.standing import MOST_COMPARED
from epicene.report.thumbnails import MEGABYTES, thumbnails
from epicene.runs.files import write_whole
from epicene.runs.results import Finished, Judged
from epicene.runs.summary import Summary, summarise
from epicene.runs.unlike import asked_unlike

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from epicene.records import ContactSheet, Table
    from epicene.report.profile import Entry

_CARDS = 8  # headlines that are shown large; more are read better in a table
_NAMED = 4  # models that a sentence names one by one


def write_report(
    runs: Sequence[Finished],
    out: Path,
    megabytes: float = MEGABYTES,
    missing: Sequence[Missing] = (),
) -> None:
    """Write one self-contained page about the runs, suite by suite, with so much of pictures.

    `missing` is what was to be measured and could not be.
    """
    groups = _by_suite(runs)
    pictured = sum(group[0].suite.sheets is not None for group in groups)
    parts = [_part(group, megabytes / max(1, pictured)) for group in groups]
    summaries = [part.summary for part in parts]
    sections = [
        *_overview(parts),
        *(part.section for part in parts),
        *([Section(heading="Not measured", missing=tuple(missing))] if missing else ()),
        Section(
            heading="What was run",
            tables=(runs_table(summaries, groups), models_table(runs)),
        ),
    ]
    titles = dict.fromkeys(run.suite.card.title for run in runs)
    text = page(
        title=", ".join(titles),
        lead=_lead(runs),
        facts=[_fact(summary, group) for summary, group in zip(summaries, groups, strict=True)],
        sections=sections,
    )
    write_whole(out, text.encode())


def _by_suite(runs: Sequence[Finished]) -> list[list[Finished]]:
    """Runs of one suite under one protocol together, in the order given."""
    if not runs:
        raise InputError("A report needs a run; name one or more run folders.")
    together: dict[tuple[str, str], list[Finished]] = {}
    for run in runs:
        together.setdefault((run.suite.name, run.protocol.name), []).append(run)
    return list(together.values())


class _Part(NamedTuple):
    """One suite under one protocol."""

    summary: Summary
    standing: Compared
    section: Section
    methods: str


def _part(runs: Sequence[Finished], megabytes: float) -> _Part:
    """One suite under one protocol; the judgements are read once for tables and evidence."""
    packer = Packer()
    summary = summarise(runs, lambda info, judgement: packer.see(info.model, judgement))
    card, protocol = summary.suite.card, summary.protocol
    sheets = tuple(_sheets(summary, runs))
    protocols = protocols_of(summary, runs)
    standing = compared(summary, runs)
    changes = [standing.changes] if standing.changes else []
    methods, lacking = how.method(protocols), how.coverage(summary.runs)
    section = Section(
        heading=f"{card.title} · {protocol.name}",
        paragraphs=(
            card.about,
            f"Protocol {protocol.name}: {protocol.about} Chance level: {card.chance}",
            *([f"Settings: {told}."] if (told := how.settings(protocols)) else ()),
            *_gaps(summary, runs),
            *standing.said,
        ),
        how=how.line((methods, how.undetected(summary.runs), lacking)),
        hows={
            **{
                table.title: how.line(
                    (methods, how.undetected_of("these judgements", entry.undetected), lacking)
                )
                for entry, table in standing.places
            },
            # Its own columns say how much is undetected.
            **{table.title: how.line((methods, lacking)) for table in changes},
        },
        headlines=tuple(_headlines(standing.entries, summary)),
        faults=card.faults,
        pointers=tuple(
            ("Do the ways of measuring agree?", name) for name in summary.suite.format_tables
        ),
        tables=(
            *(table for _, table in standing.places),
            *changes,
            _all_metrics(summary),
            *summary.tables,
        ),
        figures=summary.figures,
        sheets=sheets,
        thumbnails=thumbnails(sheets, [run.folder / "images" for run in runs], megabytes),
        evidence=packer.packed() if packer.rows else None,
    )
    return _Part(summary, standing, section, methods)


def _overview(parts: Sequence[_Part]) -> Iterator[Section]:
    """Models side by side, where there are several or several suites."""
    summaries, by_part = told_apart(
        [part.summary for part in parts], [part.standing.entries for part in parts]
    )
    found = under_suites(summaries, by_part)
    runs = sum(len(each.runs) for each in summaries)
    if runs < 2 or not found:
        return
    hows = [
        how.line((part.methods, undetected_behind(entries), how.coverage(summary.runs)))
        for part, summary, entries in zip(parts, summaries, by_part, strict=True)
    ]
    yield Section(
        heading="Models side by side",
        paragraphs=(
            "Each model's headlines with 95 % intervals. Suites measure different things and are "
            "never added up; which models are told apart is said suite by suite below.",
        ),
        tables=(profile_table(summaries, found, hows),),
        figures=(*profile_figures(found), *size_figures(summaries, found)),
    )


def _headlines(found: Sequence[Entry], summary: Summary) -> Iterator[Headline]:
    """The headlines of each model, largest first to be seen, if they are few."""
    lacking = {run.info.model: how.coverage([run]) for run in summary.runs}
    shown = [
        Headline(
            label=f"{model}: {entry.title}",
            estimate=estimate,
            column=msgspec.structs.replace(entry.column, name=""),
            note=how.line((how.undetected_rate(entry.undetected[model]), lacking[model])),
        )
        for entry in found
        if not entry.language
        for model, estimate in entry.estimates.items()
    ]
    if len(shown) <= _CARDS:
        yield from shown


def _all_metrics(summary: Summary) -> Table:
    """All metrics of all runs; models are rows where there are more of them than fit beside."""
    table = headlines(summary)
    return table if len(table.columns) <= MOST_COMPARED else by_model(table)


def _gaps(summary: Summary, runs: Sequence[Finished]) -> Iterator[str]:
    """What is missing from the numbers, and what makes runs differ besides the model."""
    for run in summary.runs:
        if run.coverage is not None and not run.coverage.whole:
            yield f"{run.info.model} is incomplete: {run.coverage}."
    yield from asked_unlike(runs)
    if summary.same is not None:
        yield from summary.same.told([run.info.model for run in summary.runs])


def _sheets(summary: Summary, runs: Sequence[Finished]) -> Iterator[ContactSheet]:
    """The contact sheets of all runs, with the model that drew."""
    for told, run in zip(summary.runs, runs, strict=True):
        if run.suite.sheets is not None:
            for sheet in run.suite.sheets(Judged(run).answered(), run.protocol):
                facets = {"model": told.info.model, **sheet.facets}
                yield msgspec.structs.replace(sheet, facets=facets)


def _fact(summary: Summary, runs: Sequence[Finished]) -> tuple[str, str]:
    """On what a suite was run, in a few words."""
    data = ", ".join(dict.fromkeys(run.manifest.settings.data for run in runs))
    items = sorted({items_of(told, run) for told, run in zip(summary.runs, runs, strict=True)})
    number = f"{items[0]:,}" if len(items) == 1 else f"{items[0]:,} to {items[-1]:,}"
    models = _listed([run.info.model for run in summary.runs])
    return (
        f"{summary.suite.card.title} · {summary.protocol.name}",
        f"{number} items of {data}: {models}",
    )


def _lead(runs: Sequence[Finished]) -> str:
    models = list(dict.fromkeys(run.info.model for run in runs))
    return f"What {_listed(models)} did with grammatical gender and agreement."


def _listed(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`; of many, how many."""
    if len(names) == 1:
        return names[0]
    if len(names) <= _NAMED:
        return f"{', '.join(names[:-1])} and {names[-1]}"
    return f"{len(names)} models"
