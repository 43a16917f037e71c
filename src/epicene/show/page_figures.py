"""The report's own figures: headlines with intervals, contrasts within models, two formats."""

from __future__ import annotations

import csv
import io
import math
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from epicene.core.data_files import escape_formula
from epicene.core.records import Estimate, Figure, Record
from epicene.show import charts
from epicene.show.findings import capital, contrast_name, figure, number
from epicene.show.model_profiles import headline_results

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from epicene.core.records import Identity
    from epicene.results.summary import Summary
    from epicene.show.charts import Value
    from epicene.show.contrasts import Agreement, Contrast
    from epicene.show.model_profiles import HeadlineResult
    from epicene.suites import RunInfo

_COLOURS = 5  # of models; the sixth of the palette, grey, is for controls
_SHAPES = ("circle", "square", "triangle-up", "diamond")
_OUTCOMES = (charts.PALETTE[0], charts.PALETTE[1], charts.PALETTE[3], charts.GREY)
_WIDTH = 400  # pixels of a headline's panel: a phone's width is 390
_ROW, _DENSE_ROW, _MANY = 36, 28, 8
LETTERS = "Models that share a letter (a, b …) do not differ significantly."


# Kinds of models that are run to check the measurement, not to be measured; what they do.
CONTROLS = {
    "random": "answers at random",
    "planted": "is right at a known rate",
    "copy": "copies what it is given",
    "ngram": "counts words in the items' own texts",
    "rules": "applies Epicene's own rewriting rules",
    "sketch": "draws stick figures",
    "sketch-judge": "reads the stick figures",
    "random-face": "sees a face at random",
}


def is_control(info: RunInfo) -> bool:
    """Whether the model that a run is named after is a control."""
    identity = first_identity(info)
    return identity is not None and identity.kind in CONTROLS


def first_identity(info: RunInfo) -> Identity | None:
    """The model that the run is named after."""
    return next((each[0] for each in info.identities.values() if each), None)


class ModelStyle(Record, frozen=True, kw_only=True):
    """How a model is drawn on every page; controls are grey and hollow."""

    name: str
    about: str = ""
    colour: str = charts.PALETTE[0]
    shape: str = "circle"
    control: bool = False


Styles = dict[str, ModelStyle]


class PageFigure(Record, frozen=True, kw_only=True):
    """A figure, how to read it, the name of the table with its numbers, and its data as CSV."""

    figure: Figure
    how: str = ""
    table: str = ""
    csv: str = ""

    @property
    def name(self) -> str:
        """The name of the figure."""
        return self.figure.name


