"""The pages on a small screen that is touched, in a real browser, and what can be seen on them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest
from playwright.sync_api import expect

from epicene.studies.collection.folder import create_study_folder
from epicene.studies.collection.links import User
from epicene.studies.design.interface_texts import interface_text
from epicene.studies.design.schema import MarksQuestion, Option, Study
from studies.suite_studies import KINDS
from studies.web.browser_participant import Served, served
from study_examples import misgendering, options

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = pytest.mark.browser

PHONE = {"viewport": {"width": 360, "height": 640}, "has_touch": True, "is_mobile": True}

# The contrast of two colours as WCAG computes it.
CONTRAST = """
  const luminance = (colour) => {
    const parts = colour.match(/[\\d.]+/g).slice(0, 3).map((part) => part / 255);
    const [r, g, b] = parts.map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, other) => {
    const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const behind = (element) => {
    const colour = getComputedStyle(element).backgroundColor;
    const isClear = /^rgba\\(.*, 0\\)$/.test(colour);
    return isClear && element.parentElement ? behind(element.parentElement) : colour;
  };
"""


@contextmanager
def before(page: Page, study: Study, folder: Path) -> Iterator[Served]:
    """A study with its first item on the page."""
    with served(create_study_folder(folder / "study", study)) as site:
        page.goto(site.link(User("person", "ann")))
        page.locator("#begin, #item").wait_for()
        if page.locator("#begin").count():
            page.locator("#begin").click()
        page.locator("body.scripted #item").wait_for()
        yield site


def is_in_view(found: Locator) -> bool:
    inside: bool = found.evaluate(
        "(element) => { const box = element.getBoundingClientRect();"
        " return box.height > 0 && box.top >= 0 && box.bottom <= innerHeight; }"
    )
    return inside


# --- what the person is told ---------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "ar"])
def test_what_is_told_is_in_view_and_a_form_that_waits_shows_it(
    language: str, opened: Callable[..., Page], tmp_path: Path
) -> None:
    study = msgspec.structs.replace(KINDS["label a sentence"].study(tmp_path), practice=())
    page = opened(**PHONE)
    with before(page, study, tmp_path):
        if language != "en":
            page.locator(f"[data-language={language}]").tap()
            page.locator(f"html[lang={language}] body.scripted #item").wait_for()
        status = page.locator("#status")
        page.locator("#next").tap()
        expect(status).to_have_text(interface_text("missing", language))
        assert page.evaluate("scrollY") > 0
        assert is_in_view(status)
        page.locator("[data-option=malformed]").tap()
        expect(status).to_have_text("")  # nothing is missing any more
        page.context.set_offline(True)
        page.locator("#next").tap()
        expect(status).to_have_text(interface_text("not_saved", language))
        assert page.evaluate("scrollY") > 0
        assert is_in_view(status)
        expect(page.locator("#item")).to_have_css("opacity", "0.45")
        page.context.set_offline(False)
        expect(page.locator("#item[data-number='2']")).to_have_css("opacity", "1")


def test_what_is_told_hides_nothing_that_is_written_in(
    opened: Callable[..., Page], tmp_path: Path
) -> None:
    study = misgendering()
    page = opened(**PHONE)
    with before(page, study, tmp_path):
        area = page.locator("#text-note")
        area.tap()
        page.evaluate("scrollTo(0, document.querySelector('#text-note').offsetTop)")
        below = (
            "(element) => element.getBoundingClientRect().top"
            " - document.getElementById('status').getBoundingClientRect().bottom"
        )
        page.evaluate("tell('Something went wrong with this.', true)")
        assert area.evaluate(below) >= 0
        page.keyboard.press("Enter")  # the first question has no answer
        expect(page.locator("#status")).to_have_text(interface_text("missing", "en"))
        wanting = page.locator("[data-question=label]")
        assert wanting.evaluate(below) >= 0
        assert is_in_view(wanting.locator(".option").first)


# --- words to mark -------------------------------------------------------------------------------


def marking(labels: tuple[Option, ...], language: str) -> Study:
    study = misgendering()
    whole = msgspec.json.encode(study).replace(b'"en":', f'"{language}":'.encode())
    study = msgspec.json.decode(whole, type=Study)
    mark = MarksQuestion(id="extraneous", ask={language: "?"}, field="text", labels=labels)
    return msgspec.structs.replace(study, questions=(mark,))


@pytest.mark.parametrize("language", ["en", "fr", "ar", "hi"])
def test_words_to_mark_say_that_they_are(
    language: str, opened: Callable[..., Page], tmp_path: Path
) -> None:
    page = opened()
    with before(page, marking((), language), tmp_path / "plain"):
        box = page.locator("[data-question=extraneous]")
        expect(box.locator(".marking")).to_have_text(interface_text("mark_words", language))
        assert box.locator(".names").count() == 0
    with before(page, marking(options("noun", "adjective"), language), tmp_path / "named"):
        expect(box.locator(".marking")).to_have_text(interface_text("mark_named", language))
        assert box.locator(".names li").all_inner_texts() == ["noun", "adjective"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_can_be_touched_can_be_seen(
    scheme: str, opened: Callable[..., Page], tmp_path: Path
) -> None:
    page = opened(color_scheme=scheme)
    with before(page, misgendering(), tmp_path):
        for selector, inside in (
            (".word", True),
            (".option", False),
            ("textarea", False),
            ("#next", False),
        ):
            ratio = page.locator(selector).first.evaluate(
                f"(element, inside) => {{ {CONTRAST}"
                " const around = behind(inside ? element : element.parentElement);"
                " return contrast(getComputedStyle(element).borderBottomColor, around); }",
                inside,
            )
            assert ratio >= 3, selector
        assert page.locator(".word").first.evaluate(
            "(word) => parseFloat(getComputedStyle(word).borderBottomWidth) >= 2"
        )


def test_words_that_are_not_asked_about_do_not_look_as_if(
    opened: Callable[..., Page], tmp_path: Path
) -> None:
    study = misgendering()
    label, mark, *_ = study.questions
    mark = msgspec.structs.replace(mark, when={"label": ("misgendering",)})
    page = opened()
    with before(page, msgspec.structs.replace(study, questions=(label, mark)), tmp_path):
        word = page.locator(".word").first
        expect(word).to_have_css("border-bottom-color", "rgba(0, 0, 0, 0)")
        page.keyboard.press("2")
        expect(word).not_to_have_css("border-bottom-color", "rgba(0, 0, 0, 0)")


# --- keys, headings, the order of things ---------------------------------------------------------


def test_signs_of_keys_are_for_who_has_keys(opened: Callable[..., Page], tmp_path: Path) -> None:
    for settings, shown in ((PHONE, False), ({}, True)):
        page = opened(**settings)
        with before(page, misgendering(), tmp_path / str(shown)):
            for sign in page.locator("kbd").all():
                assert sign.is_visible() == shown


def test_an_item_has_a_heading_and_what_it_takes_back_comes_last(
    opened: Callable[..., Page], tmp_path: Path
) -> None:
    page = opened()
    with before(page, misgendering(), tmp_path):
        heading = page.get_by_role("heading", level=1)
        expect(heading).to_have_text("Question 1")
        page.keyboard.press("1")
        page.keyboard.press("Escape")
        page.keyboard.press("Enter")
        expect(heading).to_have_text("Question 2")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.closest('form').id") == "item"
        page.locator("#next").focus()
        page.keyboard.press("Tab")
        expect(page.locator("#undo")).to_be_focused()
        page.keyboard.press("Enter")
        expect(heading).to_have_text("Question 1")


# --- for whom a sentence is written --------------------------------------------------------------


def test_for_whom_to_write_stands_in_arabic_from_right_to_left(
    opened: Callable[..., Page], tmp_path: Path
) -> None:
    page = opened()
    with before(page, KINDS["rewrite a sentence"].study(tmp_path), tmp_path):
        page.locator("[data-language=ar]").click()
        whom = page.locator("html[lang=ar] .panel .text").first
        expect(whom).to_have_css("direction", "rtl")
        assert whom.get_attribute("lang") == "ar"
        arabic = whom.inner_text()
        assert arabic.startswith(("المتكلم: ", "المخاطب: "))
        assert not any(letter.isascii() and letter.isalpha() for letter in arabic)
