"""The participant's pages and the JSON API that their script uses.

Every form works without a script, and sending it twice has the effect of sending it once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Header, Request
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, RedirectResponse, Response

from epicene.studies.collection.participants import RejectedSubmissionError, StudyClosedError
from epicene.studies.collection.task_queue import MAX_TEXT_LENGTH
from epicene.studies.web.forms import read_answers
from epicene.studies.web.middleware import not_found
from epicene.studies.web.site import NO_FORM, RejectedForm, first_value, parse_number, session_of
from epicene.studies.web.translations import interface_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from epicene.studies.collection.participants import Participant
    from epicene.studies.web.site import Site

ANSWER_PREFIX = "answer."  # before the names of the fields that hold answers


class ParticipantPages:
    """The pages of who has a link."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._desk = site.desk
        self._participants = site.desk.participants

    def routes(self) -> APIRouter:
        """Where they are."""
        routes = APIRouter(include_in_schema=False)
        pages: dict[str, Callable[..., Any]] = {
            "/": self.now,
            "/instructions": self.instructions,
            "/image/{name}": self.image,
        }
        acts: dict[str, Callable[..., Any]] = {
            "/consent": self.consent,
            "/screening": self.screening,
            "/begin": self.begin,
            "/language": self.language,
            "/answer": self.answer,
            "/go-on": self.acknowledge_feedback,
            "/undo": self.undo,
        }
        for method, handlers in (("GET", pages), ("POST", acts)):
            for address, handler in handlers.items():
                routes.add_api_route(address, handler, methods=[method])
        return routes

    def _who(self, request: Request) -> Participant:
        return self._participants.person(session_of(request).user.name)

    def _show(
        self,
        request: Request,
        *,
        notice: str = "",
        status: int = 200,
        typed: RejectedForm = NO_FORM,
    ) -> Response:
        person = self._who(request)
        scene = self._site.scene(person, notice=notice, typed=typed)
        return self._site.page(
            scene.stage,
            self._site.language(person),
            csrf=session_of(request).csrf,
            status=status,
            desk=self._site.browser_storage_key(person),
            **scene.context,
        )

    async def now(self, request: Request) -> Response:
        """Whatever is before the person."""
        return self._show(request)

    async def instructions(self, request: Request) -> Response:
        """The instructions, again."""
        person = self._who(request)
        if person.stage != "work":
            return _redirect_home()
        return self._site.page("instructions", self._site.language(person), again=True)

    async def image(self, request: Request, name: str) -> Response:
        """A picture of something that the person was given."""
        picture = self._site.images.find(name)
        participant = self._who(request).participant
        if picture is None or not self._desk.was_given(participant, picture.items):
            return not_found(request.scope["path"])
        return FileResponse(picture.path, media_type=picture.media_type)

    async def consent(self, request: Request) -> Response:
        """Agree, or not."""
        fields = await self._site.form(request)
        person = self._who(request)
        if first_value(fields, "agree") == "yes":
            self._participants.consent(person.participant)
            return _redirect_home()
        if person.stage != "consent":  # agreed to in another window
            return _redirect_home()
        entrant = session_of(request).user
        forgotten = self._participants.decline(person.participant)
        again = self._site.entry_address(entrant, person.entry)
        page = self._site.page(
            "declined", self._site.language(person), forgotten=forgotten, again=again
        )
        self._site.sessions.end(page, entrant)
        return page

    async def screening(self, request: Request) -> Response:
        """Answer what decides who may take part."""
        fields = await self._site.form(request)
        person = self._who(request)
        screens = self._site.study.screening
        given = {screen.id: first_value(fields, ANSWER_PREFIX + screen.id) for screen in screens}
        try:
            self._participants.screen(person.participant, given)
        except RejectedSubmissionError:
            notice = interface_text("missing", self._site.language(person))
            typed = RejectedForm({name: [value] for name, value in given.items()})
            return self._show(request, notice=notice, status=422, typed=typed)
        return _redirect_home()

    async def begin(self, request: Request) -> Response:
        """Have read the instructions."""
        await self._site.form(request)
        self._participants.begin(self._who(request).participant)
        return _redirect_home()

    async def language(self, request: Request) -> Response:
        """Read the pages in another language."""
        fields = await self._site.form(request)
        self._participants.choose_language(
            self._who(request).participant, first_value(fields, "language")
        )
        return _redirect_home()

    async def answer(self, request: Request) -> Response:
        """Answer, where no script does."""
        fields = await self._site.form(request)
        person = self._who(request)
        number = parse_number(first_value(fields, "number"))
        revision = parse_number(first_value(fields, "revision"))
        task = self._desk.task(person.participant, number)
        values = {
            name.removeprefix(ANSWER_PREFIX): given
            for name, given in fields.items()
            if name.startswith(ANSWER_PREFIX)
        }
        language = self._site.language(person)
        try:
            kept = self._desk.answer(
                person.participant,
                number,
                revision,
                read_answers(self._site.study, task.item, person.participant, values),
                language=language,
            )
        except RejectedSubmissionError as refused:
            notice = self._site.refusal(refused, language)
            typed = RejectedForm(values, number, revision)
            return self._show(request, notice=notice, status=422, typed=typed)
        except StudyClosedError:
            return self._show(request, status=410)
        if kept == "conflict":
            return self._show(request, notice=interface_text("conflict", language), status=409)
        return _redirect_home()

    async def acknowledge_feedback(self, request: Request) -> Response:
        """Have read what was expected in practice."""
        fields = await self._site.form(request)
        participant = self._who(request).participant
        self._desk.acknowledge_feedback(participant, parse_number(first_value(fields, "number")))
        return _redirect_home()

    async def undo(self, request: Request) -> Response:
        """Take back the last answer."""
        fields = await self._site.form(request)
        participant = self._who(request).participant
        self._desk.undo(participant, parse_number(first_value(fields, "number")))
        return _redirect_home()


