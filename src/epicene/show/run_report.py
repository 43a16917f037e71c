"""Write the report on one or more runs: the findings of each suite, and what was run."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from epicene.core.errors import InputError
from epicene.core.files import IMAGES_FOLDER, write_atomically
from epicene.results.summary import (
    Summary,
    group_by_protocol,
    label_comparable_runs,
    settings_diff_sentences,
    summarise,
)
from epicene.runs.stored_run import RunJudgements, StoredRun
from epicene.show.charts import EmptyChartError
from epicene.show.comparisons import comparisons_of, letters_of
from epicene.show.contact_sheets import DEFAULT_MEGABYTES, make_thumbnails
from epicene.show.contrasts import agreement_of, contrasts_of
from epicene.show.findings import (
    CHANGES,
    PLACES,
    capital,
    contrast_name,
    findings_of,
    warnings_of,
)
from epicene.show.first_screen import (
    data_line,
    in_order_of_models,
    model_styles,
    report_facts,
    report_title,
    safe_markdown,
)
from epicene.show.item_viewer import ItemPacker
from epicene.show.metric_labels import metrics_tables
from epicene.show.model_comparison import ModelComparison, compare_models, undetected_per_headline
from epicene.show.model_profiles import (
    profile_table,
    titled_by_suite,
    with_distinct_labels,
)
from epicene.show.page import (
    NotMeasured,
    Overview,
    PageSection,
    TableGroup,
    render_page,
    slug_of,
)
from epicene.show.page_figures import (
    LETTERS,
    agreement_figure,
    contrast_figure,
    headline_figure,
)
from epicene.show.planted_values import planted_table
from epicene.show.provenance import (
    card_of,
    coverage_line,
    joined_line,
    protocol_line,
    protocols_by_model,
    settings_line,
    undetected_line,
    undetected_line_of,
    unused_settings,
)
from epicene.show.run_tables import models_table, runs_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from epicene.core.records import ContactSheet, Table
    from epicene.show.contrasts import Agreement, Contrast
    from epicene.show.findings import Finding
    from epicene.show.model_profiles import HeadlineResult
    from epicene.show.page_figures import PageFigure, Styles
    from epicene.studies.analysis.study_summary import AnsweredStudy
    from epicene.suites import SuiteCard

_CARD_HEADLINES = 2  # that the overview draws of each of several suites
_ALONE_HEADLINES = 4  # and of an only one
_FEW_CARD_MODELS = 8  # with more, it draws one
Candidates = Counter[tuple[str, int]]  # requests for scores by their name and size


def write_report(
    runs: Sequence[StoredRun],
    out: Path,
    megabytes: float = DEFAULT_MEGABYTES,
    missing: Sequence[NotMeasured] = (),
    *,
    people: Sequence[AnsweredStudy] = (),
    title: str = "",
    notes: str = "",
) -> None:
    """Write one self-contained page about the runs, suite by suite, with thumbnails.

    The thumbnails take up to `megabytes`. `missing` is what could not be measured; `people` are
    studies whose labels correct headlines; `title` replaces the page's own title, and `notes` is
    the author's text in Markdown.
    """
    if not runs:
        raise InputError("A report needs at least one run; give one or more run folders.")
    groups = list(group_by_protocol(in_order_of_models(runs)).values())
    styles = model_styles(runs, groups)
    times = Counter(group[0].suite.name for group in groups)
    with_images = sum(group[0].suite.contact_sheets is not None for group in groups)
    _check_studies(people, runs)
    parts = [
        _suite_report(
            group,
            styles,
            megabytes / max(1, with_images),
            _heading(group, several=times[group[0].suite.name] > 1),
            people,
            _CARD_HEADLINES if len(groups) > 1 else _ALONE_HEADLINES,
        )
        for group in groups
    ]
    summaries = [part.summary for part in parts]
    about = PageSection(
        heading="What was run",
        suite=False,
        missing=tuple(missing),
        groups=(
            TableGroup(
                heading="",
                tables=(runs_table(summaries, groups), models_table(runs)),
                printed=("runs",),
            ),
            *_planted(parts),
        ),
    )
    sections = [*(part.section for part in parts), about]
    overview = msgspec.structs.replace(
        _overview(parts),
        data=data_line(runs, summaries),
        facts=tuple(report_facts(summaries, missing)),
        notes=safe_markdown(notes) if notes else "",
        models=tuple(styles.values()),
        lettered=any(LETTERS in plot.how for part in parts for plot in part.section.plots),
    )
    suites = [summary.suite.card.title for summary in summaries]
    text = render_page(title or report_title(styles, suites), sections, overview)
    write_atomically(out, text.encode())


def _check_studies(people: Sequence[AnsweredStudy], runs: Sequence[StoredRun]) -> None:
    for each in people:
        if each.study.suite not in {run.suite.name for run in runs}:
            of = f"of the suite {each.study.suite}" if each.study.suite else "not of any suite"
            raise InputError(
                f"The study {each.study.name} is {of}, so its labels cannot correct any of these "
                "runs; leave it out."
            )


def _heading(runs: Sequence[StoredRun], *, several: bool) -> str:
    title = runs[0].suite.card.title
    return f"{title} · {runs[0].protocol.name}" if several else title


class _SuiteReport(NamedTuple):
    """One suite under one protocol."""

    summary: Summary
    comparison: ModelComparison
    section: PageSection
    methods: str


def _suite_report(
    runs: Sequence[StoredRun],
    styles: Styles,
    megabytes: float,
    heading: str,
    people: Sequence[AnsweredStudy],
    card_headlines: int,
) -> _SuiteReport:
    """One suite under one protocol; the judgements are read once for tables and the item viewer."""
    packer = ItemPacker()
    candidates = _pack_scores(runs, packer)
    summary = summarise(runs, lambda info, judgement: packer.add_judgement(info.model, judgement))
    corrected = [
        table for each in people if each.is_about(runs) for table in each.corrections(runs).tables
    ]
    card = card_of(runs)
    sheets = tuple(_contact_sheets(summary, runs))
    comparison = compare_models(summary, runs)
    compared = comparisons_of(comparison)
    chances = dict(_chances(comparison, candidates))
    contrasts = tuple(contrasts_of(summary, comparison.entries))
    agreement = agreement_of(summary)
    controls = {name for name, style in styles.items() if style.control}
    findings = findings_of(comparison, compared, chances, contrasts, agreement, controls)
    entries = [entry for entry in comparison.entries if not entry.language]
    models = [run.info.model for run in summary.runs]
    slug = slug_of(heading)
    headlines = tuple(
        headline_figure(entry, styles, slug, chances.get(name), letters_of(compared, name, models))
        for entry in entries
        for name in (entry.headline.name,)
    )
    section = PageSection(
        heading=heading,
        question=card.question or card.about.partition(". ")[0],
        findings=findings,
        warnings=tuple(warnings_of(summary, comparison)),
        figures=(
            *headlines,
            *_further_figures(contrasts, agreement, findings, slug),
        ),
        drawings=summary.figures,
        groups=tuple(_table_groups(summary, comparison, card, corrected)),
        method=tuple(_method(summary, runs, card, comparison)),
        faults=card.faults,
        sheets=sheets,
        thumbnails=make_thumbnails(sheets, [run.folder / IMAGES_FOLDER for run in runs], megabytes),
        judged_items=packer.packed() if packer.rows else None,
        plots=headlines[: card_headlines if len(models) <= _FEW_CARD_MODELS else 1],
    )
    methods = protocol_line(protocols_by_model(summary, runs), unused_settings(summary))
    return _SuiteReport(summary, comparison, section, methods)


def _pack_scores(runs: Sequence[StoredRun], packer: ItemPacker) -> Candidates:
    """Give the packer what every run scored, and count the candidates of each request."""
    found: Candidates = Counter()
    hook = runs[0].suite.scored_texts
    if hook is None:
        return found
    for run, info in zip(runs, label_comparable_runs(runs), strict=True):
        for item, answers in RunJudgements(run).answered():
            texts = list(hook(item, answers, run.protocol))
            packer.add_scores(info.model, item.id, texts)
            found.update(Counter(each.request for each in texts).items())
    return found


def _chances(comparison: ModelComparison, candidates: Candidates) -> Iterator[tuple[str, float]]:
    """The level of chance of each headline that has one."""
    for entry in comparison.entries:
        headline = entry.headline
        if headline.chance is not None:
            yield headline.name, headline.chance
        elif headline.chance_request:
            sizes = {
                size: times
                for (request, size), times in candidates.items()
                if request == headline.chance_request
            }
            if sizes:
                total = sum(sizes.values())
                yield headline.name, sum(times / size for size, times in sizes.items()) / total


def _further_figures(
    contrasts: Sequence[Contrast],
    agreement: Agreement | None,
    findings: Sequence[Finding],
    slug: str,
) -> Iterator[PageFigure]:
    """Formats and contrasts; the title of each is what it shows."""
    if agreement is not None:
        yield agreement_figure(agreement, f"Do {agreement.first} and {agreement.second} agree?")
    found = {each.table: f"{each.about}: {each.text}" for each in findings}
    for contrast in contrasts:
        told = found.get(contrast_name(contrast), "")
        title = told.partition(" (p ")[0] or capital(contrast_name(contrast))
        with suppress(EmptyChartError):
            yield contrast_figure(contrast, slug, title)


def _table_groups(
    summary: Summary,
    comparison: ModelComparison,
    card: SuiteCard,
    corrected: Sequence[Table],
) -> Iterator[TableGroup]:
    """Main results (corrected ones first), agreement of formats, details, the paper's tables."""
    models = [run.info.model for run in summary.runs]
    # One test for a page: places only where there are too many models for all differences.
    tests = [table for table in (comparison.changes, comparison.detectable) if table] or [
        _with_rate(table, entry) for entry, table in comparison.rankings
    ]
    main = [
        *corrected,
        *tests,
        *_by_language(summary, comparison),
        *metrics_tables(summary, card),
    ]
    tables = [in_model_order(table, models) for table in summary.tables]
    formats = [table for table in tables if table.name in summary.suite.format_tables]
    printed = [table for table in tables if table.name[:1].isdigit()]
    others = [table for table in tables if table not in formats and table not in printed]
    for heading, group, folded in (
        ("Main results", [in_model_order(table, models) for table in main], False),
        ("Do the formats agree?", formats, True),
        ("In detail", others, True),
        ("As printed in the paper", printed, True),
    ):
        if group:
            on_paper = (CHANGES, PLACES)
            yield TableGroup(heading=heading, tables=tuple(group), folded=folded, printed=on_paper)


