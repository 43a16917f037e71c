"""Answers that wait in a real browser: for a question that is gone, and beside another window."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest
from playwright.sync_api import expect

from epicene.studies.collection.folder import STUDY_FILE, create_study_folder, open_study_folder
from epicene.studies.collection.links import User
from epicene.studies.design.interface_texts import interface_text
from epicene.studies.design.schema import Access
from epicene.studies.exchange.study_files import study_toml
from studies.web.browser_participant import served
from studies.web.word_study import (
    ASIDE,
    UNSENT,
    at,
    begun,
    choose,
    is_free,
    keep_unsent,
    second_window,
    words,
)

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

pytestmark = pytest.mark.browser

# --- an answer that nobody asked for any more ----------------------------------------------------


@pytest.mark.parametrize("language", ["en", "fr", "ar", "hi"])
def test_an_answer_to_what_is_gone_is_set_aside_and_the_work_goes_on(
    language: str, opened: Callable[..., Page], tmp_path: Path
) -> None:
    page = opened()
    with begun(page, tmp_path, language) as site:
        keep_unsent(page, 77, gender=["male"], category=["power"])
        page.reload()
        expect(page.locator("#status.wrong")).to_have_text(interface_text("set_aside", language))
        assert page.evaluate(UNSENT) == []
        assert len(page.evaluate(ASIDE)) == 1  # not thrown away
        assert page.locator("form#item").evaluate("(form) => form.inert") is False
        choose(page)
        page.keyboard.press("Enter")
        at(page, 2)
        expect(page.locator("#status")).to_have_text(interface_text("saved", language))
        page.reload()
        at(page, 2)
        expect(page.locator("#status")).to_have_text("")
        assert len(site.folder.responses()) == 1


def test_what_waits_behind_it_is_sent_and_what_was_begun_is_there(
    opened: Callable[..., Page], tmp_path: Path
) -> None:
    page = opened()
    with begun(page, tmp_path) as site:
        choose(page)
        page.keyboard.press("Enter")
        at(page, 2)
        page.keyboard.press("3")  # begun
        keep_unsent(page, 0, gender=["male"], category=["power"])
        page.reload()
        expect(page.locator("#status.wrong")).to_have_text(interface_text("set_aside", "en"))
        at(page, 2)
        expect(page.locator("[data-question=gender] [value=neither]")).to_be_checked()
        keep_unsent(page, 0, gender=["male"], category=["power"])
        keep_unsent(page, 2, gender=["female"], category=["status"])
        page.reload()
        at(page, 3)
        expect(page.locator("#status.wrong")).to_have_text(interface_text("set_aside", "en"))
        kept = {each.item: each.answers for each in site.folder.responses()}
        assert kept["w1"] == {"gender": "female", "category": "status"}
        assert len(kept) == 2


def test_what_is_refused_and_stands_in_no_form_is_set_aside(
    opened: Callable[..., Page], tmp_path: Path
) -> None:
    page = opened()
    with begun(page, tmp_path):
        choose(page)
        page.keyboard.press("Enter")
        at(page, 2)
        keep_unsent(page, 1, gender=["an option that is gone"], category=["power"])
        page.reload()
        expect(page.locator("#status.wrong")).to_have_text(interface_text("set_aside", "en"))
        assert page.evaluate(UNSENT) == []
        assert len(page.evaluate(ASIDE)) == 1
        is_free(page)
        keep_unsent(page, 2, gender=["an option that is gone"], category=["power"])
        page.reload()  # this one can be mended where it is
        expect(page.locator("#status.wrong")).to_contain_text(interface_text("wrong_answer", "en"))
        assert len(page.evaluate(ASIDE)) == 1
        is_free(page)


def test_a_page_that_must_be_asked_for_again_is_asked_for_once(
    opened: Callable[..., Page], tmp_path: Path
) -> None:
    """A second one would come in the midst of what the person does with the first."""
    page = opened()
    page.clock.install()
    with begun(page, tmp_path):
        choose(page)
        page.keyboard.press("Enter")
        at(page, 2)
        asked: list[str] = []
        page.on("request", lambda each: asked.append(each.url) if "/api/work" in each.url else None)
        page.route("**/api/work", lambda route: route.abort())
        keep_unsent(page, 1, gender=["female"], category=["status"])
        page.reload()
        expect(page.locator("#status.wrong")).to_have_text(interface_text("conflict", "en"))
        while len(asked) < 2:
            page.wait_for_timeout(50)
        page.unroute("**/api/work")
        page.clock.run_for(31_000)
        is_free(page)
        page.wait_for_timeout(200)
        assert len(asked) == 3


def test_a_link_that_works_no_more_keeps_the_answer(
    opened: Callable[..., Page], tmp_path: Path
) -> None:
    page = opened()
    with begun(page, tmp_path) as site:
        page.context.clear_cookies()
        choose(page)
        page.keyboard.press("Enter")
        expect(page.locator("#status.wrong")).to_have_text(interface_text("closed", "en"))
        assert len(page.evaluate(UNSENT)) == 1
        assert page.evaluate(ASIDE) == []
        page.goto(site.link(User("person", "ann")))  # it does, after all
        at(page, 2)
        assert page.evaluate(UNSENT) == []
        assert len(site.folder.responses()) == 1


def test_nothing_is_set_aside_while_the_server_cannot_say(
    opened: Callable[..., Page], tmp_path: Path
) -> None:
    page = opened()
    with begun(page, tmp_path):
        keep_unsent(page, 77, gender=["male"], category=["power"])
        page.route("**/api/work", lambda route: route.abort())
        page.reload()
        expect(page.locator("#status.wrong")).to_have_text(interface_text("not_saved", "en"))
        assert len(page.evaluate(UNSENT)) == 1
        page.unroute("**/api/work")
        expect(page.locator("#status.wrong")).to_have_text(interface_text("set_aside", "en"))


# --- two windows ---------------------------------------------------------------------------------


def sent_from(page: Page) -> list[object]:
    """What the page posts, from now on."""
    sent: list[object] = []
    page.on(
        "request",
        lambda request: (
            sent.append(json.loads(request.post_data or "null"))
            if request.url.endswith("/api/answer")
            else None
        ),
    )
    return sent


def test_what_another_window_sent_is_neither_lost_nor_double(
    opened: Callable[..., Page], tmp_path: Path
) -> None:
    one = opened()
    with begun(one, tmp_path) as site:
        sent = sent_from(one)
        one.route("**/api/answer", lambda route: route.abort())
        choose(one)
        one.keyboard.press("Enter")
        expect(one.locator("#status.wrong")).to_have_text(interface_text("not_saved", "en"))
        other = second_window(one)
        other.goto(f"{site.address}/")  # finds what waits, and sends it
        at(other, 2)
        assert len(site.folder.responses()) == 1
        assert other.evaluate(UNSENT) == []
        one.unroute("**/api/answer")
        at(one, 2)
        assert all(isinstance(body, dict) and body["number"] == 1 for body in sent)
        (kept,) = site.folder.responses()
        assert kept.answers == {"gender": "male", "category": "power"}


TAKEN = """
  const read = Storage.prototype.getItem;
  Storage.prototype.getItem = function (name) {
    if (/ unsent /.test(name) && !window.wasTaken) {
      window.wasTaken = true;
      this.removeItem(name); // by another window, between being listed and being read
    }
    return read.call(this, name);
  };
