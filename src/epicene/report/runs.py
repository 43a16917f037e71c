"""A report about runs: what was run on what, the headlines, the tables, the evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from epicene.records import Column, ContactSheet, Judgement
from epicene.report.page import Headline, Section, page
from epicene.report.thumbnails import MEGABYTES, thumbnails
from epicene.runs.files import write_whole
from epicene.runs.results import Finished, Judged
from epicene.runs.summary import Summary, summarise

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path


def write_report(runs: Sequence[Finished], out: Path, megabytes: float = MEGABYTES) -> None:
    """Write one self-contained page about the runs, suite by suite, with so much of pictures."""
    together: dict[tuple[str, str], list[Finished]] = {}
    for run in runs:
        together.setdefault((run.suite.name, run.protocol.name), []).append(run)
    pictured = sum(group[0].suite.sheets is not None for group in together.values())
    sections = [
        section(summarise(group), group, megabytes / max(1, pictured))
        for group in together.values()
    ]
    titles = dict.fromkeys(run.suite.card.title for run in runs)
    models = dict.fromkeys(run.info.model for run in runs)
    text = page(
        title=", ".join(titles),
        lead=f"What {_listed(list(models))} did with grammatical gender and agreement.",
        facts=list(_facts(runs)),
        sections=sections,
    )
    write_whole(out, text.encode())


def section(summary: Summary, runs: Sequence[Finished], megabytes: float = MEGABYTES) -> Section:
    """One suite under one protocol."""
    card = summary.suite.card
    sheets = tuple(_sheets(summary, runs))
    protocol = summary.protocol
    paragraphs = [
        card.about,
        f"Protocol {protocol.name}: {protocol.about} "
        f"Normalisers: {', '.join(protocol.normalisers) or 'none'}. Chance level: {card.chance}",
    ]
    paragraphs += list(_gaps(summary))
    return Section(
        heading=f"{card.title} · {protocol.name}",
        paragraphs=tuple(paragraphs),
        headlines=tuple(_headlines(summary)),
        faults=card.faults,
        tables=summary.tables,
        figures=summary.figures,
        sheets=sheets,
        thumbnails=thumbnails(sheets, [run.folder / "images" for run in runs], megabytes),
        evidence=tuple(_evidence(summary, runs)),
    )


def _headlines(summary: Summary) -> Iterator[Headline]:
    column = Column(name="", unit="number", decimals=3)
    for run in summary.runs:
        for name, estimate in run.metrics.items():
            shown = name.replace("_", " ")
            yield Headline(label=f"{run.info.model}: {shown}", estimate=estimate, column=column)
        yield Headline(
            label=f"{run.info.model}: undetected", estimate=run.undetected, column=column
        )


def _gaps(summary: Summary) -> Iterator[str]:
    for run in summary.runs:
        if run.coverage is not None and not run.coverage.whole:
            yield f"{run.info.model}: only {run.coverage}."


def _sheets(summary: Summary, runs: Sequence[Finished]) -> Iterator[ContactSheet]:
    """The contact sheets of all runs, with the model that drew."""
    for told, run in zip(summary.runs, runs, strict=True):
        if run.suite.sheets is not None:
            for sheet in run.suite.sheets(Judged(run).answered(), run.protocol):
                facets = {"model": told.info.model, **sheet.facets}
                yield msgspec.structs.replace(sheet, facets=facets)


def _evidence(summary: Summary, runs: Sequence[Finished]) -> Iterator[Judgement]:
    for told, run in zip(summary.runs, runs, strict=True):
        for judgement in Judged(run):
            facets = {"model": told.info.model, **judgement.facets}
            yield msgspec.structs.replace(judgement, facets=facets)


def _facts(runs: Sequence[Finished]) -> Iterator[tuple[str, str]]:
    for run in runs:
        settings = run.manifest.settings
        identities = [each for role in run.manifest.models.values() for each in role]
        for identity in identities:
            size = identity.about.get("parameters")
            told = [identity.kind]
            if size:
                told.append(f"{int(size) / 1e6:,.0f} million parameters")
            told += [f"{key} {value[:16]}" for key, value in identity.key.items() if value]
            yield identity.label, ", ".join(told)
        yield (
            f"run {run.folder.name}",
            f"{settings.suite} {settings.suite_version}, data {settings.data}, "
            f"{run.manifest.items} items, seed {settings.seed}, Epicene {run.manifest.epicene}",
        )


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