def _with_rate(table: Table, entry: HeadlineResult) -> Table:
    """A table of ranks, with the undetected rate of its judgements."""
    rate = undetected_line_of("these judgements", entry.undetected)
    return msgspec.structs.replace(
        table, notes=(*table.notes, *([f"{capital(rate)}."] if rate else ()))
    )


def _by_language(summary: Summary, comparison: ModelComparison) -> Iterator[Table]:
    entries = [entry for entry in comparison.entries if entry.language]
    if entries:
        made = profile_table([summary], entries, [""])
        yield msgspec.structs.replace(
            made, name="languages", title="Headlines by language", notes=()
        )


def in_model_order(table: Table, models: Sequence[str]) -> Table:
    """The table with its rows in the order of the models, published ones after them."""
    if "model" not in table.levels:
        return table
    seen: list[dict[str, int]] = [
        {model: place for place, model in enumerate(models)} if level == "model" else {}
        for level in table.levels
    ]
    for row in table.rows:
        for places, key in zip(seen, row.keys, strict=True):
            places.setdefault(key, len(places))
    rows = sorted(
        table.rows,
        key=lambda row: [places[key] for places, key in zip(seen, row.keys, strict=True)],
    )
    return msgspec.structs.replace(table, rows=tuple(rows))


def _overview(parts: Sequence[_SuiteReport]) -> Overview:
    """The models side by side, if there are several models or several suites."""
    summaries, by_part = with_distinct_labels(
        [part.summary for part in parts], [part.comparison.entries for part in parts]
    )
    found = titled_by_suite(summaries, by_part)
    if sum(len(each.runs) for each in summaries) < 2 or not found:
        return Overview()
    methods = [
        joined_line((part.methods, undetected_per_headline(entries), coverage_line(summary.runs)))
        for part, summary, entries in zip(parts, summaries, by_part, strict=True)
    ]
    return Overview(tables=(profile_table(summaries, found, methods),))


