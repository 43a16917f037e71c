"""The page in a real browser: quiet, self-contained, and usable from the keyboard."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from epicene.core.records import Column, Estimate, Judgement, Outcome, Row, Table, TextScore
from epicene.show import charts
from epicene.show.item_viewer import ItemPacker, PackedItems
from epicene.show.page import PageSection, TableGroup, render_page
from epicene.suites import ScoredText
from show.report_samples import HOSTILE, own_figures, pack_items, sample_table

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Request

pytestmark = pytest.mark.browser

TEXTS = {
    "en": ("She finished her rounds.", "He finished his rounds."),
    "hi": ("मैं किताबें लिखती हूँ।", "मैं किताबें लिखता हूँ।"),
    "ar": ("أنا كاتبةٌ في المدينة.", "أنا كاتبٌ في المدينة."),
}
CATCH_COPIES = "navigator.clipboard.writeText = async (text) => { window.copied = text; }"
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
                facets={"kind": "odd" if place % 2 else "even", "template": f"t{place // 2}"},
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
        if not request.url.startswith(("file:", "data:", "blob:")):
            troubles.append(request.url)

    context.on("request", note_request)

    def open_page(
        items: tuple[Judgement, ...] | PackedItems, address: str = "#rewriting-items", **more: Any
    ) -> Page:
        rows: list[dict[str, charts.Value]] = [{"word": "كاتبة", "times": 4.0}]
        figure = charts.bars("1", "Words", rows, x="times", y="word")
        section = PageSection(
            heading="Rewriting",
            groups=(TableGroup(heading="Main", tables=(sample_table(),)),),
            drawings=(figure,),
            judged_items=items if isinstance(items, PackedItems) else pack_items(items),
            **more,
        )
        file = tmp_path / "report.html"
        file.write_text(render_page("A study", [section]), encoding="utf-8")
        tab = context.new_page()
        tab.on("console", lambda message: troubles.append(message.text))
        tab.on("pageerror", lambda error: troubles.append(str(error)))
        tab.on("dialog", lambda dialog: troubles.append(dialog.message))
        tab.goto(f"{file.as_uri()}{address}")
        if "items" in address:
            tab.wait_for_selector(".row")
        return tab

    yield open_page
    context.close()
    assert troubles == []


def status(tab: Page) -> str:
    return tab.locator(".item-viewer .status").inner_text().partition(" · ")[0]


def chosen(tab: Page) -> str:
    return tab.locator(".chosen h4").inner_text()


def test_items_are_filtered_by_outcome_and_facet(opened: Callable[..., Page]) -> None:
    items = judgements(300)
    tab = opened(items)
    assert status(tab) == "300 items"
    wrong = [item for item in items if item.outcome == "wrong"]
    tab.get_by_label("show").select_option("wrong")
    assert status(tab) == f"{len(wrong)} of 300 items"
    assert "✗ wrong" in tab.locator(".row").first.inner_text()
    tab.get_by_text("more filters").click()
    tab.locator("select[name=kind]").select_option(label="even")
    both = [item for item in wrong if item.facets["kind"] == "even"]
    assert status(tab) == f"{len(both)} of 300 items"
    tab.get_by_role("button", name="Show all").click()
    tab.get_by_text("300 items ·").wait_for()


def test_items_are_searched_in_any_script(opened: Callable[..., Page]) -> None:
    tab = opened(judgements(300))
    search = tab.get_by_label("Search in all texts")
    for words, count in (("लिखती", 100), ("FINISHED HER", 100), ("كاتبةٌ", 100), ("item-00007", 1)):
        search.fill(words)
        tab.get_by_text(f"{count} of 300 items").wait_for()
    search.fill("nowhere to be found")
    tab.get_by_text("0 of 300 items").wait_for()
    assert tab.locator(".row").count() == 0
    assert tab.locator(".chosen").inner_text() == ""


def test_a_facet_of_many_values_is_typed(opened: Callable[..., Page]) -> None:
    tab = opened(judgements(1000))
    tab.get_by_text("more filters").click()
    tab.get_by_label("template").fill("t499")
    tab.get_by_text("2 of 1,000 items").wait_for()


def test_few_useful_filters_are_shown_and_others_added(opened: Callable[..., Page]) -> None:
    items = tuple(
        Judgement(
            item=f"item-{n}",
            name=part,
            outcome="right",
            facets={
                **{f"useful {bit}": str((n >> bit) % 2) for bit in range(5)},
                "of the part": part,
                **({"rare": str(n % 2)} if n < 4 else {}),
            },
        )
        for n in range(64)
        for part in ("one", "two")
    )
    tab = opened(items)
    tab.get_by_text("6 more filters").click()
    assert tab.locator("select[name='useful 4']").is_visible()
    assert not tab.locator("select[name=rare]").is_visible()
    added = tab.get_by_label("add a filter")
    assert added.locator("option").all_inner_texts() == ["choose", "of the part", "rare"]
    added.select_option("rare")
    tab.locator("select[name=rare]").select_option(label="1")
    assert status(tab) == "2 of 64 items"
    tab.goto(tab.url.partition("#")[0] + "#rewriting-items?of the part=one")
    tab.reload()
    tab.wait_for_selector(".row")
    assert tab.locator("select[name='of the part']").is_visible()


def two_models() -> PackedItems:
    """Three items by two models: both right, both wrong, and one that differs; two measures."""
    packer = ItemPacker()
    for model, outcomes in (("one", "rwr"), ("two", "rww")):
        for place, letter in enumerate(outcomes):
            outcome: Outcome = "right" if letter == "r" else "wrong"
            other: Outcome = "wrong" if letter == "r" else "right"
            score = [
                TextScore(logprobs=(value,), starts=(), ends=(), words=1, characters=1)
                for value in ((-2.5, -7.25) if letter == "r" else (-9.0, -3.0))
            ]
            packer.add_scores(
                model,
                f"item {place}",
                (
                    ScoredText("acceptability", "good", True, TEXTS["hi"][0], score[0]),
                    ScoredText("acceptability", "bad", False, TEXTS["hi"][1], score[1]),
                ),
            )
            texts = dict(zip(("reference", "counterfactual"), TEXTS["hi"], strict=True))
            made = Judgement(
                item=f"item {place}",
                language="hi",
                name="acceptability",
                outcome=outcome,
                facets={"gender": "feminine" if place else "masculine"},
                evidence={**texts, "gloss": "I write books."},
            )
            packer.add_judgement(model, made)
            again = Judgement(
                item=f"item {place}",
                language="hi",
                name="acceptability (per token)",
                outcome=other,
                facets={"gender": "feminine" if place else "masculine"},
            )
            packer.add_judgement(model, again)
    return packer.packed()


def test_an_item_is_one_row_with_its_measures_inside(opened: Callable[..., Page]) -> None:
    tab = opened(two_models())
    assert tab.locator(".item-viewer .status").inner_text() == "3 items · 12 judgements in total"
    assert tab.locator(".row").count() == 3
    measures = tab.locator(".chosen .measures").first
    assert measures.inner_text() == "✗ per token"
    assert "I write books." in tab.locator(".chosen").inner_text()


def test_both_sentences_have_their_log_probabilities_and_the_chosen_one_is_marked(
    opened: Callable[..., Page],
) -> None:
    tab = opened(two_models())
    lines = tab.locator(".scored tbody tr")
    assert [line.locator(".role").inner_text() for line in lines.all()] == [
        "✓ acceptable",
        "✗ not acceptable",
    ]
    assert lines.nth(0).locator("mark").all_inner_texts() == ["लिखती"]
    assert lines.nth(1).locator("mark").all_inner_texts() == ["लिखता"]
    numbers = tab.locator(".scored td.number")
    assert numbers.all_text_contents() == ["● −2.50 chosen", "● −2.50 chosen", "−7.25", "−7.25"]
    tab.locator(".row").nth(1).click()
    assert numbers.all_text_contents() == ["−9.00", "−9.00", "● −3.00 chosen", "● −3.00 chosen"]
    # The two sentences are in the table and nowhere else.
    assert tab.locator(".chosen .passage", has_text="लिखती").count() == 1


def test_items_on_which_models_differ_are_found(opened: Callable[..., Page]) -> None:
    tab = opened(two_models())
    tab.get_by_label("show").select_option("differ")
    assert status(tab) == "1 of 3 items"
    assert chosen(tab) == "item 2"
    assert tab.locator(".row .badge").all_inner_texts() == ["✓ right", "✗ wrong"]
    tab.get_by_label("beside").select_option(label="none")
    assert status(tab) == "3 items"


def test_a_link_shows_what_it_names(opened: Callable[..., Page]) -> None:
    address = "#rewriting-items?model=two&gender=feminine&show=wrong&item=item%202"
    tab = opened(two_models(), address)
    tab.get_by_text("2 of 3 items").wait_for()
    assert chosen(tab) == "item 2"
    assert tab.locator("select[name=model] option:checked").inner_text() == "two"
    assert tab.locator("select[name=beside] option:checked").inner_text() == "one"
    assert tab.locator("select[name=gender]").is_visible()
    tab.evaluate(CATCH_COPIES)
    tab.get_by_role("button", name="Copy link").click()
    link = tab.evaluate("window.copied")
    tab.goto("about:blank")
    tab.goto(link)
    tab.get_by_text("2 of 3 items").wait_for()
    tab.wait_for_function("() => document.querySelector('.chosen h4')?.textContent === 'item 2'")


def test_the_items_in_the_list_are_copied_as_csv(opened: Callable[..., Page]) -> None:
    items = (
        Judgement(item="=1+1", outcome="wrong", evidence={"answer": 'a "b", c'}),
        Judgement(item="other", outcome="right", value=-0.5, evidence={"answer": "d"}),
    )
    tab = opened(items)
    tab.evaluate(CATCH_COPIES)
    button = tab.get_by_role("button", name="Copy as CSV").last
    button.click()
    assert tab.evaluate("window.copied").splitlines() == [
        "item,outcome,value,answer",
        '\'=1+1,wrong,,"a ""b"", c"',
        "other,right,-0.5,d",
    ]


def test_the_keyboard_reaches_every_item(opened: Callable[..., Page]) -> None:
    tab = opened(judgements(20_000))
    assert tab.locator(".row").count() < 40  # only what is seen is drawn
    tab.get_by_label("Search in all texts").focus()
    for _ in range(14):
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
    tab.locator("select[name=language]").select_option(label=language)
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
    tab.locator("#rewriting-table-2 > summary").click()
    cell = tab.locator("td", has_text="كاتبةٌ")
    assert cell.evaluate("node => getComputedStyle(node).direction") == "rtl"


def test_a_search_that_is_overtaken_changes_nothing(opened: Callable[..., Page]) -> None:
    tab = opened(judgements(3000))
    search = tab.get_by_label("Search in all texts")
    search.press_sequentially("item-0299")
    tab.get_by_text("10 of 3,000 items").wait_for()
    tab.get_by_text("more filters").click()
    tab.get_by_label("template").fill("t1495")
    tab.get_by_text("2 of 3,000 items").wait_for()
    tab.get_by_role("button", name="Show all").click()
    tab.get_by_text("3,000 items ·").wait_for()
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
    tab.wait_for_function("() => window.turned === 5 * 116")
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
    tab = opened(items, method=(HOSTILE,))
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
        heading="Rewriting",
        figures=own_figures("right"),
        groups=(TableGroup(heading="Main", tables=(sample_table(),)),),
        judged_items=pack_items(judgements(12)),
    )
    file.write_text(render_page("A study", [section]), encoding="utf-8")
    context = chromium.new_context(java_script_enabled=False)
    tab = context.new_page()
    tab.goto(file.as_uri())
    text = tab.locator("body").inner_text()
    assert "12 scores" in text
    assert "Rewriting" in text
    assert tab.locator(".drawing svg").first.is_visible()
    tab.locator("#rewriting-table-2 > summary").click()
    assert "81.2*" in tab.locator("body").inner_text()
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
        render_page(
            "A study",
            [
                PageSection(
                    heading="All",
                    groups=(
                        TableGroup(
                            heading="", tables=(broad_table(columns),), printed=("profile",)
                        ),
                    ),
                )
            ],
        )
    )
    context = chromium.new_context(viewport={"width": 700, "height": 1000})
    tab = context.new_page()
    tab.goto(file.as_uri())
    tab.emulate_media(media="print")
    tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert tab.locator("table").first.is_visible()
    assert tab.evaluate("document.documentElement.scrollWidth") <= 700
    context.close()