def styles_of(models: Iterable[tuple[str, str, bool]]) -> Styles:
    """A colour and a shape for each model: its name, what is known of it, if it is a control."""
    found: Styles = {}
    counts = {True: 0, False: 0}
    for name, about, control in models:
        place = counts[control]
        counts[control] += 1
        found[name] = ModelStyle(
            name=name,
            about=about,
            colour=charts.GREY if control else charts.PALETTE[place % _COLOURS],
            shape=_SHAPES[(place if control else place // _COLOURS + place) % len(_SHAPES)],
            control=control,
        )
    return found


def items_link(slug: str, **filters: str) -> str:
    """The address of a suite's items with these filters."""
    return f"#{slug}-items?{urlencode(filters, quote_via=quote)}"


# --- headlines ------------------------------------------------------------------------------


def interval_figure(summaries: Sequence[Summary]) -> Figure:
    """The headlines of every model with their 95 % intervals, a panel for each headline."""
    runs = [run.info for summary in summaries for run in summary.runs]
    styles = styles_of({run.model: (run.model, "", is_control(run)) for run in runs}.values())
    several = len(summaries) > 1
    panels = [
        {"title": f"{several * f'{summary.suite.card.title}: '}{_heading(entry, chance)}"}
        | _panel(entry, styles, chance)
        for summary in summaries
        for entry in headline_results(summary)
        for chance in (entry.headline.chance,)
        if not entry.language
    ]
    if not panels:
        raise charts.EmptyChartError("There are no headlines to draw.")
    spec = {"$schema": charts.SCHEMA, "concat": panels, "columns": min(2, len(panels))}
    return Figure(name="headlines", title="Headlines with 95 % intervals", spec=spec)


def headline_figure(
    entry: HeadlineResult,
    styles: Styles,
    slug: str,
    chance: float | None = None,
    letters: Mapping[str, str] | None = None,
) -> PageFigure:
    """One headline of every model: points with intervals, chance and letters of significance."""
    drawn = Figure(
        name=entry.headline.name,
        title=_heading(entry, chance),
        spec={"$schema": charts.SCHEMA, **_panel(entry, styles, chance, letters, slug)},
    )
    cells = {(entry.headline.name, model): each for model, each in entry.estimates.items()}
    return PageFigure(
        figure=drawn,
        how=f"With 95 % intervals. {LETTERS}" if letters else "With 95 % intervals.",
        table="metrics",
        csv=_csv(("headline", "model"), cells),
    )


def _heading(entry: HeadlineResult, chance: float | None) -> str:
    level = ""
    if entry.headline.unit == "share":
        level = " · no chance level"
        if chance is not None:
            level = f" · dashed: chance, {number(chance, entry)}"
    return capital(entry.title) + level


def _panel(
    entry: HeadlineResult,
    styles: Styles,
    chance: float | None,
    letters: Mapping[str, str] | None = None,
    slug: str = "",
) -> dict[str, Any]:
    """For each model a line with its name and its number, and the interval below."""
    rows = [
        _point(model, estimate, entry, styles[model], (letters or {}).get(model, ""), slug)
        for model, estimate in entry.estimates.items()
    ]
    names = [row["model"] for row in rows]
    drawn = [styles[model] for model in entry.estimates]
    y = {"field": "model", "type": "nominal", "sort": names, "axis": None}
    above, below = {**y, "bandPosition": 0.28}, {**y, "bandPosition": 0.72}
    share = {"format": "~%"} if entry.headline.unit == "share" else {}
    x: dict[str, Any] = {
        "type": "quantitative",
        "title": None,
        "scale": {"domain": _axis(entry, chance), "nice": False, "zero": False},
        "axis": {"tickCount": 5, "grid": False, **share},
    }
    stroke, fill, shape = (
        {"field": "model", "scale": {"domain": names, "range": marks}, "legend": None}
        for marks in (
            [style.colour for style in drawn],
            ["white" if style.control else style.colour for style in drawn],
            [style.shape for style in drawn],
        )
    )
    interval = {
        "transform": [{"filter": "isValid(datum.low) && isValid(datum.high)"}],
        "mark": {"type": "rule", "strokeWidth": 3, "opacity": 0.55, "strokeCap": "round"},
        "encoding": {"x": {**x, "field": "low"}, "x2": {"field": "high"}, "y": below}
        | {"stroke": stroke},
    }
    point = {
        "transform": [{"filter": "isValid(datum.value)"}],
        "mark": {"type": "point", "size": 90, "opacity": 1, "strokeWidth": 2},
        "encoding": {"x": {**x, "field": "value"}, "y": below}
        | {"stroke": stroke, "fill": fill, "shape": shape}
        | {"description": {"field": "tip"}, **({"href": {"field": "link"}} if slug else {})},
    }
    texts = [
        {
            "mark": {"type": "text", "align": align, "fontSize": 13},
            "encoding": {"x": {"value": place}, "y": above, "text": {"field": field}},
        }
        for align, place, field in (("left", 0, "model"), ("right", "width", "said"))
    ]
    return {
        "data": {"values": rows},
        "width": _WIDTH,
        "height": {"step": _ROW if len(rows) <= _MANY else _DENSE_ROW},
        "layer": [interval, *charts.reference_line(chance, "x"), point, *texts],
    }


def _point(
    model: str,
    estimate: Estimate,
    entry: HeadlineResult,
    style: ModelStyle,
    letter: str,
    slug: str,
) -> dict[str, Any]:
    known = estimate.value is not None
    told = figure(estimate, entry)
    return {
        "model": f"{model} (control)" if style.control else model,
        "value": estimate.value,
        "low": estimate.low if known else None,
        "high": estimate.high if known else None,
        "said": f"{told}  {letter}".rstrip(),
        "tip": f"{model}: {told}, n = {estimate.n}" if known else f"{model}: {estimate.why}",
        **({"link": items_link(slug, model=model)} if slug else {}),
    }


def _axis(entry: HeadlineResult, chance: float | None) -> list[float]:
    """Shares are from 0 to 100 %; other numbers reach as far as their intervals."""
    if entry.headline.unit == "share":
        return [0.0, 1.0]
    values = [
        value
        for each in entry.estimates.values()
        for value in (each.value, each.low, each.high, chance)
        if value is not None
    ]
    step = 10.0 ** math.floor(math.log10(max(1e-9, max(values) - min(values)))) / 2
    low, high = math.floor(min(values) / step) * step, math.ceil(max(values) / step) * step
    return [low, high if high > low else low + 1]


# --- contrasts ------------------------------------------------------------------------------


def contrast_figure(contrast: Contrast, slug: str, title: str) -> PageFigure:
    """Two values as points with intervals, side by side; more as a heat map."""
    headline, facet = contrast.entry.headline, contrast.facet
    share = "share" if headline.unit == "share" else "effect"
    rows: list[dict[str, Value]] = [
        {
            "model": model,
            facet: value,
            share: estimate,
            "link": items_link(slug, **{"model": model, facet: value}),
        }
        for (model, value), estimate in contrast.cells.items()
    ]
    name = contrast_name(contrast)
    if len(contrast.values) == 2:
        drawn = charts.points_with_intervals(
            name, title, rows, x=share, y="model", color=facet, unit=headline.unit, link="link"
        )
        how = f"{capital(headline.name)} by {facet}, with 95 % intervals."
    else:
        drawn = charts.heatmap(
            name, title, rows, x="model", y=facet, value=share, unit=headline.unit, link="link"
        )
        how = f"{capital(headline.name)} by {facet}: the darker, the higher."
    return PageFigure(figure=drawn, how=how, csv=_csv(("model", facet), contrast.cells))


# --- two formats ----------------------------------------------------------------------------


def agreement_figure(agreement: Agreement, title: str) -> PageFigure:
    """For each model, on how many instances both formats are right, one of them, or neither."""
    kinds = (
        "right by both",
        f"right by {agreement.first} only",
        f"right by {agreement.second} only",
        "wrong by both",
    )
    rows = [
        {"model": model, "outcome": kind, "instances": count, "place": place}
        for model, counts in agreement.counts.items()
        for place, (kind, count) in enumerate(zip(kinds, counts, strict=True))
    ]
    spec = {
        "$schema": charts.SCHEMA,
        "data": {"values": rows},
        "mark": "bar",
        "width": _WIDTH,
        "encoding": {
            "x": {
                "field": "instances",
                "type": "quantitative",
                "stack": "normalize",
                "title": "share of instances",
            },
            "y": {"field": "model", "type": "nominal", "sort": list(agreement.counts)},
            "color": {
                "field": "outcome",
                "type": "nominal",
                "sort": list(kinds),
                "scale": {"domain": list(kinds), "range": list(_OUTCOMES)},
                "legend": {"orient": "top", "columns": 2, "title": None},
            },
            "order": {"field": "place"},
        },
    }
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("model", *kinds))
    writer.writerows((escape_formula(model), *each) for model, each in agreement.counts.items())
    return PageFigure(
        figure=Figure(name="agreement of formats", title=title, spec=spec),
        how=f"Instances scored by {agreement.first} and by {agreement.second}. In the two middle "
        "parts of a bar, the two disagree.",
        table=agreement.table,
        csv=text.getvalue(),
    )


def _csv(keys: Sequence[str], cells: Mapping[tuple[str, str], Estimate]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow((*keys, "value", "low", "high", "n"))
    for names, each in cells.items():
        writer.writerow((*map(escape_formula, names), each.value, each.low, each.high, each.n))
    return text.getvalue()
