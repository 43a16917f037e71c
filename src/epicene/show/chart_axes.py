"""Axes of charts: scales and ticks for numbers, room for names, and panels."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

Spec: TypeAlias = dict[str, Any]
Side: TypeAlias = Literal["x", "y"]

# The unit of numbers. The axis of a share runs from 0 to 100 %, so that small differences do not
# look large; that of a difference includes 0; that of a count has integer ticks.
Unit: TypeAlias = Literal["share", "difference", "count", "number"]

# Pixels of a panel with a numeric x axis, and of all panels in a row: a page without names and
# legend.
_PANEL_WIDTH = 400
_PAGE_WIDTH = 900
_MIN_PANEL_WIDTH = 220  # for the panel's name above it

# Pixels of one bar or point: the minimum, without neighbours, and above names, which need more if
# there is room.
_STEP = 14
_STEP_ALONE = 26
_STEP_ABOVE_NAME = 32
_ROW_WIDTH = 300
_LETTER_WIDTH = 7


def quantitative(
    channel: str,
    title: str,
    data: Sequence[Spec],
    *,
    unit: Unit = "number",
    zero: bool = False,
    log: bool = False,
    include: Sequence[float] = (),
) -> Spec:
    """A channel of numbers; the axis of a share also fits the ends of intervals.

    A log axis also reaches the numbers in `include`.
    """
    spec: Spec = {"field": channel, "type": "quantitative", "title": title}
    values = [*(float(row[channel]) for row in data), *include]
    if log:
        return spec | _log_scale(values)
    if unit == "share":
        values += [row[end] for row in data for end in ("low", "high") if end in row]
        spec["scale"] = {"domain": [min(0.0, *values), max(1.0, *values)], "nice": False}
        spec["axis"] = {"format": "~%", "values": [0, 0.2, 0.4, 0.6, 0.8, 1]}
        return spec
    spec["scale"] = {"zero": zero or unit == "difference"}
    if unit == "difference":
        spec["axis"] = {"format": "~%"}
    elif unit == "count":
        spec["axis"] = {
            "format": "d",
            "values": _integer_ticks(0 if zero else min(values), max(values)),
        }
    return spec


def _integer_ticks(low: float, high: float) -> list[int]:
    """Round integers between the two numbers, few enough to read."""
    first, last = math.floor(low), max(math.ceil(high), math.floor(low) + 1)
    steps = (digit * 10**exponent for exponent in count() for digit in (1, 2, 5))
    step = next(step for step in steps if (last - first) / step <= _MAX_TICKS)
    return list(range(first - first % step, last + 1, step))


def _log_scale(values: Sequence[float]) -> Spec:
    """A log scale slightly wider than the values, with round ticks."""
    beyond = max(1.5, (max(values) / min(values)) ** 0.08)
    low, high = min(values) / beyond, max(values) * beyond
    exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)))
    for digits, enough in (((1,), 4), ((1, 2, 5), 2), (range(1, 10), 0)):
        numbers = [float(f"{digit}e{exponent}") for exponent in exponents for digit in digits]
        ticks = [each for each in numbers if low <= each <= high]
        if len(ticks) >= enough:
            break
    return {
        "scale": {"type": "log", "domain": [low, high], "nice": False},
        "axis": {"values": ticks, "labelExpr": _SHORT_SCALE},
    }


_MAX_TICKS = 6

# K, M and B for thousands, millions and billions, as in model names (SI has G for B).
_SHORT_SCALE = (
    "datum.value < 1000 ? format(datum.value, '~g') : "
    "replace(replace(replace(format(datum.value, '~s'), 'k', ' K'), 'M', ' M'), 'G', ' B')"
)


def nominal(channel: str, title: str, data: Sequence[Spec], room: float = 0) -> Spec:
    """A channel of names in the order of the rows; `room` is the pixels per name on the x axis."""
    names = channel_values(channel, data)
    spec: Spec = {"field": channel, "type": "nominal", "title": title, "sort": names}
    if channel == "x" and max(len(str(name)) for name in names) * _LETTER_WIDTH > room:
        spec["axis"] = {"labelAngle": -35}
    return spec


def channel_values(channel: str, data: Sequence[Spec]) -> list[Any]:
    """The distinct values of a channel, in the order of the rows."""
    return list(dict.fromkeys(row[channel] for row in data))


@dataclass(frozen=True)
class CategoryAxis:
    """Names along one side; bars or points of one name and several colours are side by side."""

    side: Side
    title: str
    data: Sequence[Spec]
    coloured: bool = False
    step: int | None = None  # pixels per name, if it is not a bar or point

    @property
    def _per_name(self) -> int:
        return len(channel_values("color", self.data)) if self.coloured else 1

    @property
    def _step(self) -> int:
        if self.step is not None:
            return self.step
        if self.side == "y":
            return _STEP_ALONE if self._per_name == 1 else _STEP
        rows = self._per_name * len(channel_values("x", self.data))
        return min(max(_ROW_WIDTH // rows, _STEP), _STEP_ABOVE_NAME)

    @property
    def encoding(self) -> Spec:
        room = self._step * self._per_name
        spec: Spec = {self.side: nominal(self.side, self.title, self.data, room)}
        if self._per_name > 1:
            spec[f"{self.side}Offset"] = nominal("color", self.title, self.data)
        return spec

    @property
    def size(self) -> Spec:
        """The size of a panel, as Vega-Lite states it."""
        step = {"step": self._step, "for": "position" if self._per_name == 1 else "offset"}
        return {"width" if self.side == "x" else "height": step}

    @property
    def width(self) -> int | None:
        """The width of a panel in pixels; None if its x axis is numeric."""
        if self.side == "y":
            return None
        # A quarter more for the space between names.
        return self._step * self._per_name * len(channel_values("x", self.data)) * 5 // 4


def layered_spec(
    layers: Sequence[Spec],
    data: Sequence[Spec],
    facet: str | None,
    categories: CategoryAxis | None = None,
) -> Spec:
    """The layers, in one panel per name of the facet; as many panels per row as fit the page.

    Each panel has its own axis: a shared one would be drawn below the last row only, and below an
    empty space if the panels do not fill that row.
    """
    spec: Spec = {**(categories.size if categories else {}), "layer": list(layers)}
    if facet is None:
        return spec
    width = (categories.width if categories else None) or _PANEL_WIDTH
    return {
        "facet": {**nominal("facet", facet, data), "header": {"title": None}},
        "columns": max(1, _PAGE_WIDTH // max(width, _MIN_PANEL_WIDTH)),
        "resolve": {"axis": {"x": "independent"}},
        "spec": {"width": _PANEL_WIDTH, **spec},
    }
