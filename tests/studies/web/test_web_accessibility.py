"""Every kind of page against WCAG 2.1, levels A and AA, by axe-core in a real browser."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
import uvicorn

from axe import violations
from epicene.studies.collection.exclusion import exclude_participant
from epicene.studies.collection.folder import StudyFolder, create_study_folder
from epicene.studies.collection.links import User, load_signer
from epicene.studies.collection.participants import open_participants
from epicene.studies.design.schema import Study
from epicene.studies.web.app import make_app
from scripted_people import answer, respond
from studies import suite_studies
from studies.web.page_visitors import with_pictures
from study_examples import forced_choice, image, label_and_rewrite, misgendering

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

PHONE: dict[str, Any] = {"viewport": {"width": 360, "height": 640}}
LARGE: dict[str, Any] = {"viewport": {"width": 1200, "height": 800}, "color_scheme": "dark"}


@contextmanager
def serving(folder: StudyFolder) -> Iterator[str]:
    """The address of a study with a preview, served by a thread."""
    config = uvicorn.Config(make_app(folder, preview=True), port=0, log_level="warning")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not (server.started and server.servers):
        thread.join(0.02)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join(20)


def practised(study: Study) -> Study:
    """The study with instructions, consent, and practice with feedback, by personal links."""
    languages = list(study.title)
    text = dict.fromkeys(languages, "Read.\n\n- one\n\n> [example](https://example.org)")
    (first, *_) = study.items
    practice = msgspec.structs.replace(
        first, id="practice", feedback=text, expected=respond(study, first, "ann").answers
    )
    return msgspec.structs.replace(
        study, consent=text, instructions=text, practice=(practice,), access=type(study.access)()
    )


@pytest.mark.parametrize(
    ("example", "settings"),
    [
        (misgendering, LARGE),
        (forced_choice, PHONE),
        (label_and_rewrite, PHONE),
        (image, LARGE),
    ],
)
def test_pages_of_participants(
    opened: Callable[..., Page],
    tmp_path: Path,
    example: Callable[[], Study],
    settings: dict[str, Any],
) -> None:
    study = practised(with_pictures(example(), tmp_path / "s"))
    folder = create_study_folder(tmp_path / "s", study)
    with open_participants(folder) as participants:
        participants.invite("ann")
    page = opened(**settings)
    wrong = {}
    with serving(folder) as address:
        page.goto(f"{address}/enter/nobody")
        wrong["bad link"] = violations(page)
        page.goto(f"{address}/enter/{load_signer(folder.path).token(User('person', 'ann'))}")
        page.locator("#consent").wait_for()
        page.goto(f"{address}/preview")
        links = page.locator("#pages a").evaluate_all("all => all.map((each) => each.href)")
        assert len(links) > 8
        for link in [f"{address}/preview", f"{address}/", *links]:
            page.goto(link)
            wrong[link.removeprefix(address)] = violations(page)
    assert {name: found for name, found in wrong.items() if found} == {}


@pytest.mark.parametrize("kind", suite_studies.KINDS)
def test_items_of_every_kind_of_study(
    opened: Callable[..., Page], tmp_path: Path, kind: str
) -> None:
    """The first page that asks something, and the feedback, in each of the study's languages."""
    study = suite_studies.KINDS[kind].study(tmp_path / "s")
    assert study.practice
    study = msgspec.structs.replace(
        study, access=type(study.access)(), consent={}, screening=(), items=study.items[:1],
        lists="none", checks=(), fillers=(),
    )  # fmt: skip
    folder = create_study_folder(tmp_path / "s", study)
    with open_participants(folder) as participants:
        participants.invite(*study.title)
    wrong = {}
    with serving(folder) as address:
        for settings, language in zip((LARGE, PHONE), study.title, strict=False):
            page = opened(**settings, locale=language)
            page.goto(f"{address}/enter/{load_signer(folder.path).token(User('person', language))}")
            page.locator("#main").wait_for()
            for part in ("items/1", "feedback/practice/1"):
                reply = page.goto(f"{address}/preview/{part}")
                assert reply is not None
                assert reply.ok, part
                assert page.locator("html").get_attribute("lang") == language
                wrong[f"{language} {part}"] = violations(page)
    assert {name: found for name, found in wrong.items() if found} == {}


def test_pages_of_the_owner(opened: Callable[..., Page], tmp_path: Path) -> None:
    study = misgendering()
    folder = create_study_folder(tmp_path / "s", msgspec.structs.replace(study, judgements=3))
    for person in ("ann", "bob", "cem"):
        answer(folder, person, lambda item, who=person: respond(study, item, who).answers)  # type: ignore[misc]
    exclude_participant(folder, "cem", "too fast", "eve")
    page = opened(**LARGE)
    wrong = {}
    with serving(folder) as address:
        page.goto(f"{address}/enter/{load_signer(folder.path).token(User('owner'))}")
        page.locator("#owner-nav").wait_for()
        links = page.locator("#owner-nav a, #people a").evaluate_all(
            "all => all.map((each) => each.href).filter((each) => !/export|table/.test(each))"
        )
        for link in dict.fromkeys(links):
            page.goto(link)
            wrong[link.removeprefix(address)] = violations(page)
        page.locator("#log-out").click()
        page.locator("#logged-out").wait_for()
        wrong["logged out"] = violations(page)
    pages = {"/owner/items", "/owner/agreement", "/owner/disagreements", "/owner/links"}
    assert pages | {"/owner", "/owner/activity", "/owner/people/ann"} <= set(wrong)
    assert {name: found for name, found in wrong.items() if found} == {}
