"""Write the report on one or more runs: what was run, comparison, tables, figures, judged items."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from epicene.core.errors import InputError
from epicene.core.files import IMAGES_FOLDER, write_atomically
from epicene.core.records import Column, Estimate, Row, Table
from epicene.report.contact_sheets import DEFAULT_MEGABYTES, make_thumbnails
from epicene.report.item_viewer import ItemPacker
from epicene.report.model_comparison import (
    MAX_COMPARED_MODELS,
    ModelComparison,
    compare_models,
    undetected_per_headline,
)
from epicene.report.model_profiles import (
    profile_figures,
    profile_table,
    size_figures,
    suite_titles,
    titled_by_suite,
    with_distinct_labels,
)
from epicene.report.page import HeadlineCard, NotMeasured, PageSection, render_page
from epicene.report.planted_values import planted_table
from epicene.report.provenance import (
    card_of,
    coverage_line,
    joined_line,
    protocol_line,
    protocols_by_model,
    settings_line,
    undetected_line,
    undetected_line_of,
    undetected_note,
    unused_settings,
)
from epicene.report.results_document import metrics_by_model, metrics_table
from epicene.runs.paired_differences import changes_of_suites_table
from epicene.runs.stored_run import (
    SHORT_HASH,
    RunJudgements,
    StoredRun,
    describe_data_files,
    describe_suite_file,
)
from epicene.runs.summary import (
    Summary,
    group_by_protocol,
    other_role_models,
    settings_diff_sentences,
    summarise,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from epicene.core.records import ContactSheet, Identity
    from epicene.report.model_profiles import HeadlineResult
    from epicene.runs.stored_run import Coverage
    from epicene.runs.summary import RunSummary
    from epicene.studies.analysis.study_summary import AnsweredStudy

# A killed run cannot change its state.
_STATE_NAMES = {"running": "running or killed"}

# A hash, and how many of its digits are shown.
_HASH = re.compile(r"(?<![0-9a-z])[0-9a-f]{32,}(?![0-9a-z])", re.IGNORECASE)
_DIGITS = 16


def runs_table(summaries: Sequence[Summary], groups: Sequence[Sequence[StoredRun]]) -> Table:
    """A row for each run: its models, its data, how much was judged, and by which version."""
    rows = []
    beside = any(other_role_models(run) for group in groups for run in group)
    for summary, group in zip(summaries, groups, strict=True):
        for told, run in zip(summary.runs, group, strict=True):
            settings, file = run.manifest.settings, describe_suite_file(run)
            limit = f", at most {settings.limit} a part" if settings.limit else ""
            rows.append(
                Row(
                    keys=(summary.suite.card.title, summary.protocol.name, told.info.model),
                    cells=(
                        run.folder.name,
                        *((_other_roles(run),) if beside else ()),
                        f"{settings.data}{limit} ({describe_data_files(run)})",
                        Estimate(value=item_count(told, run)),
                        _STATE_NAMES.get(run.manifest.state, run.manifest.state),
                        _coverage_text(told.coverage),
                        f"{settings.suite_version}{file and f' ({file})'}, Epicene "
                        f"{run.manifest.epicene}",
                    ),
                )
            )
    return Table(
        name="runs",
        title="What was run on what",
        levels=("suite", "protocol", "model"),
        columns=(
            Column(name="folder", unit="text"),
            *((Column(name="other roles", unit="text"),) if beside else ()),
            Column(name="data", unit="text"),
            Column(name="items", unit="count"),
            Column(name="state", unit="text"),
            Column(name="judged", unit="text"),
            Column(name="version of the suite", unit="text"),
        ),
        rows=tuple(rows),
    )


def item_count(told: RunSummary, run: StoredRun) -> int:
    """How many items a run has; the manifest of a killed run does not say."""
    return run.manifest.items if told.coverage is None else told.coverage.items


def _other_roles(run: StoredRun) -> str:
    told = (f"{role}: {models}" for role, models in other_role_models(run).items())
    return "; ".join(told) or "none"


def _coverage_text(coverage: Coverage | None) -> str:
    if coverage is None:
        return "not known"
    return f"all, on {coverage.answered:,} answers" if coverage.whole else str(coverage)


def models_table(runs: Sequence[StoredRun]) -> Table:
    """A row for each model in each role, once."""
    found: dict[tuple[str, str, str], Identity] = {}
    for run in runs:
        for role, identities in run.manifest.models.items():
            for identity in identities:
                found.setdefault(
                    (identity.label, role, identity.digest.hex()[:SHORT_HASH]), identity
                )
    return Table(
        name="models",
        title="The models",
        levels=("model", "role", "digest"),
        columns=(
            Column(name="kind", unit="text"),
            Column(name="parameters", unit="text"),
            Column(name="what its answers depend on", unit="text"),
        ),
        rows=tuple(
            Row(keys=keys, cells=(identity.kind, _parameters(identity), _identity_key(identity)))
            for keys, identity in found.items()
        ),
    )


def _parameters(identity: Identity) -> str:
    size = int(identity.about.get("parameters") or 0)
    if not size:
        return "not known"
    if size < 1_000_000:
        return f"{size:,}"
    return f"{size / 1e6:.0f} million" if size < 1_000_000_000 else f"{size / 1e9:.1f} billion"


def _identity_key(identity: Identity) -> str:
    told = (f"{key} {_HASH.sub(_shortened, value)}" for key, value in identity.key.items() if value)
    return ", ".join(told) or "nothing"


def _shortened(found: re.Match[str]) -> str:
    return f"{found.group()[:_DIGITS]}…"


_MAX_CARDS = 8  # headlines that are shown as cards; more are easier to read in a table
_MAX_NAMED_MODELS = 4  # models that a sentence names one by one


def write_report(
    runs: Sequence[StoredRun],
    out: Path,
    megabytes: float = DEFAULT_MEGABYTES,
    missing: Sequence[NotMeasured] = (),
    people: Sequence[AnsweredStudy] = (),
) -> None:
    """Write one self-contained page about the runs, suite by suite, with thumbnails.

    These take up to `megabytes`. `missing` is what could not be measured; `people` are studies
    whose labels correct headlines.
    """
    if not runs:
        raise InputError("A report needs a run; name one or more run folders.")
    groups = list(group_by_protocol(runs).values())
    with_images = sum(group[0].suite.contact_sheets is not None for group in groups)
    for each in people:
        if each.study.suite not in {run.suite.name for run in runs}:
            raise InputError(
                f"The study {each.study.name} is of the suite {each.study.suite}; no run is."
            )
    parts = [_suite_report(group, megabytes / max(1, with_images), people) for group in groups]
    summaries = [part.summary for part in parts]
    sections = [
        *_overview(parts),
        *_planted(parts),
        *(part.section for part in parts),
        *([PageSection(heading="Not measured", missing=tuple(missing))] if missing else ()),
        PageSection(
            heading="What was run",
            tables=(runs_table(summaries, groups), models_table(runs)),
        ),
    ]
    titles = dict.fromkeys(run.suite.card.title for run in runs)
    text = render_page(
        title=", ".join(titles),
        lead=_lead_sentence(runs),
        facts=[_fact(summary, group) for summary, group in zip(summaries, groups, strict=True)],
        sections=sections,
    )
    write_atomically(out, text.encode())


class _SuiteReport(NamedTuple):
    """One suite under one protocol."""

    summary: Summary
    comparison: ModelComparison
    section: PageSection
    methods: str


def _suite_report(
    runs: Sequence[StoredRun], megabytes: float, people: Sequence[AnsweredStudy]
) -> _SuiteReport:
    """One suite under one protocol; the judgements are read once for tables and the item viewer."""
    packer = ItemPacker()
    summary = summarise(runs, lambda info, judgement: packer.add_judgement(info.model, judgement))
    corrected = [
        table for each in people if each.is_about(runs) for table in each.corrections(runs).tables
    ]
    card, protocol = card_of(runs), summary.protocol
    sheets = tuple(_contact_sheets(summary, runs))
    protocols = protocols_by_model(summary, runs)
    comparison = compare_models(summary, runs)
    changes = [table for table in (comparison.changes, comparison.detectable) if table]
    methods = protocol_line(protocols, unused_settings(summary))
    lacking = coverage_line(summary.runs)
    section = PageSection(
        heading=f"{card.title} · {protocol.name}",
        paragraphs=(
            card.about,
            f"Protocol {protocol.name}: {protocol.about} Chance level: {card.chance}",
            *([f"Settings: {told}."] if (told := settings_line(protocols)) else ()),
            *_caveats(summary, runs),
            *comparison.reasons,
        ),
        method=joined_line((methods, undetected_line(summary.runs), lacking)),
        methods_by_table={
            **{
                table.title: joined_line(
                    (
                        methods,
                        undetected_line_of("these judgements", entry.undetected),
                        lacking,
                    )
                )
                for entry, table in comparison.rankings
            },
            # Its own columns say how much is undetected.
            **{table.title: joined_line((methods, lacking)) for table in changes},
        },
        cards=tuple(_headline_cards(comparison.entries, summary)),
        faults=card.faults,
        pointers=tuple(
            ("Do the ways of measuring agree?", name) for name in summary.suite.format_tables
        ),
        tables=(
            *corrected,
            *(table for _, table in comparison.rankings),
            *changes,
            _all_metrics_table(summary),
            *summary.tables,
        ),
        figures=summary.figures,
        sheets=sheets,
        thumbnails=make_thumbnails(sheets, [run.folder / IMAGES_FOLDER for run in runs], megabytes),
        judged_items=packer.packed() if packer.rows else None,
    )
    return _SuiteReport(summary, comparison, section, methods)


def _overview(parts: Sequence[_SuiteReport]) -> Iterator[PageSection]:
    """Models side by side, where there are several or several suites."""
    summaries, by_part = with_distinct_labels(
        [part.summary for part in parts], [part.comparison.entries for part in parts]
    )
    found = titled_by_suite(summaries, by_part)
    runs = sum(len(each.runs) for each in summaries)
    if runs < 2 or not found:
        return
    methods = [
        joined_line(
            (
                part.methods,
                undetected_per_headline(entries),
                coverage_line(summary.runs),
            )
        )
        for part, summary, entries in zip(parts, summaries, by_part, strict=True)
    ]
    changes = changes_of_suites_table(
        [
            (title, part.comparison.differences)
            for title, part in zip(suite_titles(summaries), parts, strict=True)
        ]
    )
    yield PageSection(
        heading="Models side by side",
        paragraphs=(
            "Each model's headlines with 95 % intervals. Suites measure different things and are "
            "never added up; significant differences are listed per suite below.",
        ),
        tables=(profile_table(summaries, found, methods), *([changes] if changes else ())),
        figures=(*profile_figures(found), *size_figures(summaries, found)),
    )


def _planted(parts: Sequence[_SuiteReport]) -> Iterator[PageSection]:
    """What models with a known rate or effect planted, and what was measured."""
    table = planted_table((part.summary, part.comparison.entries) for part in parts)
    if table.rows:
        yield PageSection(
            heading="Planted and recovered",
            paragraphs=("Positive controls: models whose true rate or effect is known.",),
            tables=(table,),
        )


def _headline_cards(found: Sequence[HeadlineResult], summary: Summary) -> Iterator[HeadlineCard]:
    """A card for each model's headline, if there are few."""
    lacking = {run.info.model: coverage_line([run]) for run in summary.runs}
    shown = [
        HeadlineCard(
            label=f"{model}: {entry.title}",
            estimate=estimate,
            column=msgspec.structs.replace(entry.column, name=""),
            note=joined_line((undetected_note(entry.undetected[model]), lacking[model])),
        )
        for entry in found
        if not entry.language
        for model, estimate in entry.estimates.items()
    ]
    if len(shown) <= _MAX_CARDS:
        yield from shown


