"""The axes of charts, as drawn: which numbers stand on them, what they are called, and panels."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epicene.core.records import Estimate, Figure
from epicene.show import charts
from epicene.show.chart_axes import quantitative
from epicene.show.figures import svg

Rows = list[dict[str, charts.Value]]

GROUP = re.compile(r'<g class="mark-text role-axis-label".*?</g>', re.DOTALL)
TEXT = re.compile(r">([^<>]*)</text>")


def labels(figure: Figure) -> list[list[str]]:
    """What stands on each axis, in the order drawn; labels that were left out for want of room
    have no ink."""
    drawn = svg(figure, titled=False)
    return [
        TEXT.findall(re.sub(r'<text[^>]*opacity="0".*?</text>', "", axis))
        for axis in GROUP.findall(drawn)
    ]


def close(value: float, reach: float = 0.01) -> Estimate:
    return Estimate(value=value, low=value - reach, high=value + reach)


SHARES = ["0%", "20%", "40%", "60%", "80%", "100%"]


@pytest.mark.parametrize("build", [charts.bars, charts.points_with_intervals])
def test_a_share_is_seen_against_the_whole(build: Any) -> None:
    rows: Rows = [{"model": "rules", "right": close(0.98)}]
    assert SHARES in labels(build("1", "t", rows, x="model", y="right", unit="share"))
    assert SHARES in labels(build("1", "t", rows, x="right", y="model", unit="share"))


def test_an_interval_beyond_the_whole_is_not_cut() -> None:
    spec = quantitative("y", "share", [{"y": 0.95, "low": 0.8, "high": 1.1}], unit="share")
    assert spec["scale"]["domain"] == [0.0, 1.1]
    spec = quantitative("y", "share", [{"y": 0.0, "low": -0.05, "high": 0.05}], unit="share")
    assert spec["scale"]["domain"] == [-0.05, 1.0]


def test_shades_of_shares_mean_the_same_in_every_figure() -> None:
    rows: Rows = [{"model": "m", "rule": f"r{n}", "share": 0.4 + n / 20} for n in range(3)]
    made = charts.heatmap("1", "t", rows, x="model", y="rule", value="share", unit="share")
    shade = made.spec["layer"][0]["encoding"]["color"]
    assert shade["scale"]["domain"] == [0.0, 1.0]


def test_a_difference_of_shares_has_the_zero_in_it() -> None:
    rows: Rows = [{"word": "a", "effect": 0.2}, {"word": "b", "effect": 0.3}]
    made = charts.points_with_intervals("1", "t", rows, x="word", y="effect", unit="difference")
    assert "0%" in labels(made)[1]
    assert "100%" not in labels(made)[1]


@pytest.mark.parametrize(
    ("most", "ticks"),
    [
        (1, ["0", "1"]),
        (2, ["0", "1", "2"]),
        (6, ["0", "1", "2", "3", "4", "5", "6"]),
        (13, ["0", "5", "10"]),
        (9999, ["0", "2000", "4000", "6000", "8000"]),
    ],
)
def test_counts_have_whole_ticks_each_once(most: int, ticks: list[str]) -> None:
    rows: Rows = [{"rule": "a", "sentences": float(most)}, {"rule": "b", "sentences": 1.0}]
    made = charts.bars("1", "t", rows, x="sentences", y="rule", unit="count")
    assert ticks in labels(made)


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_whole_ticks_are_round_and_few(one: int, other: int) -> None:
    low, high = sorted((one, other))
    ticks = quantitative("x", "n", [{"x": low}, {"x": high}], unit="count")["axis"]["values"]
    assert all(isinstance(tick, int) for tick in ticks)
    assert 1 <= len(ticks) <= 8
    assert ticks[0] <= low < ticks[0] + max(1, high - low) + 1


def test_the_steps_of_a_line_over_whole_numbers_are_whole() -> None:
    rows: Rows = [{"distractors": float(n), "right": n / 5} for n in range(3)]
    made = charts.lines("1", "t", rows, x="distractors", y="right", unit="share")
    assert labels(made)[0] == ["0", "1", "2"]


def test_sizes_are_in_the_letters_of_the_field() -> None:
    rows: Rows = [{"parameters": size, "score": 0.5} for size in (135e6, 1.1e9, 7e9, 70e9)]
    made = charts.scatter("1", "t", rows, x="parameters", y="score", unit="share", log_x=True)
    (across, _) = labels(made)
    assert across == ["100 M", "1 B", "10 B", "100 B"]
    few: Rows = [{"parameters": size, "score": 0.5} for size in (500e6, 7e9)]
    made = charts.scatter("1", "t", few, x="parameters", y="score", unit="share", log_x=True)
    assert labels(made)[0] == ["500 M", "1 B", "2 B", "5 B", "10 B"]


def test_small_numbers_on_a_logarithmic_axis_are_plain() -> None:
    rows: Rows = [{"α": 0.02, "β": 0.4}, {"α": 3.0, "β": 120.0}]
    made = charts.scatter("1", "t", rows, x="α", y="β", log_x=True, log_y=True)
    across, up = labels(made)
    assert {"0.1", "1"} <= set(across)
    assert {"1", "10", "100"} <= set(up)


@given(st.lists(st.floats(1e-3, 1e13), min_size=1, max_size=6))
def test_a_logarithmic_axis_holds_all_values_and_some_round_numbers(values: list[float]) -> None:
    spec = quantitative("x", "n", [{"x": value} for value in values], log=True)
    low, high = spec["scale"]["domain"]
    assert low < min(values)
    assert high > max(values)
    ticks = spec["axis"]["values"]
    assert 1 <= len(ticks) <= 20
    for tick in ticks:
        assert low <= tick <= high
        digit = tick / 10 ** math.floor(math.log10(tick * 1.000001))
        assert digit == pytest.approx(round(digit))


# --- panels --------------------------------------------------------------------------------


def panels(count: int) -> Figure:
    rows: Rows = [
        {"headline": f"suite {n}: right", "model": model, "share": close(0.5)}
        for n in range(count)
        for model in ("small", "large")
    ]
    return charts.points_with_intervals(
        "1", "t", rows, x="share", y="model", facet="headline", unit="share"
    )


@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_every_panel_has_its_axis_and_no_empty_place_has_one(count: int) -> None:
    assert labels(panels(count)).count(SHARES) == count


def test_panels_are_named_by_what_they_show_alone() -> None:
    words = TEXT.findall(svg(panels(3), titled=False))
    assert [word for word in words if word.startswith("suite")] == [
        f"suite {n}: right" for n in range(3)
    ]
    assert "headline" not in words


def test_panels_that_are_too_wide_for_a_line_stand_below_each_other() -> None:
    def width(names: int, colours: int) -> float:
        rows: Rows = [
            {"panel": panel, "name": f"n{name}", "colour": f"c{colour}", "share": 0.5}
            for panel in ("a", "b")
            for name in range(names)
            for colour in range(colours)
        ]
        made = charts.bars(
            "1", "t", rows, x="name", y="share", color="colour", facet="panel", unit="share"
        )
        found = re.search(r'width="(\d+)"', svg(made, titled=False))
        assert found
        return float(found[1])

    page = 1112  # of a report, at 1280 pixels
    assert width(4, 6) <= page  # beside each other
    assert width(12, 4) <= page  # below each other
    assert width(2, 2) < 600  # a small figure is not drawn out


def test_names_that_have_no_room_are_slanted() -> None:
    def slanted(*names: str) -> bool:
        rows: Rows = [{"model": name, "share": 0.5} for name in names]
        made = charts.bars("1", "t", rows, x="model", y="share", unit="share")
        return "rotate(325)" in svg(made, titled=False)

    assert not slanted("a", "b")
    assert slanted("smollm2", "random")


# --- what is not drawn ---------------------------------------------------------------------


def test_rows_left_out_are_called_by_the_one_name_that_says_all() -> None:
    none = Estimate(value=None, why="no term")
    rows: Rows = [
        {"model": model, "rule": rule, "GIoU": none if rule == "neutral" else 0.5}
        for model in ("a", "b")
        for rule in ("past", "neutral")
    ]
    made = charts.heatmap("1", "t", rows, x="model", y="rule", value="GIoU")
    assert made.notes == ("Not drawn: neutral (no term).",)
    rows[0]["GIoU"] = Estimate(value=None, why="no answer")
    made = charts.heatmap("1", "t", rows, x="model", y="rule", value="GIoU")
    assert made.notes == (
        "Not drawn: a / past (no answer).",
        "Not drawn: neutral (no term).",
    )


def test_models_without_a_size_are_named() -> None:
    assert charts.unknown_size_note([]) == ()
    assert charts.unknown_size_note(["rules", "copy"]) == (
        "Left out because their size is unknown: rules, copy.",
    )
