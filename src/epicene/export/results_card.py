"""The card of exported results: what was run, how, on what data, and with what uncertainty."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene import __version__
from epicene.export.folders import code_span, fault_lines, protocol_lines
from epicene.export.public_names import model_facts
from epicene.results.matching import describe_suite_file
from epicene.results.summary import settings_diff_sentences
from epicene.show.layout import caption
from epicene.show.provenance import card_of
from epicene.show.results_document import metrics_table
from epicene.show.table_formats import as_markdown, escape_markdown
from epicene.suites.data_cards import markdown_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.export.results_folder import ProtocolResults
    from epicene.runs.stored_run import StoredRun

_TABLES = ("tex", "csv", "md")
_INTERVALS = (
    "Numbers in brackets are 95 % intervals. They are computed over groups of items, because "
    "variants of one sentence and samples of one prompt are not independent. A dash is an "
    "undefined number, with the reason below its table; a number with a letter has no interval, "
    "with the reason below its table. `undetected` is the share of answers that are neither right "
    "nor wrong: no pronoun, a refusal, nothing readable."
)


def results_card(parts: Sequence[ProtocolResults]) -> Iterator[str]:
    """The card, line by line."""
    models = dict.fromkeys(run.info.model for part in parts for run in part.summary.runs)
    yield f"# {escape_markdown(', '.join(models))}: grammatical gender and agreement"
    yield from ("", f"Measured and written by Epicene {__version__}.", "")
    for part in parts:
        yield from _suite_section(part)
    yield from ("## Intervals", "", _INTERVALS, "", "## Models", "")
    yield from _models([run for part in parts for run in part.runs])
    yield from ("## Citation", "")
    for source in dict.fromkeys(card_of(part.runs).source for part in parts):
        if source:
            yield f"- {source}"
    yield f"- Epicene {__version__} (CITATION.cff in its repository)."


def _suite_section(part: ProtocolResults) -> Iterator[str]:
    """One suite under one protocol."""
    summary, card = part.summary, card_of(part.runs)
    yield from (f"## {card.title}, protocol {summary.protocol.name}", "", card.about, "")
    yield from (as_markdown(metrics_table(summary)).rstrip("\n"), "")
    for sentence in settings_diff_sentences(part.runs):
        yield from (f"**{escape_markdown(sentence)}**", "")
    for run in summary.runs:
        if run.coverage is not None and not run.coverage.whole:
            model = escape_markdown(run.info.model)
            yield from (f"**{model} is incomplete: {run.coverage}.**", "")
    for sentence in part.compared.reasons:
        yield from (escape_markdown(sentence), "")
    yield from protocol_lines(summary.protocol, card)
    yield from ("### Tables and figures", "")
    yield from (f"All numbers unrounded: [`results.json`]({part.folder}/results.json).", "")
    for stem, exported in part.tables.items():
        title = escape_markdown(caption("Table", exported.table))
        yield f"- {title}: {_links(f'{part.folder}/tables/{stem}', _TABLES)}"
    for stem, figure in part.figures.items():
        title = escape_markdown(caption("Figure", figure))
        yield f"- {title}: {_links(f'{part.folder}/figures/{stem}', ('svg', 'png'))}"
    yield ""
    yield from fault_lines(card, "###")
    yield from ("### What was run", "")
    for stored in part.runs:
        yield from _run_lines(stored)


def _links(path: str, suffixes: Sequence[str]) -> str:
    return ", ".join(f"[{suffix}](<{path}.{suffix}>)" for suffix in suffixes)


def _run_lines(run: StoredRun) -> Iterator[str]:
    """What else is needed to run it again; the settings are those of the protocol above."""
    settings = run.manifest.settings
    limit = "all" if settings.limit is None else f"{settings.limit} of each part"
    yield (
        f"{code_span(run.info.run)}: suite {settings.suite} {settings.suite_version}, data "
        f"{escape_markdown(settings.data)}, {run.manifest.items} items ({limit}), seed "
        f"{settings.seed}, state {run.manifest.state}."
    )
    yield ""
    for file in settings.files:
        yield f"- {code_span(file.name)}, sha256 `{file.sha256}`"
    if suite_file := run.manifest.suite_file:
        yield f"- the suite's file {describe_suite_file(run)}, sha256 `{suite_file.sha256}`"
    sessions = (session.versions for session in run.manifest.sessions)
    versions = (", ".join(f"{name} {each}" for name, each in used.items()) for used in sessions)
    yield from (f"- {used}" for used in dict.fromkeys(versions))
    yield ""


def _models(runs: Sequence[StoredRun]) -> Iterator[str]:
    """Each model of the runs, with everything that could change its answers."""
    models = {
        identity.digest: (role, identity)
        for run in runs
        for role, identities in run.manifest.models.items()
        for identity in identities
    }
    for role, identity in models.values():
        yield from (f"### {escape_markdown(identity.label)} ({role})", "")
        rows = [(name, code_span(value)) for name, value in model_facts(identity).items()]
        yield from (*markdown_table(("what", "value"), rows), "")
