"""The page of an audit: self-contained, safe with hostile strings, usable with many."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from axe import violations
from epicene.localisation.audit.files import AuditedString, FileAudit
from epicene.localisation.audit.findings import Finding, OtherForm, ShownWord
from epicene.localisation.audit.page import render_page
from localisation.audit_samples import HOSTILE, STRINGS, write_strings, written

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Request


@pytest.fixture
def page(tmp_path: Path) -> str:
    files = [
        write_strings(
            tmp_path / "fr.json", {**STRINGS, f"hostile.{HOSTILE}": f"{HOSTILE} Tu es prêt."}
        ),
        write_strings(tmp_path / "ar.json", {"net.off": "أنت غير متصل بالشبكة."}),
    ]
    return written(FileAudit(files, fail_on=["mixed"]), "html")


def test_the_answer_comes_first(page: str) -> None:
    assert "<h1>3 of 7 strings address a man, 0 a woman.</h1>" in page
    assert "1 string matched --fail-on mixed." in page


def test_the_bar_counts_every_string_once(page: str) -> None:
    """One string shows a man and a woman: it is neither counted twice nor left out."""
    bar = [int(size) for size in re.findall(r"flex-grow:(\d+)", page)]
    legend = [int(size) for size in re.findall(r"</i>[^<]*: <b>(\d+)</b>", page)]
    assert sum(bar) == sum(legend) == 7
    assert "several of these: <b>1</b>" in page


def test_the_page_loads_nothing(page: str) -> None:
    assert "default-src &#39;none&#39;" in page or "default-src 'none'" in page
    assert not re.search(r"(?:src|href)=[\"']?(?:https?:)?//", page)


def test_hostile_strings_stay_text(page: str) -> None:
    assert page.count("<script") == page.count("</script") == 2
    assert "<img" not in page
    assert "\u202e" not in re.sub(r"<script.*?</script>", "", page, flags=re.S)
    data = re.search(r'id="data">(.*?)</script>', page, re.S)
    assert data is not None
    texts = [each["text"] for each in json.loads(data[1])["strings"]]
    assert f"{HOSTILE} Tu es prêt." in texts


@pytest.fixture
def opened(chromium: Browser, tmp_path: Path) -> Iterator[Callable[..., Page]]:
    """Opens a page from a file, and holds it to silence: no error, no request."""
    troubles: list[str] = []

    def note_request(request: Request) -> None:
        if not request.url.startswith("file:"):
            troubles.append(request.url)

    def open_page(html: str, *, width: int = 1200, dark: bool = False) -> Page:
        context = chromium.new_context(
            viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light"
        )
        context.on("request", note_request)
        file = tmp_path / "audit.html"
        file.write_text(html, encoding="utf-8")
        tab = context.new_page()
        tab.on("console", lambda message: troubles.append(message.text))
        tab.on("pageerror", lambda error: troubles.append(str(error)))
        tab.on("dialog", lambda dialog: troubles.append(dialog.message))
        tab.goto(file.as_uri())
        tab.wait_for_selector("article")
        return tab

    yield open_page
    assert troubles == []


@pytest.mark.browser
def test_a_translator_filters_and_reads(opened: Callable[..., Page], page: str) -> None:
    tab = opened(page)
    assert tab.locator("article").count() == 6
    tab.select_option("select[name=show]", "undecided")
    expect(tab.locator("article")).to_have_count(1)
    expect(tab.locator("article .key")).to_contain_text("team.admins")
    tab.click("button[type=reset]")
    tab.select_option("select[name=whose]", "speaker")
    expect(tab.locator("article")).to_have_count(1)
    assert tab.locator("article mark").all_inner_texts() == ["prêt", "contente"]
    tab.click("button[type=reset]")
    tab.fill("input[name=search]", "inscrite")  # in the other form
    expect(tab.locator("article")).to_have_count(1)
    assert tab.locator("article ins").all_inner_texts()[-1] == "inscrite"
    tab.fill("input[name=search]", "nothing has this")
    assert "No string matches" in tab.locator("#count").inner_text()


@pytest.mark.browser
def test_a_group_of_keys_is_one_click_away(opened: Callable[..., Page], page: str) -> None:
    tab = opened(page)
    tab.locator("button.link", has_text="account").click()
    expect(tab.locator("article")).to_have_count(2)
    assert tab.evaluate("document.activeElement.id") == "strings"


@pytest.mark.browser
@pytest.mark.parametrize(("width", "dark"), [(1200, False), (390, True)])
def test_nothing_scrolls_sideways(
    opened: Callable[..., Page], page: str, width: int, dark: bool
) -> None:
    tab = opened(page, width=width, dark=dark)
    assert tab.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.browser
def test_arabic_runs_from_right_to_left_and_controls_are_visible(
    opened: Callable[..., Page], page: str
) -> None:
    tab = opened(page)
    arabic = tab.locator("article .text[lang=ar]")
    assert arabic.evaluate("node => getComputedStyle(node).direction") == "rtl"
    tab.fill("input[name=search]", "tu es prêt")
    assert tab.locator("article .text .control").first.inner_text() == "\\u202e"


@pytest.mark.browser
def test_marks_are_at_the_words_behind_an_emoji(
    opened: Callable[..., Page], tmp_path: Path
) -> None:
    """Offsets count characters, of which JavaScript counts some as two."""
    path = write_strings(tmp_path / "fr.json", {"a": "👩‍🔧🎉 Vous êtes prêt."})
    tab = opened(written(FileAudit([path]), "html"))
    assert tab.locator("mark").all_inner_texts() == ["prêt"]


@pytest.mark.browser
def test_the_other_form_is_copied_from_the_keyboard(opened: Callable[..., Page], page: str) -> None:
    tab = opened(page)
    tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
    button = tab.locator("article .button").first
    button.focus()
    tab.keyboard.press("Enter")
    expect(button).to_have_text("Copied")
    assert tab.evaluate("navigator.clipboard.readText()") == "Vous êtes prête."


def many(count: int) -> list[AuditedString]:
    """That many findings."""
    text = "Vous êtes prêt, utilisateur {}."
    return [
        AuditedString(
            Finding(
                file="fr.json",
                key=f"group{n % 40}.key{n}",
                line=n + 1,
                language="fr",
                text=text.format(n),
                people={"listener": "masculine"},
                user=("listener",),
                words=(
                    ShownWord(
                        start=10,
                        end=14,
                        text="prêt",
                        whose="listener",
                        gender="masculine",
                        other="prête",
                        sure="certain",
                        rule="",
                    ),
                ),
                forms=(
                    OtherForm(
                        whose="listener",
                        gender="feminine",
                        text=text.format(n).replace("prêt", "prête"),
                    ),
                ),
            ),
            prefix=f"group{n % 40}",
        )
        for n in range(count)
    ]


@pytest.mark.browser
def test_ten_thousand_strings_are_shown_a_few_at_a_time(
    opened: Callable[..., Page], tmp_path: Path
) -> None:
    audit = FileAudit([write_strings(tmp_path / "fr.json", STRINGS)])
    list(audit)
    tab = opened(render_page(many(10_000), audit))
    assert tab.locator("#count").inner_text() == "10,000 of 10,000 strings"
    assert tab.locator("article").count() == 50
    tab.click("#more")
    assert tab.locator("article").count() == 100
    tab.fill("input[name=search]", "utilisateur 9999.")
    expect(tab.locator("article")).to_have_count(1)


@pytest.mark.browser
@pytest.mark.parametrize(("width", "dark"), [(1200, False), (390, True)])
def test_the_page_does_not_violate_wcag(
    opened: Callable[..., Page], page: str, width: int, dark: bool
) -> None:
    tab = opened(page, width=width, dark=dark)
    tab.locator("details").evaluate_all("all => all.forEach((fold) => { fold.open = true; })")
    assert violations(tab) == []
