"""The pages of the study's owner: progress, agreement, what people differ on, all answers.

Whatever reads many answers runs beside the pages of who judges, not before them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from fastapi import APIRouter, Request
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool
from starlette.responses import FileResponse, RedirectResponse, Response

from epicene.annotate import progress, quality
from epicene.annotate.adjudication import disagreements, nothing_to_settle
from epicene.annotate.pages.api import PROBLEMS
from epicene.annotate.pages.charts import agreement_table, growth_chart
from epicene.annotate.pages.forms import read_answer
from epicene.annotate.pages.guard import not_found
from epicene.annotate.pages.person import ANSWER
from epicene.annotate.pages.site import first, session_of
from epicene.annotate.pages.views import Viewer
from epicene.annotate.pages.words import page_language
from epicene.annotate.reception import RefusedError
from epicene.report.layout import lay_out
from epicene.studies import Mark, Tag, Write
from epicene.studies.response_files import responses_jsonl, responses_sheet

if TYPE_CHECKING:
    from epicene.annotate.adjudication import Disagreement
    from epicene.annotate.pages.site import Site

Form: TypeAlias = Literal["csv", "tsv", "jsonl"]

OWNER = "owner"  # as whom settled answers are signed
NONE = "none"  # the field that says that there are no tags or marks
_TYPES: dict[Form, str] = {
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "jsonl": "application/jsonl",
}
_LANGUAGE = "en"  # the only one of these pages; texts of the study are in its own
_ITEMS = 100  # on a page
_TO_SETTLE = 20


class Numbers(BaseModel):
    """How far the study is: judgements wanted, given, being made; and who came."""

    wanted: int
    given: int
    out: int
    people: int
    lists: list[progress.ListProgress]


def owner_pages(site: Site) -> APIRouter:
    """The routes."""
    routes = APIRouter(include_in_schema=False)
    board = _Board(site)

    def page(request: Request, template: str, status: int = 200, **context: Any) -> Response:
        csrf = session_of(request).csrf
        return site.page(f"owner_{template}", _LANGUAGE, csrf=csrf, status=status, **context)

    @routes.get("/owner")
    async def overview(request: Request) -> Response:
        return page(request, "progress", **await run_in_threadpool(board.progress))

    @routes.get("/owner/items")
    async def items(request: Request, start: int = 0) -> Response:
        start = min(max(start, 0), len(site.study.items))
        rows = await run_in_threadpool(progress.items, site.desk.path, start=start, most=_ITEMS)
        after = start + _ITEMS if start + _ITEMS < len(site.study.items) else None
        before = max(0, start - _ITEMS) if start else None
        return page(request, "items", rows=rows, before=before, after=after)

    @routes.get("/owner/agreement")
    async def agreement(request: Request) -> Response:
        return page(request, "agreement", **await run_in_threadpool(board.agreement))

    @routes.get("/owner/disagreements")
    async def differ(request: Request) -> Response:
        return page(request, "disagreements", **await run_in_threadpool(board.disagreements))

    @routes.post("/owner/settle")
    async def settle(request: Request) -> Response:
        fields = await site.form(request)
        try:
            await run_in_threadpool(board.settle, fields)
        except RefusedError as refused:
            left = await run_in_threadpool(board.disagreements, str(refused))
            return page(request, "disagreements", 422, **left)
        return RedirectResponse("/owner/disagreements", 303)

    @routes.post("/owner/unsettle")
    async def unsettle(request: Request) -> Response:
        fields = await site.form(request)
        settlements = site.folder.settlements()
        await run_in_threadpool(
            settlements.unsettle, first(fields, "item"), first(fields, "question")
        )
        return RedirectResponse("/owner/disagreements", 303)

    @routes.get("/owner/export.{form}")
    async def export(form: Form, hidden: bool = False) -> Response:
        text = await run_in_threadpool(board.export, form, hidden=hidden)
        named = f'attachment; filename="{site.study.name}.{form}"'
        return Response(text, media_type=_TYPES[form], headers={"Content-Disposition": named})

    @routes.get("/owner/image/{name}")
    async def image(request: Request, name: str) -> Response:
        picture = site.images.find(name)
        if picture is None:
            return not_found(request.scope["path"])
        return FileResponse(picture.path, media_type=picture.media_type)

    return routes


def owner_api(site: Site) -> APIRouter:
    """What programs may ask in the owner's name."""
    routes = APIRouter(prefix="/api/owner", tags=["owner"])

    @routes.get("/progress", response_model=Numbers, responses=PROBLEMS)
    async def numbers() -> Numbers:
        """How far the study is."""
        lists = await run_in_threadpool(progress.lists, site.desk.path)
        people = await run_in_threadpool(progress.people, site.desk.path)
        return Numbers(
            wanted=sum(each.wanted for each in lists),
            given=sum(each.given for each in lists),
            out=sum(each.out for each in lists),
            people=len(people),
            lists=lists,
        )

    return routes


