"""Moving about the report in a real browser: pages, links, files, WCAG 2.1 AA."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.dom import minidom

import pytest

from axe import violations
from epicene.core.records import Judgement
from epicene.show import charts
from epicene.show.findings import Finding
from epicene.show.page import NotMeasured, Overview, PageSection, TableGroup, render_page
from epicene.show.page_figures import styles_of
from show.report_samples import own_figures, pack_items, sample_table

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

ARABIC = ("أنا كاتبةٌ في المدينة.", "أنا كاتبٌ في المدينة.")


def section(name: str, models: int = 3) -> PageSection:
    """A page with everything that a suite's may have."""
    rows: list[dict[str, charts.Value]] = [{"word": "word", "times": 4.0}]
    figures = own_figures("m", models, page=name)
    found = Finding(value="57 %", about="Right", text="m 0 57 % [45, 68].", table="2")
    unsure = Finding(value="no gap", about="Gap", text="none.", table="headlines", sure=False)
    items = tuple(
        Judgement(
            item=f"item {place}",
            language="ar",
            name=part,
            outcome=("right", "wrong", "undetected")[place % 3],
            facets={"rule": f"r{place}"},
            evidence={"answer": ARABIC[place % 2], "reference": ARABIC[0]},
        )
        for place in range(6)
        for part in ("one", "two")
    )
    return PageSection(
        heading=name,
        question="Is it right?",
        findings=(found, unsure),
        warnings=("Few groups.",),
        figures=figures,
        plots=figures[:1],
        drawings=(charts.bars("1", "Words", rows, x="times", y="word"),),
        groups=(
            TableGroup(heading="Main", tables=(sample_table(),), printed=("2",)),
            TableGroup(heading="More", tables=(sample_table(),), folded=True),
        ),
        method=("By the protocol `epicene`.",),
        faults=("A slash.",),
        judged_items=pack_items(items),
    )


def page_of(models: int = 3) -> str:
    styles = styles_of((f"m {place}", "135 million", place == 1) for place in range(models))
    about = PageSection(
        heading="What was run",
        suite=False,
        missing=(NotMeasured(what="GramVis", why="No images.", command="epicene run"),),
        groups=(TableGroup(heading="", tables=(sample_table(),)),),
    )
    overview = Overview(
        data="Starter data",
        facts=("2 runs",),
        notes="<h2>Why</h2><p>Because.</p>",
        models=tuple(styles.values()),
        tables=(sample_table(),),
    )
    return render_page("A study", [section("one", models), section("two", models), about], overview)


@pytest.fixture
def opened(chromium: Browser, tmp_path: Path) -> Iterator[Callable[..., Page]]:
    contexts = []
    troubles: list[str] = []
    (tmp_path / "report.html").write_text(page_of(), encoding="utf-8")

    def open_page(address: str = "", **settings: Any) -> Page:
        size = {"width": 1280, "height": 900}
        contexts.append(chromium.new_context(**{"viewport": size, **settings}))
        tab = contexts[-1].new_page()
        tab.on("console", lambda message: troubles.append(message.text))
        tab.on("pageerror", lambda error: troubles.append(str(error)))
        tab.goto(f"{(tmp_path / 'report.html').as_uri()}{address}")
        return tab

    yield open_page
    for context in contexts:
        context.close()
    assert troubles == []


def expect_shown(tab: Page, *pages: str) -> None:
    """Wait until these pages, by their addresses, are all that is visible.

    A click on a link returns before the page has read its new address.
    """
    tab.wait_for_function(
        "(pages) => [...document.querySelectorAll('.page')].filter((each) => each.offsetParent)"
        ".map((each) => each.id).join() === pages",
        arg=",".join(pages),
    )


@pytest.mark.parametrize(("scheme", "width"), [("light", 390), ("dark", 1280)])
def test_no_page_violates_wcag(opened: Callable[..., Page], scheme: str, width: int) -> None:
    tab = opened(color_scheme=scheme, viewport={"width": width, "height": 900})
    for address in ("overview", "one", "one-items", "what-was-run"):
        tab.evaluate(f"location.hash = '#{address}'")
        expect_shown(tab, address.removesuffix("-items"))
        if address == "one-items":
            tab.wait_for_selector("#one .row")
        if address == "one":
            for fold in tab.locator("#one details").all():
                fold.evaluate("fold => { fold.open = true; }")
        assert violations(tab) == []
    assert tab.evaluate("document.documentElement.scrollWidth") == width