def _all_metrics_table(summary: Summary) -> Table:
    """All metrics of all runs; models are rows if there are too many for columns."""
    table = metrics_table(summary)
    return table if len(table.columns) <= MAX_COMPARED_MODELS else metrics_by_model(table)


def _caveats(summary: Summary, runs: Sequence[StoredRun]) -> Iterator[str]:
    """What is missing from the numbers, and how runs differ besides the model."""
    for run in summary.runs:
        if run.coverage is not None and not run.coverage.whole:
            yield f"{run.info.model} is incomplete: {run.coverage}."
    yield from settings_diff_sentences(runs)
    if summary.same is not None:
        yield from summary.same.sentences([run.info.model for run in summary.runs])


def _contact_sheets(summary: Summary, runs: Sequence[StoredRun]) -> Iterator[ContactSheet]:
    """The contact sheets of all runs, with the model that drew."""
    for told, run in zip(summary.runs, runs, strict=True):
        if run.suite.contact_sheets is not None:
            for sheet in run.suite.contact_sheets(RunJudgements(run).answered(), run.protocol):
                facets = {"model": told.info.model, **sheet.facets}
                yield msgspec.structs.replace(sheet, facets=facets)


def _fact(summary: Summary, runs: Sequence[StoredRun]) -> tuple[str, str]:
    """What a suite was run on, in a few words."""
    data = ", ".join(dict.fromkeys(run.manifest.settings.data for run in runs))
    items = sorted({item_count(told, run) for told, run in zip(summary.runs, runs, strict=True)})
    number = f"{items[0]:,}" if len(items) == 1 else f"{items[0]:,} to {items[-1]:,}"
    models = _list_of_names([run.info.model for run in summary.runs])
    return (
        f"{summary.suite.card.title} · {summary.protocol.name}",
        f"{number} items of {data}: {models}",
    )


def _lead_sentence(runs: Sequence[StoredRun]) -> str:
    models = list(dict.fromkeys(run.info.model for run in runs))
    return f"What {_list_of_names(models)} did with grammatical gender and agreement."


def _list_of_names(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`; of many, how many."""
    if len(names) == 1:
        return names[0]
    if len(names) <= _MAX_NAMED_MODELS:
        return f"{', '.join(names[:-1])} and {names[-1]}"
    return f"{len(names)} models"
