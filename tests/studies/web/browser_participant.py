"""A person at the annotation pages in a real browser, who has a keyboard and nothing else.

They see what is on the page (the frame around a question, signs beside options, texts) and press
keys. What they mean to answer is decided by the study and the item, not by the page.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

import uvicorn
from playwright.sync_api import expect

from epicene.languages.tokenisation import words
from epicene.studies.collection.folder import StudyFolder
from epicene.studies.collection.links import User, load_signer
from epicene.studies.design.lists import hash_fraction
from epicene.studies.design.schema import (
    AnswerValue,
    ChoiceQuestion,
    ChoiceScreener,
    DiffPanel,
    ImagePanel,
    MarksQuestion,
    NoteQuestion,
    Question,
    Span,
    Study,
    StudyItem,
    TagsQuestion,
    TextQuestion,
    all_items,
    visible_values,
)
from epicene.studies.web.app import make_app

if TYPE_CHECKING:
    from playwright.sync_api import Page

Given: TypeAlias = dict[str, AnswerValue]

# A busy machine is slow, not wrong.
expect.set_options(timeout=20_000)

NO_PICTURES: Mapping[str, StudyItem] = {}

# What somebody who looks at the page sees of it.
_LOOK = """() => {
  const form = document.querySelector("form[data-questions]");
  const words = (found) => [...found].map((each) => each.textContent);
  const places = (found) => [...found].map((each) => each.dataset.span);
  const questions = [...(form?.querySelectorAll(".question:not([hidden])") ?? [])];
  return {
    stage: document.getElementById("main").dataset.stage,
    number: form?.dataset.number,
    revision: form?.dataset.revision,
    texts: words(document.querySelectorAll(".panel .text, .option .text")),
    pictures: [...document.querySelectorAll("figure img")].filter((image) => image.naturalWidth > 0)
      .map((image) => image.src.split("/").at(-1)),
    framed: form?.querySelector(".question.active")?.dataset.question,
    asked: questions.map((question) => question.dataset.question),
    offered: Object.fromEntries(questions.map((question) => [
      question.dataset.question,
      [...question.querySelectorAll(".option")].map((option) => ({
        key: option.querySelector("kbd").textContent,
        value: option.dataset.option,
        text: option.querySelector(".text")?.textContent,
        chosen: option.querySelector("input").checked,
      })),
    ])),
    written: Object.fromEntries([...document.querySelectorAll("textarea")].map((area) => [
      area.name.slice("answer.".length), area.value,
    ])),
    places: places(document.querySelectorAll("[data-span]")),
    marked: places(document.querySelectorAll("[data-span]:checked")),
    writing: document.activeElement.matches("textarea, input[type=text]"),
    at: document.activeElement.dataset.span,
  };
}"""


def is_scripted(page: Page) -> None:
    """Wait until the page's script has run: before that, the page ignores keys and keeps nothing.

    A link leads to a page that leads on to the study, so `goto` returns before the study is there.
    """
    page.locator("body.scripted").wait_for()


class KeyboardParticipant:
    """Somebody who answers by keyboard alone."""

    def __init__(
        self, page: Page, study: Study, pictures: Mapping[str, StudyItem] = NO_PICTURES
    ) -> None:
        self.page = page
        self.study = study
        self._pictures = pictures  # by the hash of what is shown
        self._press = page.keyboard.press

    # --- looking -------------------------------------------------------------------------------

    def look(self) -> dict[str, Any]:
        seen: dict[str, Any] = self.page.evaluate(_LOOK)
        return seen

    @property
    def stage(self) -> str:
        return str(self.page.locator("#main").get_attribute("data-stage"))

    def item(self) -> StudyItem:
        """The item that is on the page, known by what is shown of it."""
        if self._pictures:
            expect(self.page.locator("figure img")).to_have_js_property("complete", value=True)
            return self._pictures[self.look()["pictures"][0]]
        texts = set(self.look()["texts"])
        parts = (self.study.practice, self.study.checks, self.study.fillers, self.study.items)
        fields = {
            name
            for panel in self.study.show
            for name in (
                (panel.before, panel.after) if isinstance(panel, DiffPanel) else (panel.field,)
            )
        }
        (found,) = (
            item
            for part in parts
            for item in part
            if {visible_values(self.study, item)[name] for name in fields} == texts
        )
        return found

    # --- before the first item -----------------------------------------------------------------

    def come_in(self) -> None:
        """Consent, screening, instructions, whatever of them there is."""
        expect(self.page.locator("#main")).to_have_attribute(
            "data-stage", re.compile("consent|screening|instructions|item")
        )
        is_scripted(self.page)
        while (stage := self.stage) in ("consent", "screening", "instructions"):
            if stage == "screening":
                self.answer_screening()
            if stage == "consent":  # neither button is preselected
                self.page.locator("#agree").focus()
            self._press("Enter")
            expect(self.page.locator("#main")).not_to_have_attribute("data-stage", stage)
            is_scripted(self.page)

    def answer_screening(self) -> None:
        for screen in self.study.screening:
            seen = self.frame(screen.id, self.look())
            if isinstance(screen, ChoiceScreener):
                self._choose(screen.id, screen.accept[0], None, seen)
            else:
                self.page.keyboard.type("30")

    # --- answering -----------------------------------------------------------------------------

    def answer(self, item: StudyItem, answers: Given) -> None:
        """Give these answers and go on; whatever is there already is changed to them."""
        seen = self.fill_in(item, answers)
        self._press("Enter")
        self.gone(seen)

    def gone(self, before: Mapping[str, Any]) -> None:
        """Wait until the page shows something else."""
        at = f'[data-number="{before["number"]}"][data-revision="{before["revision"]}"]'
        expect(self.page.locator(f"form#item{at}")).to_have_count(0)

    def fill_in(self, item: StudyItem, answers: Given) -> dict[str, Any]:
        """Give these answers; what is on the page then."""
        for question in self.study.questions:
            seen = self.look()
            if question.id in seen["asked"]:
                self._fill_in(question, item, answers.get(question.id, ()), seen)
        return self.look()

    def _fill_in(
        self, question: Question, item: StudyItem, answer: AnswerValue, seen: dict[str, Any]
    ) -> None:
        if isinstance(question, ChoiceQuestion):
            self.frame(question.id, seen)
            text = item.fields[str(answer)] if question.between else None
            self._choose(question.id, str(answer), text, seen)
        elif isinstance(question, TagsQuestion):
            for option in seen["offered"][question.id]:
                if option["chosen"] != (option["value"] in answer):
                    seen = self.frame(question.id, seen)
                    self._press(option["key"])
        elif isinstance(question, MarksQuestion):
            self._mark(question.id, [each for each in answer if isinstance(each, Span)], seen)
        else:
            self._write(question.id, str(answer or ""), seen)

    def frame(self, question: str, seen: dict[str, Any]) -> dict[str, Any]:
        """Move the frame to a question, as the arrows do; what is on the page then."""
        if seen["framed"] != question and seen["writing"]:
            self._press("Escape")
        for _ in range(2 * len(seen["asked"])):
            if seen["framed"] == question:
                break
            below = seen["asked"].index(question) > seen["asked"].index(seen["framed"])
            self._press("ArrowDown" if below else "ArrowUp")
            seen = self.look()
            if seen["writing"] and seen["framed"] != question:
                self._press("Escape")
        assert seen["framed"] == question
        return seen

    def _choose(self, question: str, answer: str, text: str | None, seen: dict[str, Any]) -> None:
        """Press the sign beside an option, which is known by its text where texts are offered."""
        (sign,) = (
            option["key"]
            for option in seen["offered"][question]
            if (answer == option["value"] if text is None else text == option["text"])
        )
        self._press(sign)

    def _mark(self, question: str, spans: Sequence[Span], seen: dict[str, Any]) -> None:
        changed = {f"{span.start}-{span.end}" for span in spans} ^ set(seen["marked"])
        if not changed:
            return
        seen = self.frame(question, seen)
        if not seen["at"]:
            self._press("ArrowDown")
        last = max(map(seen["places"].index, changed))
        for place in seen["places"][: last + 1]:
            if place in changed:
                self._press("Space")
            if place != seen["places"][last]:
                self._press("ArrowRight")

    def _write(self, question: str, text: str, seen: dict[str, Any]) -> None:
        before = seen["written"][question]
        if before == text:
            return
        seen = self.frame(question, seen)
        if not seen["writing"]:
            self._press("ArrowDown")
        if before and text.startswith(before):
            self._press("Control+End")
            self.page.keyboard.type(text[len(before) :])
        else:
            self._press("Control+A")
            self._press("Delete")
            self.page.keyboard.type(text)


def decided(study: Study, item: StudyItem, person: str) -> Given:
    """What somebody answers: anything, but always the same, and only what they are asked."""

    def of(count: int, *parts: str) -> int:
        return int(hash_fraction(person, item.id, *parts) * count)

    answers: Given = {}
    for question in study.questions:
        if not all(answers.get(name) in wanted for name, wanted in question.when.items()):
            continue
        if isinstance(question, ChoiceQuestion):
            offered = question.between or [option.id for option in question.options]
            answers[question.id] = offered[of(len(offered), question.id)]
        elif isinstance(question, TagsQuestion):
            answers[question.id] = tuple(
                option.id for option in question.options if of(3, question.id, option.id) == 0
            )
        elif isinstance(question, MarksQuestion):
            found = words(item.fields[question.field], item.language)
            answers[question.id] = tuple(
                Span(start=word.start, end=word.end)
                for word in found
                if of(5, question.id, str(word.start)) == 0
            )
        elif isinstance(question, TextQuestion):
            draft = item.fields[question.draft]
            added = {"ar": "ان", "hi": "जी"}[item.language]
            texts = (draft + added, added + draft, *(() if question.changed else (draft,)))
            answers[question.id] = texts[of(len(texts), question.id)]
        elif isinstance(question, NoteQuestion) and of(3, question.id) == 0:
            answers[question.id] = f"seen by {person}"
    return answers


def by_picture(study: Study) -> dict[str, StudyItem]:
    """The items of a study of pictures by these."""
    fields = [panel.field for panel in study.show if isinstance(panel, ImagePanel)]
    return {item.fields[field]: item for item in all_items(study) for field in fields}


class Served:
    """A study that is served in this process, and its links."""

    def __init__(self, folder: StudyFolder, address: str) -> None:
        self.folder = folder
        self.address = address
        self._signer = load_signer(folder.path)

    def link(self, user: User, query: str = "") -> str:
        return f"{self.address}/enter/{self._signer.token(user)}{query}"

    def person(self, page: Page, name: str) -> KeyboardParticipant:
        """Somebody who has followed their link."""
        study = self.folder.study
        if study.access.entry == "open":
            page.goto(self.link(User("open"), f"?{study.access.participant_parameter}={name}"))
        else:
            page.goto(self.link(User("person", name)))
        is_scripted(page)
        return KeyboardParticipant(page, study, by_picture(study))


@contextmanager
def served(folder: StudyFolder) -> Iterator[Served]:
    config = uvicorn.Config(make_app(folder), port=0, log_level="warning", access_log=False)
    server = uvicorn.Server(config)
    ready = threading.Event()
    started = server.startup

    async def startup(*arguments: Any, **more: Any) -> None:
        await started(*arguments, **more)
        ready.set()

    server.startup = startup  # type: ignore[method-assign]
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        assert ready.wait(30)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield Served(folder, f"http://127.0.0.1:{port}")
    finally:
        server.should_exit = True
        thread.join(30)
