"""The participant's pages and the JSON API that their script uses.

Every form works without a script, and sending it twice has the effect of sending it once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal
from urllib.parse import quote

from fastapi import APIRouter, Header, Request
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, RedirectResponse, Response

from epicene.studies.collection.participants import (
    RejectedSubmissionError,
    StudyClosedError,
    is_screening_answer,
)
from epicene.studies.collection.task_queue import MAX_TEXT_LENGTH
from epicene.studies.design.interface_texts import interface_text
from epicene.studies.web.middleware import not_found
from epicene.studies.web.study_app import (
    NO_FORM,
    RejectedForm,
    first_value,
    parse_number,
    session_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from epicene.studies.collection.participants import Participant
    from epicene.studies.web.study_app import StudyApp

ANSWER_PREFIX = "answer."  # before the names of the fields that hold answers


class ParticipantPages:
    """The pages of participants."""

    def __init__(self, site: StudyApp) -> None:
        self._site = site
        self._task_queue = site.task_queue
        self._participants = site.task_queue.participants

    def routes(self) -> APIRouter:
        """The router."""
        routes = APIRouter(include_in_schema=False)
        pages: dict[str, Callable[..., Any]] = {
            "/": self.now,
            "/instructions": self.instructions,
            "/image/{name}": self.image,
        }
        actions: dict[str, Callable[..., Any]] = {
            "/consent": self.consent,
            "/screening": self.screening,
            "/begin": self.begin,
            "/language": self.language,
            "/answer": self.answer,
            "/go-on": self.acknowledge_feedback,
            "/undo": self.undo,
        }
        for method, handlers in (("GET", pages), ("POST", actions)):
            for address, handler in handlers.items():
                routes.add_api_route(address, handler, methods=[method])
        for address in actions:  # reloaded, or gone back to
            routes.add_api_route(address, self.home, methods=["GET"])
        return routes

    def _participant(self, request: Request) -> Participant:
        return self._participants.get(session_of(request).user.name)

    def _show(
        self,
        request: Request,
        *,
        notice: str = "",
        status: int = 200,
        typed: RejectedForm = NO_FORM,
    ) -> Response:
        participant = self._participant(request)
        content = self._site.page_content(participant, notice=notice, typed=typed)
        return self._site.page(
            content.stage,
            self._site.language(participant),
            csrf=session_of(request).csrf,
            status=status,
            storage_key=self._site.browser_storage_key(participant),
            **content.context,
        )

    async def now(self, request: Request) -> Response:
        """The participant's current page."""
        return self._show(request)

    async def home(self) -> Response:
        """The participant's current page, at its own address."""
        return _redirect_home()

    async def instructions(self, request: Request) -> Response:
        """The instructions, to read again."""
        participant = self._participant(request)
        if participant.stage != "work":
            return _redirect_home()
        return self._site.page("instructions", self._site.language(participant), again=True)

    async def image(self, request: Request, name: str) -> Response:
        """An image of an item that was assigned to the participant."""
        image = self._site.images.find(name)
        participant = self._participant(request).name
        if image is None or not self._task_queue.was_given(participant, image.items):
            return not_found(request.scope["path"])
        return FileResponse(image.path, media_type=image.media_type)

    async def consent(self, request: Request) -> Response:
        """Consent or decline."""
        fields = await self._site.read_form(request)
        participant = self._participant(request)
        if first_value(fields, "agree") == "yes":
            self._participants.consent(participant.name)
            return _redirect_home()
        if participant.stage != "consent":  # given in another window
            return _redirect_home()
        user = session_of(request).user
        deleted = self._participants.decline(participant.name)
        again = self._site.entry_address(user, participant.entry)
        page = self._site.page(
            "declined", self._site.language(participant), forgotten=deleted, again=again
        )
        self._site.sessions.end(page, user)
        return page

    async def screening(self, request: Request) -> Response:
        """Answer the screening questions."""
        fields = await self._site.read_form(request)
        participant = self._participant(request)
        screens = self._site.study.screening
        given = {screen.id: first_value(fields, ANSWER_PREFIX + screen.id) for screen in screens}
        try:
            self._participants.screen(participant.name, given)
        except RejectedSubmissionError:
            language = self._site.language(participant)
            wrong = {
                screen.id: interface_text(
                    "whole_number" if given[screen.id].strip() else "missing", language
                )
                for screen in screens
                if not is_screening_answer(screen, given[screen.id])
            }
            typed = RejectedForm({name: [value] for name, value in given.items()}, wrong)
            return self._show(request, status=422, typed=typed)
        return _redirect_home()

    async def begin(self, request: Request) -> Response:
        """Begin after reading the instructions."""
        await self._site.read_form(request)
        self._participants.begin(self._participant(request).name)
        return _redirect_home()

    async def language(self, request: Request) -> Response:
        """Choose the language of the pages."""
        fields = await self._site.read_form(request)
        self._participants.choose_language(
            self._participant(request).name, first_value(fields, "language")
        )
        return _redirect_home()

    async def answer(self, request: Request) -> Response:
        """Answer a task by a form, without the script."""
        fields = await self._site.read_form(request)
        participant = self._participant(request)
        number = parse_number(first_value(fields, "number"))
        revision = parse_number(first_value(fields, "revision"))
        values = {
            name.removeprefix(ANSWER_PREFIX): given
            for name, given in fields.items()
            if name.startswith(ANSWER_PREFIX)
        }
        language = self._site.language(participant)
        try:
            status = self._site.save_answer(participant, number, revision, values)
        except RejectedSubmissionError as refused:
            why = self._site.refusal(refused, language)
            wrong = {why.question: why.sentence} if why.question else {}
            notice = "" if wrong else why.sentence
            typed = RejectedForm(values, wrong, number, revision)
            return self._show(request, notice=notice, status=422, typed=typed)
        except StudyClosedError:
            return self._show(request, status=410)
        if status == "conflict":
            return self._show(request, notice=interface_text("conflict", language), status=409)
        return _redirect_home()

    async def acknowledge_feedback(self, request: Request) -> Response:
        """Continue after reading the feedback on a practice item."""
        fields = await self._site.read_form(request)
        participant = self._participant(request).name
        number = parse_number(first_value(fields, "number"))
        self._task_queue.acknowledge_feedback(participant, number)
        return _redirect_home()

    async def undo(self, request: Request) -> Response:
        """Undo the last answer."""
        fields = await self._site.read_form(request)
        participant = self._participant(request).name
        self._task_queue.undo(participant, parse_number(first_value(fields, "number")))
        return _redirect_home()


