"""Charts as records: rows in, a Vega-Lite figure with its data out.

Fonts and colours are set where a figure is drawn. A number may be an `Estimate`: its interval is
then drawn too; if it is undefined, the row is left out and the figure's notes say why.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, TypeAlias

from epicene.core.records import ENOUGH_GROUPS, Estimate, Figure
from epicene.show.chart_axes import (
    CategoryAxis,
    Side,
    Spec,
    channel_values,
    layered_spec,
    nominal,
    quantitative,
)
from epicene.show.chart_axes import Unit as Unit

Value: TypeAlias = str | float | Estimate
ChartRows: TypeAlias = Sequence[Mapping[str, Value]]

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"

# Colours that colour-blind readers can distinguish; page.css repaints the first six in the dark.
GREY = "#656d78"
PALETTE = ("#0a5fb0", "#b64a00", "#00735a", "#8c3f86", "#6d5a00", GREY, "#56b4e9", "#e69f00")

_POINT: Spec = {"type": "point", "filled": True, "size": 60, "opacity": 1}
_DASHED: Spec = {"style": "reference", "strokeDash": [4, 4]}
_HEATMAP_CELL = 48  # pixels that a number in a square needs

# Vega's markers, those that are easiest to distinguish first.
_MARKERS = (
    "circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right",
    "triangle-left", "wedge", "arrow", "stroke",
)  # fmt: skip


class EmptyChartError(ValueError):
    """There are no rows, or none of them has a number."""


def bars(
    name: str,
    title: str,
    rows: ChartRows,
    *,
    x: str,
    y: str,
    color: str | None = None,
    facet: str | None = None,
    unit: Unit = "number",
    reference: float | None = None,
    notes: Iterable[str] = (),
) -> Figure:
    """A bar per row, vertical if the numbers are on `y` and horizontal if on `x`.

    `reference` is a dashed line, e.g. the chance level.
    """
    data, omitted = _chart_data(rows, {"x": x, "y": y, "color": color, "facet": facet})
    measure, measure_title, categories = _sides(name, data, x, y, coloured=color is not None)
    measured = {measure: quantitative(measure, measure_title, data, unit=unit, zero=True)}
    layers: list[Spec] = [
        {"mark": "bar", "encoding": {**categories.encoding, **measured, **_colour(color, data)}},
        *_intervals(data, categories.encoding, measure),
        *reference_line(reference, measure),
    ]
    spec = layered_spec(layers, data, facet, categories)
    return _figure(name, title, data, spec, [*notes, *omitted])


def points_with_intervals(
    name: str,
    title: str,
    rows: ChartRows,
    *,
    x: str,
    y: str,
    color: str | None = None,
    facet: str | None = None,
    link: str | None = None,
    unit: Unit = "number",
    reference: float | None = None,
    notes: Iterable[str] = (),
) -> Figure:
    """A point per row with its interval; numbers on `x` or on `y`, each colour with its own
    shape; `link` is where a point leads."""
    channels = {"x": x, "y": y, "color": color, "facet": facet, "href": link}
    data, omitted = _chart_data(rows, channels)
    measure, measure_title, categories = _sides(name, data, x, y, coloured=color is not None)
    shaded = categories.encoding | _colour(color, data)
    measured: Spec = {measure: quantitative(measure, measure_title, data, unit=unit)}
    marks: Spec = {**shaded, **measured, **_shape(color, data), **_link(link)}
    layers: list[Spec] = [
        *_intervals(data, shaded, measure),
        {"mark": _POINT, "encoding": marks},
        *reference_line(reference, measure),
    ]
    spec = layered_spec(layers, data, facet, categories)
    return _figure(name, title, data, spec, [*notes, *omitted])


def lines(
    name: str,
    title: str,
    rows: ChartRows,
    *,
    x: str,
    y: str,
    color: str | None = None,
    facet: str | None = None,
    unit: Unit = "number",
    log_x: bool = False,
    reference: float | None = None,
    notes: Iterable[str] = (),
) -> Figure:
    """A line per colour through its rows' points, with a band where there are intervals."""
    data, omitted = _chart_data(rows, {"x": x, "y": y, "color": color, "facet": facet})
    categories = None if _all_numbers(data, "x") else CategoryAxis("x", x, data)
    whole = categories is None and all(float(row["x"]).is_integer() for row in data)
    unit_x: Unit = "count" if whole else "number"
    along = (
        categories.encoding
        if categories
        else {"x": quantitative("x", x, data, unit=unit_x, log=log_x)}
    )
    shaded = {**along, **_colour(color, data)}
    measured = {"y": quantitative("y", y, data, unit=unit)}
    layers: list[Spec] = [
        *_intervals(data, shaded, "y", band=True),
        {"mark": "line", "encoding": {**_without_legend(shaded, "stroke"), **measured}},
        {"mark": _POINT, "encoding": {**shaded, **measured, **_shape(color, data)}},
        *reference_line(reference, "y"),
    ]
    spec = layered_spec(layers, data, facet, categories)
    return _figure(name, title, data, spec, [*notes, *omitted])


