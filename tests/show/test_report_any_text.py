"""Whatever a text holds, figures, pages and LaTeX that show it are valid."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from epicene.core.records import Figure
from epicene.show.charts import ChartRows, bars
from epicene.show.figures import inline_svg, png, svg
from epicene.show.latex import as_latex
from epicene.show.page import Overview, PageSection, TableGroup, render_page, table_html
from epicene.show.table_formats import as_markdown
from show.report_samples import text_table

# Controls, what XML and HTML forbid, halves of characters, and signs that mean something to them.
NASTY = "\0\x01\x08\t\n\x0b\r\x1b\x7f\x80\x85\x9f\u2028\u2029\u202e\ud800\udfff\ufdd0\ufffe\uffff"
NASTY += "\U0001fffe\U0010ffff<>&\"'\\{}$%#_^~`|]"
TEXT = st.text(st.sampled_from(NASTY) | st.characters(exclude_categories=()), max_size=12)

# Neither XML 1.0 nor HTML has these, nor can a LaTeX file.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def figure(text: str) -> Figure:
    rows: ChartRows = [{"rule": text, "share": 0.5}, {"rule": "other", "share": 0.25}]
    return bars("f", text, rows, x="rule", y="share", color="rule", notes=[text])


def check_xml(drawn: str) -> None:
    assert not _FORBIDDEN.search(drawn)
    assert ET.fromstring(drawn.encode()).tag.endswith("svg")


@settings(max_examples=40)
@given(text=TEXT)
@example(text=NASTY)
def test_figures_are_valid_xml(text: str) -> None:
    drawn = svg(figure(text))
    check_xml(drawn)
    check_xml(inline_svg(figure(text), "a-"))
    assert png(drawn, scale=0.1).startswith(b"\x89PNG")


@pytest.mark.parametrize("sign", ["\0", "\x1b", "\uffff", "\u2028", "\ud800"])
def test_a_control_character_is_drawn_as_its_number(sign: str) -> None:
    assert f"a\\u{ord(sign):04x}b" in svg(figure(f"a{sign}b"))


def test_labels_that_differ_in_a_control_character_stay_apart() -> None:
    rows: ChartRows = [{"rule": sign, "share": 0.5} for sign in ("a\0", "a\x01")]
    drawn = svg(bars("f", "t", rows, x="rule", y="share"))
    assert {r"a\u0000", r"a\u0001"} <= set(re.findall(r">(a[^<]*)</text>", drawn))


@settings(max_examples=25)
@given(text=TEXT)
@example(text=NASTY)
def test_pages_are_valid(text: str) -> None:
    section = PageSection(
        heading=text,
        question=text,
        method=(text,),
        groups=(TableGroup(heading=text, tables=(text_table(text),)),),
        drawings=(figure(text),),
    )
    page = render_page(text, [section], Overview(data=text, facts=(text,)))
    assert not _FORBIDDEN.search(page.replace("\r", ""))
    assert page.encode().decode() == page
    drawings = re.findall(r"<svg font-family.*?</svg>", page, re.S)
    for drawn in drawings:
        check_xml(drawn)
    assert drawings


@given(text=TEXT)
@example(text=NASTY)
def test_tables_are_valid(text: str) -> None:
    for written in (as_latex(text_table(text)), as_markdown(text_table(text))):
        assert not _FORBIDDEN.search(written)
        assert written.encode().decode() == written
    assert not _FORBIDDEN.search(table_html(text_table(text)))
    bare = re.sub(r"\\[{}%]", "", as_latex(text_table(text)))
    body = "\n".join(line for line in bare.split("\n") if not line.startswith("%"))
    assert body.count("{") == body.count("}")
