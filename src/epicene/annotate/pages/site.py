"""What all pages share: the study, the desk, the keys, the templates."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import parse_qsl, urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse

from epicene.annotate.desk import Desk, Feedback, Task
from epicene.annotate.pages.assets import asset_address
from epicene.annotate.pages.forms import as_typed
from epicene.annotate.pages.images import Images
from epicene.annotate.pages.views import Viewer
from epicene.annotate.pages.words import direction, names, page_language, say, speaker, told
from epicene.annotate.tokens import Pass
from epicene.studies.prose import prose
from epicene.studies.responses import comparable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from starlette.requests import Request

    from epicene.annotate.folder import StudyFolder
    from epicene.annotate.pages.guard import Session, Sessions
    from epicene.annotate.reception import Entry, Person, RefusedError

_MOST_FIELDS = 5000
_BEFORE_WORK = ("consent", "screening", "instructions")
_MOST_KEPT = 32_000_000  # characters of items' pages

# What the script says.
_FOR_SCRIPT = (
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
    "wrong_answer",
)


class OtherLinkError(Exception):
    """What was sent is from another's page: since it was shown, another link was followed here."""


@dataclass(frozen=True)
class Typed:
    """What a form held that could not be kept: its fields, and what it was an answer to."""

    values: Mapping[str, Sequence[str]] = field(default_factory=dict)
    number: int = 0
    revision: int = 0


NOTHING = Typed()


@dataclass(frozen=True)
class Scene:
    """What a person sees now: which template with what, and what a program needs to know of it."""

    stage: str
    context: dict[str, Any]
    number: int | None = None
    revision: int | None = None


