"""The pages and API of the study's owner: progress, agreement, disagreements, export.

Whatever reads many responses runs in a thread, so that participants do not have to wait.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool
from starlette.responses import FileResponse, RedirectResponse, Response

from epicene.report.layout import lay_out
from epicene.studies.analysis import quality
from epicene.studies.analysis.quality_tables import growth_chart, growth_table
from epicene.studies.collection import progress
from epicene.studies.collection.adjudication import disagreements, why_no_adjudication
from epicene.studies.collection.participants import RejectedSubmissionError
from epicene.studies.design.schema import MarksQuestion, TagsQuestion, TextQuestion
from epicene.studies.exchange.response_files import ExportFormat, export_responses
from epicene.studies.web.item_form import ItemViewBuilder, read_answer
from epicene.studies.web.middleware import not_found
from epicene.studies.web.participant_routes import ANSWER_PREFIX, ERROR_RESPONSES
from epicene.studies.web.study_app import first_value, session_of
from epicene.studies.web.translations import page_language

if TYPE_CHECKING:
    from epicene.studies.collection.adjudication import Disagreement
    from epicene.studies.web.study_app import StudyApp

OWNER = "owner"  # the adjudicator's name
NONE_FIELD = "none"  # the field for "no tags" or "no marks"
_MEDIA_TYPES: dict[ExportFormat, str] = {
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "jsonl": "application/jsonl",
}
_LANGUAGE = "en"  # of these pages; texts of the study may be in others
_ITEMS_PER_PAGE = 100
_DISAGREEMENTS_PER_PAGE = 20


class ProgressReply(BaseModel):
    """The progress of the study: judgements wanted, given, under way; and participants."""

    wanted: int
    given: int
    out: int
    people: int
    lists: list[progress.ListProgress]


def owner_pages(site: StudyApp) -> APIRouter:
    """The owner's pages."""
    routes = APIRouter(include_in_schema=False)
    data = _OwnerData(site)

    def page(request: Request, template: str, status: int = 200, **context: Any) -> Response:
        csrf = session_of(request).csrf
        return site.page(f"owner_{template}", _LANGUAGE, csrf=csrf, status=status, **context)

    @routes.get("/owner")
    async def overview(request: Request) -> Response:
        return page(request, "progress", **await run_in_threadpool(data.progress))

    @routes.get("/owner/items")
    async def items(request: Request, start: int = 0) -> Response:
        start = min(max(start, 0), len(site.study.items))
        rows = await run_in_threadpool(
            progress.item_progress, site.task_queue.path, start=start, most=_ITEMS_PER_PAGE
        )
        after = start + _ITEMS_PER_PAGE if start + _ITEMS_PER_PAGE < len(site.study.items) else None
        before = max(0, start - _ITEMS_PER_PAGE) if start else None
        return page(request, "items", rows=rows, before=before, after=after)

    @routes.get("/owner/agreement")
    async def agreement(request: Request) -> Response:
        return page(request, "agreement", **await run_in_threadpool(data.agreement))

    @routes.get("/owner/disagreements")
    async def differ(request: Request) -> Response:
        return page(request, "disagreements", **await run_in_threadpool(data.disagreements))

    @routes.post("/owner/adjudicate")
    async def adjudicate(request: Request) -> Response:
        fields = await site.read_form(request)
        try:
            await run_in_threadpool(data.adjudicate, fields)
        except RejectedSubmissionError as refused:
            left = await run_in_threadpool(data.disagreements, str(refused))
            return page(request, "disagreements", 422, **left)
        return RedirectResponse("/owner/disagreements", 303)

    @routes.post("/owner/reopen")
    async def reopen(request: Request) -> Response:
        fields = await site.read_form(request)
        adjudications = site.folder.adjudications()
        await run_in_threadpool(
            adjudications.reopen, first_value(fields, "item"), first_value(fields, "question")
        )
        return RedirectResponse("/owner/disagreements", 303)

    @routes.get("/owner/export.{form}")
    async def export(form: ExportFormat, hidden: bool = False) -> Response:
        text = await run_in_threadpool(data.export, form, hidden=hidden)
        named = f'attachment; filename="{site.study.name}.{form}"'
        return Response(text, media_type=_MEDIA_TYPES[form], headers={"Content-Disposition": named})

    @routes.get("/owner/image/{name}")
    async def image(request: Request, name: str) -> Response:
        image = site.images.find(name)
        if image is None:
            return not_found(request.scope["path"])
        return FileResponse(image.path, media_type=image.media_type)

    return routes


def owner_logout(site: StudyApp) -> APIRouter:
    """The form by which the owner logs out, here or in every browser."""
    routes = APIRouter(include_in_schema=False)

    @routes.post("/owner/logout")
    async def log_out(request: Request) -> Response:
        fields = await site.read_form(request)
        everywhere = first_value(fields, "everywhere") == "yes"
        page = site.page("owner_logged_out", _LANGUAGE, everywhere=everywhere)
        site.sessions.log_out(page, session_of(request), everywhere=everywhere)
        return page

    return routes


