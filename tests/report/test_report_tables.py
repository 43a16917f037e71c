"""Tables as JSON, CSV, Markdown, LaTeX, HTML and at the terminal."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from rich.console import Console

from epicene.records import Column, Estimate, Row, Table
from epicene.report.latex import as_latex, escape
from epicene.report.layout import printable
from epicene.report.page import table_html
from epicene.report.plain import (
    as_csv,
    as_json,
    as_markdown,
    tables_csv,
    tables_json,
    tables_latex,
    tables_markdown,
)
from epicene.report.terminal import rich_table
from report.report_samples import HOSTILE, Tags, sample_table, text_table

# Every character a person could type, and those that mean something to some format.
TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"])) | st.text("|\\`*_[]<>~$#&%{}^\"'!a ")


def replaced(table: Table, **changes: Any) -> Table:
    return msgspec.structs.replace(table, **changes)


# --- JSON ----------------------------------------------------------------------------------


def test_json_nests_keys_then_columns_and_rounds_nothing() -> None:
    table = as_json(sample_table())
    assert json.loads(json.dumps(table, allow_nan=False)) == table
    assert list(table) == ["Hindi", "Arabic"]
    assert table["Hindi"]["small"]["all"] == {
        "value": 0.8123,
        "low": 0.78,
        "high": 0.841,
        "n": 120,
        "mark": "*",
    }
    assert table["Hindi"]["small"]["word"] == {"value": "जाती हूँ"}
    undefined = {"value": None, "low": None, "high": None, "n": 0}
    assert table["Hindi"]["large"]["all"] == {**undefined, "why": "fewer than two groups"}
    published = table["Arabic"]["large"]
    assert published["all"]["origin"] == published["word"]["origin"] == "published"
    assert published["p"]["why"] == "the paper prints no number"


def test_several_tables_go_by_name() -> None:
    two = [sample_table(), text_table("x")]
    assert tables_json(two) == {"2": as_json(two[0]), "t": as_json(two[1])}
    with pytest.raises(ValueError, match="two tables named '2'"):
        tables_json([sample_table(), sample_table()])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rows": sample_table().rows[:1] * 2}, "two rows with the keys Hindi / small"),
        ({"columns": (Column(name="all"),) * 5}, "two columns named 'all'"),
        ({"levels": ("language",)}, "has 2 keys and 5 cells; 1 and 5 are wanted"),
        ({"columns": (Column(name="all"),)}, "has 2 keys and 5 cells; 2 and 1 are wanted"),
        ({"levels": ()}, "no level of keys"),
        (
            {
                "columns": (Column(name="all"),),
                "rows": (Row(keys=("a", "b"), cells=(Estimate(value=float("nan")),)),),
            },
            "row a / b, column 'all' holds .*nan",
        ),
    ],
)
def test_a_table_that_would_lose_something_is_refused(
    changes: dict[str, Any], message: str
) -> None:
    table = replaced(sample_table(), **changes)
    for render in (as_json, as_csv, as_markdown, as_latex, table_html, rich_table):
        with pytest.raises(ValueError, match=message):
            render(table)


# --- CSV -----------------------------------------------------------------------------------


def test_csv_has_one_line_per_row() -> None:
    text = as_csv(sample_table())
    assert text.count("\r\n") == 4
    lines = list(csv.DictReader(io.StringIO(text, newline="")))
    assert lines[0]["all"] == "0.8123"
    assert lines[0]["all low"] == "0.78"
    assert lines[0]["all n"] == "120"
    assert lines[1]["all"] == ""
    assert lines[1]["all why"] == "fewer than two groups"
    assert [line["origin"] for line in lines] == ["run", "run", "published"]
    assert [line["word"] for line in lines] == ["जाती हूँ", "كاتبةٌ", "a | b"]


def test_several_tables_make_one_csv_with_a_line_per_cell() -> None:
    lines = list(
        csv.DictReader(io.StringIO(tables_csv([sample_table(), text_table("x")]), newline=""))
    )
    assert len(lines) == 3 * 5 + 1
    assert lines[0] == {
        "table": "2",
        "language": "Hindi",
        "model": "small",
        "key": "",
        "origin": "run",
        "column": "all",
        "value": "0.8123",
        "low": "0.78",
        "high": "0.841",
        "n": "120",
        "why": "",
        "mark": "*",
    }
    assert lines[-1]["key"] == lines[-1]["value"] == "x"


def test_a_csv_never_has_two_columns_of_one_name() -> None:
    column = Column(name="n", unit="count")
    row = Row(keys=("run",), cells=(Estimate(value=1),))
    table = Table(name="t", title="", levels=("origin",), columns=(column,), rows=(row,))
    with pytest.raises(ValueError, match="one name"):
        as_csv(table)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_survives_csv(text: str) -> None:
    (line,) = csv.DictReader(io.StringIO(as_csv(text_table(text)), newline=""))
    assert line["key"] == line[f"column {text}"] == text


# --- Markdown ------------------------------------------------------------------------------


def rendered(markdown: str) -> Tags:
    html = MarkdownIt("commonmark").enable("table").render(markdown)
    return Tags(html.replace("<br />", "<br>"))


def test_markdown_reads_as_a_table() -> None:
    text = as_markdown(sample_table())
    assert "| 81.2\\* [78.0, 84.1] |" in text
    page = rendered(text)
    assert page.text_of("strong") == ["Table 2: Accuracy by model"]
    assert page.text_of("th") == [
        *("language", "model", "all (%)", "gap", "p", "times", "word"),
    ]
    cells = page.text_of("td")
    assert cells[:7] == [
        *("Hindi", "small", "81.2* [78.0, 84.1]", "-0.12 [-0.22, -0.02]", "<.001", "12345"),
        "जाती हूँ",
    ]
    assert cells[14:] == [
        *("Arabic", "large (published)", "70.0", "– (a)", "– (b)", "0", "a | b"),
    ]
    assert page.text_of("p") == [
        "a: fewer than two groups",
        "b: the paper prints no number",
        "Protocol epicene.",
    ]


@given(TEXT)
def test_any_text_reads_as_itself_in_markdown(text: str) -> None:
    page = rendered(as_markdown(text_table(f"x{text}x")))
    # Lines become spaces of another kind, so words are compared; key and cell hold the same.
    assert " ".join(page.text_of("td")).split() == f"x{text}x".split() * 2


def test_markdown_documents_keep_tables_apart() -> None:
    page = rendered(tables_markdown([sample_table(), text_table("y")]))
    assert [tag for tag, _ in page.elements].count("table") == 2


# --- LaTeX ---------------------------------------------------------------------------------


def test_latex_is_booktabs_with_reasons_below() -> None:
    text = as_latex(sample_table())
    assert r"\begin{tabular}{llrrrrl}" in text
    assert r"Hindi & small & 81.2* [78.0, 84.1] & $-$0.12 [$-$0.22, $-$0.02]" in text
    assert r" & large & --\textsuperscript{a} & 0.50 [0.40, 0.60] & .043 & 3 & كاتبةٌ \\" in text
    assert r"\textsuperscript{a} fewer than two groups\par" in text
    assert (
        r"Arabic & large (published) & 70.0 & --\textsuperscript{a} & --\textsuperscript{b}" in text
    )
    assert text.index(r"\addlinespace") < text.index("Arabic & large")
    assert "% It holds text in Arabic and Devanagari" in text
    assert r"\label{tab:2}" in text


def test_latex_gives_plus_minus_only_where_the_interval_is_symmetric() -> None:
    text = as_latex(sample_table(), "plus-minus")
    assert r"81.2* [78.0, 84.1]" in text  # 3.2 below, 2.9 above
    assert r"$-$0.12 $\pm$ 0.10" in text


def test_latex_of_latin_text_asks_for_no_other_engine() -> None:
    assert "XeLaTeX" not in as_latex(text_table("élève, Straße, κ = .9"))
    assert tables_latex([text_table("a"), text_table("b")]).count(r"\begin{table}") == 2


# What a backslash may begin in our LaTeX.
COMMANDS = re.compile(
    r"\\(?:text(?:backslash|asciitilde|asciicircum|less|greater|bar|quotedbl|quotesingle|"
    r"asciigrave)\{\}|ldots\{\}|[{}$&#_%])"
)


@given(TEXT)
def test_every_special_character_is_escaped_in_latex(text: str) -> None:
    left = COMMANDS.sub("", escape(text))
    left = re.sub(r"\$(?:-|\\[A-Za-z]+)\$", "", left)
    assert not set(left) & set("\\{}$&#_%~^<>|\"'`")
    assert "\n" not in left


@given(TEXT)
def test_no_text_breaks_the_rows_of_latex(text: str) -> None:
    source = as_latex(text_table(text))
    inside = source[source.index(r"\midrule") : source.index(r"\bottomrule")]
    (row,) = inside.splitlines()[1:-1]
    assert row.endswith(r" \\")
    assert len(re.findall(r"(?<!\\)&", row)) == 1
    assert not row.lstrip().startswith(("[", "*"))


# --- HTML ----------------------------------------------------------------------------------


def test_html_names_rows_and_columns_and_explains_dashes() -> None:
    page = Tags(table_html(sample_table()))
    assert page.text_of("caption") == ["Table 2: Accuracy by model"]
    heads = [attributes for tag, attributes in page.elements if tag == "th"]
    assert [head["scope"] for head in heads] == ["col"] * 7 + ["row"] * 5
    assert [head.get("rowspan") for head in heads if head["scope"] == "row"] == [
        *("2", None, None, None, None),
    ]
    titles = [attributes.get("title") for tag, attributes in page.elements if tag == "span"]
    assert titles.count("fewer than two groups") == 2
    assert " fewer than two groups" in page.text_of("li")
    assert "large (published)" in page.text_of("th")
    texts = [attributes for tag, attributes in page.elements if tag == "td"]
    assert [cell["dir"] for cell in texts if "class" not in cell] == ["auto"] * 3


@given(TEXT | st.just(HOSTILE))
def test_any_text_reads_as_itself_in_html(text: str) -> None:
    text = f"x{text}x"
    page = Tags(table_html(text_table(text)))
    assert page.text_of("td") == [text]
    assert page.text_of("caption") == [f"t: {text}"]
    # In a note what stands between backticks is code; everywhere else they are what they are.
    noted = text.replace("`", "") if text.count("`") % 2 == 0 else text
    assert "".join(each for tag, each in page.texts if tag in ("li", "code")).strip() == noted
    assert {tag for tag, _ in page.elements} <= {
        *("div", "table", "caption", "thead", "tbody", "tr", "th", "td", "ul", "li", "code", "wbr"),
    }


# --- the terminal --------------------------------------------------------------------------


def shown(table: Table) -> str:
    console = Console(file=io.StringIO(), width=160)
    with console.capture() as capture:
        console.print(rich_table(table))
    return capture.get()


def test_the_terminal_shows_the_same_words() -> None:
    text = shown(sample_table())
    assert "Table 2: Accuracy by model" in text
    assert "81.2* [78.0, 84.1]" in text
    assert "large (published)" in text
    assert "a: fewer than two groups" in text
    assert text.count("Hindi") == 1


def test_no_text_steers_the_terminal() -> None:
    text = shown(text_table("[bold]x[/bold]\x1b]0;title\x07\x1b[31mred\x9b"))
    assert "\x1b" not in text
    assert "\x9b" not in text
    assert "[bold]x[/bold]" in text


def test_printable_keeps_letters_of_every_script() -> None:
    for text in ("जाती हूँ\n", "كاتبةٌ\u200c", "🤖\u200d", "é\t"):
        assert printable(text) == text