class Site:
    """One study on the web."""

    def __init__(self, folder: StudyFolder, desk: Desk, sessions: Sessions) -> None:
        self.folder = folder
        self.study = folder.study
        self.desk = desk
        self.sessions = sessions
        self.images = Images(folder)
        self._addresses = self.images.addresses("/image")
        self._templates = templates()
        self._bodies: OrderedDict[tuple[object, ...], Markup] = OrderedDict()
        self._kept = 0

    # --- what a person sees --------------------------------------------------------------------

    def scene(self, person: Person, *, notice: str = "", typed: Typed = NOTHING) -> Scene:
        """What is before a person now, with what they typed if it could not be kept."""
        language = self.language(person)
        shared: dict[str, Any] = {"notice": notice}
        if person.stage == "closed":
            shared |= {"answered": person.answered}
            return Scene("closed", shared | self._completion(person, person.answered))
        if person.stage == "refused":
            return Scene("refused", shared | self._sent_back(person, "screened_out_url"))
        if person.stage in _BEFORE_WORK:
            if person.entry == "open" and not self.desk.has_room_for(person.participant):
                return Scene("full", shared | self._sent_back(person, "full_url"))
            return Scene(person.stage, shared | {"typed": typed.values})
        now = self.desk.situation(person.participant)
        work = now.work
        shared |= {"undo": now.undo, "answered": now.answered, "most": now.most}
        viewer = Viewer(self.study, language, person.participant, self._addresses)
        if isinstance(work, Task):
            if (work.number, work.revision) == (typed.number, typed.revision):
                given = as_typed(self.study, work.item, person.participant, typed.values)
                work = replace(work, answers=given)
            shared |= {
                "task": work,
                "body": self._body(viewer, work, language),
                "practice": work.part == "practice",
            }
            return Scene("item", shared, work.number, work.revision)
        if isinstance(work, Feedback):
            shared |= {"number": work.number, **self._feedback(viewer, work, person)}
            return Scene("feedback", shared, work.number)
        if person.entry == "open" and not now.answered:
            return Scene("full", shared | self._sent_back(person, "full_url"))
        return Scene("done", shared | self._completion(person, now.answered))

    def _body(self, viewer: Viewer, task: Task, language: str) -> Markup:
        """What is shown and asked of an item; kept, as others see the same."""
        key = (task.item.id, language, viewer.orders(task.item))
        if task.answers or key not in self._bodies:
            view = viewer.item(task.item, task.answers)
            body = Markup(self._render("item_body.html", language, "", view=view))  # noqa: S704
            if task.answers:
                return body
            self._bodies[key] = body
            self._kept += len(body)
            while self._kept > _MOST_KEPT and len(self._bodies) > 1:
                self._kept -= len(self._bodies.popitem(last=False)[1])
        return self._bodies[key]

    def _feedback(self, viewer: Viewer, work: Feedback, person: Person) -> dict[str, Any]:
        item = work.item
        rows = [
            {
                "ask": told(question.ask, self.language(person)),
                "said": viewer.said(question, item, work.answers.get(question.id)),
                "expected": viewer.said(question, item, item.expected[question.id]),
                "right": question.id in work.answers
                and comparable(work.answers[question.id]) == comparable(item.expected[question.id]),
            }
            for question in self.study.questions
            if question.id in item.expected
        ]
        return {"item": item, "rows": rows, "right": all(row["right"] for row in rows)}

    def _completion(self, person: Person, answered: int) -> dict[str, Any]:
        """The code and the way back, for who came by the open link and did something."""
        access = self.study.access
        entitled = person.entry == "open" and answered > 0
        code = access.completion_code if entitled else ""
        back = access.completion_url.replace("{code}", code) if entitled else ""
        return {"code": code, "back": back, "open": person.entry == "open"}

    def _sent_back(
        self, person: Person, where: Literal["screened_out_url", "full_url"]
    ) -> dict[str, Any]:
        """The way back of who came by the open link and cannot do anything."""
        return {"back": getattr(self.study.access, where) if person.entry == "open" else ""}

    def language(self, person: Person) -> str:
        """The language of a person's pages."""
        return page_language(self.study, person.language)

    def refusal(self, refused: RefusedError, language: str) -> str:
        """Why an answer was not kept, in the reader's words: by the question, not by fields."""
        at = str(refused).partition(" ")[0]
        asked = [question for question in self.study.questions if question.id == at]
        sentence = say("wrong_answer", language)
        return f"{sentence}: {told(asked[0].ask, language)}" if asked else f"{sentence}."

    def desk_name(self, person: Person) -> str:
        """What the browser keeps a person's unsent answers under; another for who begins anew."""
        return self.sessions.keys.sign("desk", person.participant, repr(person.entered))[:16]

    def way_in(self, entrant: Pass, entry: Entry) -> str:
        """The address of the link by which somebody came."""
        if entry == "personal":
            return f"/enter/{self.sessions.keys.token(entrant)}"
        parameter = self.study.access.participant_parameter
        query = f"?{urlencode({parameter: entrant.name})}" if parameter else ""
        return f"/enter/{self.sessions.keys.token(Pass('open'))}{query}"

    # --- rendering -----------------------------------------------------------------------------

    def part(self, scene: Scene, language: str, csrf: str) -> str:
        """The part of the page that changes."""
        return self._render(f"{scene.stage}.html", language, csrf, **scene.context)

    def page(
        self,
        template: str,
        language: str,
        *,
        csrf: str = "",
        status: int = 200,
        desk: str = "",
        **context: Any,
    ) -> HTMLResponse:
        """A whole page."""
        inner = self._render(f"{template}.html", language, csrf, **context)
        say = speaker(language)
        whole = self._render(
            "layout.html",
            language,
            csrf,
            inner=Markup(inner),  # noqa: S704 (a template of ours made it)
            stage=template,
            languages=names(self.study) if desk else {},
            script_words={name: say(name) for name in _FOR_SCRIPT},
            desk=desk,
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
            say=speaker(language),
            csrf=csrf,
            **context,
        )

    # --- requests ------------------------------------------------------------------------------

    async def form(self, request: Request) -> dict[str, list[str]]:
        """The fields of a form that one of our pages made for this very person."""
        body = await request.body()
        try:
            pairs = parse_qsl(
                body.decode("ascii"),
                keep_blank_values=True,
                errors="strict",
                max_num_fields=_MOST_FIELDS,
            )
        except ValueError:
            raise HTTPException(400, "This is no form.") from None
        fields: dict[str, list[str]] = {}
        for name, value in pairs:
            fields.setdefault(name, []).append(value)
        self.check_csrf(request, first(fields, "csrf"))
        return fields

    def check_csrf(self, request: Request, token: str) -> None:
        """Refuse what another site may have sent in the person's name, or who may no more.

        The guard asked that, too, but a body may have taken its time since.
        """
        entrant = session_of(request).entrant
        if self.desk.reception.is_revoked(entrant):
            raise HTTPException(404)
        if not self.sessions.keys.is_signed(token, "csrf", *entrant):
            raise OtherLinkError


@cache
def templates() -> Environment:
    """The pages' templates, all of them compiled, so that nobody waits for it."""
    found = Environment(
        loader=PackageLoader("epicene.annotate.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.globals.update(told=told, prose=prose, direction=direction, asset=asset_address)
    for name in found.list_templates():
        found.get_template(name)
    return found


def session_of(request: Request) -> Session:
    """Who asks; the guard has seen to it that somebody does."""
    session: Session = request.state.session
    return session


def first(fields: dict[str, list[str]], name: str) -> str:
    """The first value of a field; nothing, where there is none."""
    return next(iter(fields.get(name, ())), "")


def whole_number(text: str) -> int:
    """A number of a form."""
    if not (text.isascii() and text.isdecimal()) or len(text) > len("999999999"):
        raise HTTPException(400, "A number is missing.")
    return int(text)
