"""A study of a few words before a person in a real browser, who chooses by keys."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from playwright.sync_api import expect

from epicene.core.records import to_json
from epicene.studies.collection.folder import create_study_folder
from epicene.studies.collection.links import User
from epicene.studies.design.schema import Study
from studies.web.browser_participant import Served, is_scripted, served
from study_examples import stereotype

if TYPE_CHECKING:
    from playwright.sync_api import Page

UNSENT = "Object.keys(localStorage).filter((name) => / unsent /.test(name))"
ASIDE = "Object.keys(localStorage).filter((name) => / aside /.test(name))"


def words(count: int, language: str = "en") -> Study:
    whole = to_json(stereotype()).replace(b'"en":', f'"{language}":'.encode())
    study = msgspec.json.decode(whole, type=Study)
    items = tuple(
        msgspec.structs.replace(
            study.items[0], id=f"w{n}", fields={"gloss": f"word {n}", "grammar": "F"}
        )
        for n in range(count)
    )
    return msgspec.structs.replace(study, items=items, shuffle=False)


def keep_unsent(page: Page, number: int, **answers: list[str]) -> None:
    """As if an answer had been given when the server could not be reached.

    A page whose script has not run yet would send it at once.
    """
    is_scripted(page)
    entry = {"number": number, "revision": 0, "answers": answers, "seconds": 1.0}
    page.evaluate(
        "([number, entry]) => localStorage.setItem("
        "`epicene ${document.body.dataset.storageKey} unsent ${number}`, entry)",
        [number, json.dumps(entry)],
    )


def choose(page: Page) -> None:
    """Male, and power, whatever is on the page."""
    page.keyboard.press("1")
    page.keyboard.press("1")


def at(page: Page, number: int) -> None:
    """Wait until a task is on the page, and the page listens to keys."""
    is_scripted(page)
    expect(page.locator("form#item")).to_have_attribute("data-number", str(number))


def is_free(page: Page) -> None:
    """Wait until the form can be filled in."""
    is_scripted(page)
    expect(page.locator("form#item")).to_have_js_property("inert", value=False)


@contextmanager
def begun(page: Page, folder: Path, language: str = "en") -> Iterator[Served]:
    """A study of four words, with the first before the person."""
    with served(create_study_folder(folder / "study", words(4, language))) as site:
        page.goto(site.link(User("person", "ann")))
        at(page, 1)
        yield site


def second_window(first: Page) -> Page:
    page = first.context.new_page()
    page.set_default_timeout(20_000)
    return page
