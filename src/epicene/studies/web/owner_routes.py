"""The pages and API of the study's owner: progress, agreement, disagreements, export.

Whatever reads many responses runs in a thread, so that participants do not have to wait.
"""

from __future__ import annotations

from datetime import datetime  # noqa: TC003 (FastAPI reads it)
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Request
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool
from starlette.responses import FileResponse, RedirectResponse, Response

from epicene.studies.analysis.export_frames import ExportUnit  # noqa: TC001 (FastAPI reads it)
from epicene.studies.collection import progress
from epicene.studies.collection.activity import OWNER
from epicene.studies.collection.exclusion import exclude_participant, readmit_participant
from epicene.studies.collection.participants import (
    RejectedSubmissionError,
    StudyState,
)
from epicene.studies.exchange.response_files import ExportFormat  # noqa: TC001 (as above)
from epicene.studies.exchange.table_files import TableFormat  # noqa: TC001 (as above)
from epicene.studies.web.middleware import not_found
from epicene.studies.web.owner_data import OwnerData, Page, totals
from epicene.studies.web.participant_routes import ERROR_RESPONSES
from epicene.studies.web.study_app import first_value, session_of

if TYPE_CHECKING:
    from epicene.studies.web.study_app import StudyApp

_MEDIA_TYPES: dict[TableFormat, str] = {
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "jsonl": "application/jsonl",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "parquet": "application/vnd.apache.parquet",
}
_LANGUAGE = "en"  # of these pages; texts of the study may be in others
_ITEMS_PER_PAGE = 100


class ProgressReply(BaseModel):
    """The progress of the study: judgements wanted, given, under way; and participants.

    `answers` counts everything answered, practice too; `seen` is when somebody last did something.
    """

    wanted: int
    given: int
    out: int
    people: int
    answers: int
    seen: datetime | None
    state: StudyState
    lists: list[progress.ListProgress]


def owner_pages(site: StudyApp) -> APIRouter:
    """The owner's pages."""
    routes = APIRouter(include_in_schema=False)
    data = OwnerData(site)
    page = partial(owner_page, site)

    @routes.get("/owner")
    async def overview(request: Request, start: int = 0, q: str = "", state: str = "") -> Response:
        return page(request, "progress", **await run_in_threadpool(data.progress, q, state, start))

    @routes.get("/owner/items")
    async def items(request: Request, start: int = 0, q: str = "", state: str = "") -> Response:
        found = await run_in_threadpool(data.items, q, state)
        shown = Page(found, start, _ITEMS_PER_PAGE)
        return page(request, "items", page=shown, q=q, state=state)

    @routes.get("/owner/people/{name}")
    async def person(request: Request, name: str) -> Response:
        found = await run_in_threadpool(data.person, name)
        if found is None:
            return not_found(request.scope["path"])
        return page(request, "person", **found)

    @routes.get("/owner/agreement")
    async def agreement(request: Request) -> Response:
        return page(request, "agreement", **await run_in_threadpool(data.agreement))

    @routes.get("/owner/disagreements")
    async def differ(request: Request, start: int = 0, question: str = "") -> Response:
        found = await run_in_threadpool(data.disagreements, start=start, question=question)
        return page(request, "disagreements", **found)

    @routes.get("/owner/export.{form}")
    async def export(form: ExportFormat, hidden: bool = False) -> Response:
        text = await run_in_threadpool(data.export, form, hidden=hidden)
        named = f'attachment; filename="{site.study.name}.{form}"'
        return Response(text, media_type=_MEDIA_TYPES[form], headers={"Content-Disposition": named})

    @routes.get("/owner/table/{per}.{form}")
    async def table(per: ExportUnit, form: TableFormat, hidden: bool = False) -> Response:
        content = await run_in_threadpool(data.table, per, form, hidden=hidden)
        named = f'attachment; filename="{site.study.name}-{per}.{form}"'
        return Response(
            content, media_type=_MEDIA_TYPES[form], headers={"Content-Disposition": named}
        )

    @routes.get("/owner/image/{name}")
    async def image(request: Request, name: str) -> Response:
        image = site.images.find(name)
        if image is None:
            return not_found(request.scope["path"])
        return FileResponse(image.path, media_type=image.media_type)

    return routes


def owner_actions(site: StudyApp) -> APIRouter:
    """What owners change: exclusions, the state of the study, disagreements."""
    routes = APIRouter(include_in_schema=False)
    data = OwnerData(site)

    @routes.post("/owner/exclude")
    async def exclude(request: Request) -> Response:
        fields = await site.read_form(request)
        name, reason = first_value(fields, "person"), first_value(fields, "reason")
        if first_value(fields, "readmit") == "yes":
            await run_in_threadpool(readmit_participant, site.folder, name, acting_owner(request))
        else:
            await run_in_threadpool(
                exclude_participant, site.folder, name, reason, acting_owner(request)
            )
        return RedirectResponse(f"/owner/people/{quote(name, safe='')}", 303)

    @routes.post("/owner/state")
    async def state(request: Request) -> Response:
        fields = await site.read_form(request)
        site.task_queue.participants.set_state(first_value(fields, "state"), acting_owner(request))
        return RedirectResponse("/owner", 303)

    @routes.post("/owner/adjudicate")
    async def adjudicate(request: Request) -> Response:
        fields = await site.read_form(request)
        try:
            await run_in_threadpool(data.adjudicate, fields, acting_owner(request))
        except RejectedSubmissionError as refused:
            left = await run_in_threadpool(data.disagreements, str(refused))
            return owner_page(site, request, "disagreements", 422, **left)
        only = first_value(fields, "only")
        return RedirectResponse(f"/owner/disagreements?{urlencode({'question': only})}", 303)

    @routes.post("/owner/reopen")
    async def reopen(request: Request) -> Response:
        fields = await site.read_form(request)
        adjudications = site.folder.adjudications()
        await run_in_threadpool(
            adjudications.reopen,
            first_value(fields, "item"),
            first_value(fields, "question"),
            acting_owner(request),
        )
        return RedirectResponse("/owner/disagreements", 303)

    return routes


def acting_owner(request: Request) -> str:
    """The name of the owner who acts."""
    return session_of(request).user.name or OWNER


def owner_page(
    site: StudyApp, request: Request, template: str, status: int = 200, **context: Any
) -> Response:
    """A page of the owner's, with the navigation."""
    shared = {"notice": "", "here": template, "owner": acting_owner(request)}
    csrf = session_of(request).csrf
    return site.page(f"owner_{template}", _LANGUAGE, csrf=csrf, status=status, **shared | context)


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
        return ProgressReply(
            **totals(lists),
            people=len(participants),
            answers=sum(each.answered for each in participants),
            seen=max((each.seen for each in participants if each.seen), default=None),
            state=site.task_queue.participants.state(),
            lists=lists,
        )

    return routes
