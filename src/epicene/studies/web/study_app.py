"""The state that all routes share: study, task queue, sessions, and page rendering."""

from __future__ import annotations

import hmac
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from urllib.parse import parse_qsl, urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse

from epicene.studies.collection.images import StudyImages
from epicene.studies.collection.links import User
from epicene.studies.collection.task_queue import Feedback, SaveStatus, Task, TaskQueue
from epicene.studies.design.answers import UNCHANGED, comparison_key, is_asked
from epicene.studies.design.interface_texts import interface_text
from epicene.studies.design.schema import MarksQuestion, TagsQuestion
from epicene.studies.web.assets import asset_url
from epicene.studies.web.item_form import ItemViewBuilder, read_answers, restore_answers
from epicene.studies.web.markdown import render_markdown
from epicene.studies.web.translations import (
    interface_texts_in,
    language_names,
    page_direction,
    page_language,
    study_text,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from starlette.requests import Request

    from epicene.studies.collection.folder import StudyFolder
    from epicene.studies.collection.participants import (
        EntryType,
        Participant,
        RejectedSubmissionError,
    )
    from epicene.studies.design.schema import AnswerValue, StudyItem
    from epicene.studies.web.middleware import Sessions, WebSession

_MAX_FIELDS = 5000
_BEFORE_WORK = ("consent", "screening", "instructions")
_MAX_CACHED = 32_000_000  # characters of rendered items

# Texts that the script needs
_SCRIPT_TEXTS = (
    "missing",
    "saving",
    "saved",
    "not_saved",
    "not_undone",
    "conflict",
    "closed",
    "other_link",
    "set_aside",
    "same_words",
    "whole_number",
    "wrong_answer",
)


class Refusal(NamedTuple):
    """Why an answer was not stored, and the question that it is about; "" if about none."""

    question: str
    sentence: str


class SessionMismatchError(Exception):
    """A form of another session: the browser has followed another link since it was shown."""


@dataclass(frozen=True)
class RejectedForm:
    """The fields of a form that could not be stored, and the task it answered.

    `wrong` says what is wrong with the answers, by question.
    """

    values: Mapping[str, Sequence[str]] = field(default_factory=dict)
    wrong: Mapping[str, str] = field(default_factory=dict)
    number: int = 0
    revision: int = 0


NO_FORM = RejectedForm()


@dataclass(frozen=True)
class PageContent:
    """What a participant sees: a template with its context, and the task for the API."""

    stage: str
    context: dict[str, Any]
    number: int | None = None
    revision: int | None = None


class StudyApp:
    """One study being served."""

    def __init__(self, folder: StudyFolder, task_queue: TaskQueue, sessions: Sessions) -> None:
        self.folder = folder
        self.study = folder.study
        self.task_queue = task_queue
        self.sessions = sessions
        self.images = StudyImages(folder)
        self._image_urls = self.images.addresses("/image")
        self._templates = load_templates()
        self._body_cache: OrderedDict[tuple[object, ...], Markup] = OrderedDict()
        self._cached_characters = 0

    # --- content -------------------------------------------------------------------------------

    def page_content(
        self, participant: Participant, *, notice: str = "", typed: RejectedForm = NO_FORM
    ) -> PageContent:
        """What a participant sees now, with the contents of a rejected form filled in."""
        language = self.language(participant)
        shared: dict[str, Any] = {"notice": notice}
        if participant.stage == "excluded":
            return self._excluded(participant, shared)
        if participant.stage == "paused":
            return PageContent("paused", shared)
        if participant.stage == "closed":
            shared |= {"answered": participant.answered}
            return PageContent(
                "closed", shared | self._completion(participant, participant.answered)
            )
        if participant.stage == "refused":
            return PageContent(
                "refused", shared | self._return_url(participant, "screened_out_url")
            )
        if participant.stage in _BEFORE_WORK:
            if participant.entry == "open" and not self.task_queue.has_task_for(participant.name):
                return PageContent("full", shared | self._return_url(participant, "full_url"))
            return PageContent(
                participant.stage, shared | {"typed": typed.values, "wrong": typed.wrong}
            )
        state = self.task_queue.current_state(participant.name)
        work = state.work
        shared |= {"undo": state.undo, "answered": state.answered, "max_tasks": state.max_tasks}
        if isinstance(work, Task):
            if (work.number, work.revision) == (typed.number, typed.revision):
                answers = restore_answers(self.study, work.item, participant.name, typed.values)
                work = replace(work, answers=answers)
            shared |= self.item_content(work, language, participant.name, typed.wrong)
            return PageContent("item", shared, work.number, work.revision)
        if isinstance(work, Feedback):
            shared |= self.feedback_content(work, language, participant.name)
            return PageContent("feedback", shared, work.number)
        if work.excluded:
            return self._excluded(participant, shared)
        if participant.entry == "open" and not state.answered:
            return PageContent("full", shared | self._return_url(participant, "full_url"))
        return PageContent("done", shared | self._completion(participant, state.answered))

    def _practice_number(self, item: StudyItem) -> int:
        """The number of a practice item; 0 for others."""
        ids = [each.id for each in self.study.practice]
        return ids.index(item.id) + 1 if item.id in ids else 0

    def _body(
        self, viewer: ItemViewBuilder, task: Task, language: str, wrong: Mapping[str, str]
    ) -> Markup:
        """The rendered item, cached as others see the same."""
        key = (task.item.id, language, viewer.choice_orders(task.item))
        own = bool(task.answers or wrong)
        if own or key not in self._body_cache:
            view = viewer.item(task.item, task.answers)
            rendered = self._render("item_body.html", language, "", view=view, wrong=wrong)
            body = Markup(rendered)  # noqa: S704 (by our template)
            if own:
                return body
            self._body_cache[key] = body
            self._cached_characters += len(body)
            while self._cached_characters > _MAX_CACHED and len(self._body_cache) > 1:
                self._cached_characters -= len(self._body_cache.popitem(last=False)[1])
        return self._body_cache[key]

    def item_content(
        self, task: Task, language: str, reader: str, wrong: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        """The context of the page of an item."""
        viewer = ItemViewBuilder(self.study, language, reader, self._image_urls)
        return {
            "task": task,
            "body": self._body(viewer, task, language, wrong or {}),
            "practice": self._practice_number(task.item),
        }

    def _expected_in_practice(self, item: StudyItem) -> dict[str, AnswerValue]:
        """The expected answers; tags and marks that others have and the item has not are none."""
        named = {name for each in self.study.practice for name in each.expected}
        none: dict[str, AnswerValue] = {
            question.id: ()
            for question in self.study.questions
            if isinstance(question, TagsQuestion | MarksQuestion)
            and question.id in named
            and is_asked(question, item.expected)
        }
        return none | item.expected

    def feedback_content(self, work: Feedback, language: str, reader: str = "") -> dict[str, Any]:
        """The context of the page after a practice item."""
        item = work.item
        viewer = ItemViewBuilder(self.study, language, reader, self._image_urls)
        expected = self._expected_in_practice(item)
        rows = [
            {
                "ask": study_text(question.ask, language),
                "given": viewer.answer_text(question, item, work.answers.get(question.id)),
                "expected": viewer.answer_text(question, item, expected[question.id]),
                "right": question.id in work.answers
                and comparison_key(work.answers[question.id])
                == comparison_key(expected[question.id]),
            }
            for question in self.study.questions
            if question.id in expected
        ]
        return {
            "number": work.number,
            "practice": self._practice_number(item),
            "item": item,
            "panels": viewer.shown_panels(item),
            "rows": rows,
            "right": all(row["right"] for row in rows),
        }

    def _excluded(self, participant: Participant, shared: dict[str, Any]) -> PageContent:
        """The page for participants whose answers do not count, with a code of their own."""
        access = self.study.access
        is_open = participant.entry == "open"
        code = access.excluded_code if is_open else ""
        back = access.excluded_url.replace("{code}", code) if is_open else ""
        return PageContent("excluded", shared | {"code": code, "back": back})

    def _completion(self, participant: Participant, answered: int) -> dict[str, Any]:
        """The completion code and URL, for participants of the open link who answered something."""
        access = self.study.access
        entitled = participant.entry == "open" and answered > 0
        code = access.completion_code if entitled else ""
        back = access.completion_url.replace("{code}", code) if entitled else ""
        return {"code": code, "back": back, "open": participant.entry == "open"}

    def _return_url(
        self, participant: Participant, where: Literal["screened_out_url", "full_url"]
    ) -> dict[str, Any]:
        """The URL to return to, for participants of the open link who have nothing to do."""
        return {"back": getattr(self.study.access, where) if participant.entry == "open" else ""}

    def language(self, participant: Participant) -> str:
        """The language of a participant's pages."""
        return page_language(self.study, participant.language)

    def refusal(self, refused: RejectedSubmissionError, language: str) -> Refusal:
        """Why an answer was not stored, and the question that it is about, if any."""
        name, _, problem = str(refused).partition(" ")
        known = [question.id for question in self.study.questions]
        about = name if name in known else ""
        which = {
            "has no answer": "missing",
            "has an empty answer": "missing",
            UNCHANGED: "unchanged",
        }.get(problem, "wrong_answer")
        if about and " words, but " in problem:
            which = "same_words"
        return Refusal(about, interface_text(which if about else "wrong_answer", language))

    def browser_storage_key(self, participant: Participant) -> str:
        """The key of a participant's unsent answers in the browser; new if they start again."""
        # The purpose keeps its old name, so that answers kept in browsers are found again.
        return self.sessions.signer.sign("desk", participant.name, repr(participant.entered))[:16]

    def entry_address(self, user: User, entry: EntryType) -> str:
        """The address of the link by which a user entered."""
        if entry == "personal":
            return self.sessions.signer.path(user)
        parameter = self.study.access.participant_parameter
        query = f"?{urlencode({parameter: user.name})}" if parameter else ""
        return self.sessions.signer.path(User("open")) + query

    def save_answer(
        self,
        participant: Participant,
        number: int,
        revision: int,
        values: Mapping[str, Sequence[str]],
        seconds: float | None = None,
    ) -> SaveStatus:
        """Store the contents of a form as the answer to a task."""
        task = self.task_queue.task(participant.name, number)
        return self.task_queue.answer(
            participant.name,
            number,
            revision,
            read_answers(self.study, task.item, participant.name, values),
            seconds=seconds,
            language=self.language(participant),
        )

    # --- rendering -----------------------------------------------------------------------------

    def render_part(self, content: PageContent, language: str, csrf: str) -> str:
        """Render the part of the page that changes."""
        return self._render(f"{content.stage}.html", language, csrf, **content.context)

    def page(
        self,
        template: str,
        language: str,
        *,
        csrf: str = "",
        status: int = 200,
        storage_key: str = "",
        **context: Any,
    ) -> HTMLResponse:
        """Render a whole page."""
        inner = self._render(f"{template}.html", language, csrf, **context)
        say = interface_texts_in(language)
        whole = self._render(
            "layout.html",
            language,
            csrf,
            inner=Markup(inner),  # noqa: S704 (rendered by our template)
            stage=template,
            languages=language_names(self.study) if storage_key else {},
            script_words={name: say(name) for name in _SCRIPT_TEXTS},
            storage_key=storage_key,
            back=context.get("back", ""),
            to=context.get("to", ""),
            wide=template.startswith("owner_"),
            instructed=template in ("item", "feedback", "done"),
        )
        return HTMLResponse(whole, status)

    def _render(self, template: str, language: str, csrf: str, **context: Any) -> str:
        return self._templates.get_template(template).render(
            study=self.study,
            language=language,
            say=interface_texts_in(language),
            csrf=csrf,
            **context,
        )

    # --- requests ------------------------------------------------------------------------------

    async def read_form(self, request: Request) -> dict[str, list[str]]:
        """The fields of a form, checked to come from a page of this session."""
        body = await request.body()
        try:
            pairs = parse_qsl(
                body.decode("ascii"),
                keep_blank_values=True,
                errors="strict",
                max_num_fields=_MAX_FIELDS,
            )
        except ValueError:
            raise HTTPException(400, "The request is not a form.") from None
        fields: dict[str, list[str]] = {}
        for name, value in pairs:
            fields.setdefault(name, []).append(value)
        self.check_csrf(request, first_value(fields, "csrf"))
        return fields

    def is_revoked(self, user: User) -> bool:
        """Whether a user's link was revoked."""
        if user.role == "owner":
            return self.task_queue.owners.is_revoked(user)
        return self.task_queue.participants.is_revoked(user)

    def check_csrf(self, request: Request, token: str) -> None:
        """Raise unless the token is that of the session, and the link still valid.

        The middleware checked the link, too, but the body may have arrived much later.
        """
        session = session_of(request)
        if self.is_revoked(session.user):
            raise HTTPException(404)
        if not self.sessions.is_current(session):
            raise HTTPException(404)
        if not hmac.compare_digest(session.csrf.encode(), token.encode()):
            raise SessionMismatchError


@cache
def load_templates() -> Environment:
    """Load and compile all templates."""
    environment = Environment(
        loader=PackageLoader("epicene.studies.web"),
        autoescape=True,
        undefined=StrictUndefined,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(
        study_text=study_text, markdown=render_markdown, direction=page_direction, asset=asset_url
    )
    for name in environment.list_templates():
        environment.get_template(name)
    return environment


def session_of(request: Request) -> WebSession:
    """The session of a request, which the middleware has set."""
    session: WebSession = request.state.session
    return session


def first_value(fields: dict[str, list[str]], name: str) -> str:
    """The first value of a field; empty if there is none."""
    return next(iter(fields.get(name, ())), "")


def parse_number(text: str) -> int:
    """The number in a field of a form."""
    if not (text.isascii() and text.isdecimal()) or len(text) > len("999999999"):
        raise HTTPException(400, "A number is missing.")
    return int(text)
