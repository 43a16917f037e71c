"""What the pages' script asks for, as JSON; programs may too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Header, Request
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from starlette.exceptions import HTTPException

from epicene.annotate.desk import LONGEST_TEXT
from epicene.annotate.pages.forms import read_answers
from epicene.annotate.pages.site import session_of
from epicene.annotate.reception import RefusedError

if TYPE_CHECKING:
    from epicene.annotate.pages.site import Site

_MOST_VALUES = 2000
_LARGEST = 2**31


def _whole(value: object) -> object:
    """JSON knows no integers: 2.0 is one."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


Number = Annotated[int, Field(ge=0, lt=_LARGEST), BeforeValidator(_whole)]
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
    desk: str = Field(description="Whose it is, as on the page.")
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


PROBLEMS: dict[int | str, dict[str, Any]] = {
    404: {"model": Problem, "description": "No link for this, or nothing of the person's."},
    429: {"model": Problem, "description": "Too many requests by this link."},
    503: {"model": Problem, "description": "The answers cannot be reached just now."},
}
_OF_ACTS: dict[int | str, dict[str, Any]] = PROBLEMS | {
    400: {"model": Problem, "description": "No JSON."},
    403: {"model": Problem, "description": "The token is not the one of the person's pages."},
    409: {"model": Problem, "description": "Another answer was kept."},
    410: {"model": Problem, "description": "The study closed more than a day ago."},
    413: {"model": Problem, "description": "Too large."},
    422: {"model": Problem, "description": "The answer cannot be kept so."},
}


def api(site: Site) -> APIRouter:
    """The routes."""
    routes = APIRouter(prefix="/api", tags=["work"])
    desk = site.desk

    def work(participant: str, csrf: str) -> Work:
        person = desk.reception.person(participant)
        scene = site.scene(person)
        return Work(
            stage=scene.stage,
            number=scene.number,
            revision=scene.revision,
            answered=scene.context.get("answered", 0),
            desk=site.desk_name(person),
            page=site.part(scene, site.language(person), csrf),
        )

    @routes.get("/work", response_model=Work, responses=PROBLEMS)
    async def now(request: Request) -> Work:
        """What is before the person now."""
        session = session_of(request)
        return work(session.entrant.name, session.csrf)

    @routes.post("/answer", response_model=Kept, responses=_OF_ACTS)
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

    @routes.post("/undo", response_model=Undone, responses=_OF_ACTS)
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
