"""The report's own figures: dots with intervals, slopes, heat maps, agreement of two formats.

They are drawn by the page's templates in its colours; text keeps its size at any width.
"""

from __future__ import annotations

import csv
import io
import math
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

from epicene.core.data_files import escape_formula
from epicene.core.records import Estimate, Record
from epicene.show.findings import PERCENT, capital, contrast_name, figure, number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from epicene.show.contrasts import Agreement, Contrast
    from epicene.show.model_comparison import ModelComparison
    from epicene.show.model_profiles import HeadlineResult

COLOURS = 6  # of models, as --m1 … in colours.css; with the shapes they name 24 models
SHAPES = ("circle", "square", "triangle", "diamond")
_LETTERS = "Models that share a letter do not differ significantly (5 %, Holm over all pairs)."
_MAX_HEAT_COLUMNS = 8  # models in the head of a heat map; with more, they are its rows


class ModelStyle(Record, frozen=True, kw_only=True):
    """How a model is drawn on every page: baselines are hollow."""

    name: str
    about: str = ""
    colour: int = 1
    shape: str = "circle"
    hollow: bool = False


class Dot(Record, frozen=True, kw_only=True):
    """One point with its interval, in per cent of the axis; its tooltip; its link."""

    label: str
    style: ModelStyle
    at: float | None
    low: float | None
    high: float | None
    text: str
    interval: str
    tip: str
    letter: str = ""
    link: str = ""


class DotPlot(Record, frozen=True, kw_only=True):
    """The points of one headline, one below the other."""

    heading: str
    dots: tuple[Dot, ...]
    chance: float | None  # in per cent of the axis
    ends: tuple[str, str]


class Panel(Record, frozen=True, kw_only=True):
    """One model's figures side by side: the ends of a slope."""

    style: ModelStyle
    dots: tuple[Dot, ...]
    significant: bool


class HeatCell(Record, frozen=True, kw_only=True):
    """A share in a square; the higher, the stronger its colour."""

    value: float | None  # per cent
    text: str
    small: str
    tip: str
    link: str


class HeatMap(Record, frozen=True, kw_only=True):
    """Shares by two things."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[HeatCell, ...]], ...]


class PairBar(Record, frozen=True, kw_only=True):
    """The number of instances of a model on which two formats agree, and on which they do not."""

    style: ModelStyle
    parts: tuple[tuple[str, int, float], ...]  # class, count, per cent
    text: str
    interval: str


class PageFigure(Record, frozen=True, kw_only=True):
    """A figure with its title, how to read it, and its data as CSV."""

    name: str
    title: str
    how: str
    note: str = ""
    plots: tuple[DotPlot, ...] = ()
    panels: tuple[Panel, ...] = ()
    heat: HeatMap | None = None
    bars: tuple[PairBar, ...] = ()
    legend: tuple[tuple[str, str], ...] = ()
    table: str = ""
    csv: str = ""


Styles = dict[str, ModelStyle]


def styles_of(models: Iterable[tuple[str, str, bool]]) -> Styles:
    """A colour and a shape for each model: its name, what is known of it, if it is a baseline."""
    return {
        name: ModelStyle(
            name=name,
            about=about,
            colour=place % COLOURS + 1,
            shape=SHAPES[place // COLOURS % len(SHAPES)] if place >= COLOURS else SHAPES[place % 4],
            hollow=hollow,
        )
        for place, (name, about, hollow) in enumerate(models)
    }


def items_link(slug: str, **filters: str) -> str:
    """The address of a suite's items with these filters."""
    return f"#{slug}-items?{urlencode(filters, quote_via=quote)}"


# --- dots -----------------------------------------------------------------------------------


