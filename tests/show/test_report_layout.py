"""One way of showing a number."""

from __future__ import annotations

from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epicene.core.records import Column, Estimate
from epicene.show.layout import column_heading, format_cell, format_number

Unit = Literal["share", "number", "count", "p", "text"]


@pytest.mark.parametrize(
    ("value", "unit", "decimals", "shown"),
    [
        (0.8123, "share", 1, "81.2"),
        (0.8123, "share", 0, "81"),
        (1.0, "share", 2, "100.00"),
        (-0.00001, "share", 1, "0.0"),
        (-0.25, "share", 1, "-25.0"),
        (3.14159, "number", 2, "3.14"),
        (-0.0049, "number", 2, "0.00"),
        (1234567.0, "count", 1, "1234567"),
        (0.043, "p", 1, ".043"),
        (0.043, "p", 4, ".0430"),
        (0.001, "p", 1, ".001"),
        (0.00099, "p", 1, "<.001"),
        (0.0, "p", 1, "<.001"),
        (0.00001, "p", 4, "<.0001"),
        (1.0, "p", 1, "1.000"),
    ],
)
def test_digits(value: float, unit: Unit, decimals: int, shown: str) -> None:
    assert format_number(value, Column(name="c", unit=unit, decimals=decimals)) == shown


def test_a_cell_shows_value_mark_and_interval() -> None:
    share = Column(name="accuracy")
    both = Estimate(value=0.8123, low=0.78, high=0.841, mark="**")
    assert format_cell(both, share) == "81.2** [78.0, 84.1]"
    assert format_cell(Estimate(value=0.5), share) == "50.0"
    assert format_cell(Estimate(value=0.5, low=0.4), share) == "50.0"
    assert format_cell(Estimate(value=None, low=0.1, high=0.2, why="nothing"), share) == "–"
    assert format_cell("> 95", share) == "> 95"


def test_a_heading_says_per_cent_once() -> None:
    assert column_heading(Column(name="accuracy")) == "accuracy (%)"
    assert column_heading(Column(name="% right")) == "% right"
    assert column_heading(Column(name="gap", unit="number")) == "gap"


@given(st.floats(0, 1), st.integers(0, 6))
def test_a_shown_share_is_within_half_a_unit_of_its_last_decimal(value: float, places: int) -> None:
    shown = float(format_number(value, Column(name="c", decimals=places)))
    assert abs(shown - 100 * value) <= 0.5 * 10**-places + 1e-9
