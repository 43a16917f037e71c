"""A table in a terminal of any width: no number, no word and no line is cut."""

from __future__ import annotations

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from epicene.core.records import Column, Estimate, Row, Table
from epicene.show.layout import column_heading, format_cell
from epicene.show.table_formats import rich_table
from epicene.show.terminal import print_table
from show.report_samples import sample_table, text_table


def shown(table: Table, width: int, *, squeeze: bool = False) -> str:
    console = Console(file=io.StringIO(), width=width)
    with console.capture() as capture:
        print_table(console, table, squeeze=squeeze)
    return capture.get()


def numbers(table: Table) -> list[str]:
    """Every number with its interval, as one reads it."""
    return [
        format_cell(cell, column)
        for row in table.rows
        for column, cell in zip(table.columns, row.cells, strict=True)
        if isinstance(cell, Estimate)
    ]


WORDS = st.sampled_from(
    [
        "accuracy",
        "right pronoun",
        "कारक",
        "acceptability minus cloze",
        "النوع",
        "σ = 0.40",
        "p (Holm)",
    ]
)
NAMES = st.sampled_from(
    ["smollm2", "hf:org/a-model-of-some-size", "हिन्दी", "لغة عربية", "no er", ""]
)
ESTIMATES = st.builds(
    lambda value, reach, why: Estimate(value=value, low=value - reach, high=value + reach, why=why),
    st.floats(-99, 99).map(lambda x: round(x, 3)),
    st.floats(0, 9).map(lambda x: round(x, 3)),
    st.sampled_from(["", "no interval: there is one group only"]),
)


@st.composite
def tables(draw: st.DrawFn) -> Table:
    heads = draw(st.lists(WORDS, min_size=1, max_size=12, unique=True))
    levels = draw(st.integers(1, 4))
    rows = draw(st.lists(st.lists(NAMES, min_size=levels, max_size=levels), max_size=4))
    keys = list(dict.fromkeys(tuple(each) for each in rows)) or [("x",) * levels]
    return Table(
        name="compare",
        title="What changed between two runs",
        levels=tuple(f"level {number}" for number in range(levels)),
        columns=tuple(Column(name=head, unit="number", decimals=3) for head in heads),
        rows=tuple(Row(keys=each, cells=tuple(draw(ESTIMATES) for _ in heads)) for each in keys),
        notes=("A tie counts half.",),
    )


@settings(max_examples=150, deadline=None)
@given(tables(), st.integers(40, 200))
def test_every_number_and_every_heading_is_whole_at_any_width(table: Table, width: int) -> None:
    text = shown(table, width)
    assert "…" not in text
    assert max(map(cell_len, text.splitlines())) <= width
    for number in numbers(table):
        assert number in text
    for column in table.columns:
        for word in column_heading(column).split():
            assert word in text
    for row in table.rows:
        for word in " ".join(row.keys).split():
            assert word in text


@pytest.mark.parametrize("width", [40, 60, 80, 120, 200])
def test_the_sample_is_whole(width: int) -> None:
    text = shown(sample_table(), width)
    assert all(number in text for number in numbers(sample_table()))
    assert "large (published)" in " ".join(text.split())
    assert "fewer than two groups" in " ".join(text.split())


def test_a_table_that_fits_is_as_it_was() -> None:
    console = Console(file=io.StringIO(), width=160)
    with console.capture() as capture:
        console.print(rich_table(sample_table()))
    assert shown(sample_table(), 160).startswith(capture.get())


def wide() -> Table:
    heads = [f"measure number {number}" for number in range(9)]
    cells = tuple(Estimate(value=-0.385, low=-0.666, high=-0.123, n=9) for _ in heads)
    return Table(
        name="changes",
        title="What changed",
        levels=("model", "setting"),
        columns=tuple(Column(name=head, unit="number", decimals=3) for head in heads),
        rows=(Row(keys=("small", "pre"), cells=cells), Row(keys=("small", "post"), cells=cells)),
    )


def test_a_wide_table_comes_in_blocks_that_repeat_the_keys() -> None:
    """Version 520b741 printed `-0.385 [-0…` here."""
    text = shown(wide(), 80)
    assert text.count("-0.385 [-0.666, -0.123]") == 18
    assert text.count("What changed") == 1
    blocks = text.count("setting")
    assert blocks > 1
    assert text.count("post") == blocks
    assert sum(line.count("-0.385") > 1 for line in text.splitlines()) > 0, "several in a block"


def test_where_nothing_fits_beside_the_keys_each_row_is_a_list() -> None:
    text = shown(text_table("word " * 30), 40)
    assert max(map(cell_len, text.splitlines())) <= 40
    long = Table(
        name="t",
        title="T",
        levels=("model",),
        columns=(Column(name="accuracy", unit="number", decimals=3),),
        rows=(Row(keys=("m" * 30,), cells=(Estimate(value=0.5, low=0.25, high=0.75),)),),
    )
    text = shown(long, 40)
    assert "m" * 30 in text
    assert "accuracy: 0.500 [0.250, 0.750]" in text


def test_a_pipe_is_squeezed_only_where_no_cell_is_cut() -> None:
    text = shown(wide(), 200, squeeze=True)
    assert "…" not in text
    narrow = shown(wide(), 100, squeeze=True)
    assert narrow.count("-0.385") == 18


def test_a_pipe_is_not_squeezed_until_headings_are_alike() -> None:
    """As in Table 11 of gramvis, of which six columns were headed `english_…`."""
    heads = [f"{one}_{two}" for one in ("english", "chinese") for two in ("effect", "p", "stars")]
    table = Table(
        name="11",
        title="Effects",
        levels=("language",),
        columns=tuple(Column(name=head, unit="number", decimals=3) for head in heads),
        rows=(Row(keys=("DE",), cells=tuple(Estimate(value=0.5) for _ in heads)),),
    )
    for width in range(40, 100):
        cut = [word for word in shown(table, width, squeeze=True).split() if "…" in word]
        assert len(set(cut)) == len(cut), (width, cut)
    assert all(head in shown(table, 70, squeeze=True) for head in heads)


def test_a_table_of_keys_alone_and_one_without_rows() -> None:
    keys = Table(
        name="k",
        title="Keys",
        levels=("a", "b"),
        columns=(),
        rows=(Row(keys=("x" * 30, "y" * 30), cells=()),),
    )
    assert "y" * 30 in shown(keys, 40)
    empty = Table(name="e", title="Nothing", levels=("a",), columns=(Column(name="n"),), rows=())
    assert "Nothing" in shown(empty, 40)


def test_no_note_steers_the_terminal() -> None:
    table = Table(name="n", title="N", levels=("a",), columns=(), rows=(), notes=("x\x1b[31m",))
    assert "\x1b" not in shown(table, 60)


def test_marks_above_letters_take_no_room() -> None:
    """The width of Arabic and Hindi is counted in cells, not in characters."""
    table = text_table("كَاتِبَةٌ " * 3)
    for line in shown(table, 60).splitlines():
        assert cell_len(line) <= 60