class _Board:
    """What stands on the owner's pages."""

    def __init__(self, site: Site) -> None:
        self._folder = site.folder
        self._study = site.study
        self._path = site.desk.path
        self._viewer = Viewer(
            site.study,
            page_language(site.study, _LANGUAGE),
            OWNER,
            site.images.addresses("/owner/image"),
        )

    def progress(self) -> dict[str, Any]:
        fitting = self._folder.fitting()
        done = {each.participant: each for each in quality.people(self._study, fitting.responses)}
        people = progress.people(self._path)
        lists = progress.lists(self._path)
        known = {person.participant for person in people}
        return {
            "left_out": fitting.note,
            "lists": lists,
            "people": [(person, done.get(person.participant)) for person in people],
            "imported": [each for name, each in done.items() if name not in known],
            "wanted": sum(each.wanted for each in lists),
            "given": sum(each.given for each in lists),
            "out": sum(each.out for each in lists),
        }

    def agreement(self) -> dict[str, Any]:
        responses, _, _ = fitting = self._folder.fitting()
        growth = quality.agreement_growth(self._study, responses)
        table = agreement_table(quality.agreement(self._study, responses), growth)
        return {
            "left_out": fitting.note,
            "table": lay_out(table),
            "charts": {each.question: growth_chart(each) for each in growth},
        }

    def disagreements(self, notice: str = "") -> dict[str, Any]:
        responses, settled, _ = fitting = self._folder.fitting()
        left = disagreements(self._study, responses, settled)
        items = {item.id: item for item in self._study.items}
        return {
            "notice": notice,
            "left_out": fitting.note,
            "left": len(left),
            "why_none": nothing_to_settle(self._study),
            "entries": [self._entry(each) for each in left[:_TO_SETTLE]],
            "settled": [
                (
                    each,
                    self._viewer.said(
                        self._study.question(each.question), items[each.item], each.value
                    ),
                )
                for each in settled.values()
                if each.item in items
            ],
        }

    def _entry(self, each: Disagreement) -> dict[str, Any]:
        question = self._study.question(each.question)
        view = self._viewer.item(each.item, {})
        # A text is easier mended than written; of choices none is put into the owner's mouth.
        texts = list(each.answers.values()) if isinstance(question, Write) else []
        answers = {each.question: texts[0]} if texts else {}
        return {
            "item": each.item.id,
            "view": view,
            "question": self._viewer.question(question, each.item, answers),
            "may_be_none": isinstance(question, Tag | Mark) and not question.required,
            "said": [
                (person, self._viewer.said(question, each.item, answer))
                for person, answer in each.answers.items()
            ],
        }

    def settle(self, fields: dict[str, list[str]]) -> None:
        items = {item.id: item for item in self._study.items}
        item = items.get(first(fields, "item"))
        if item is None:
            raise RefusedError("There is no such item.")
        question = self._study.question(first(fields, "question"))
        values = fields.get(ANSWER + question.id, [])
        about = f"{question.id} of {item.id}"
        if isinstance(question, Tag | Mark):
            given, none = any(map(str.strip, values)), first(fields, NONE) == "yes"
            if given and none:
                raise RefusedError(f"Something was chosen for {about}, and nothing; decide which.")
            if not (given or none):  # untouched, which is no decision yet
                raise RefusedError(f"Nothing was decided for {about}: choose, or tick none.")
        value = read_answer(self._study, question, item, OWNER, values)
        if value is None:
            raise RefusedError(f"Nothing was decided for {about}.")
        self._folder.settlements().settle(item.id, question.id, value, OWNER)

    def export(self, form: Form, *, hidden: bool) -> str:
        responses, settled, _ = self._folder.fitting()
        if form == "jsonl":
            return responses_jsonl(
                self._study, responses, settled=settled.values(), with_hidden=hidden
            )
        return responses_sheet(
            self._study,
            responses,
            settled=settled.values(),
            with_hidden=hidden,
            delimiter="\t" if form == "tsv" else ",",
        )
