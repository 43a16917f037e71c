"""An interval on few groups is marked wherever it is shown."""

from __future__ import annotations

import csv
import io

import msgspec
import pytest
from rich.console import Console

from epicene.api.frames import estimates_frame, table_frame
from epicene.core.records import Column, Estimate, Row, Table
from epicene.show.charts import points_with_intervals
from epicene.show.latex import as_latex
from epicene.show.layout import FEW_GROUPS, FEW_GROUPS_NOTE, format_interval, lay_out
from epicene.show.page import table_html
from epicene.show.table_formats import as_json, as_markdown, tables_csv, wide_csv
from epicene.show.terminal import print_table

SHARE = Column(name="right")
FEW = Estimate(value=0.5, low=0.25, high=0.75, n=40, groups=19.99)
ENOUGH = msgspec.structs.replace(FEW, groups=20)
# What earlier versions stored.
UNKNOWN = msgspec.structs.replace(FEW, groups=None)


def table(*cells: Estimate, notes: tuple[str, ...] = ()) -> Table:
    rows = tuple(Row(keys=(str(n),), cells=(cell,)) for n, cell in enumerate(cells))
    return Table(name="t", title="T", levels=("k",), columns=(SHARE,), rows=rows, notes=notes)


def printed(shown: Table) -> str:
    console = Console(file=io.StringIO(), width=150)
    print_table(console, shown)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_the_mark_stands_after_the_interval() -> None:
    assert format_interval(FEW, SHARE) == "[25.0, 75.0]‡"
    assert format_interval(ENOUGH, SHARE) == format_interval(UNKNOWN, SHARE) == "[25.0, 75.0]"
    bare = Estimate(value=0.5, n=40, groups=3)
    assert format_interval(bare, SHARE) == ""
    assert not bare.few_groups


@pytest.mark.parametrize("show", [printed, as_markdown, as_latex, table_html])
def test_one_note_under_a_table_with_a_mark(show: object) -> None:
    assert callable(show)
    text = " ".join(str(show(table(FEW, ENOUGH, FEW))).split())
    assert text.count(FEW_GROUPS) == 3
    assert text.count(FEW_GROUPS_NOTE) == 1
    assert FEW_GROUPS not in str(show(table(ENOUGH, UNKNOWN)))


def test_a_mark_in_a_note_is_explained() -> None:
    note = f"undetected: 2 % {format_interval(FEW, SHARE)} of 40"
    assert lay_out(table(ENOUGH, notes=(note,))).reasons == ((FEW_GROUPS, FEW_GROUPS_NOTE),)


def test_data_formats_hold_the_number_of_groups() -> None:
    both = table(FEW, UNKNOWN)
    cells = as_json(both)
    assert cells["0"]["right"]["groups"] == 19.99
    assert "groups" not in cells["1"]["right"]
    for text, column in ((wide_csv(both), "right groups"), (tables_csv([both]), "groups")):
        lines = list(csv.DictReader(io.StringIO(text)))
        assert [line[column] for line in lines] == ["19.99", ""]
    assert table_frame(both)["right groups"].to_list() == [19.99, None]
    assert estimates_frame({"a": FEW, "b": UNKNOWN})["groups"].to_list() == [19.99, None]


def test_a_chart_says_how_many_of_its_intervals_rest_on_few_groups() -> None:
    rows: list[dict[str, str | float | Estimate]] = [
        {"model": "a", "right": FEW},
        {"model": "b", "right": ENOUGH},
    ]
    drawn = points_with_intervals("f", "F", rows, x="model", y="right")
    assert drawn.notes == (
        "Intervals based on fewer than 20 effective groups, whose coverage may be below the "
        "nominal level: 1 of 2.",
    )
    assert not points_with_intervals("f", "F", rows[1:], x="model", y="right").notes