def _redirect_home() -> Response:
    return RedirectResponse("/", 303)


_MAX_VALUES = 2000
_MAX_NUMBER = 2**31


def _as_integer(value: object) -> object:
    """JSON knows no integers: 2.0 is one."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


Number = Annotated[int, Field(ge=0, lt=_MAX_NUMBER), BeforeValidator(_as_integer)]
Value = Annotated[str, Field(max_length=MAX_TEXT_LENGTH)]
Csrf = Annotated[str, Header(alias="X-CSRF-Token", description="As in the page's forms.")]


class _RequestBody(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class AnswerBody(_RequestBody):
    """An answer to what was given under a number."""

    number: Number
    revision: Number
    answers: dict[str, Annotated[list[Value], Field(max_length=_MAX_VALUES)]] = Field(
        description="By question: an option's value, or several, a text, or marks as START-END."
    )
    seconds: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None


class UndoBody(_RequestBody):
    """Which answer to take back."""

    number: Number


class TaskReply(BaseModel):
    """What is before a person."""

    stage: str
    number: int | None = Field(description="Of what was given, to answer by.")
    revision: int | None
    answered: int
    desk: str = Field(description="Whose it is, as on the page.")
    page: str = Field(description="The part of the page that changes, as HTML.")


class AnswerReply(BaseModel):
    """What became of an answer, and what is next."""

    status: Literal["saved", "repeated"]
    work: TaskReply


class UndoReply(BaseModel):
    """Whether there was anything to take back, and what is next."""

    status: Literal["undone", "nothing"]
    work: TaskReply


class ErrorReply(BaseModel):
    """Why not."""

    detail: str


ERROR_RESPONSES: dict[int | str, dict[str, Any]] = {
    404: {"model": ErrorReply, "description": "No link for this, or nothing of the person's."},
    429: {"model": ErrorReply, "description": "Too many requests by this link."},
    503: {"model": ErrorReply, "description": "The answers cannot be reached just now."},
}
_WRITE_ERROR_RESPONSES: dict[int | str, dict[str, Any]] = ERROR_RESPONSES | {
    400: {"model": ErrorReply, "description": "No JSON."},
    403: {"model": ErrorReply, "description": "The token is not the one of the person's pages."},
    409: {"model": ErrorReply, "description": "Another answer was kept."},
    410: {"model": ErrorReply, "description": "The study closed more than a day ago."},
    413: {"model": ErrorReply, "description": "Too large."},
    422: {"model": ErrorReply, "description": "The answer cannot be kept so."},
}


def participant_api(site: Site) -> APIRouter:
    """The routes."""
    routes = APIRouter(prefix="/api", tags=["work"])
    desk = site.desk

    def work(participant: str, csrf: str) -> TaskReply:
        person = desk.participants.person(participant)
        scene = site.scene(person)
        return TaskReply(
            stage=scene.stage,
            number=scene.number,
            revision=scene.revision,
            answered=scene.context.get("answered", 0),
            desk=site.browser_storage_key(person),
            page=site.part(scene, site.language(person), csrf),
        )

    @routes.get("/work", response_model=TaskReply, responses=ERROR_RESPONSES)
    async def now(request: Request) -> TaskReply:
        """What is before the person now."""
        session = session_of(request)
        return work(session.user.name, session.csrf)

    @routes.post("/answer", response_model=AnswerReply, responses=_WRITE_ERROR_RESPONSES)
    async def answer(request: Request, body: AnswerBody, csrf: Csrf = "") -> AnswerReply:
        """Keep an answer; sent again it is kept once."""
        site.check_csrf(request, csrf)
        session = session_of(request)
        participant = session.user.name
        person = desk.participants.person(participant)
        task = desk.task(participant, body.number)
        language = site.language(person)
        try:
            kept = desk.answer(
                participant,
                body.number,
                body.revision,
                read_answers(site.study, task.item, participant, body.answers),
                seconds=body.seconds,
                language=language,
            )
        except RejectedSubmissionError as refused:
            raise HTTPException(422, site.refusal(refused, language)) from None
        if kept == "conflict":
            raise HTTPException(409, "Another answer was kept.")
        return AnswerReply(status=kept, work=work(participant, session.csrf))

    @routes.post("/undo", response_model=UndoReply, responses=_WRITE_ERROR_RESPONSES)
    async def undo(request: Request, body: UndoBody, csrf: Csrf = "") -> UndoReply:
        """Take back the last answer, if that is its number."""
        site.check_csrf(request, csrf)
        session = session_of(request)
        undone = desk.undo(session.user.name, body.number)
        return UndoReply(
            status="undone" if undone else "nothing",
            work=work(session.user.name, session.csrf),
        )

    return routes
