"""The pages of who judges. Every form works without a script, and twice as well as once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request
from starlette.responses import FileResponse, RedirectResponse, Response

from epicene.annotate.pages.forms import read_answers
from epicene.annotate.pages.guard import not_found
from epicene.annotate.pages.site import NOTHING, Typed, first, session_of, whole_number
from epicene.annotate.pages.words import say
from epicene.annotate.reception import ClosedError, RefusedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from epicene.annotate.pages.site import Site
    from epicene.annotate.reception import Person

ANSWER = "answer."  # before the names of the fields that hold answers


class PersonPages:
    """The pages of who has a link."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._desk = site.desk
        self._reception = site.desk.reception

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
            "/go-on": self.go_on,
            "/undo": self.undo,
        }
        for method, handlers in (("GET", pages), ("POST", acts)):
            for address, handler in handlers.items():
                routes.add_api_route(address, handler, methods=[method])
        return routes

    def _who(self, request: Request) -> Person:
        return self._reception.person(session_of(request).entrant.name)

    def _show(
        self, request: Request, *, notice: str = "", status: int = 200, typed: Typed = NOTHING
    ) -> Response:
        person = self._who(request)
        scene = self._site.scene(person, notice=notice, typed=typed)
        return self._site.page(
            scene.stage,
            self._site.language(person),
            csrf=session_of(request).csrf,
            status=status,
            desk=self._site.desk_name(person),
            **scene.context,
        )

    async def now(self, request: Request) -> Response:
        """Whatever is before the person."""
        return self._show(request)

    async def instructions(self, request: Request) -> Response:
        """The instructions, again."""
        person = self._who(request)
        if person.stage != "work":
            return _home()
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
        if first(fields, "agree") == "yes":
            self._reception.consent(person.participant)
            return _home()
        if person.stage != "consent":  # agreed to in another window
            return _home()
        entrant = session_of(request).entrant
        forgotten = self._reception.decline(person.participant)
        again = self._site.way_in(entrant, person.entry)
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
        given = {screen.id: first(fields, ANSWER + screen.id) for screen in screens}
        try:
            self._reception.screen(person.participant, given)
        except RefusedError:
            notice = say("missing", self._site.language(person))
            typed = Typed({name: [value] for name, value in given.items()})
            return self._show(request, notice=notice, status=422, typed=typed)
        return _home()

    async def begin(self, request: Request) -> Response:
        """Have read the instructions."""
        await self._site.form(request)
        self._reception.begin(self._who(request).participant)
        return _home()

    async def language(self, request: Request) -> Response:
        """Read the pages in another language."""
        fields = await self._site.form(request)
        self._reception.choose_language(self._who(request).participant, first(fields, "language"))
        return _home()

    async def answer(self, request: Request) -> Response:
        """Answer, where no script does."""
        fields = await self._site.form(request)
        person = self._who(request)
        number = whole_number(first(fields, "number"))
        revision = whole_number(first(fields, "revision"))
        task = self._desk.task(person.participant, number)
        values = {
            name.removeprefix(ANSWER): given
            for name, given in fields.items()
            if name.startswith(ANSWER)
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
        except RefusedError as refused:
            notice = self._site.refusal(refused, language)
            typed = Typed(values, number, revision)
            return self._show(request, notice=notice, status=422, typed=typed)
        except ClosedError:
            return self._show(request, status=410)
        if kept == "conflict":
            return self._show(request, notice=say("conflict", language), status=409)
        return _home()

    async def go_on(self, request: Request) -> Response:
        """Have read what was expected in practice."""
        fields = await self._site.form(request)
        participant = self._who(request).participant
        self._desk.go_on(participant, whole_number(first(fields, "number")))
        return _home()

    async def undo(self, request: Request) -> Response:
        """Take back the last answer."""
        fields = await self._site.form(request)
        participant = self._who(request).participant
        self._desk.undo(participant, whole_number(first(fields, "number")))
        return _home()


def _home() -> Response:
    return RedirectResponse("/", 303)