def _redirect_home() -> Response:
    return RedirectResponse("/", 303)


_MAX_VALUES = 2000
_MAX_NUMBER = 2**31


def _as_integer(value: object) -> object:
    """Accept 2.0 as an integer, as JSON does not distinguish them."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


Number = Annotated[int, Field(ge=0, lt=_MAX_NUMBER), BeforeValidator(_as_integer)]
Value = Annotated[str, Field(max_length=MAX_TEXT_LENGTH)]
Csrf = Annotated[str, Header(alias="X-CSRF-Token", description="As in the page's forms.")]


class _RequestBody(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class AnswerBody(_RequestBody):
    """An answer to the task with this number."""

    number: Number
    revision: Number
    answers: dict[str, Annotated[list[Value], Field(max_length=_MAX_VALUES)]] = Field(
        description="By question: an option's value, or several, a text, or marks as START-END."
    )
    seconds: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None


class UndoBody(_RequestBody):
    """Which answer to undo."""

    number: Number


class TaskReply(BaseModel):
    """The participant's current task."""

    stage: str
    number: int | None = Field(description="The revision of the task, to be sent with the answer.")
    revision: int | None
    answered: int
    storage_key: str = Field(description="Identifies the participant to the script.")
    page: str = Field(description="The part of the page that changes, as HTML.")


class AnswerReply(BaseModel):
    """The result of an answer, and the next task."""

    status: Literal["saved", "repeated"]
    work: TaskReply


class UndoReply(BaseModel):
    """Whether an answer was undone, and the current task."""

    status: Literal["undone", "nothing"]
    work: TaskReply


class ErrorReply(BaseModel):
    """Why a request failed."""

    detail: str


ERROR_RESPONSES: dict[int | str, dict[str, Any]] = {
    404: {
        "model": ErrorReply,
        "description": "The link cannot be used for this, or the participant has no such task.",
    },
    429: {"model": ErrorReply, "description": "Too many requests with this link."},
    503: {"model": ErrorReply, "description": "The answers are not available at the moment."},
}
_WRITE_ERROR_RESPONSES: dict[int | str, dict[str, Any]] = ERROR_RESPONSES | {
    400: {"model": ErrorReply, "description": "Invalid JSON."},
    403: {"model": ErrorReply, "description": "The token is not that of the participant's pages."},
    409: {"model": ErrorReply, "description": "Another answer was kept."},
    410: {"model": ErrorReply, "description": "The study closed more than a day ago."},
    413: {"model": ErrorReply, "description": "Too large."},
    422: {"model": ErrorReply, "description": "The answer is not valid."},
}


def participant_api(site: StudyApp) -> APIRouter:
    """The routes that the script uses."""
    routes = APIRouter(prefix="/api", tags=["work"])
    task_queue = site.task_queue

    def current_task(name: str, csrf: str) -> TaskReply:
        participant = task_queue.participants.get(name)
        content = site.page_content(participant)
        return TaskReply(
            stage=content.stage,
            number=content.number,
            revision=content.revision,
            answered=content.context.get("answered", 0),
            storage_key=site.browser_storage_key(participant),
            page=site.render_part(content, site.language(participant), csrf),
        )

    @routes.get("/work", response_model=TaskReply, responses=ERROR_RESPONSES)
    async def now(request: Request) -> TaskReply:
        """The participant's current task."""
        session = session_of(request)
        return current_task(session.user.name, session.csrf)

    @routes.post("/answer", response_model=AnswerReply, responses=_WRITE_ERROR_RESPONSES)
    async def answer(request: Request, body: AnswerBody, csrf: Csrf = "") -> AnswerReply:
        """Store an answer; sending it again has no effect."""
        site.check_csrf(request, csrf)
        session = session_of(request)
        participant = task_queue.participants.get(session.user.name)
        try:
            status = site.save_answer(
                participant, body.number, body.revision, body.answers, body.seconds
            )
        except RejectedSubmissionError as refused:
            why = site.refusal(refused, site.language(participant))
            about = {"X-Question": quote(why.question)} if why.question else None
            raise HTTPException(422, why.sentence, about) from None
        if status == "conflict":
            raise HTTPException(409, "Another answer was kept.")
        return AnswerReply(status=status, work=current_task(session.user.name, session.csrf))

    @routes.post("/undo", response_model=UndoReply, responses=_WRITE_ERROR_RESPONSES)
    async def undo(request: Request, body: UndoBody, csrf: Csrf = "") -> UndoReply:
        """Undo the last answer, if that is its number."""
        site.check_csrf(request, csrf)
        session = session_of(request)
        undone = task_queue.undo(session.user.name, body.number)
        return UndoReply(
            status="undone" if undone else "nothing",
            work=current_task(session.user.name, session.csrf),
        )

    return routes