def scatter(
    name: str,
    title: str,
    rows: ChartRows,
    *,
    x: str,
    y: str,
    color: str | None = None,
    shape: str | None = None,
    label: str | None = None,
    facet: str | None = None,
    unit: Unit = "number",
    log_x: bool = False,
    log_y: bool = False,
    equal_at: float | None = None,
    notes: Iterable[str] = (),
) -> Figure:
    """A point per row with numbers on both axes, and `label` beside each point if given.

    `shape` gives each of its names a marker; without it, each colour has one. `equal_at` is for two
    numbers on the same scale: both axes have the same range, with dashed lines where either equals
    that number and where the two are equal.
    """
    channels = {"x": x, "y": y, "color": color, "shape": shape, "facet": facet, "label": label}
    data, omitted = _chart_data(rows, channels)
    both = [] if equal_at is None else [equal_at, *(row[side] for row in data for side in "xy")]
    across = {"x": quantitative("x", x, data, log=log_x, include=both)}
    shaded = {**across, **_colour(color, data)}
    measured = {"y": quantitative("y", y, data, unit=unit, log=log_y, include=both)}
    markers = _shape(color, data) if shape is None else _named_shapes(shape, data)
    layers: list[Spec] = [
        *([] if equal_at is None else _equality_lines(equal_at, both, across["x"])),
        *_intervals(data, shaded, "y"),
        {"mark": _POINT, "encoding": {**shaded, **measured, **markers}},
    ]
    if label is not None:
        mark = {"type": "text", "align": "left", "dx": 7, "dy": -7}
        words = {"text": {"field": "label", "type": "nominal"}}
        layers.append({"mark": mark, "encoding": {**across, **measured, **words}})
    spec = layered_spec(layers, data, facet)
    return _figure(name, title, data, spec, [*notes, *omitted])


def heatmap(
    name: str,
    title: str,
    rows: ChartRows,
    *,
    x: str,
    y: str,
    value: str,
    facet: str | None = None,
    link: str | None = None,
    unit: Unit = "number",
    notes: Iterable[str] = (),
) -> Figure:
    """A shaded square per row with its number in it; `link` is where a square leads."""
    channels = {"x": x, "y": y, "value": value, "facet": facet, "href": link}
    data, omitted = _chart_data(rows, channels, intervals=False)
    form = {"share": ".0%", "difference": ".0%", "count": ".0f", "number": ".2f"}[unit]
    categories = CategoryAxis("x", x, data, step=_HEATMAP_CELL)
    place = {**categories.encoding, "y": nominal("y", y, data)}
    measured = {"field": "value", "type": "quantitative", "title": value}
    values = [float(row["value"]) for row in data]
    low, high = (0.0, 1.0) if unit == "share" else (min(values), max(values))
    # Without a legend, as every square has its number.
    shade = {**measured, "scale": {"scheme": "blues", "domain": [low, high]}, "legend": None}
    # White letters on squares that are too dark for black ones.
    dark = f"datum.value > {low + 0.6 * (high - low)}"
    ink = {"condition": {"test": dark, "value": "white"}, "value": "black"}
    text = {**measured, "format": form}
    layers: list[Spec] = [
        {"mark": "rect", "encoding": {**place, "color": shade, **_link(link)}},
        {"mark": "text", "encoding": {**place, "text": text, "color": ink}},
    ]
    spec = layered_spec(layers, data, facet, categories)
    return _figure(name, title, data, spec, [*notes, *omitted])


def unknown_size_note(models: Sequence[str]) -> tuple[str, ...]:
    """A note on the models that a figure of sizes leaves out, if there are any."""
    return (f"Left out because their size is unknown: {', '.join(models)}.",) if models else ()


# --- data ----------------------------------------------------------------------------------


def _chart_data(
    rows: ChartRows, channels: Mapping[str, str | None], *, intervals: bool = True
) -> tuple[list[Spec], list[str]]:
    """The rows under the names of their channels, and notes on those without a number.

    Vega-Lite reads dots and brackets in a field's name as a path, so the names a suite chose
    become titles and never fields.
    """
    used = {channel: field for channel, field in channels.items() if field is not None}
    data: list[Spec] = []
    omitted: dict[str, list[Spec]] = {}
    few = 0
    for row in rows:
        drawn: Spec = {}
        reason = ""
        for channel, field in used.items():
            value = row[field]
            if not isinstance(value, Estimate):
                drawn[channel] = value
                continue
            if value.value is None:
                reason = value.why or "undefined"
                continue
            drawn[channel] = value.value
            if intervals and value.low is not None and value.high is not None:
                drawn |= {"low": value.low, "high": value.high}
                few += value.few_groups
        if reason:
            named = (channel for channel in used if channel != "href")
            names = {each: drawn[each] for each in named if isinstance(drawn.get(each), str)}
            omitted.setdefault(reason, []).append(names)
        else:
            data.append(drawn)
    notes = []
    for why, left_out in omitted.items():
        others = data + [row for other, found in omitted.items() if other != why for row in found]
        notes.append(f"Not drawn: {', '.join(_row_labels(left_out, others))} ({why}).")
    if few:
        notes.append(
            f"Intervals based on fewer than {ENOUGH_GROUPS} effective groups, whose coverage "
            f"may be below the nominal level: {few} of {len(data)}."
        )
    if not data:
        raise EmptyChartError(" ".join(notes) or "There are no rows to draw.")
    return data, notes


