"""How a report looks in a real browser: on a phone, in the dark, on paper, from the keyboard."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from epicene.core.records import Column, Estimate, Figure, Row, Table
from epicene.show import charts, figures
from epicene.show.page import PageSection, TableGroup, render_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PHONE = {"width": 375, "height": 800}
Numbers = list[dict[str, charts.Value]]


def broad() -> Table:
    """Wider than a phone; two levels, so that the first key stands for two rows."""
    cell = Estimate(value=0.5, low=0.25, high=0.75, n=40)
    return Table(
        name="2",
        title="Accuracy of every model in every language, by all measures there are",
        levels=("model", "language"),
        columns=tuple(Column(name=f"measure {n}") for n in range(12)),
        rows=tuple(
            Row(keys=("a model of an organisation", code), cells=(cell,) * 12)
            for code in ("ar", "hi")
        ),
    )


def narrow() -> Table:
    return Table(
        name="3",
        title="Short",
        levels=("model",),
        columns=(Column(name="n"),),
        rows=(Row(keys=("m",), cells=(Estimate(value=0.5),)),),
    )


def all_figures() -> tuple[Figure, ...]:
    """Every kind of drawing, with all colours of the palette, intervals and a line."""
    rows: Numbers = [
        {
            "model": f"m{n}",
            "rule": "a rule",
            "size": 1e9 * (n + 1),
            "share": Estimate(value=n / 8, low=max(0, n / 8 - 0.1), high=n / 8 + 0.1),
        }
        for n in range(len(charts.PALETTE))
    ]
    share: dict[str, Any] = {"unit": "share"}
    return (
        charts.bars("1", "t", rows, x="model", y="share", color="model", reference=0.5, **share),
        charts.points_with_intervals("2", "t", rows, x="share", y="model", facet="rule", **share),
        charts.lines("3", "t", rows, x="size", y="share", color="model", log_x=True, **share),
        charts.scatter("4", "t", rows, x="size", y="share", label="model", log_x=True, **share),
        charts.heatmap("5", "t", rows, x="model", y="rule", value="share", **share),
    )


@pytest.fixture
def opened(chromium: Browser, tmp_path: Path) -> Iterator[Callable[..., Page]]:
    contexts = []

    def open_page(drawn: tuple[Figure, ...] = (), **settings: Any) -> Page:
        file = tmp_path / "report.html"
        tables = TableGroup(heading="", tables=(broad(), narrow()))
        section = PageSection(heading="All", groups=(tables,), drawings=drawn)
        file.write_text(render_page("A study", [section]), encoding="utf-8")
        contexts.append(chromium.new_context(**{"viewport": PHONE, **settings}))
        tab = contexts[-1].new_page()
        tab.goto(f"{file.as_uri()}#all")
        for fold in tab.locator(".page:last-of-type details").all():
            fold.evaluate("fold => { fold.open = true; }")
        return tab

    yield open_page
    for context in contexts:
        context.close()


# --- a small screen ------------------------------------------------------------------------


@pytest.mark.browser
def test_caption_and_row_heads_stay_in_view_while_a_table_scrolls(
    opened: Callable[..., Page],
) -> None:
    tab = opened()
    table = tab.locator(".table").first
    box = table.locator(".scroll")
    assert tab.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    assert box.evaluate("box => box.scrollWidth > box.clientWidth")
    box.evaluate("box => { box.scrollLeft = 200; }")
    assert box.evaluate("box => box.scrollLeft") == 200
    for part in (
        "thead th:first-child",
        "tbody th:first-child",
    ):
        seen = table.locator(part).first.bounding_box()
        assert seen is not None
        assert seen["x"] >= 0
        assert seen["x"] + seen["width"] <= PHONE["width"]
    # Long names leave room for numbers, and the second key of a row does not stay.
    head = table.locator("tbody th").first.bounding_box()
    second = table.locator("tbody tr:nth-child(2) th").nth(1).bounding_box()
    assert head is not None
    assert second is not None
    assert head["width"] < PHONE["width"] / 2
    assert second["x"] < 0


@pytest.mark.browser
def test_a_figure_scrolls_and_its_letters_keep_their_size(opened: Callable[..., Page]) -> None:
    tab = opened(all_figures())
    box = tab.locator(".drawing").nth(2)
    box.scroll_into_view_if_needed()
    width = box.locator("svg").get_attribute("width")
    seen = box.locator("svg").bounding_box()
    assert width is not None
    assert seen is not None
    assert seen["width"] == float(width) > PHONE["width"]
    assert box.evaluate("box => box.scrollWidth > box.clientWidth")
    assert tab.evaluate("document.documentElement.scrollWidth") == PHONE["width"]


# --- light and dark ------------------------------------------------------------------------

# Of every text and every mark of data: its colour, and that of the page.
PAINT = """() => {
  const paper = getComputedStyle(document.body).backgroundColor;
  const shapes = ["text", "[aria-roledescription] > *", "path[aria-roledescription]",
    "line[aria-roledescription]"].map((shape) => `.drawing ${shape}`);
  return [...document.querySelectorAll(shapes)].flatMap((node) => {
    const { fill, stroke } = getComputedStyle(node);
    return [[node.tagName, fill, paper], [node.tagName, stroke, paper]];
  }).filter(([, paint]) => paint.startsWith("rgb"));
}"""


def luminance(colour: str) -> float:
    """Of WCAG 2."""
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_figures_can_be_read_by_day_and_by_night(opened: Callable[..., Page], scheme: str) -> None:
    tab = opened(all_figures()[:-1], color_scheme=scheme, viewport={"width": 1200, "height": 900})
    dark = tab.evaluate("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"
    assert dark == (scheme == "dark")
    assert tab.locator(".drawing svg > rect:first-child").first.evaluate(
        "node => getComputedStyle(node).fill"
    ) in ("none", "rgba(0, 0, 0, 0)")
    found = tab.evaluate(PAINT)
    assert {tag for tag, _, _ in found} >= {"text", "path", "line"}
    faint = {"#e69f00", "#56b4e9"} if scheme == "light" else set()
    for tag, paint, paper in found:
        if hexadecimal(paint) not in faint:
            assert contrast(paint, paper) >= (4.5 if tag == "text" else 3), (tag, paint)


def hexadecimal(paint: str) -> str:
    return "#" + "".join(f"{int(part):02x}" for part in re.findall(r"\d+", paint)[:3])


@pytest.mark.browser
def test_on_paper_a_figure_is_light_whatever_the_screen_is(opened: Callable[..., Page]) -> None:
    paper = {"width": 700, "height": 1000}
    tab = opened(all_figures(), color_scheme="dark", viewport=paper)
    tab.emulate_media(media="print")
    paints = {(tag, paint) for tag, paint, _ in tab.evaluate(PAINT)}
    assert ("text", "rgb(28, 30, 33)") in paints
    assert not any(luminance(paint) > 0.4 for tag, paint in paints if tag == "line")
    assert tab.evaluate("document.documentElement.scrollWidth") <= paper["width"]


@pytest.mark.browser
def test_numbers_in_squares_can_be_read_in_the_dark(opened: Callable[..., Page]) -> None:
    """The letters are as drawn; the squares are a little of the page's own colour."""
    tab = opened((all_figures()[-1],), color_scheme="dark")
    squares = tab.locator("[aria-roledescription='rect mark']")
    letters = tab.locator("[aria-roledescription='text mark']")
    paper = tab.evaluate("getComputedStyle(document.body).backgroundColor")
    assert squares.count() == letters.count() == len(charts.PALETTE)
    for square, letter in zip(squares.all(), letters.all(), strict=True):
        fill, part = square.evaluate(
            "node => [getComputedStyle(node).fill, Number(getComputedStyle(node).fillOpacity)]"
        )
        assert part < 1
        below = [
            round(part * int(over) + (1 - part) * int(under))
            for over, under in zip(re.findall(r"\d+", fill), re.findall(r"\d+", paper), strict=True)
        ]
        ink = letter.evaluate("node => getComputedStyle(node).fill")
        assert contrast(ink, f"rgb{tuple(below)}") >= 4.5