def _planted(parts: Sequence[_SuiteReport]) -> Iterator[TableGroup]:
    """The known rates or effects planted in models, and what was measured."""
    table = planted_table((part.summary, part.comparison.entries) for part in parts)
    if table.rows:
        yield TableGroup(heading="Positive controls with a known true rate", tables=(table,))


def _method(
    summary: Summary, runs: Sequence[StoredRun], card: SuiteCard, comparison: ModelComparison
) -> Iterator[str]:
    """How the numbers were computed, what is missing from them, how runs differ."""
    protocols = protocols_by_model(summary, runs)
    protocol = summary.protocol
    yield card.about
    yield f"Protocol {protocol.name}: {protocol.about} Chance level: {card.chance}"
    yield f"Method: {protocol_line(protocols, unused_settings(summary))}."
    if told := settings_line(protocols):
        yield f"Settings: {told}."
    if told := undetected_line(summary.runs):
        yield f"{capital(told)}."
    yield from settings_diff_sentences(runs)
    if summary.same is not None:
        yield from summary.same.sentences([run.info.model for run in summary.runs])
    if comparison.changes is None:
        yield from comparison.reasons


def _contact_sheets(summary: Summary, runs: Sequence[StoredRun]) -> Iterator[ContactSheet]:
    """The contact sheets of all runs, with the model that drew the images."""
    for told, run in zip(summary.runs, runs, strict=True):
        if run.suite.contact_sheets is not None:
            for sheet in run.suite.contact_sheets(RunJudgements(run).answered(), run.protocol):
                facets = {"model": told.info.model, **sheet.facets}
                yield msgspec.structs.replace(sheet, facets=facets)
