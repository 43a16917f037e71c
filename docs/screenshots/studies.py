"""Items of every kind, and what the owner of a study sees."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import msgspec
from playwright.sync_api import expect

from epicene.studies.collection.exclusion import exclude_participant
from epicene.studies.collection.folder import create_study_folder
from epicene.studies.collection.owners import open_owners
from epicene.studies.collection.participants import open_participants
from epicene.studies.design.schema import AnswerValue, Span, Study, TextQuestion
from screenshots.camera import Camera
from studies import suite_studies
from studies.web.browser_participant import KeyboardParticipant, decided, served


class Scene(NamedTuple):
    """An item of a study, what is answered before the picture is taken, and on which page."""

    study: Callable[[Path], Study]
    item: int
    answers: dict[str, AnswerValue]
    language: str = "en"
    width: int = 760


ITEMS = {
    "annotate-label-en": Scene(
        suite_studies.identify, 0, {"usable": "yes", "first": "F", "second": "B"}
    ),
    "annotate-rewrite-ar": Scene(suite_studies.rewrite, 0, {"possible": "yes"}, "ar"),
    "annotate-forms-en": Scene(suite_studies.forms_in("hi").study, 0, {"speaker": "shows"}),
    "annotate-phone-ar": Scene(
        suite_studies.forms_in("ar").study, 0, {"speaker": "shows"}, "ar", 360
    ),
    "annotate-review-hi": Scene(
        suite_studies.review_in("hi").study,
        1,
        {"verdict": "mend", "text": "मुझसे अभी बात मत करो, मैं सुबह से बहुत भूखी हूँ।"},
        "hi",
    ),
    "annotate-pronouns-en": Scene(
        suite_studies.continuations,
        1,
        {
            "outcome": "misgendering",
            "extraneous": (Span(start=40, end=43),),
        },
    ),
    "annotate-choice-hi": Scene(suite_studies.choice, 0, {"better": "a"}, "hi"),
    "annotate-choice-of-three-en": Scene(suite_studies.choice_of_three, 0, {"best": "three"}),
    "annotate-completion-hi": Scene(
        suite_studies.completed,
        0,
        {"grammatical": "no", "plausible": "yes", "errors": ("valency", "case")},
        "hi",
    ),
    "annotate-word-en": Scene(suite_studies.words("category"), 0, {"category": "occupation"}),
    "annotate-image-en": Scene(suite_studies.pictures, 3, {"shows": "neither"}),
}


def take_items(camera: Camera, folder: Path) -> None:
    """A page of each kind of item."""
    for name, scene in ITEMS.items():
        if not camera.wants(name):
            continue
        study = scene.study(folder / name)
        # One item, and nothing before it.
        study = msgspec.structs.replace(
            study,
            items=study.items[scene.item :][:1], practice=(), checks=(), fillers=(), lists="none",
            consent={}, screening=(), per_person=None,
        )  # fmt: skip
        with (
            served(create_study_folder(folder / name, study)) as house,
            camera.page(scene.language, width=scene.width) as page,
        ):
            person = house.person(page, "ann")
            person.come_in()
            person.fill_in(person.item(), _drafts(study) | scene.answers)
            camera.take(name, page)


def _drafts(study: Study) -> dict[str, AnswerValue]:
    """The texts that are offered, left as they are."""
    (item,) = study.items
    writing = [question for question in study.questions if isinstance(question, TextQuestion)]
    return {question.id: item.fields[question.draft] for question in writing}


def take_owner(camera: Camera, folder: Path) -> None:
    """Progress, agreement, disagreements; links, owners and what they did."""
    if not camera.wants("owner"):
        return
    study = suite_studies.forms_in("ar").study(folder)
    made = create_study_folder(folder / "owner", msgspec.structs.replace(study, practice=()))
    with open_owners(made) as owners:
        maria, jo = owners.add("maria"), owners.add("jo")
    with open_participants(made) as participants:
        participants.invite("amal", "basim", "dalia", by=jo.name)
    with (
        served(made) as house,
        camera.page(width=1200, scale=1) as page,
        camera.page(width=390) as phone,
    ):
        made.remember_address("https://study.example.org")
        for name, most in (("cyrus", 3), ("amal", 10), ("basim", 8)):
            with camera.page("ar") as own:
                _work(house.person(own, name), name, most)
            if name == "cyrus":
                exclude_participant(made, name, "answered without reading", jo.name)
        page.goto(house.link(maria.user))
        expect(page.locator("#totals")).to_be_visible()
        camera.take("owner-progress", page)
        phone.goto(house.link(jo.user))
        expect(phone.locator("#totals")).to_be_visible()
        camera.take("owner-phone", phone)
        for name, address in _OWNER_PAGES.items():
            page.goto(f"{house.address}/owner/{address}")
            camera.take(name, page)
        page.goto(f"{house.address}/owner/disagreements")
        camera.take("owner-disagreements", page.locator("form.adjudication").first)
        page.emulate_media(color_scheme="dark")
        page.goto(f"{house.address}/owner/activity")
        camera.take("owner-activity", page)


_OWNER_PAGES = {
    "owner-agreement": "agreement",
    "owner-items": "items",
    "owner-links": "links",
    "owner-person": "people/cyrus",
}


def _work(person: KeyboardParticipant, name: str, most: int) -> None:
    person.come_in()
    for _ in range(most):
        item = person.item()
        person.answer(item, decided(person.study, item, name))