"""


def test_what_another_window_takes_at_the_last_moment_is_not_sent_as_nothing(
    opened: Callable[..., Page], tmp_path: Path
) -> None:
    one = opened()
    with begun(one, tmp_path) as site:
        keep_unsent(one, 1, gender=["male"], category=["power"])
        other = second_window(one)
        other.add_init_script(TAKEN)
        sent = sent_from(other)
        other.goto(f"{site.address}/")
        is_free(other)
        assert other.evaluate("window.wasTaken")
        assert sent == []
        expect(other.locator("#status")).to_have_text("")
        choose(other)
        other.keyboard.press("Enter")
        at(other, 2)
        assert len(site.folder.responses()) == 1


def test_what_another_window_keeps_meanwhile_is_not_forgotten(
    opened: Callable[..., Page], tmp_path: Path
) -> None:
    """One window sends an answer; the other has taken it back and given another by then."""
    one = opened()
    with begun(one, tmp_path) as site:

        def slowly(route: Route) -> None:
            reply = route.fetch()
            answers = {"gender": ["female"], "category": ["status"]}
            newer = {"number": 1, "revision": 2, "seconds": 1.0, "answers": answers}
            taken = {"number": 1}
            one.evaluate(
                "async ([taken, newer]) => { await fetch('/api/undo', { method: 'POST',"
                " headers: { 'Content-Type': 'application/json',"
                " 'X-CSRF-Token': document.body.dataset.csrf }, body: JSON.stringify(taken) });"
                " localStorage.setItem(`epicene ${document.body.dataset.storageKey} unsent 1`,"
                " JSON.stringify(newer)); }",
                [taken, newer],
            )
            route.fulfill(response=reply)

        one.route("**/api/answer", slowly, times=1)
        choose(one)
        one.keyboard.press("Enter")
        at(one, 2)
        while one.evaluate(UNSENT):
            one.wait_for_timeout(50)
        (kept,) = site.folder.responses()
        assert kept.answers == {"gender": "female", "category": "status"}


def test_something_else_in_the_storage_stops_nothing(
    opened: Callable[..., Page], tmp_path: Path
) -> None:
    page = opened()
    with begun(page, tmp_path):
        for text in ("", "null", "{no json"):
            page.evaluate(
                "(text) => localStorage.setItem("
                "`epicene ${document.body.dataset.storageKey} unsent 1`, text)",
                text,
            )
            page.reload()
            is_free(page)
            assert page.evaluate(UNSENT) == []
        choose(page)
        page.keyboard.press("Enter")
        at(page, 2)


# --- a study that closed -------------------------------------------------------------------------


def test_what_waits_is_sent_after_the_study_closed(
    opened: Callable[..., Page], tmp_path: Path
) -> None:
    folder = create_study_folder(tmp_path / "study", words(4))
    page = opened()
    with served(folder) as site:
        page.goto(site.link(User("person", "ann")))
        at(page, 1)
    closes = datetime.now(UTC) - timedelta(hours=1)
    study = msgspec.structs.replace(folder.study, access=Access(closes=closes))
    (folder.path / STUDY_FILE).write_text(study_toml(study), "utf-8")
    with served(open_study_folder(folder.path)) as site:
        page.goto(site.link(User("person", "ann")))
        expect(page.locator("#closed")).to_be_visible()
        keep_unsent(page, 1, gender=["male"], category=["power"])
        page.reload()
        expect(page.locator("#status")).to_have_text(interface_text("saved", "en"))
        expect(page.locator("#closed")).to_be_visible()
        assert len(site.folder.responses()) == 1
