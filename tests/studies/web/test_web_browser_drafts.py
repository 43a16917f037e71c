"""What is typed and how long it took, in a real browser: whatever is reloaded, undone or opened."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest
from playwright.sync_api import expect

from epicene.core.records import to_json
from epicene.studies.collection.folder import create_study_folder
from epicene.studies.collection.links import User
from epicene.studies.collection.participants import open_participants
from epicene.studies.design.interface_texts import interface_text
from epicene.studies.design.schema import NoteQuestion, Study
from studies.web.browser_participant import Served, served
from studies.web.word_study import UNSENT, at, begun, choose, is_free, second_window, words

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

pytestmark = pytest.mark.browser


@contextmanager
def with_remarks(page: Page, folder: Path) -> Iterator[Served]:
    """Words about which something can be remarked, in two languages, the first on the page."""
    study = words(4)
    remark = NoteQuestion(id="remark", ask={"en": "Remark"})
    study = msgspec.structs.replace(study, questions=(*study.questions, remark))
    in_both = re.sub(rb'"en":("[^"]*")', rb'"en":\1,"fr":\1', to_json(study))
    study = msgspec.json.decode(in_both, type=Study)
    with served(create_study_folder(folder / "study", study)) as site:
        page.goto(site.link(User("person", "ann")))
        at(page, 1)
        yield site


def save(page: Page, following: int) -> None:
    choose(page)
    page.keyboard.press("Enter")
    at(page, following)
    is_free(page)


# --- what was typed ------------------------------------------------------------------------------


def test_taking_an_answer_back_loses_nothing_that_was_typed_since(
    opened: Callable[..., Page], tmp_path: Path
) -> None:
    page = opened()
    with with_remarks(page, tmp_path) as site:
        save(page, 2)
        page.locator("#text-remark").fill("of the second")
        page.locator("#undo").click()
        at(page, 1)
        expect(page.locator("#text-remark")).to_have_value("")
        page.locator("#text-remark").fill("of the first")
        page.locator("#next").click()
        at(page, 2)
        expect(page.locator("#text-remark")).to_have_value("of the second")
        page.locator("[data-question=gender] [value=male]").click()
        page.locator("[data-question=category] [value=power]").click()
        page.locator("#next").click()
        at(page, 3)
        expect(page.locator("#text-remark")).to_have_value("")
        kept = {each.item: each.answers["remark"] for each in site.folder.responses()}
        assert kept == {"w0": "of the first", "w1": "of the second"}
        drafts = "Object.keys(localStorage).filter((name) => / draft /.test(name))"
        assert page.evaluate(drafts) == []


# --- how long it took ----------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["reload", "language", "window"])
def test_time_runs_from_the_first_showing(
    how: str, opened: Callable[..., Page], tmp_path: Path
) -> None:
    page = opened()
    before = time.time()
    with with_remarks(page, tmp_path) as site:
        page.wait_for_timeout(1500)
        if how == "reload":
            page.reload()
        elif how == "language":
            page.locator("[data-language=fr]").click()
            expect(page.locator("html")).to_have_attribute("lang", "fr")
        else:
            page = second_window(page)
            page.goto(f"{site.address}/")
        at(page, 1)
        is_free(page)
        save(page, 2)
        (kept,) = site.folder.responses()
        assert kept.seconds is not None
        assert 1.5 <= kept.seconds <= time.time() - before


def test_the_time_that_an_answer_waits_to_be_sent_is_not_counted(
    opened: Callable[..., Page], tmp_path: Path
) -> None:
    page = opened()
    began = time.time()
    with begun(page, tmp_path) as site:
        choose(page)
        page.context.set_offline(True)
        page.keyboard.press("Enter")
        answered = time.time() - began
        expect(page.locator("#status.wrong")).to_have_text(interface_text("not_saved", "en"))
        page.wait_for_timeout(2500)
        page.context.set_offline(False)
        at(page, 2)
        (kept,) = site.folder.responses()
        assert kept.seconds is not None
        assert kept.seconds < answered + 0.2


# --- an undo that cannot be sent -----------------------------------------------------------------


def test_an_undo_without_a_network_says_so_until_there_is_one(
    opened: Callable[..., Page], tmp_path: Path
) -> None:
    page = opened()
    with begun(page, tmp_path) as site:
        save(page, 2)
        page.keyboard.press("3")
        page.context.set_offline(True)
        page.locator("#undo").click()
        expect(page.locator("#status.wrong")).to_have_text(interface_text("not_undone", "en"))
        assert page.evaluate(UNSENT) == []
        is_free(page)
        page.context.set_offline(False)
        expect(page.locator("#status")).to_have_text("")
        at(page, 2)  # and what was filled in is still there
        expect(page.locator("[data-question=gender] [value=neither]")).to_be_checked()
        assert len(site.folder.responses()) == 1
        page.locator("#undo").click()
        at(page, 1)
        assert site.folder.responses() == []


def test_an_undo_of_which_only_the_reply_was_lost_is_shown(
    opened: Callable[..., Page], tmp_path: Path
) -> None:
    page = opened()
    page.clock.install()
    with begun(page, tmp_path) as site:
        save(page, 2)

        def unheard(route: Route) -> None:
            route.fetch()
            route.abort()

        page.route("**/api/undo", unheard, times=1)
        page.locator("#undo").click()
        expect(page.locator("#status.wrong")).to_have_text(interface_text("not_undone", "en"))
        page.clock.run_for(6_000)
        at(page, 1)
        expect(page.locator("#status")).to_have_text("")
        assert site.folder.responses() == []


# --- another link in the same browser ------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "fr", "ar", "hi"])
def test_another_persons_link_is_named_as_what_is_wrong(
    language: str, opened: Callable[..., Page], tmp_path: Path
) -> None:
    page = opened()
    with begun(page, tmp_path, language) as site:
        other = second_window(page)
        other.goto(site.link(User("person", "bob")))
        at(other, 1)
        choose(page)
        page.keyboard.press("Enter")
        expect(page.locator("#status.wrong")).to_have_text(interface_text("other_link", language))
        assert len(page.evaluate(UNSENT)) == 1
        assert site.folder.responses() == []
        other.goto(site.link(User("person", "ann")))  # as it says
        at(other, 2)
        assert [each.participant for each in site.folder.responses()] == ["ann"]


def test_an_undo_beside_another_persons_link_says_so(
    opened: Callable[..., Page], tmp_path: Path
) -> None:
    page = opened()
    with begun(page, tmp_path) as site:
        save(page, 2)
        other = second_window(page)
        other.goto(site.link(User("person", "bob")))
        at(other, 1)
        page.locator("#undo").click()
        expect(page.locator("#status.wrong")).to_have_text(interface_text("other_link", "en"))
        at(page, 2)
        assert len(site.folder.responses()) == 1


def test_a_newer_link_of_the_same_person_goes_on_by_itself(
    opened: Callable[..., Page], tmp_path: Path
) -> None:
    page = opened()
    with begun(page, tmp_path) as site:
        with open_participants(site.folder) as participants:
            participants.revoke("ann")
        other = second_window(page)
        other.goto(site.link(User("person", "ann", "1")))
        at(other, 1)  # else it would send the answer, too
        choose(page)
        page.keyboard.press("Enter")
        at(page, 2)
        assert page.evaluate(UNSENT) == []
        assert len(site.folder.responses()) == 1