def headline_plot(
    entry: HeadlineResult,
    styles: Styles,
    slug: str,
    chance: float | None,
    letters: Mapping[str, str],
) -> DotPlot:
    """The models of one headline, with the line of chance."""
    low, high = _axis(entry, chance)

    def place(value: float | None) -> float | None:
        return None if value is None else round(100 * (value - low) / (high - low), 2)

    dots = tuple(
        _dot(model, styles[model], estimate, entry, place, letters.get(model, ""), slug)
        for model, estimate in entry.estimates.items()
    )
    level = ""
    if entry.headline.unit == "share":
        level = "no chance level" if chance is None else f"chance {number(chance, entry)}"
    return DotPlot(
        heading=f"{capital(entry.title)}{level and f' · {level}'}",
        dots=dots,
        chance=place(chance),
        ends=(number(low, entry).removesuffix(PERCENT), number(high, entry)),
    )


def _dot(
    label: str,
    style: ModelStyle,
    estimate: Estimate,
    entry: HeadlineResult,
    place: Callable[[float | None], float | None],
    letter: str,
    slug: str,
    **filters: str,
) -> Dot:
    known = estimate.value is not None
    text = number(estimate.value, entry) if estimate.value is not None else "–"
    told = figure(estimate, entry)
    return Dot(
        label=label,
        style=style,
        at=place(estimate.value),
        low=place(estimate.low) if known else None,
        high=place(estimate.high) if known else None,
        text=text,
        interval=told.removeprefix(text).strip() if known else "",
        tip=f"{label}: {told}, n = {estimate.n}" if known else f"{label}: {estimate.why}",
        letter=letter,
        link=items_link(slug, model=style.name, **filters),
    )


def _axis(entry: HeadlineResult, chance: float | None) -> tuple[float, float]:
    """Shares are from 0 to 100 %; other numbers reach as far as their intervals."""
    if entry.headline.unit == "share":
        return 0.0, 1.0
    values = [
        value
        for each in entry.estimates.values()
        for value in (each.value, each.low, each.high, chance)
        if value is not None
    ]
    step = 10.0 ** math.floor(math.log10(max(1e-9, max(values) - min(values)))) / 2
    low, high = math.floor(min(values) / step) * step, math.ceil(max(values) / step) * step
    return (low, high) if high > low else (low, low + 1)


def headline_figure(
    comparison: ModelComparison, styles: Styles, slug: str, chances: Mapping[str, float], title: str
) -> PageFigure | None:
    """All headlines of a suite: dots with intervals, chance and letters of significance."""
    entries = [entry for entry in comparison.entries if not entry.language]
    if not entries:
        return None
    plots = tuple(
        headline_plot(
            entry,
            styles,
            slug,
            chances.get(entry.headline.name),
            letters_of(comparison, entry.headline.name),
        )
        for entry in entries
    )
    lettered = any(dot.letter for plot in plots for dot in plot.dots)
    return PageFigure(
        name="headlines",
        title=title,
        how="Each model with its 95 % interval; the dashed line is chance, if it is defined. "
        + (_LETTERS if lettered else ""),
        plots=plots,
        table="metrics",
        csv=_csv(
            ("headline", "model"),
            (
                ((entry.headline.name, model), estimate)
                for entry in entries
                for model, estimate in entry.estimates.items()
            ),
        ),
    )


def letters_of(comparison: ModelComparison, headline: str) -> dict[str, str]:
    """The letters of significance of a headline's models; none where no two differ."""
    ranking = comparison.ranks.get(headline)
    if ranking is None or not ranking.any_significant:
        return {}
    return {each.model: each.letters for each in ranking.models}


# --- contrasts ------------------------------------------------------------------------------


def contrast_figure(contrast: Contrast, styles: Styles, slug: str, title: str) -> PageFigure:
    """Two values as slopes, a panel for each model; more as a heat map."""
    slopes = len(contrast.values) == 2 and contrast.entry.headline.unit == "share"
    return PageFigure(
        name=contrast_name(contrast),
        title=title,
        how=(
            f"{capital(contrast.entry.headline.name)} by {contrast.facet}, with 95 % "
            "intervals. A solid line marks a significant difference."
            if slopes
            else f"{capital(contrast.entry.headline.name)} by {contrast.facet}: share and number "
            "of scores. The stronger the colour, the higher the share."
        ),
        panels=tuple(_panels(contrast, styles, slug)) if slopes else (),
        heat=None if slopes else _heat(contrast, list(styles), slug),
        csv=_csv(
            ("model", contrast.facet),
            ((keys, estimate) for keys, estimate in contrast.cells.items()),
        ),
    )


