"""Tables as JSON, CSV, Markdown, LaTeX, HTML and at the terminal."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from rich.console import Console

from epicene.core.data_files import escape_formula, unescape_formula
from epicene.core.records import Column, Estimate, Row, Table
from epicene.show.latex import as_latex
from epicene.show.layout import printable
from epicene.show.page import table_html
from epicene.show.table_formats import (
    as_json,
    as_markdown,
    rich_table,
    tables_csv,
    tables_json,
    tables_markdown,
    wide_csv,
)
from show.report_samples import HOSTILE, Tags, estimate, sample_table, text_table

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
    assert [line["origin"] for line in csv.DictReader(io.StringIO(wide_csv(table)))] == [
        "run",
        "published",
    ]
    for render in (as_markdown, as_latex, table_html):
        assert render(table).count("(published)") == 1


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
    for render in (as_json, wide_csv, as_markdown, as_latex, table_html, rich_table):
        with pytest.raises(ValueError, match=message):
            render(table)


# --- CSV -----------------------------------------------------------------------------------


def test_csv_has_one_line_per_row() -> None:
    text = wide_csv(sample_table())
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
        "groups": "",
        "mark": "*",
    }
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
    table = Table(
        name="t",
        title="",
        levels=(text,),
        columns=(Column(name=f"{text}!", unit="text"), Column(name="number", unit="number")),
        rows=(Row(keys=(text,), cells=(text, Estimate(value=-0.5, low=-1.0, high=0.0))),),
    )
    for written in (wide_csv(table), tables_csv([table])):
        fields = [field for line in csv.reader(io.StringIO(written, newline="")) for field in line]
        assert f"'{text}" in fields
        assert f"'{text}!" in fields
        assert not {text, f"{text}!"} & set(fields)
        assert "-0.5" in fields  # a number is one


def test_a_number_of_a_paper_has_no_n_and_an_undefined_one_of_ours_may_have_none() -> None:
    lines = list(csv.DictReader(io.StringIO(wide_csv(sample_table()), newline="")))
    assert [line["all n"] for line in lines] == ["120", "0", ""]
    assert [line["p n"] for line in lines] == ["", "", ""]
    long = csv.DictReader(io.StringIO(tables_csv([sample_table()]), newline=""))
    assert {line["n"] for line in long if line["origin"] == "published"} == {""}


# --- a number without an interval ----------------------------------------------------------

ONE_GROUP = "no interval: there is one group only"


def bare_table() -> Table:
    """A number with an interval, one without and why, one that has none by its kind, a dash."""
    numbers = (
        estimate(0.5),
        Estimate(value=0.25, n=3, why=ONE_GROUP),
        Estimate(value=0.75, n=3),
        Estimate(value=None, why="there are no items"),
    )
    return Table(
        name="bare",
        title="Numbers",
        levels=("model",),
        columns=tuple(Column(name=name) for name in "abcd"),
        rows=(Row(keys=("small",), cells=numbers),),
    )


def test_why_there_is_no_interval_is_said_wherever_the_number_is() -> None:
    table = bare_table()
    assert as_json(table)["small"]["b"]["why"] == ONE_GROUP
    assert "why" not in as_json(table)["small"]["c"]
    (line,) = csv.DictReader(io.StringIO(wide_csv(table), newline=""))
    assert (line["b"], line["b why"], line["a why"], line["c why"]) == ("0.25", ONE_GROUP, "", "")
    assert "| 25.0 (a) | 75.0 | – (b) |" in as_markdown(table)
    assert f"\na: {ONE_GROUP}\n" in as_markdown(table)
    assert r"25.0\textsuperscript{a} & 75.0 & --\textsuperscript{b}" in as_latex(table)
    assert rf"\textsuperscript{{a}} {ONE_GROUP}\par" in as_latex(table)
    assert "25.0 (a)" in shown(table)
    assert f"a: {ONE_GROUP}" in shown(table)
    page = Tags(table_html(table))
    assert ("span", "25.0") in [(tag, text.strip()) for tag, text in page.texts]
    assert f" {ONE_GROUP}" in page.text_of("li")
    assert page.text_of("sup") == ["a", "b", "a", "b"]


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


# --- HTML ----------------------------------------------------------------------------------


def test_html_names_rows_and_columns_and_explains_dashes() -> None:
    page = Tags(table_html(sample_table()))
    assert page.text_of("figcaption") == ["Table 2: Accuracy by model"]
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
    assume("‡" not in text)  # a note with this mark has it explained
    text = f"x{text}x"
    page = Tags(table_html(text_table(text)))
    assert page.text_of("td") == [text]
    assert page.text_of("figcaption") == [f"t: {text}"]
    # In a note what stands between backticks is code; everywhere else they are what they are.
    noted = text.replace("`", "") if text.count("`") % 2 == 0 else text
    assert "".join(each for tag, each in page.texts if tag in ("li", "code")).strip() == noted
    assert {tag for tag, _ in page.elements} <= {
        *(
            "figure",
            "figcaption",
            "div",
            "table",
            "thead",
            "tbody",
            "tr",
            "th",
            "td",
            "ul",
            "li",
            "code",
            "wbr",
        ),
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


def test_an_empty_key_does_not_look_like_a_repetition_of_the_one_above() -> None:
    cells = (Estimate(value=0.5, n=9),)
    keys = [("causal", "multilingual", "BLOOM"), ("causal", "", "own"), ("people", "", "people")]
    rows = tuple(Row(keys=each, cells=cells) for each in keys)
    columns = (Column(name="accuracy", unit="share"),)
    levels = ("type", "languages", "model")
    text = shown(Table(name="t", title="T", levels=levels, columns=columns, rows=rows))
    words = [line.split() for line in text.splitlines()]
    assert ["–", "own"] in [each[:2] for each in words]
    assert ["people", "people"] in [each[:2] for each in words]


def test_no_text_steers_the_terminal() -> None:
    text = shown(text_table("[bold]x[/bold]\x1b]0;title\x07\x1b[31mred\x9b"))
    assert "\x1b" not in text
    assert "\x9b" not in text
    assert "[bold]x[/bold]" in text


@pytest.mark.parametrize("write", [as_markdown, wide_csv, as_latex])
def test_control_characters_are_shown_in_every_format(write: Any) -> None:
    text = write(text_table("x\x1b[31m\x9b\u202ey"))
    assert not {"\x1b", "\x9b", "\u202e"} & set(text)
    assert "u001b" in text


def test_printable_keeps_letters_of_every_script() -> None:
    for text in ("जाती हूँ\n", "كاتبةٌ\u200c", "🤖\u200d", "é\t"):
        assert printable(text) == text
