"""Charts: valid Vega-Lite, every row drawn, nothing drawn that has no number."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from epicene.core.records import Estimate, Figure
from epicene.show import charts
from epicene.show.charts import EmptyChartError
from epicene.show.figures import svg

LANGUAGES = ("हिन्दी", "العربية", "English")
MODELS = ("small", "large.v2[b]")


def rows() -> list[dict[str, str | float | Estimate]]:
    made: list[dict[str, str | float | Estimate]] = []
    for place, language in enumerate(LANGUAGES):
        for size, model in enumerate(MODELS):
            value = 0.3 + 0.1 * place + 0.05 * size
            score = Estimate(value=value, low=value - 0.04, high=value + 0.05, n=100)
            made.append(
                {
                    "lang.uage": language,
                    "model": model,
                    "score": score,
                    "share": value,
                    "size": 10.0 ** (8 + size),
                }
            )
    return made


BUILDERS: dict[str, Callable[..., Figure]] = {
    "bars": lambda data, **more: charts.bars(
        "1", "t", data, x="lang.uage", y="score", color="model", **more
    ),
    "lying bars": lambda data, **more: charts.bars("1", "t", data, x="share", y="model", **more),
    "points": lambda data, **more: charts.points_with_intervals(
        "1", "t", data, x="score", y="lang.uage", color="model", reference=0.5, **more
    ),
    "lines": lambda data, **more: charts.lines(
        "1", "t", data, x="size", y="score", color="lang.uage", log_x=True, **more
    ),
    "lines over names": lambda data, **more: charts.lines(
        "1", "t", data, x="model", y="score", color="lang.uage", **more
    ),
    "scatter": lambda data, **more: charts.scatter(
        "1", "t", data, x="size", y="score", color="model", label="lang.uage", **more
    ),
    "scatter with markers": lambda data, **more: charts.scatter(
        *("1", "t", data),
        x="share",
        y="score",
        color="model",
        shape="lang.uage",
        equal_at=0.5,
        **more,
    ),
    "heatmap": lambda data, **more: charts.heatmap(
        "1", "t", data, x="model", y="lang.uage", value="score", **more
    ),
}
every_builder = pytest.mark.parametrize("build", BUILDERS.values(), ids=BUILDERS.keys())


def drawn(figure: Figure, kind: str) -> list[str]:
    """The descriptions of the marks of a kind, as a screen reader has them."""
    found = re.findall(
        rf'aria-label="([^"]*)"[^>]*aria-roledescription="{kind}"', svg(figure, titled=False)
    )
    return [str(label) for label in found]


@every_builder
@pytest.mark.parametrize("more", [{}, {"unit": "share"}, {"facet": "lang.uage"}])
def test_a_chart_is_valid_vega_lite_and_draws(
    build: Callable[..., Figure], more: dict[str, Any]
) -> None:
    altair = pytest.importorskip("altair")
    figure = build(rows(), **more)
    altair.Chart.from_dict(figure.spec)  # checks against the schema
    assert svg(figure).startswith("<svg")


@every_builder
def test_no_rows_is_an_error_and_no_empty_chart(build: Callable[..., Figure]) -> None:
    with pytest.raises(EmptyChartError, match="no rows"):
        build([])
    blank = Estimate(value=None, why="nothing was judged")
    with pytest.raises(EmptyChartError, match=r"Not drawn: .*\(nothing was judged\)"):
        build([{**row, "score": blank, "share": blank} for row in rows()])


@every_builder
def test_a_row_without_a_number_is_left_out_and_named(build: Callable[..., Figure]) -> None:
    blank = Estimate(value=None, why="too few items")
    data = rows()
    data[0] = {**data[0], "score": blank, "share": blank}
    figure = build(data, notes=("first",))
    assert len(figure.spec["data"]["values"]) == len(data) - 1
    said, omitted = figure.notes
    assert said == "first"
    assert re.fullmatch(r"Not drawn: .*small.* \(too few items\)\.|.*हिन्दी.*", omitted)


def test_every_row_gets_its_bar_and_interval() -> None:
    figure = BUILDERS["bars"](rows())
    bars = drawn(figure, "bar")
    assert len(bars) == len(rows())
    assert any("score: 0.3" in bar and "हिन्दी" in bar and "small" in bar for bar in bars)
    rules = drawn(figure, "rule mark")
    assert len(rules) == len(rows())


def test_a_reference_is_one_line() -> None:
    assert svg(BUILDERS["points"](rows())).count("stroke-dasharray") == 1


def test_categories_keep_the_order_of_the_rows() -> None:
    text = svg(BUILDERS["points"](rows()), titled=False)
    axis = re.search(r"discrete scale with 3 values: ([^\"]*)", text)
    assert axis is not None
    assert axis.group(1) == ", ".join(LANGUAGES)


def test_colour_and_shape_share_one_legend() -> None:
    text = svg(BUILDERS["points"](rows()), titled=False)
    assert len(re.findall(r'aria-roledescription="legend"', text)) == 1


def test_names_that_look_like_paths_are_titles() -> None:
    bars = drawn(BUILDERS["bars"](rows()), "bar")
    assert all("lang.uage" in bar for bar in bars)
    assert any("large.v2[b]" in bar for bar in bars)


def test_words_on_both_sides_are_refused() -> None:
    with pytest.raises(ValueError, match="no numbers on x or y"):
        charts.bars("9", "t", rows(), x="model", y="lang.uage")


def test_more_colours_than_the_palette_stay_distinct() -> None:
    data: list[dict[str, str | float | Estimate]] = [
        {"model": f"m{place}", "score": place / 20} for place in range(12)
    ]
    figure = charts.bars("1", "t", data, x="model", y="score", color="model")
    fills = re.findall(r'aria-roledescription="bar"[^>]*fill="([^"]*)"', svg(figure))
    assert len(set(fills)) == 12