def test_one_page_is_shown_at_a_time_and_links_lead_into_it(opened: Callable[..., Page]) -> None:
    tab = opened()
    expect_shown(tab, "overview")
    tab.locator(".card a[href='#one-table-2']").first.click()
    expect_shown(tab, "one")
    assert tab.locator("#one-table-2").get_attribute("open") is not None
    current = tab.locator(".sidebar [aria-current=page]")
    assert current.inner_text() == "one"
    tab.locator(".sidebar a[href='#two']").click()
    expect_shown(tab, "two")
    tab.go_back()
    tab.locator("#one.on").wait_for()
    expect_shown(opened("#nowhere-at-all"), "overview")


def test_the_link_past_the_navigation_stays_on_the_page(opened: Callable[..., Page]) -> None:
    tab = opened("#two")
    tab.locator(".skip").press("Enter")
    tab.locator("main:focus").wait_for()
    expect_shown(tab, "two")
    assert tab.evaluate("remembered().hash") == "#two"


def test_what_was_open_is_remembered(opened: Callable[..., Page]) -> None:
    tab = opened("#two")
    tab.locator("#two-table-2 > summary").click()
    tab.wait_for_function("() => localStorage.length > 0")
    address = tab.url.split("#")[0]
    tab.goto("about:blank")
    tab.goto(address)
    expect_shown(tab, "two")
    assert tab.locator("#two-table-2").get_attribute("open") is not None


def test_a_point_says_n_and_interval_and_leads_to_its_items(opened: Callable[..., Page]) -> None:
    tab = opened("#one")
    points = tab.locator("#one-figure-right a [aria-roledescription=point]")
    points.nth(1).hover()
    tip = tab.locator(".tip").inner_text().replace("\N{NO-BREAK SPACE}", " ")
    assert tip == "m 1: 30 % [27, 33], n = 100"
    points.nth(1).click()
    tab.wait_for_selector("#one .row")
    assert tab.url.endswith("#one-items?model=m%201")


def test_figures_are_saved_as_svg_png_and_csv(opened: Callable[..., Page]) -> None:
    tab = opened("#one", color_scheme="dark")
    figure = tab.locator("#one figure.drawn").first
    with tab.expect_download() as saved:
        figure.get_by_role("button", name="SVG").click()
    text = Path(saved.value.path()).read_text(encoding="utf-8")
    root = minidom.parseString(text)
    assert len(root.getElementsByTagName("*")) > 15
    assert "#0a5fb0" in text  # the colours of paper
    with tab.expect_download() as saved:
        figure.get_by_role("button", name="PNG").click()
    pillow = pytest.importorskip("PIL.Image")
    with pillow.open(saved.value.path()) as picture:
        assert picture.width > 1200
        assert picture.convert("RGB").getpixel((1, 1)) == (255, 255, 255)
    with tab.expect_download() as saved:
        figure.get_by_role("button", name="CSV").click()
    lines = Path(saved.value.path()).read_text(encoding="utf-8").splitlines()
    assert lines[:2] == ["headline,model,value,low,high,n", "right,m 0,0.0,-0.03,0.03,100"]


def test_a_table_is_copied_with_spanning_keys_on_every_line(opened: Callable[..., Page]) -> None:
    tab = opened("#one-table-2")
    tab.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
    tab.locator("#one-table-2").get_by_role("button", name="Copy as CSV").click()
    lines = tab.evaluate("window.copied").splitlines()
    assert [line.split(",")[:2] for line in lines[1:3]] == [["Hindi", "small"], ["Hindi", "large"]]


def test_a_page_is_at_most_three_screens_when_first_opened(opened: Callable[..., Page]) -> None:
    tab = opened("#one")
    tab.wait_for_selector("#one .row", state="attached")
    assert tab.evaluate("document.documentElement.scrollHeight") <= 3 * 900


def test_paper_has_findings_figures_and_main_tables_only(opened: Callable[..., Page]) -> None:
    tab = opened("#two", color_scheme="dark")
    tab.emulate_media(media="print")
    tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect_shown(tab, "overview", "one", "two", "what-was-run")
    for part, seen in (
        ("#one-table-2 table", True),
        ("#one-figure-right", True),
        ("#one .fold.group", False),
        (".item-viewer", False),
        (".sidebar", False),
    ):
        assert tab.locator(part).first.is_visible() == seen
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
