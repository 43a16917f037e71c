"""What the pages' script asks for, as JSON; programs may too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from fastapi import APIRouter, Header, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from epicene.annotate.desk import LONGEST_TEXT
from epicene.annotate.pages.forms import read_answers
from epicene.annotate.pages.site import session_of
from epicene.annotate.reception import RefusedError

if TYPE_CHECKING:
    from epicene.annotate.pages.site import Site

_MOST_VALUES = 2000
_LARGEST = 2**31

Number = Annotated[int, Field(ge=0, lt=_LARGEST)]
Value = Annotated[str, Field(max_length=LONGEST_TEXT)]
Csrf = Annotated[str, Header(alias="X-CSRF-Token", description="As in the page's forms.")]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class AnswerBody(_Body):
    """An answer to what was given under a number."""

    number: Number
    revision: Number
    answers: dict[str, Annotated[list[Value], Field(max_length=_MOST_VALUES)]] = Field(
        description="By question: an option's value, or several, a text, or marks as START-END."
    )
    seconds: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None


class UndoBody(_Body):
    """Which answer to take back."""

    number: Number


class Work(BaseModel):
    """What is before a person."""

    stage: str
    number: int | None = Field(description="Of what was given, to answer by.")
    revision: int | None
    answered: int
    page: str = Field(description="The part of the page that changes, as HTML.")


class Kept(BaseModel):
    """What became of an answer, and what is next."""

    status: Literal["saved", "repeated"]
    work: Work


class Undone(BaseModel):
    """Whether there was anything to take back, and what is next."""

    status: Literal["undone", "nothing"]
    work: Work


class Problem(BaseModel):
    """Why not."""

    detail: str


_PROBLEMS: dict[int | str, dict[str, type[Problem]]] = {
    code: {"model": Problem} for code in (400, 403, 409, 422, 503)
}


def api(site: Site) -> APIRouter:
    """The routes."""
    routes = APIRouter(prefix="/api", tags=["work"])
    desk = site.desk

    def work(participant: str, csrf: str) -> Work:
        person = desk.reception.person(participant)
        screen = site.screen(person)
        return Work(
            stage=screen.stage,
            number=screen.number,
            revision=screen.revision,
            answered=screen.context.get("answered", 0),
            page=site.part(screen, site.language(person), csrf),
        )

    @routes.get("/work", response_model=Work)
    async def now(request: Request) -> Work:
        """What is before the person now."""
        session = session_of(request)
        return work(session.entrant.name, session.csrf)

    @routes.post("/answer", response_model=Kept, responses=_PROBLEMS)
    async def answer(request: Request, body: AnswerBody, csrf: Csrf = "") -> Kept:
        """Keep an answer; sent again it is kept once."""
        site.check_csrf(request, csrf)
        session = session_of(request)
        participant = session.entrant.name
        person = desk.reception.person(participant)
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
        except RefusedError as refused:
            raise HTTPException(422, site.refusal(refused, language)) from None
        if kept == "conflict":
            raise HTTPException(409, "Another answer was kept.")
        return Kept(status=kept, work=work(participant, session.csrf))

    @routes.post("/undo", response_model=Undone, responses=_PROBLEMS)
    async def undo(request: Request, body: UndoBody, csrf: Csrf = "") -> Undone:
        """Take back the last answer, if that is its number."""
        site.check_csrf(request, csrf)
        session = session_of(request)
        undone = desk.undo(session.entrant.name, body.number)
        return Undone(
            status="undone" if undone else "nothing",
            work=work(session.entrant.name, session.csrf),
        )

    return routes
