"""What all routes share: the study, the task queue, sessions, templates and page rendering."""

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

from epicene.studies.collection.images import StudyImages
from epicene.studies.collection.links import User
from epicene.studies.collection.task_queue import Feedback, Task, TaskQueue
from epicene.studies.design.answers import comparison_key
from epicene.studies.design.schema import text_blocks
from epicene.studies.web.forms import restore_answers
from epicene.studies.web.item_view import ItemViewBuilder
from epicene.studies.web.login import asset_url
from epicene.studies.web.translations import (
    interface_text,
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
    from epicene.studies.web.middleware import Session, Sessions

_MAX_FIELDS = 5000
_BEFORE_WORK = ("consent", "screening", "instructions")
_MAX_CACHED = 32_000_000  # characters of items' pages

# What the script says.
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
    "wrong_answer",
)


class SessionMismatchError(Exception):
    """What was sent is from another's page: since it was shown, another link was followed here."""


@dataclass(frozen=True)
class RejectedForm:
    """What a form held that could not be kept: its fields, and what it was an answer to."""

    values: Mapping[str, Sequence[str]] = field(default_factory=dict)
    number: int = 0
    revision: int = 0


NO_FORM = RejectedForm()


@dataclass(frozen=True)
class PageContent:
    """What a person sees now: which template with what, and what a program needs to know of it."""

    stage: str
    context: dict[str, Any]
    number: int | None = None
    revision: int | None = None


