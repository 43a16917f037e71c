"""The page in a real browser: quiet, self-contained, and usable from the keyboard."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from epicene import charts
from epicene.core.records import Column, Estimate, Judgement, Outcome, Row, Table
from epicene.report.item_viewer import pack_items
from epicene.report.page import PageSection, render_page
from report.report_samples import HOSTILE, sample_table

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Request

pytestmark = pytest.mark.browser

TEXTS = {
    "en": ("She finished her rounds.", "He finished his rounds."),
    "hi": ("मैं किताबें लिखती हूँ।", "मैं किताबें लिखता हूँ।"),
    "ar": ("أنا كاتبةٌ في المدينة.", "أنا كاتبٌ في المدينة."),
}
OUTCOMES: tuple[Outcome, ...] = ("right", "wrong", "undetected")


def judgements(count: int) -> tuple[Judgement, ...]:
    made = []
    for place in range(count):
        language = list(TEXTS)[place % 3]
        answer, reference = TEXTS[language]
        made.append(
            Judgement(
                item=f"item-{place:05d}",
                language=language,
                outcome=OUTCOMES[place % 5 % 3],
                facets={"model": "small" if place % 2 else "large", "template": f"t{place // 2}"},
                evidence={"answer": f"{answer} {place}", "reference": f"{reference} {place}"},
            )
        )
    return tuple(made)


@pytest.fixture
def opened(chromium: Browser, tmp_path: Path) -> Iterator[Callable[..., Page]]:
    """Opens a page with these items from a file, and holds it to silence: no error, no request."""
    context = chromium.new_context(viewport={"width": 1200, "height": 900})
    troubles: list[str] = []

    def note_request(request: Request) -> None:
        if not request.url.startswith("file:"):
            troubles.append(request.url)

    context.on("request", note_request)

    def open_page(items: tuple[Judgement, ...], **more: Any) -> Page:
        rows: list[dict[str, charts.Value]] = [{"word": "كاتبة", "times": 4.0}]
        figure = charts.bars("1", "Words", rows, x="times", y="word")
        section = PageSection(
            heading="Rewriting",
            tables=(sample_table(),),
            figures=(figure,),
            judged_items=pack_items(items),
            **more,
        )
        file = tmp_path / "report.html"
        file.write_text(
            render_page("A study", [section], lead="What was measured."), encoding="utf-8"
        )
        tab = context.new_page()
        tab.on("console", lambda message: troubles.append(message.text))
        tab.on("pageerror", lambda error: troubles.append(str(error)))
        tab.on("dialog", lambda dialog: troubles.append(dialog.message))
        tab.goto(file.as_uri())
        tab.locator(".item-viewer").scroll_into_view_if_needed()
        tab.wait_for_selector(".row")
        return tab

    yield open_page
    context.close()
    assert troubles == []


def status(tab: Page) -> str:
    return tab.locator(".status").inner_text()


def chosen(tab: Page) -> str:
    return tab.locator(".chosen h4").inner_text()


def test_items_are_filtered_by_outcome_and_facet(opened: Callable[..., Page]) -> None:
    items = judgements(300)
    tab = opened(items)
    assert status(tab) == "300 judgements"
    wrong = [item for item in items if item.outcome == "wrong"]
    tab.get_by_label("outcome").select_option(label=f"wrong ({len(wrong)})")
    assert status(tab) == f"{len(wrong)} of 300 judgements"
    assert "✗ wrong" in tab.locator(".row").first.inner_text()
    tab.locator("select[name=model]").select_option(index=1)
    both = [item for item in wrong if item.facets["model"] == "large"]
    assert status(tab) == f"{len(both)} of 300 judgements"
    tab.get_by_role("button", name="Show all").click()
    assert status(tab) == "300 judgements"


def test_items_are_searched_in_any_script(opened: Callable[..., Page]) -> None:
    tab = opened(judgements(300))
    search = tab.get_by_label("Search in all texts")
    for words, count in (("लिखती", 100), ("FINISHED HER", 100), ("كاتبةٌ", 100), ("item-00007", 1)):
        search.fill(words)
        tab.get_by_text(f"{count} of 300 judgements").wait_for()
    search.fill("nowhere to be found")
    tab.get_by_text("0 of 300 judgements").wait_for()
    assert tab.locator(".row").count() == 0
    assert tab.locator(".chosen").inner_text() == ""


def test_a_facet_of_many_values_is_typed(opened: Callable[..., Page]) -> None:
    tab = opened(judgements(1000))
    tab.get_by_label("template").fill("t499")
    tab.get_by_text("2 of 1000 judgements").wait_for()


def test_the_keyboard_reaches_every_item(opened: Callable[..., Page]) -> None:
    tab = opened(judgements(20_000))
    assert tab.locator(".row").count() < 40  # only what is seen is drawn
    tab.get_by_label("Search in all texts").focus()
    for _ in range(10):
        tab.keyboard.press("Tab")
        if tab.evaluate("document.activeElement.className") == "list":
            break
    assert "item-00000" in chosen(tab)
    tab.keyboard.press("ArrowDown")
    assert "item-00001" in chosen(tab)
    tab.keyboard.press("End")
    assert "item-19999" in chosen(tab)
    selected = tab.locator(".row[aria-selected=true]")
    assert "item-19999" in selected.inner_text()
    assert selected.get_attribute("id") == tab.locator(".list").get_attribute(
        "aria-activedescendant"
    )
    box, view = selected.bounding_box(), tab.locator(".list").bounding_box()
    assert box is not None
    assert view is not None
    assert view["y"] <= box["y"]
    assert box["y"] + box["height"] <= view["y"] + view["height"] + 1
    tab.keyboard.press("PageUp")
    tab.keyboard.press("Home")
    assert "item-00000" in chosen(tab)


def test_a_wheel_brings_further_items(opened: Callable[..., Page]) -> None:
    tab = opened(judgements(20_000))
    tab.locator(".list").evaluate("list => { list.scrollTop = list.scrollHeight / 2; }")
    tab.locator(".row", has_text="item-10000").wait_for()


@pytest.mark.parametrize(
    ("language", "direction", "differs"),
    [
        ("en", "ltr", [["She", "her"], ["He", "his"]]),
        ("hi", "ltr", [["लिखती"], ["लिखता"]]),
        ("ar", "rtl", [["كاتبةٌ"], ["كاتبٌ"]]),
    ],
)
def test_words_that_differ_are_underlined_and_texts_run_their_way(
    opened: Callable[..., Page], language: str, direction: str, differs: list[list[str]]
) -> None:
    tab = opened(judgements(30))
    tab.locator("select[name=language]").select_option(label=f"{language} (10)")
    passages = tab.locator(".chosen .passage")
    assert passages.count() == 2
    for passage, words in zip(passages.all(), differs, strict=True):
        assert passage.evaluate("node => getComputedStyle(node).direction") == direction
        assert passage.get_attribute("lang") == language
        marks = passage.locator("mark")
        assert marks.all_inner_texts() == words
        line = marks.first.evaluate("node => getComputedStyle(node).textDecorationLine")
        assert line == "underline"
    assert tab.locator(".row .text mark").first.inner_text() == differs[0][0]
    cell = tab.locator("td", has_text="كاتبةٌ")
    assert cell.evaluate("node => getComputedStyle(node).direction") == "rtl"


def test_the_two_sentences_of_a_pair_are_set_against_each_other(
    opened: Callable[..., Page],
) -> None:
    texts = dict(zip(("reference", "counterfactual"), TEXTS["hi"], strict=True))
    pair = Judgement(item="pair", language="hi", outcome="right", name="sum", evidence=texts)
    again = Judgement(item="pair", language="hi", outcome="wrong", name="per token")
    tab = opened((pair, again))
    assert tab.locator(".chosen .passage mark").all_inner_texts() == ["लिखती", "लिखता"]
    assert tab.locator(".row").first.locator("mark").inner_text() == "लिखती"
    # Judged by another measure, it has no texts of its own.
    tab.locator(".row").nth(1).click()
    assert tab.locator(".chosen .passage mark").all_inner_texts() == ["लिखती", "लिखता"]
    assert "judged in another way" in tab.locator(".chosen").inner_text()


def test_a_search_that_is_overtaken_changes_nothing(opened: Callable[..., Page]) -> None:
    tab = opened(judgements(3000))
    search = tab.get_by_label("Search in all texts")
    search.press_sequentially("item-0299")
    tab.get_by_text("10 of 3000 judgements").wait_for()
    tab.get_by_label("template").fill("t1495")
    tab.get_by_text("2 of 3000 judgements").wait_for()
    tab.get_by_role("button", name="Show all").click()
    assert status(tab) == "3000 judgements"
    assert search.input_value() == ""


def test_a_wheel_moves_a_very_long_list_row_by_row(opened: Callable[..., Page]) -> None:
    items = tuple(Judgement(item=f"item-{n:06}", outcome="right") for n in range(150_000))
    tab = opened(items)
    box = tab.locator(".box").evaluate("box => box.clientHeight")
    assert box < 150_000 * 58  # a pixel of the bar is more than one of the list
    tab.locator(".list").hover()
    tab.locator(".list").evaluate(
        "list => list.addEventListener('wheel',"
        " (event) => { window.turned = (window.turned ?? 0) + event.deltaY; })"
    )
    for _ in range(5):
        tab.mouse.wheel(0, 116)
    tab.wait_for_function("window.turned === 5 * 116")
    # It is drawn in the frame after the one in which it is scrolled.
    frame = "new Promise((done) => requestAnimationFrame(done))"
    for _ in range(3):
        tab.evaluate(frame)
    first = """() => {
      const list = document.querySelector(".list").getBoundingClientRect();
      const rows = [...document.querySelectorAll(".row")];
      const seen = rows.filter((row) => row.getBoundingClientRect().bottom > list.top + 2);
      return Math.min(...seen.map((row) => Number(row.dataset.index)));
    }"""
    assert tab.evaluate(first) in (9, 10, 11)  # ten rows, as turned


def test_hostile_and_huge_texts_are_only_text(opened: Callable[..., Page]) -> None:
    huge = HOSTILE + " word" * 2_000_000
    items = (
        Judgement(item="hostile", outcome="wrong", label=HOSTILE, evidence={"answer": HOSTILE}),
        Judgement(item="huge", outcome="wrong", evidence={"answer": huge, "reference": huge[:-5]}),
        Judgement(item="long", outcome="wrong", evidence={"answer": huge[:50_000]}),
    )
    tab = opened(items, paragraphs=(HOSTILE,))
    assert tab.locator(".chosen .passage").inner_text() == HOSTILE
    assert tab.locator("img").count() == 0
    tab.locator(".row", has_text="huge").click()
    first = tab.locator(".chosen .passage").first
    assert len(first.inner_text()) < 21_000
    assert first.get_by_role("button").inner_text() == f"Show all {len(huge)} characters"
    tab.locator(".row", has_text="long").click()
    assert len(first.inner_text()) < 21_000
    first.get_by_role("button").click()
    assert first.inner_text() == huge[:50_000]


def test_without_script_the_page_still_reads(chromium: Browser, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    section = PageSection(
        heading="Rewriting", tables=(sample_table(),), judged_items=pack_items(judgements(12))
    )
    file.write_text(render_page("A study", [section]), encoding="utf-8")
    context = chromium.new_context(java_script_enabled=False)
    tab = context.new_page()
    tab.goto(file.as_uri())
    text = tab.locator("body").inner_text()
    assert "12 judgements" in text
    assert "81.2*" in text
    context.close()


def broad_table(columns: int) -> Table:
    """Headlines as long as those of suites, with intervals."""
    cell = Estimate(value=0.5, low=0.25, high=0.75, n=40)
    return Table(
        name="profile",
        title="Headlines",
        levels=("model",),
        columns=tuple(
            Column(name=f"gendered_minus_english_f for example {n}") for n in range(columns)
        ),
        rows=(Row(keys=("a-model-of-270m",), cells=(cell,) * columns),),
    )


@pytest.mark.parametrize("columns", [4, 8, 13])
def test_no_table_is_cut_on_paper(chromium: Browser, tmp_path: Path, columns: int) -> None:
    file = tmp_path / "report.html"
    file.write_text(
        render_page("A study", [PageSection(heading="All", tables=(broad_table(columns),))])
    )
    context = chromium.new_context(viewport={"width": 700, "height": 1000})
    tab = context.new_page()
    tab.goto(file.as_uri())
    tab.emulate_media(media="print")
    assert tab.evaluate("document.documentElement.scrollWidth") <= 700
    context.close()
