"""A table in words: numbers, layout, JSON, CSV, Markdown, LaTeX, HTML and the terminal."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from typing import Any, Literal

import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from rich.cells import cell_len
from rich.console import Console

from epicene.app.frames import estimates_frame, table_frame
from epicene.core.data_files import escape_formula, unescape_formula
from epicene.core.records import Column, Estimate, Row, Table
from epicene.show.charts import points_with_intervals
from epicene.show.latex import as_latex, ascii_slug, escape_latex, latex_prose, tables_latex
from epicene.show.layout import (
    FEW_GROUPS,
    FEW_GROUPS_NOTE,
    column_heading,
    format_interval,
    format_number,
    lay_out,
    printable,
)
from epicene.show.page import table_html
from epicene.show.table_formats import (
    as_json,
    as_markdown,
    tables_csv,
    tables_json,
    tables_markdown,
    wide_csv,
)
from epicene.show.terminal import print_table
from show.report_samples import HOSTILE, Tags, estimate, sample_table, text_table

Unit = Literal["share", "number", "count", "p", "text"]
# Every character a person could type, and those that mean something to some format.
TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"])) | st.text(
    "|\\`*_[]<>~$#&%{}^\"'!a-, "
)
SHARE = Column(name="right")
FEW = Estimate(value=0.5, low=0.25, high=0.75, n=40, groups=19.99)
ENOUGH = msgspec.structs.replace(FEW, groups=20)


def replaced(table: Table, **changes: Any) -> Table:
    return msgspec.structs.replace(table, **changes)


def terminal(table: Table, width: int = 160) -> str:
    console = Console(file=io.StringIO(), width=width)
    with console.capture() as capture:
        print_table(console, table)
    return capture.get()


WRITERS: tuple[Callable[[Table], str], ...] = (as_markdown, as_latex, table_html, terminal)
every_writer = pytest.mark.parametrize("write", WRITERS)


def one_row(*cells: Estimate | str, columns: tuple[Column, ...] = (), **more: Any) -> Table:
    made = columns or tuple(Column(name=f"c{n}") for n in range(len(cells)))
    row = Row(keys=("small",), cells=cells)
    return Table(name="t", title="T", levels=("model",), columns=made, rows=(row,), **more)


# --- numbers and layout --------------------------------------------------------------------


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


@given(st.floats(0, 1), st.integers(0, 6))
def test_a_shown_share_is_within_half_a_unit_of_its_last_decimal(value: float, places: int) -> None:
    shown = float(format_number(value, Column(name="c", decimals=places)))
    assert abs(shown - 100 * value) <= 0.5 * 10**-places + 1e-9


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        (Estimate(value=0.8123, low=0.78, high=0.841, mark="**"), "81.2** [78.0, 84.1]"),
        (Estimate(value=0.5), "50.0"),
        (Estimate(value=0.5, low=0.4), "50.0"),
        (Estimate(value=0.25, why="one group"), "25.0 (a)"),
        (Estimate(value=None, low=0.1, high=0.2, why="nothing"), "– (a)"),
        (Estimate(value=None), "– (a)"),
        ("> 95", "> 95"),
        (FEW, "50.0 [25.0, 75.0]‡"),
        (ENOUGH, "50.0 [25.0, 75.0]"),
    ],
)
def test_a_cell_shows_value_mark_interval_and_reason(cell: Estimate | str, shown: str) -> None:
    assert str(lay_out(one_row(cell)).lines[0].cells[0]) == shown


@pytest.mark.parametrize(
    ("column", "heading"),
    [
        (Column(name="accuracy"), "accuracy (%)"),
        (Column(name="% right"), "% right"),
        (Column(name="gap", unit="number"), "gap"),
    ],
)
def test_a_heading_says_per_cent_once(column: Column, heading: str) -> None:
    assert column_heading(column) == heading


def test_a_key_that_repeats_the_one_above_is_empty_and_an_empty_one_a_dash() -> None:
    keys = [("causal", "multi", "BLOOM"), ("causal", "", "own"), ("people", "", "people")]
    rows = tuple(Row(keys=each, cells=()) for each in keys)
    table = Table(name="t", title="", levels=("a", "b", "c"), columns=(), rows=rows)
    assert [line.shown_keys for line in lay_out(table).lines] == [
        ("causal", "multi", "BLOOM"),
        ("", "–", "own"),
        ("people", "", "people"),
    ]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rows": sample_table().rows[:1] * 2}, "two rows with the keys Hindi / small"),
        ({"columns": (Column(name="all"),) * 5}, "two columns named 'all'"),
        ({"levels": ("language",)}, "has 2 keys and 5 cells; expected 1 and 5"),
        ({"columns": (Column(name="all"),)}, "has 2 keys and 5 cells; expected 2 and 1"),
        ({"levels": ()}, "no key levels"),
        (
            {
                "columns": (Column(name="all"),),
                "rows": (Row(keys=("a", "b"), cells=(Estimate(value=float("nan")),)),),
            },
            "row a / b, column 'all', has .*nan",
        ),
    ],
)
def test_a_table_that_would_lose_something_is_refused(
    changes: dict[str, Any], message: str
) -> None:
    table = replaced(sample_table(), **changes)
    writers: tuple[Callable[[Table], object], ...] = (as_json, wide_csv, *WRITERS)
    for write in writers:
        with pytest.raises(ValueError, match=message):
            write(table)


# --- what every format says ----------------------------------------------------------------


@every_writer
def test_every_format_says_the_same_words(write: Callable[[Table], str]) -> None:
    text = " ".join(re.sub(r"\\textsuperscript\{a\}|<[^>]*>", " ", write(sample_table())).split())
    for words in ("Accuracy by model", "large (published)", "fewer than two groups", "70.0"):
        assert words in text
    assert text.count("(published)") == 1


@every_writer
def test_one_note_under_a_table_with_few_groups(write: Callable[[Table], str]) -> None:
    text = " ".join(write(one_row(FEW, ENOUGH, FEW)).split())
    assert text.count(FEW_GROUPS) == 3
    assert text.count(FEW_GROUPS_NOTE) == 1
    assert FEW_GROUPS not in write(one_row(ENOUGH))
    note = f"undetected: 2 % {format_interval(FEW, SHARE)} of 40"
    assert FEW_GROUPS_NOTE in " ".join(write(one_row(ENOUGH, notes=(note,))).split())


@pytest.mark.parametrize("write", [*WRITERS, wide_csv])
def test_control_characters_are_shown_in_every_format(write: Callable[[Table], str]) -> None:
    text = write(text_table("x\x1b[31m\x9b\u202ey"))
    assert not {"\x1b", "\x9b", "\u202e"} & set(text)
    assert "u001b" in text


def test_printable_keeps_letters_of_every_script() -> None:
    for text in ("जाती हूँ\n", "كاتبةٌ\u200c", "🤖\u200d", "é\t"):
        assert printable(text) == text


# --- JSON and frames -----------------------------------------------------------------------


def test_json_nests_keys_then_columns_and_rounds_nothing() -> None:
    table = as_json(sample_table())
    assert json.loads(json.dumps(table, allow_nan=False)) == table
    assert list(table) == ["Hindi", "Arabic"]
    first = {"value": 0.8123, "low": 0.78, "high": 0.841, "n": 120, "mark": "*"}
    assert table["Hindi"]["small"]["all"] == first
    assert table["Hindi"]["small"]["word"] == {"value": "जाती हूँ"}
    undefined = {"value": None, "low": None, "high": None, "n": 0}
    assert table["Hindi"]["large"]["all"] == {**undefined, "why": "fewer than two groups"}
    published = table["Arabic"]["large"]
    assert published["all"]["origin"] == published["word"]["origin"] == "published"
    assert published["p"]["why"] == "the paper prints no number"


def test_several_tables_go_by_name() -> None:
    two = [sample_table(), text_table("x")]
    assert tables_json(two) == {"2": as_json(two[0]), "t": as_json(two[1])}
    with pytest.raises(ValueError, match="Two tables are named '2'"):
        tables_json([sample_table(), sample_table()])


def test_a_run_may_be_called_as_the_paper_calls_its_model() -> None:
    """So are the models of every plan that `epicene sweep --paper` prints."""
    columns = (Column(name="all"),)
    ours = Row(keys=("Hindi", "Llama-70B"), cells=(estimate(0.5),))
    printed = Row(keys=("Hindi", "Llama-70B"), cells=(estimate(0.25),), origin="published")
    table = replaced(sample_table(), columns=columns, rows=(ours, printed))
    assert list(as_json(table)["Hindi"]) == ["Llama-70B", "Llama-70B (published)"]
    assert as_json(table)["Hindi"]["Llama-70B"]["all"]["value"] == 0.5
    assert list(as_json(replaced(table, rows=(printed,)))["Hindi"]) == ["Llama-70B"]
    lines = csv.DictReader(io.StringIO(wide_csv(table)))
    assert [line["origin"] for line in lines] == ["run", "published"]


def test_data_formats_hold_the_number_of_groups() -> None:
    both = one_row(FEW, Estimate(value=0.5, low=0.25, high=0.75, n=40))
    cells = as_json(both)["small"]
    assert cells["c0"]["groups"] == 19.99
    assert "groups" not in cells["c1"]
    (line,) = csv.DictReader(io.StringIO(wide_csv(both)))
    assert (line["c0 groups"], line["c1 groups"]) == ("19.99", "")
    long = csv.DictReader(io.StringIO(tables_csv([both])))
    assert [each["groups"] for each in long] == ["19.99", ""]
    assert table_frame(both)["c0 groups"].to_list() == [19.99]
    assert estimates_frame({"a": FEW})["groups"].to_list() == [19.99]


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


# --- CSV -----------------------------------------------------------------------------------


def test_csv_has_one_line_per_row() -> None:
    text = wide_csv(sample_table())
    assert text.count("\r\n") == 4
    lines = list(csv.DictReader(io.StringIO(text, newline="")))
    assert [lines[0][name] for name in ("all", "all low", "all n")] == ["0.8123", "0.78", "120"]
    assert (lines[1]["all"], lines[1]["all why"]) == ("", "fewer than two groups")
    assert [line["origin"] for line in lines] == ["run", "run", "published"]
    assert [line["word"] for line in lines] == ["जाती हूँ", "كاتبةٌ", "a | b"]
    # A number of a paper has no n; an undefined one of ours has none.
    assert [line["all n"] for line in lines] == ["120", "0", ""]
    assert [line["p n"] for line in lines] == ["", "", ""]


def test_several_tables_make_one_csv_with_a_line_per_cell() -> None:
    text = tables_csv([sample_table(), text_table("x")])
    lines = list(csv.DictReader(io.StringIO(text, newline="")))
    assert len(lines) == 3 * 5 + 1
    told = {name: value for name, value in lines[0].items() if value}
    assert told == {
        "table": "2", "language": "Hindi", "model": "small", "origin": "run", "column": "all",
        "value": "0.8123", "low": "0.78", "high": "0.841", "n": "120", "mark": "*",
    }  # fmt: skip
    assert lines[-1]["key"] == lines[-1]["value"] == "x"


def test_a_csv_never_has_two_columns_of_one_name() -> None:
    column = Column(name="n", unit="count")
    row = Row(keys=("run",), cells=(Estimate(value=1),))
    table = Table(name="t", title="", levels=("origin",), columns=(column,), rows=(row,))
    with pytest.raises(ValueError, match="the same name"):
        wide_csv(table)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_survives_csv(text: str) -> None:
    """Control characters are made visible, all others come back as they were."""
    (line,) = csv.DictReader(io.StringIO(wide_csv(text_table(text)), newline=""))
    shown = printable(text)
    assert line["key"] == line[f"column {shown}"] == escape_formula(shown)
    assert unescape_formula(line["key"]) == shown


@pytest.mark.parametrize("text", ["=SUM(A1)", "+1", "-1+2", "@x", "\t=1", "'=1"])
def test_no_text_in_csv_is_a_formula(text: str) -> None:
    """Neither in a key nor a cell nor the name of a column."""
    columns = (Column(name=f"{text}!", unit="text"), Column(name="number", unit="number"))
    table = replaced(one_row(text, Estimate(value=-0.5), columns=columns), levels=(text,))
    for written in (wide_csv(table), tables_csv([table])):
        fields = [field for line in csv.reader(io.StringIO(written, newline="")) for field in line]
        assert {f"'{text}", f"'{text}!", "-0.5"} <= set(fields)
        assert not {text, f"{text}!"} & set(fields)


# --- Markdown ------------------------------------------------------------------------------


def rendered(markdown: str) -> Tags:
    html = MarkdownIt("commonmark").enable("table").render(markdown)
    return Tags(html.replace("<br />", "<br>"))


def test_markdown_reads_as_a_table() -> None:
    text = as_markdown(sample_table())
    assert "| 81.2\\* [78.0, 84.1] |" in text
    page = rendered(text)
    assert page.text_of("strong") == ["Table 2: Accuracy by model"]
    assert page.text_of("th") == ["language", "model", "all (%)", "gap", "p", "times", "word"]
    cells = page.text_of("td")
    assert cells[:7] == [
        *("Hindi", "small", "81.2* [78.0, 84.1]", "-0.12 [-0.22, -0.02]", "<.001", "12345"),
        "जाती हूँ",
    ]
    assert cells[14:] == ["Arabic", "large (published)", "70.0", "– (a)", "– (b)", "0", "a | b"]
    below = ["a: fewer than two groups", "b: the paper prints no number", "Protocol epicene."]
    assert page.text_of("p") == below
    both = rendered(tables_markdown([sample_table(), text_table("y")]))
    assert [tag for tag, _ in both.elements].count("table") == 2


@given(TEXT)
def test_any_text_reads_as_itself_in_markdown(text: str) -> None:
    page = rendered(as_markdown(text_table(f"x{text}x")))
    # Lines become spaces of another kind, so words are compared; key and cell hold the same.
    assert " ".join(page.text_of("td")).split() == f"x{text}x".split() * 2


# --- HTML ----------------------------------------------------------------------------------


def test_html_names_rows_and_columns_and_explains_dashes() -> None:
    page = Tags(table_html(sample_table()))
    assert page.text_of("figcaption") == ["Table 2: Accuracy by model"]
    heads = [attributes for tag, attributes in page.elements if tag == "th"]
    assert [head["scope"] for head in heads] == ["col"] * 7 + ["row"] * 6
    assert ["again" in str(head["class"]) for head in heads[7:]] == [*(False,) * 2, True] + [
        False
    ] * 3
    titles = [attributes.get("title") for tag, attributes in page.elements if tag == "span"]
    assert titles.count("fewer than two groups") == 2
    assert " fewer than two groups" in page.text_of("li")
    texts = [attributes for tag, attributes in page.elements if tag == "td"]
    assert [cell["dir"] for cell in texts if "class" not in cell] == ["auto"] * 3


@given(TEXT | st.just(HOSTILE))
def test_any_text_reads_as_itself_in_html(text: str) -> None:
    assume("‡" not in text)  # a note with this mark has it explained
    text = f"x{text}x"
    page = Tags(table_html(text_table(text)))
    assert page.text_of("td") == [text]
    assert page.text_of("figcaption") == [f"t: {text}"]
    # In a note what stands between backticks is code; everywhere else they are what they are.
    noted = text.replace("`", "") if text.count("`") % 2 == 0 else text
    assert "".join(each for tag, each in page.texts if tag in ("li", "code")).strip() == noted
    known = "figure figcaption div table thead tbody tr th td ul li code wbr".split()
    assert {tag for tag, _ in page.elements} <= set(known)


# --- LaTeX ---------------------------------------------------------------------------------

# What a backslash or a brace may be part of in our LaTeX.
COMMANDS = re.compile(
    r"\\(?:text(?:backslash|asciitilde|asciicircum|less|greater|bar|quotedbl|quotesingle|"
    r"asciigrave)\{\}|ldots\{\}|[{}$&#_%])|(?<=[-,])\{\}"
)


def body(source: str) -> list[str]:
    inside = source[source.rindex(r"\midrule") : source.rindex(r"\bottomrule")]
    return inside.splitlines()[1:]


def test_latex_is_booktabs_with_reasons_below() -> None:
    text = as_latex(sample_table())
    assert body(text)[0].startswith(
        r"Hindi & small & 81.2* {\scriptsize [78.0, 84.1]} & "
        r"$-$0.12 {\scriptsize [$-$0.22, $-$0.02]} & \textless{}.001 & 12345 & "
    )
    assert body(text)[1].startswith(r" & large & --\textsuperscript{a} & 0.50 ")
    assert r"\textsuperscript{a} fewer than two groups" in text
    assert r"\begin{tabular}{@{}llrrrrl@{}}" in text
    assert r"\begin{adjustbox}{max width=\linewidth,max totalheight=0.8\textheight}" in text
    assert r"% Needs \usepackage{booktabs,adjustbox}" in text
    assert "% It has text in other scripts (Arabic, Devanagari): compile with LuaLaTeX" in text
    assert "LuaLaTeX" not in as_latex(text_table("élève, Straße, κ = .9, vṛkṣa, “so” … − ±"))


def test_labels_are_ascii_and_unlike() -> None:
    names = ["κ by facet", "MCC by facet", "2", "Δ SGA"]
    slugs = ["kappa-by-facet", "mcc-by-facet", "2", "delta-sga"]
    assert [*map(ascii_slug, names)] == slugs
    twice = tables_latex([text_table("a"), text_table("b")])
    assert re.findall(r"\\label\{(.*?)\}", twice) == ["tab:t", "tab:t-2"]


@given(TEXT)
def test_every_special_character_is_escaped_in_latex(text: str) -> None:
    left = COMMANDS.sub("", escape_latex(text))
    left = re.sub(r"\$(?:-|\\[A-Za-z]+)\$", "", left)
    assert not set(left) & set("\\{}$&#_%~^<>|\"'`")
    assert "\n" not in left


def test_signs_that_latex_would_join_are_kept_apart() -> None:
    assert escape_latex("--json") == "-{}-json"
    assert escape_latex("a–b, c,,d") == "a--b, c,{},d"
    assert latex_prose("see `x_1`, which lists") == r"see \texttt{x\_1}, which lists"
    assert latex_prose("one ` alone") == r"one \textasciigrave{} alone"


@given(TEXT)
def test_no_text_breaks_the_rows_of_latex(text: str) -> None:
    (row,) = body(as_latex(text_table(text)))
    assert row.endswith(r" \\")
    assert len(re.findall(r"(?<!\\)&", row)) == 1
    assert not row.lstrip().startswith(("[", "*"))


# --- the terminal --------------------------------------------------------------------------


@pytest.mark.parametrize("width", [40, 60, 80, 160])
def test_nothing_is_cut_at_any_width(width: int) -> None:
    text = terminal(sample_table(), width)
    assert "…" not in text
    assert max(map(cell_len, text.splitlines())) <= width
    if width == 160:
        assert "81.2* [78.0, 84.1]" in text
    assert text.count("Hindi") == 1 or width < 160
    letters = re.sub(r"[\s─]", "", text)
    assert all(sign in letters for sign in "8123" + "fewerthantwogroups")


def test_marks_above_letters_take_no_room() -> None:
    """The width of Arabic and Hindi is counted in cells, not in characters."""
    for line in terminal(text_table("كَاتِبَةٌ " * 3), 60).splitlines():
        assert cell_len(line) <= 60


def test_markup_is_text_in_the_terminal() -> None:
    assert "[bold]x[/bold]" in terminal(text_table("[bold]x[/bold]"))


@every_writer
def test_a_table_without_rows_or_columns_is_one(write: Callable[[Table], str]) -> None:
    empty = Table(name="e", title="Nothing", levels=("a",), columns=(), rows=())
    assert "Nothing" in write(empty)