def test_what_is_no_data_is_drawn_in_the_colours_of_the_page() -> None:
    """page.css repaints these by name, so it has to know the names."""
    light = (
        (files("epicene.show") / "templates/colours.css")
        .read_text(encoding="utf-8")
        .partition("@media")[0]
    )
    style = (files("epicene.show") / "templates" / "page.css").read_text(encoding="utf-8")
    for drawn, name in ((figures.INK, "ink"), (figures.GRID, "line"), (figures.AXIS, "soft")):
        assert f"--{name}: {drawn};" in light
        assert re.search(rf'\[stroke="{drawn}"\][^{{]*{{ stroke: var\(--{name}\)', style)
    assert f'[fill="{figures.INK}"]' in style
    known = {figures.INK, figures.GRID, figures.AXIS, *charts.PALETTE, "none", "white"}
    for figure in all_figures()[:-1]:
        assert (
            set(re.findall(r'(?:fill|stroke)="([^"]*)"', figures.inline_svg(figure, ""))) <= known
        )


# --- names and titles ----------------------------------------------------------------------


@pytest.mark.browser
def test_the_title_of_an_axis_stands_clear_of_the_longest_names(
    opened: Callable[..., Page],
) -> None:
    rows: Numbers = [
        {"rule": f"fr · Gender Neutral Reported Speech {n}", "sentences": 1.0} for n in range(3)
    ]
    drawn = charts.bars("3", "Sentences", rows, x="sentences", y="rule", unit="count")
    tab = opened((drawn,))
    title = tab.locator(".role-axis-title text", has_text="rule").bounding_box()
    assert title is not None
    for label in tab.locator(".role-axis-label text", has_text="Gender").all():
        box = label.bounding_box()
        assert box is not None
        assert box["x"] >= title["x"] + title["width"]