class Site:
    """One study on the web."""

    def __init__(self, folder: StudyFolder, desk: TaskQueue, sessions: Sessions) -> None:
        self.folder = folder
        self.study = folder.study
        self.desk = desk
        self.sessions = sessions
        self.images = StudyImages(folder)
        self._addresses = self.images.addresses("/image")
        self._templates = load_templates()
        self._bodies: OrderedDict[tuple[object, ...], Markup] = OrderedDict()
        self._kept = 0

    # --- what a person sees --------------------------------------------------------------------

    def scene(
        self, person: Participant, *, notice: str = "", typed: RejectedForm = NO_FORM
    ) -> PageContent:
        """What is before a person now, with what they typed if it could not be kept."""
        language = self.language(person)
        shared: dict[str, Any] = {"notice": notice}
        if person.stage == "closed":
            shared |= {"answered": person.answered}
            return PageContent("closed", shared | self._completion(person, person.answered))
        if person.stage == "refused":
            return PageContent("refused", shared | self._sent_back(person, "screened_out_url"))
        if person.stage in _BEFORE_WORK:
            if person.entry == "open" and not self.desk.has_task_for(person.participant):
                return PageContent("full", shared | self._sent_back(person, "full_url"))
            return PageContent(person.stage, shared | {"typed": typed.values})
        now = self.desk.current_state(person.participant)
        work = now.work
        shared |= {"undo": now.undo, "answered": now.answered, "most": now.most}
        viewer = ItemViewBuilder(self.study, language, person.participant, self._addresses)
        if isinstance(work, Task):
            if (work.number, work.revision) == (typed.number, typed.revision):
                given = restore_answers(self.study, work.item, person.participant, typed.values)
                work = replace(work, answers=given)
            shared |= {
                "task": work,
                "body": self._body(viewer, work, language),
                "practice": work.part == "practice",
            }
            return PageContent("item", shared, work.number, work.revision)
        if isinstance(work, Feedback):
            shared |= {"number": work.number, **self._feedback(viewer, work, person)}
            return PageContent("feedback", shared, work.number)
        if person.entry == "open" and not now.answered:
            return PageContent("full", shared | self._sent_back(person, "full_url"))
        return PageContent("done", shared | self._completion(person, now.answered))

    def _body(self, viewer: ItemViewBuilder, task: Task, language: str) -> Markup:
        """What is shown and asked of an item; kept, as others see the same."""
        key = (task.item.id, language, viewer.orders(task.item))
        if task.answers or key not in self._bodies:
            view = viewer.item(task.item, task.answers)
            body = Markup(self._render("item_body.html", language, "", view=view))  # noqa: S704
            if task.answers:
                return body
            self._bodies[key] = body
            self._kept += len(body)
            while self._kept > _MAX_CACHED and len(self._bodies) > 1:
                self._kept -= len(self._bodies.popitem(last=False)[1])
        return self._bodies[key]

    def _feedback(
        self, viewer: ItemViewBuilder, work: Feedback, person: Participant
    ) -> dict[str, Any]:
        item = work.item
        rows = [
            {
                "ask": study_text(question.ask, self.language(person)),
                "said": viewer.said(question, item, work.answers.get(question.id)),
                "expected": viewer.said(question, item, item.expected[question.id]),
                "right": question.id in work.answers
                and comparison_key(work.answers[question.id])
                == comparison_key(item.expected[question.id]),
            }
            for question in self.study.questions
            if question.id in item.expected
        ]
        return {"item": item, "rows": rows, "right": all(row["right"] for row in rows)}

    def _completion(self, person: Participant, answered: int) -> dict[str, Any]:
        """The code and the way back, for who came by the open link and did something."""
        access = self.study.access
        entitled = person.entry == "open" and answered > 0
        code = access.completion_code if entitled else ""
        back = access.completion_url.replace("{code}", code) if entitled else ""
        return {"code": code, "back": back, "open": person.entry == "open"}

    def _sent_back(
        self, person: Participant, where: Literal["screened_out_url", "full_url"]
    ) -> dict[str, Any]:
        """The way back of who came by the open link and cannot do anything."""
        return {"back": getattr(self.study.access, where) if person.entry == "open" else ""}

    def language(self, person: Participant) -> str:
        """The language of a person's pages."""
        return page_language(self.study, person.language)

    def refusal(self, refused: RejectedSubmissionError, language: str) -> str:
        """Why an answer was not kept, in the reader's words: by the question, not by fields."""
        at = str(refused).partition(" ")[0]
        asked = [question for question in self.study.questions if question.id == at]
        sentence = interface_text("wrong_answer", language)
        return f"{sentence}: {study_text(asked[0].ask, language)}" if asked else f"{sentence}."

    def browser_storage_key(self, person: Participant) -> str:
        """What the browser keeps a person's unsent answers under; another for who begins anew."""
        return self.sessions.keys.sign("desk", person.participant, repr(person.entered))[:16]

    def entry_address(self, entrant: User, entry: EntryType) -> str:
        """The address of the link by which somebody came."""
        if entry == "personal":
            return f"/enter/{self.sessions.keys.token(entrant)}"
        parameter = self.study.access.participant_parameter
        query = f"?{urlencode({parameter: entrant.name})}" if parameter else ""
        return f"/enter/{self.sessions.keys.token(User('open'))}{query}"

    # --- rendering -----------------------------------------------------------------------------

    def part(self, scene: PageContent, language: str, csrf: str) -> str:
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
        say = interface_texts_in(language)
        whole = self._render(
            "layout.html",
            language,
            csrf,
            inner=Markup(inner),  # noqa: S704 (a template of ours made it)
            stage=template,
            languages=language_names(self.study) if desk else {},
            script_words={name: say(name) for name in _SCRIPT_TEXTS},
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
            say=interface_texts_in(language),
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
                max_num_fields=_MAX_FIELDS,
            )
        except ValueError:
            raise HTTPException(400, "This is no form.") from None
        fields: dict[str, list[str]] = {}
        for name, value in pairs:
            fields.setdefault(name, []).append(value)
        self.check_csrf(request, first_value(fields, "csrf"))
        return fields

    def check_csrf(self, request: Request, token: str) -> None:
        """Refuse what another site may have sent in the person's name, or who may no more.

        The guard asked that, too, but a body may have taken its time since.
        """
        entrant = session_of(request).user
        if self.desk.participants.is_revoked(entrant):
            raise HTTPException(404)
        if not self.sessions.keys.is_signed(token, "csrf", *entrant):
            raise SessionMismatchError


@cache
def load_templates() -> Environment:
    """The pages' templates, all of them compiled, so that nobody waits for it."""
    found = Environment(
        loader=PackageLoader("epicene.studies.web"),
        autoescape=True,
        undefined=StrictUndefined,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.globals.update(
        told=study_text, prose=text_blocks, direction=page_direction, asset=asset_url
    )
    for name in found.list_templates():
        found.get_template(name)
    return found


def session_of(request: Request) -> Session:
    """Who asks; the guard has seen to it that somebody does."""
    session: Session = request.state.session
    return session


def first_value(fields: dict[str, list[str]], name: str) -> str:
    """The first value of a field; nothing, where there is none."""
    return next(iter(fields.get(name, ())), "")


def parse_number(text: str) -> int:
    """A number of a form."""
    if not (text.isascii() and text.isdecimal()) or len(text) > len("999999999"):
        raise HTTPException(400, "A number is missing.")
    return int(text)
