"""The card of exported results: what was run, how, on what data, and with what uncertainty."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from epicene import __version__
from epicene.export.folders import code_span, fault_lines, front_matter, protocol_lines
from epicene.export.path_redaction import settings_without_paths
from epicene.runs.stored_run import describe_suite_file
from epicene.runs.summary import settings_diff_sentences
from epicene.show.layout import caption
from epicene.show.provenance import card_of
from epicene.show.results_document import metrics_table
from epicene.show.table_formats import as_markdown, escape_markdown
from epicene.suites.data_cards import markdown_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.core.records import Identity
    from epicene.export.results_folder import ProtocolResults
    from epicene.runs.stored_run import StoredRun

_TABLES = ("tex", "csv", "md")
_FIGURES = ("svg", "png")


def results_card(parts: Sequence[ProtocolResults]) -> Iterator[str]:
    """The card, line by line."""
    models = dict.fromkeys(run.info.model for part in parts for run in part.summary.runs)
    yield from front_matter(_front_matter(parts))
    yield f"# {escape_markdown(', '.join(models))}: grammatical gender and agreement"
    yield ""
    yield f"Measured and written by Epicene {__version__}."
    yield ""
    if len(parts) > 1:
        yield f"All models side by side: profile ({_links('profile', (*_TABLES, 'json'))})."
        yield ""
    for part in parts:
        yield from _results_section(part)
    yield "## Intervals"
    yield ""
    yield (
        "Numbers in brackets are 95 % intervals. They are computed over groups of items, because "
        "variants of one sentence and samples of one prompt are not independent. A dash is an "
        "undefined number, with the reason below its table; a number with a letter has no "
        "interval, with the reason below its table. `undetected` is the share of answers that "
        "are neither right nor wrong: no pronoun, a refusal, nothing readable."
    )
    yield ""
    yield "## Models"
    yield ""
    yield from _models([run for part in parts for run in part.runs])
    yield "## Citation"
    yield ""
    for source in dict.fromkeys(card_of(part.runs).source for part in parts):
        if source:
            yield f"- {source}"
    yield f"- Epicene {__version__} (CITATION.cff in its repository)."


# --- the head ------------------------------------------------------------------------------


def _front_matter(parts: Sequence[ProtocolResults]) -> dict[str, Any]:
    languages = dict.fromkeys(
        language
        for part in parts
        for language in part.summary.results.frame["language"].unique(maintain_order=True)
        if language
    )
    return {
        **({"language": list(languages)} if languages else {}),
        "tags": ["grammatical-gender", "evaluation", "epicene"],
    }


# --- one suite under one protocol ----------------------------------------------------------


def _results_section(part: ProtocolResults) -> Iterator[str]:
    summary = part.summary
    card = card_of(part.runs)
    yield f"## {card.title}, protocol {summary.protocol.name}"
    yield ""
    yield card.about
    yield ""
    yield as_markdown(metrics_table(summary)).rstrip("\n")
    yield ""
    yield from _warnings(part)
    yield from protocol_lines(summary.protocol, card)
    yield from _files(part)
    yield from fault_lines(card, "###")
    yield from _reproduction_section(part.runs)


def _warnings(part: ProtocolResults) -> Iterator[str]:
    """Why numbers are incomplete or cannot be compared."""
    for sentence in settings_diff_sentences(part.runs):
        yield f"**{escape_markdown(sentence)}**"
        yield ""
    for run in part.summary.runs:
        if run.coverage is not None and not run.coverage.whole:
            yield f"**{escape_markdown(run.info.model)} is incomplete: {run.coverage}.**"
            yield ""
    for sentence in part.compared.reasons:
        yield escape_markdown(sentence)
        yield ""


def _files(part: ProtocolResults) -> Iterator[str]:
    yield "### Tables and figures"
    yield ""
    yield f"All numbers unrounded: [`results.json`]({part.folder}/results.json)."
    yield ""
    tables = [(caption("Table", each.table), stem) for each, stem in part.tables]
    figures = [(caption("Figure", figure), stem) for figure, stem in part.figures]
    for folder, things, suffixes in (("tables", tables, _TABLES), ("figures", figures, _FIGURES)):
        for title, stem in things:
            links = _links(f"{part.folder}/{folder}/{stem}", suffixes)
            yield f"- {escape_markdown(title)}: {links}"
    yield ""


def _links(path: str, suffixes: Sequence[str]) -> str:
    return ", ".join(f"[{suffix}](<{path}.{suffix}>)" for suffix in suffixes)


def _reproduction_section(runs: Sequence[StoredRun]) -> Iterator[str]:
    yield "### How to run it again"
    yield ""
    for run in runs:
        settings = run.manifest.settings
        limit = "all" if settings.limit is None else f"{settings.limit} of each part"
        yield (
            f"{code_span(run.info.run)}: suite {settings.suite} {settings.suite_version}, data "
            f"{escape_markdown(settings.data)}, {run.manifest.items} items ({limit}), seed "
            f"{settings.seed}, state {run.manifest.state}."
        )
        yield ""
        yield "```"
        yield from dict.fromkeys(session.command for session in run.manifest.sessions)
        yield "```"
        yield ""
        for file in settings.files:
            yield f"- {code_span(file.name)}, sha256 `{file.sha256}`"
        if suite_file := run.manifest.suite_file:
            described = describe_suite_file(run)
            yield f"- the suite's file {described}, sha256 `{suite_file.sha256}`"
        for versions in _distinct([session.versions for session in run.manifest.sessions]):
            yield "- " + ", ".join(f"{name} {version}" for name, version in versions.items())
        yield ""


def _distinct(versions: Sequence[dict[str, str]]) -> list[dict[str, str]]:
    return [each for index, each in enumerate(versions) if each not in versions[:index]]


# --- models --------------------------------------------------------------------------------


def _models(runs: Sequence[StoredRun]) -> Iterator[str]:
    """Each model of the runs, with everything that could change its answers."""
    seen: set[bytes] = set()
    for run in runs:
        for role, identities in run.manifest.models.items():
            for identity in identities:
                if identity.digest not in seen:
                    seen.add(identity.digest)
                    yield from _model(role, identity)


def _model(role: str, identity: Identity) -> Iterator[str]:
    yield f"### {escape_markdown(identity.label)} ({role})"
    yield ""
    known = settings_without_paths({"kind": identity.kind, **identity.about, **identity.key})
    rows = [(name, code_span(value)) for name, value in known.items() if value not in (None, "")]
    yield from markdown_table(("what", "value"), rows)
    yield ""