def owner_api(site: StudyApp) -> APIRouter:
    """The owner's API."""
    routes = APIRouter(prefix="/api/owner", tags=["owner"])

    @routes.get("/progress", response_model=ProgressReply, responses=ERROR_RESPONSES)
    async def numbers() -> ProgressReply:
        """The progress of the study."""
        lists = await run_in_threadpool(progress.list_progress, site.task_queue.path)
        participants = await run_in_threadpool(progress.participant_progress, site.task_queue.path)
        return ProgressReply(**_totals(lists), people=len(participants), lists=lists)

    return routes


def _totals(lists: list[progress.ListProgress]) -> dict[str, int]:
    return {name: sum(getattr(each, name) for each in lists) for name in ("wanted", "given", "out")}


class _OwnerData:
    """The contents of the owner's pages."""

    def __init__(self, site: StudyApp) -> None:
        self._folder = site.folder
        self._study = site.study
        self._path = site.task_queue.path
        self._viewer = ItemViewBuilder(
            site.study,
            page_language(site.study, _LANGUAGE),
            OWNER,
            site.images.addresses("/owner/image"),
        )

    def progress(self) -> dict[str, Any]:
        valid = self._folder.valid_responses()
        done = {
            each.participant: each
            for each in quality.participant_quality(self._study, valid.responses)
        }
        participants = progress.participant_progress(self._path)
        lists = progress.list_progress(self._path)
        known = {each.participant for each in participants}
        return {
            "drift_note": valid.note,
            "lists": lists,
            "participants": [(each, done.get(each.participant)) for each in participants],
            "imported": [each for name, each in done.items() if name not in known],
            **_totals(lists),
        }

    def agreement(self) -> dict[str, Any]:
        valid = self._folder.valid_responses()
        growth = quality.agreement_over_time(self._study, valid.responses)
        table = growth_table(quality.question_agreement(self._study, valid.responses), growth)
        return {
            "drift_note": valid.note,
            "table": lay_out(table),
            "charts": {each.question: growth_chart(each) for each in growth},
        }

    def disagreements(self, notice: str = "") -> dict[str, Any]:
        valid = self._folder.valid_responses()
        left = disagreements(self._study, valid.responses, valid.adjudications)
        items = {item.id: item for item in self._study.items}
        return {
            "notice": notice,
            "drift_note": valid.note,
            "left": len(left),
            "why_none": why_no_adjudication(self._study),
            "entries": [self._entry(each) for each in left[:_DISAGREEMENTS_PER_PAGE]],
            "adjudicated": [
                (
                    each,
                    self._viewer.answer_text(
                        self._study.question(each.question), items[each.item], each.value
                    ),
                )
                for each in valid.adjudications.values()
                if each.item in items
            ],
        }

    def _entry(self, each: Disagreement) -> dict[str, Any]:
        question = self._study.question(each.question)
        view = self._viewer.item(each.item, {})
        # A text is easier to edit than to write; of choices none is preselected.
        texts = list(each.answers.values()) if isinstance(question, TextQuestion) else []
        answers = {each.question: texts[0]} if texts else {}
        return {
            "item": each.item.id,
            "view": view,
            "question": self._viewer.question(question, each.item, answers),
            "may_be_none": isinstance(question, TagsQuestion | MarksQuestion)
            and not question.required,
            "answers": [
                (participant, self._viewer.answer_text(question, each.item, answer))
                for participant, answer in each.answers.items()
            ],
        }

    def adjudicate(self, fields: dict[str, list[str]]) -> None:
        items = {item.id: item for item in self._study.items}
        item = items.get(first_value(fields, "item"))
        if item is None:
            raise RejectedSubmissionError("There is no such item.")
        question = self._study.question(first_value(fields, "question"))
        values = fields.get(ANSWER_PREFIX + question.id, [])
        about = f"{question.id} of {item.id}"
        if isinstance(question, TagsQuestion | MarksQuestion):
            given, none = any(map(str.strip, values)), first_value(fields, NONE_FIELD) == "yes"
            if given and none:
                raise RejectedSubmissionError(
                    f"Something was chosen for {about}, and nothing; decide which."
                )
            if not (given or none):  # untouched
                raise RejectedSubmissionError(
                    f"Nothing was decided for {about}: choose, or tick none."
                )
        value = read_answer(self._study, question, item, OWNER, values)
        if value is None:
            raise RejectedSubmissionError(f"Nothing was decided for {about}.")
        self._folder.adjudications().adjudicate(item.id, question.id, value, OWNER)

    def export(self, form: ExportFormat, *, hidden: bool) -> str:
        valid = self._folder.valid_responses()
        adjudications = valid.adjudications.values()
        return export_responses(
            self._study, valid.responses, adjudications, form, with_hidden=hidden
        )
