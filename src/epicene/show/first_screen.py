"""The head of the report: its title, what was measured when, and how each model is drawn."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from epicene import languages
from epicene.core.errors import EpiceneError
from epicene.results.summary import label_runs
from epicene.show.findings import names
from epicene.show.page_figures import CONTROLS, first_identity, is_control, styles_of
from epicene.show.run_tables import parameters_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.core.records import Identity
    from epicene.results.summary import Summary
    from epicene.runs.stored_run import StoredRun
    from epicene.show.page import NotMeasured
    from epicene.show.page_figures import Styles

_MAX_NAMED = 6  # models in the title


def in_order_of_models(runs: Sequence[StoredRun]) -> list[StoredRun]:
    """The runs in the order in which their models are first given, controls last."""
    order = list(dict.fromkeys(run.info.model for run in runs))
    return sorted(runs, key=lambda run: (is_control(run.info), order.index(run.info.model)))


def model_styles(runs: Sequence[StoredRun], groups: Sequence[Sequence[StoredRun]]) -> Styles:
    """A colour and a marker for each model in any suite, under the label used in its tables."""
    labelled = [
        (run, info.model)
        for group in groups
        for run, info in zip(group, label_runs(group), strict=True)
    ]
    order = list(dict.fromkeys(run.info.model for run in runs))
    found: dict[str, tuple[str, str, bool]] = {}
    for run, label in sorted(labelled, key=lambda each: order.index(each[0].info.model)):
        identity = first_identity(run.info)
        control = is_control(run.info)
        about = CONTROLS[identity.kind] if identity is not None and control else _size(identity)
        found.setdefault(label, (label, about, control))
    return styles_of(found.values())


def _size(identity: Identity | None) -> str:
    about = "not known" if identity is None else parameters_text(identity)
    return "" if about == "not known" else f"{about} parameters"


def report_title(styles: Styles, suites: Sequence[str]) -> str:
    """Which models were measured on which suites: `smollm2 and gpt2 on Misgendering`."""
    models = [name for name, style in styles.items() if not style.control] or list(styles)
    suites = names(list(dict.fromkeys(suites)), what="suites")
    return f"{names(models, most=_MAX_NAMED)} on {suites}"


def data_line(runs: Sequence[StoredRun], summaries: Sequence[Summary]) -> str:
    """The data, how many items in which languages, and the day of the last answers."""
    data = names(list(dict.fromkeys(run.manifest.settings.data for run in runs)), what="data sets")
    items = sum(_item_count(summary) for summary in summaries)
    codes = sorted(
        {
            code
            for summary in summaries
            if len(summary.results.frame)
            for code in summary.results.frame["language"].unique().drop_nulls().cast(str)
            if code
        }
    )
    where = f" in {names([_language_name(code) for code in codes], what='languages')}"
    parts = [f"Data: {data}", f"{items:,} item{'s' * (items != 1)}{where if codes else ''}"]
    if day := _last_day(runs):
        parts.append(day)
    return " · ".join(parts)


def _item_count(summary: Summary) -> int:
    """The number of items with a judgement: a run may have items about which it asks nothing."""
    frame = summary.results.frame
    return int(frame["item"].n_unique()) if len(frame) else 0


def _language_name(code: str) -> str:
    try:
        return languages.get(code).name
    except EpiceneError:
        return code


def _last_day(runs: Sequence[StoredRun]) -> str:
    """The day on which the last session ended: `15 November 2026`."""
    times = [session.ended or session.started for run in runs for session in run.manifest.sessions]
    if not times:
        return ""
    day = datetime.fromisoformat(max(times))
    return f"{day.day} {day:%B %Y}"


def report_facts(summaries: Sequence[Summary], missing: Sequence[NotMeasured]) -> Iterator[str]:
    """How many runs and answers there are, how many failed, and what was not measured."""
    told = [run for summary in summaries for run in summary.runs]
    answers = sum(run.coverage.answered for run in told if run.coverage is not None)
    lacking = [run for run in told if run.coverage is not None and not run.coverage.whole]
    count = f"{len(told)} run{'s' * (len(told) > 1)}, {answers:,} answer{'s' * (answers != 1)}"
    yield f"{count}, all complete" if not lacking else f"{count}, {len(lacking)} incomplete"
    if missing:
        yield f"not measured: {', '.join(each.what for each in missing)}"


def safe_markdown(text: str) -> str:
    """Markdown as HTML: no markup of its own, no images, headings below those of the page."""
    from markdown_it import MarkdownIt

    reader = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    tokens = reader.parse(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1]) + 1)}"
    return str(reader.renderer.render(tokens, reader.options, {}))