def _row_labels(left_out: Sequence[Spec], others: Sequence[Spec]) -> list[str]:
    """Labels of omitted rows: one channel's name if all of its rows are omitted, or all names."""
    for channel in left_out[0]:
        if not {row[channel] for row in left_out} & {row[channel] for row in others}:
            return channel_values(channel, left_out)
    return [" / ".join(filter(None, row.values())) for row in left_out]


def _all_numbers(data: Sequence[Spec], channel: str) -> bool:
    return all(isinstance(row[channel], int | float) for row in data)


def _sides(
    name: str, data: Sequence[Spec], x: str, y: str, *, coloured: bool
) -> tuple[Side, str, CategoryAxis]:
    """The side that holds the numbers, with its title, and the categories along the other."""
    if _all_numbers(data, "y"):
        return "y", y, CategoryAxis("x", x, data, coloured=coloured)
    if _all_numbers(data, "x"):
        return "x", x, CategoryAxis("y", y, data, coloured=coloured)
    raise ValueError(f"Figure {name!r} has no numbers on x or y.")


# --- parts of a specification --------------------------------------------------------------


def _colour(color: str | None, data: Sequence[Spec]) -> Spec:
    if color is None:
        return {}
    channel = _legend(color, data)
    if len(channel["scale"]["domain"]) > len(PALETTE):
        channel["scale"]["scheme"] = "tableau20"
    return {"color": channel}


def _shape(color: str | None, data: Sequence[Spec]) -> Spec:
    return {} if color is None else {"shape": _legend(color, data)}


def _named_shapes(shape: str, data: Sequence[Spec]) -> Spec:
    """A marker for each name, with a legend of its own."""
    channel = nominal("shape", shape, data)
    return {"shape": {**channel, "scale": {"domain": channel["sort"], "range": list(_MARKERS)}}}


def _legend(color: str, data: Sequence[Spec]) -> Spec:
    """Colour or shape; with equal domains, Vega-Lite joins the two into one legend."""
    channel = nominal("color", color, data)
    return {**channel, "scale": {"domain": channel["sort"]}}


def _link(link: str | None) -> Spec:
    return {} if link is None else {"href": {"field": "href"}}


def _without_legend(place: Spec, paint: Literal["stroke", "fill"]) -> Spec:
    """The colours moved to another channel, so that only the points have a legend.

    The channel has no domain, or it would join the points' legend and hide it.
    """
    plain = dict(place)
    if color := plain.pop("color", None):
        scale = {key: value for key, value in color["scale"].items() if key != "domain"}
        plain[paint] = {**color, "scale": scale, "legend": None}
    return plain


def _intervals(
    data: Sequence[Spec], place: Spec, measure: Side, *, band: bool = False
) -> list[Spec]:
    """A line from end to end of each interval, or a band along them, if there are any."""
    if not any("low" in row for row in data):
        return []
    mark: Spec = {"type": "rule", "strokeWidth": 1.5}
    if band:
        mark = {"type": "area", "opacity": 0.15}
    ends = {measure: {"field": "low", "type": "quantitative"}, f"{measure}2": {"field": "high"}}
    plain = _without_legend(place, "fill" if band else "stroke")
    return [{"mark": mark, "encoding": {**plain, **ends}}]


def reference_line(value: float | None, measure: Side) -> list[Spec]:
    """A dashed line at a value, if there is one; its data is its own, or there would be a line for
    each row."""
    if value is None:
        return []
    mark = {"type": "rule", **_DASHED}
    return [{"data": {"values": [{}]}, "mark": mark, "encoding": {measure: {"datum": value}}}]


def _equality_lines(value: float, both: Sequence[float], axis: Spec) -> list[Spec]:
    """Dashed lines where x or y is the value, and where x = y, from end to end of the axes."""
    low, high = axis["scale"].get("domain", (min(both), max(both)))
    ends = {"x": low, "y": low, "x2": high, "y2": high}
    diagonal = {
        "data": {"values": [ends]},
        "mark": {"type": "rule", **_DASHED},
        "encoding": {
            **{side: {"field": side, "type": "quantitative"} for side in "xy"},
            **{side: {"field": side} for side in ("x2", "y2")},
        },
    }
    return [*reference_line(value, "x"), *reference_line(value, "y"), diagonal]


def _figure(name: str, title: str, data: list[Spec], spec: Spec, notes: Iterable[str]) -> Figure:
    spec = {"$schema": SCHEMA, "data": {"values": data}, **spec}
    return Figure(name=name, title=title, spec=spec, notes=tuple(notes))
