"""Answer, reference and counterfactual word by word, in a real browser, either way a text runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from epicene.core.records import Judgement, Text, Texts
from epicene.show.page import PageSection, render_page
from epicene.suites import AnsweredRequest, Answers
from epicene.suites.genform.items import Pair
from epicene.suites.genform.judge import judge
from epicene.suites.genform.protocol import PROTOCOLS
from show.report_samples import pack_items

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

pytestmark = pytest.mark.browser

FRENCH = Pair(
    id="fr",
    language="fr",
    masculine="Je suis prudent, mais mon frère est imprudent.",
    feminine="Je suis prudente, mais mon frère est imprudent.",
)
ARABIC = Pair(
    id="ar",
    language="ar",
    masculine="أنا طبيب ماهر في المدينة.",
    feminine="أنا طبيبة ماهرة في المدينة.",
)
SIDES = ["answer", "expected", "other", "form"]


def judged(pair: Pair, answer: str) -> Judgement:
    given = AnsweredRequest("", "", "", "generation feminine", Texts(texts=(Text(text=answer),)))
    (judgement,) = judge(pair, Answers([given]), PROTOCOLS["epicene"])
    return judgement


@pytest.fixture
def opened(chromium: Browser, tmp_path: Path) -> Page:
    """A page with one answer in each language."""
    items = (
        judged(FRENCH, "Je suis prudente, mais mon frère est très imprudente."),
        judged(ARABIC, "أنا طبيبة ماهر في المدينة."),
    )
    file = tmp_path / "report.html"
    text = render_page("Errors", [PageSection(heading="GenForm", judged_items=pack_items(items))])
    file.write_text(text, encoding="utf-8")
    tab = chromium.new_page(viewport={"width": 1400, "height": 900})
    tab.goto(f"{file.as_uri()}#genform-items")
    tab.wait_for_selector(".row")
    return tab


def chosen(tab: Page, place: int) -> Locator:
    tab.locator(".row").nth(place).click()
    return tab.locator(".chosen .aligned")


def colour(word: Locator) -> str:
    return str(word.evaluate("node => getComputedStyle(node).color"))


def test_words_stand_below_each_other_with_what_they_are(opened: Page) -> None:
    view = chosen(opened, 0)
    columns = view.locator(".lines .words")
    found = [columns.nth(place).inner_text().split() for place in range(columns.count())]
    assert found[0] == ["Je"] * 3
    assert found[2] == ["✓", "prudente", "prudente", "prudent"]
    assert found[7] == ["!", "très", "–", "–"]
    assert found[8] == ["!", "imprudente", "imprudent", "imprudent"]
    assert view.locator(".words.right").count() == 1
    assert view.locator(".words.spurious").count() == 2
    assert view.locator(".heads .words").first.inner_text().split() == SIDES


def test_differences_are_coloured_and_not_by_colour_alone(opened: Page) -> None:
    view = chosen(opened, 0)
    plain = colour(view.locator(".words .answer").first)
    right = view.locator(".words.right .answer")
    spurious = view.locator(".words.spurious .answer").first
    assert len({plain, colour(right), colour(spurious)}) == 3
    styles = [
        word.evaluate("node => getComputedStyle(node).textDecorationStyle")
        for word in (right, spurious)
    ]
    assert styles == ["solid", "dashed"]
    assert "✓" in opened.locator(".chosen").inner_text()


def test_arabic_runs_from_right_to_left_and_french_does_not(opened: Page) -> None:
    for place, direction in ((0, "ltr"), (1, "rtl")):
        view = chosen(opened, place)
        assert view.evaluate("node => getComputedStyle(node).direction") == direction
        columns = view.locator(".lines .words")
        boxes = [columns.nth(each).bounding_box() for each in range(3)]
        starts = [box["x"] for box in boxes if box is not None]
        assert len(starts) == 3
        assert starts == sorted(starts, reverse=direction == "rtl")
    wrong = opened.locator(".chosen .words.wrong")
    assert wrong.inner_text().split() == ["✗", "ماهر", "ماهرة", "ماهر"]
    assert opened.locator(".chosen .aligned").get_attribute("lang") == "ar"


def test_every_line_of_words_says_what_its_rows_are(opened: Page) -> None:
    opened.set_viewport_size({"width": 375, "height": 900})
    for place, direction in ((0, "ltr"), (1, "rtl")):
        view = chosen(opened, place)
        found = view.evaluate(LINES)
        assert len(found["lines"]) > 1
        # The heads in view are one for each line, on its height, before its first word.
        assert found["heads"] == found["lines"]
        assert found["before"] == (direction == "ltr")
        heads = view.locator(".heads .words")
        assert heads.first.get_attribute("aria-hidden") is None
        assert set(heads.evaluate_all("all => all.slice(1).map((head) => head.ariaHidden)")) == {
            "true"
        }


# Where lines of words and heads in view begin, from above; whether heads stand left of the words.
LINES = """view => {
  const top = (node) => Math.round(node.getBoundingClientRect().top);
  const tops = (nodes) => [...new Set(nodes.map(top))];
  const box = view.querySelector(".heads").getBoundingClientRect();
  const heads = [...view.querySelectorAll(".heads .words")];
  const shown = heads.filter((head) => head.getBoundingClientRect().top < box.bottom - 1);
  const words = [...view.querySelectorAll(".lines .words")];
  const before = box.right <= Math.min(...words.map((word) => word.getBoundingClientRect().left));
  return { heads: tops(shown), lines: tops(words), before };
}"""


def test_the_lines_themselves_are_not_shown(opened: Page) -> None:
    chosen(opened, 1)
    heads = opened.locator(".chosen h5").all_inner_texts()
    assert heads == ["other form", "✗ wrong generation feminine · label: mixed"]