def _panels(contrast: Contrast, styles: Styles, slug: str) -> Iterator[Panel]:
    for model in dict.fromkeys(model for model, _ in contrast.cells):
        dots = tuple(
            _dot(
                value,
                styles[model],
                contrast.cells[model, value],
                contrast.entry,
                lambda share: None if share is None else round(100 * share, 2),
                "",
                slug,
                **{contrast.facet: value},
            )
            for value in contrast.values
        )
        if any(dot.at is not None for dot in dots):
            gap = contrast.gaps.get(model)
            yield Panel(
                style=styles[model], dots=dots, significant=gap is not None and gap.significant
            )


def _heat(contrast: Contrast, order: Sequence[str], slug: str) -> HeatMap:
    present = {model for model, _ in contrast.cells}
    models = tuple(model for model in order if model in present)

    def cell(model: str, value: str) -> HeatCell:
        estimate = contrast.cells[model, value]
        known = estimate.value is not None
        told = figure(estimate, contrast.entry)
        return HeatCell(
            value=round(100 * estimate.value, 1) if estimate.value is not None else None,
            text=number(estimate.value, contrast.entry) if estimate.value is not None else "–",
            small=f"of {estimate.n}" if known else "",
            tip=f"{model}, {value}: {told}, n = {estimate.n}"
            if known
            else f"{model}, {value}: {estimate.why}",
            link=items_link(slug, **{"model": model, contrast.facet: value}),
        )

    if len(models) <= _MAX_HEAT_COLUMNS:
        rows = tuple(
            (value, tuple(cell(model, value) for model in models)) for value in contrast.values
        )
        return HeatMap(columns=models, rows=rows)
    rows = tuple(
        (model, tuple(cell(model, value) for value in contrast.values)) for model in models
    )
    return HeatMap(columns=contrast.values, rows=rows)


# --- two formats ----------------------------------------------------------------------------


def agreement_figure(agreement: Agreement, styles: Styles, title: str) -> PageFigure:
    """For each model, the number of instances on which both formats are right, one of them, or
    neither."""
    kinds = ("both", "first", "second", "neither")
    legend = (
        ("both", "right by both"),
        ("first", f"right by {agreement.first} only"),
        ("second", f"right by {agreement.second} only"),
        ("neither", "wrong by both"),
    )
    bars = []
    for model in (name for name in styles if name in agreement.counts):
        counts, conflict = agreement.counts[model], agreement.conflicts[model]
        total = sum(counts)
        share = conflict.value or 0.0
        bars.append(
            PairBar(
                style=styles[model],
                parts=tuple(
                    (kind, count, round(100 * count / total, 2))
                    for kind, count in zip(kinds, counts, strict=True)
                ),
                text=f"{100 * share:.0f} % differ",
                interval=f"of {total}"
                if conflict.low is None or conflict.high is None
                else f"[{100 * conflict.low:.0f}, {100 * conflict.high:.0f}] of {total}",
            )
        )
    return PageFigure(
        name="agreement of formats",
        title=title,
        how=f"Instances scored by {agreement.first} and by {agreement.second}. In the two middle "
        "parts of a bar, the two disagree.",
        bars=tuple(bars),
        legend=legend,
        table=agreement.table,
        csv=_rows_csv(
            ("model", *kinds),
            (
                [escape_formula(model), *map(str, counts)]
                for model, counts in agreement.counts.items()
            ),
        ),
    )


# --- data -----------------------------------------------------------------------------------


def _csv(names: Sequence[str], rows: Iterable[tuple[tuple[str, ...], Estimate]]) -> str:
    return _rows_csv(
        (*names, "value", "low", "high", "n"),
        (
            [*map(escape_formula, keys), *map(_figure_text, (e.value, e.low, e.high)), str(e.n)]
            for keys, e in rows
        ),
    )


def _figure_text(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"


def _rows_csv(names: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    made = io.StringIO()
    writer = csv.writer(made, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(rows)
    return made.getvalue()
