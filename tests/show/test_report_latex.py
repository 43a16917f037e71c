"""Tables as LaTeX: what is written; `benchmarks/latex_pages.py` sets tables with a real TeX."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from epicene.core.records import Column, Row, Table
from epicene.show.latex import (
    as_latex,
    ascii_slug,
    breakable_latex,
    escape_latex,
    latex_prose,
    tables_latex,
    unprintable,
)
from show.report_samples import estimate, sample_table, text_table

# Every character a person could type, and those that mean something to LaTeX.
TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"])) | st.text(
    "|\\`*_[]<>~$#&%{}^\"'!a-, "
)


def numbers_table(columns: int, rows: int, levels: int = 1, word: str = "key") -> Table:
    """Shares with intervals; every row has a first key of four."""
    return Table(
        name="wide",
        title="Many numbers",
        levels=tuple(f"level {n}" for n in range(levels)),
        columns=tuple(Column(name=f"column_{n}") for n in range(columns)),
        rows=tuple(
            Row(
                keys=(*(f"{word} {row // 4}" for _ in range(levels - 1)), f"{word} {row}"),
                cells=tuple(estimate(0.5) for _ in range(columns)),
            )
            for row in range(rows)
        ),
    )


def body(source: str) -> list[str]:
    """The rows of a table of one panel."""
    inside = source[source.rindex(r"\midrule") : source.rindex(r"\bottomrule")]
    return inside.splitlines()[1:]


def test_latex_is_booktabs_with_reasons_below() -> None:
    text = as_latex(sample_table())
    first = r"Hindi & small & 81.2* \linebreak {\scriptsize [78.0,~84.1]} & "
    assert first + r"$-$0.12 \linebreak {\scriptsize [$-$0.22,~$-$0.02]}" in text
    assert (
        r" & large & --\textsuperscript{a} & 0.50 \linebreak {\scriptsize [0.40,~0.60]} & " in text
    )
    assert r"\textsuperscript{a} fewer than two groups\par" in text
    assert (
        r"Arabic & large (published) & 70.0 & --\textsuperscript{a} & --\textsuperscript{b}" in text
    )
    assert text.index(r"\addlinespace") < text.index("Arabic & large")
    assert r"\label{tab:2}" in text
    assert r"% Needs \usepackage{booktabs,array,longtable,adjustbox}" in text


# --- which engine --------------------------------------------------------------------------


def test_latex_says_which_engine_other_scripts_want() -> None:
    text = as_latex(sample_table())
    assert "% It contains text in Arabic and Devanagari: compile with LuaLaTeX" in text
    assert "LuaLaTeX" not in as_latex(text_table("élève, Straße, κ = .9, vṛkṣa, “so” … − ±"))
    assert "% It contains signs such as ✓: compile with" in as_latex(text_table("✓"))


def test_what_pdflatex_prints_is_known_letter_by_letter() -> None:
    # From a document of all these letters: pdfLaTeX of TeX Live 2022 stops at the second kind.
    assert unprintable(["àÿĀśŋŒž", "ḍṇṛṭ‘’“”„–—…†‡•€"]) == ([], [])
    assert unprintable(["ħ", "ə", "ṽ"]) == ([], ["ħ", "ə", "ṽ"])
    assert unprintable(["r\u0303", "a\u200db"]) == ([], ["U+0303", "U+200D"])
    assert unprintable(["Ωж", "जाती हूँ"]) == (["Cyrillic", "Devanagari", "Greek"], [])


# --- that it fits --------------------------------------------------------------------------

PARAGRAPH = re.compile(r">\{\\ragged(?:left|right)\\arraybackslash\}p\{([\d.]+)\\linewidth\}")


def test_intervals_stand_below_their_numbers_where_they_do_not_fit_beside() -> None:
    beside, below = (as_latex(numbers_table(n, 2)) for n in (3, 6))
    assert body(beside)[0].startswith(r"key 0 & 50.0 {\scriptsize [47.0,~53.0]} & 50.0")
    interval = r"50.0 \linebreak {\scriptsize [47.0,~53.0]}"
    assert body(below)[0] == rf"key 0 & {' & '.join([interval] * 6)} \\"
    assert not PARAGRAPH.search(beside)
    assert PARAGRAPH.search(below)


def test_a_float_is_no_larger_than_its_page() -> None:
    text = as_latex(numbers_table(3, 20))
    assert r"\begin{adjustbox}{max width=\linewidth,max totalheight=0.80\textheight}" in text


def test_columns_that_do_not_fit_stand_in_further_panels_with_their_keys() -> None:
    text = as_latex(numbers_table(14, 2))
    assert text.count(r"\begin{table}") == 1
    assert text.count(r"\begin{tabular}{@{}l") == 3
    assert len(re.findall(r"^key 1 & ", text, re.MULTILINE)) == 3
    assert text.count(r"\caption") == text.count(r"\label") == 1


def test_what_is_higher_than_a_page_goes_over_several() -> None:
    text = as_latex(numbers_table(3, 80))
    assert r"\begin{longtable}" in text
    assert r"\begin{table}" not in text
    assert r"\onecolumn" in text.split(r"\begingroup")[0]
    assert r"\begin{longtable}" not in as_latex(numbers_table(3, 20))


def test_panels_of_a_long_table_share_its_number_and_label() -> None:
    text = as_latex(numbers_table(12, 60))
    panels = text.count(r"\begin{longtable}")
    assert panels == 2
    assert text.count(r"\addtocounter{table}{-1}") == text.count("(more columns)") == panels - 1
    assert text.count(r"\label{") == 1


def test_keys_are_repeated_on_every_row_of_a_long_table() -> None:
    """A page may end anywhere."""
    assert len(re.findall("key 3 & key 1[2345] & ", as_latex(numbers_table(2, 80, 2)))) == 4
    assert len(re.findall("key 3 & key 1[2345] & ", as_latex(numbers_table(2, 16, 2)))) == 1


def test_upper_keys_stand_above_their_rows_where_they_leave_no_room_beside() -> None:
    table = numbers_table(5, 8, 4, "ratherlongkey")
    text = as_latex(table)
    above = " · ".join([r"ratherlongkey 1"] * 3)
    assert text.count(rf"{{\textit{{{above}}}}} \\*") == 1
    assert rf"{{\textit{{{' · '.join(table.levels[:3])}}}}} \\*" in text
    assert text.count(r"\begin{tabular}") == 1


def test_upper_keys_wider_than_the_page_are_broken() -> None:
    text = as_latex(numbers_table(12, 60, 3, "a key of many words " * 5))
    above = re.findall(r"\\multicolumn\{\d+\}\{@\{\}(.*?)\}\{\\textit\{a key", text)
    assert set(above) == {r"p{\linewidth}"}


def test_long_texts_are_paragraphs_and_long_names_may_be_broken() -> None:
    name = "an_organisation/with_a_rather_long_name/and_a_model_of_the_same"
    table = Table(
        name="t",
        title="",
        levels=("model",),
        columns=(Column(name="said", unit="text"),),
        rows=(Row(keys=(name,), cells=("so many words that " * 9,)),),
    )
    text = as_latex(table)
    assert len(PARAGRAPH.findall(text)) == 2
    assert r"organisation/\allowbreak{}with\_\allowbreak{}a" in text


@given(
    st.integers(1, 30),
    st.integers(1, 90),
    st.integers(1, 5),
    st.text("ab ", min_size=1, max_size=40),
)
def test_every_column_is_in_one_panel_and_every_row_in_each(
    columns: int, rows: int, levels: int, word: str
) -> None:
    source = as_latex(numbers_table(columns, rows, levels, word))
    heads = dict.fromkeys(re.findall(r"^.*column\\_\\allowbreak.*$", source, re.MULTILINE))
    names = [name for head in heads for name in re.findall(r"column\\_\\allowbreak\{\}\d+", head)]
    assert names == [rf"column\_\allowbreak{{}}{n}" for n in range(columns)]
    fields = [
        line.count(" & ")
        for line in source.splitlines()
        if "scriptsize" in line and line.endswith(r"\\")
    ]
    assert len(fields) == rows * len(heads)
    assert set(fields) == {head.count(" & ") for head in heads}
    # Paragraphs take their widths from one line.
    for panel in re.findall(r"\\begin\{(?:tabular|longtable)\}.*", source):
        assert sum(map(float, PARAGRAPH.findall(panel))) <= 1 or panel.count("p{") <= levels + 1


# --- labels --------------------------------------------------------------------------------


def test_labels_are_ascii_and_unlike() -> None:
    assert [ascii_slug(name) for name in ("κ by facet", "MCC by facet", "2", "Δ SGA")] == [
        "kappa-by-facet", "mcc-by-facet", "2", "delta-sga",
    ]  # fmt: skip
    twice = tables_latex([text_table("a"), text_table("b")])
    assert re.findall(r"\\label\{(.*?)\}", twice) == ["tab:t", "tab:t-2"]


# --- escaping ------------------------------------------------------------------------------

# What a backslash or a brace may be part of in our LaTeX.
COMMANDS = re.compile(
    r"\\(?:text(?:backslash|asciitilde|asciicircum|less|greater|bar|quotedbl|quotesingle|"
    r"asciigrave)\{\}|ldots\{\}|[{}$&#_%])|(?<=[-,])\{\}"
)


@given(TEXT)
def test_every_special_character_is_escaped_in_latex(text: str) -> None:
    left = COMMANDS.sub("", escape_latex(text))
    left = re.sub(r"\$(?:-|\\[A-Za-z]+)\$", "", left)
    assert not set(left) & set("\\{}$&#_%~^<>|\"'`")
    assert "\n" not in left


def test_signs_that_latex_would_join_are_kept_apart() -> None:
    assert escape_latex("--json") == "-{}-json"
    assert escape_latex("a–b, c,,d") == "a--b, c,{},d"
    assert latex_prose("`x_1` lists them") == r"\texttt{x\_\allowbreak{}1} lists them"
    assert latex_prose("one ` alone") == r"one \textasciigrave{} alone"


@given(TEXT)
def test_breaking_changes_no_text(text: str) -> None:
    assert " ".join(breakable_latex(text).replace(r"\allowbreak{}", "").split()) == escape_latex(
        text
    )


@given(TEXT)
def test_no_text_breaks_the_rows_of_latex(text: str) -> None:
    (row,) = body(as_latex(text_table(text)))
    assert row.endswith(r" \\")
    assert len(re.findall(r"(?<!\\)&", row)) == 1
    assert not row.lstrip().startswith(("[", "*"))


def test_a_table_without_rows_or_columns_is_one() -> None:
    empty = Table(name="t", title="", levels=("key",), columns=(), rows=())
    assert r"\begin{tabular}{@{}l@{}}" in as_latex(empty)
    bare = Table(
        name="t", title="", levels=("key",), columns=(), rows=(Row(keys=("a",), cells=()),)
    )
    assert body(as_latex(bare)) == [r"a \\"]
