"""A preview of a study: every page as a participant sees it, with nothing stored.

The study is served from a temporary copy, so that it can be walked through. Pages that a walk does
not lead to are listed at `/preview`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request
from starlette.responses import Response  # noqa: TC002 (FastAPI reads annotations)

from epicene.studies.collection.task_queue import Feedback, Task
from epicene.studies.design.schema import ITEM_PARTS
from epicene.studies.web.middleware import not_found
from epicene.studies.web.study_app import session_of

if TYPE_CHECKING:
    from epicene.studies.collection.assignment import TaskPart
    from epicene.studies.design.schema import StudyItem
    from epicene.studies.web.study_app import StudyApp

PAGES = (
    *("consent", "screening", "instructions", "done", "refused", "full", "excluded"),
    *("paused", "closed", "declined", "no_participant", "other_link"),
)


def preview_pages(site: StudyApp) -> APIRouter:
    """The list of pages, and each of them."""
    routes = APIRouter(include_in_schema=False)
    study = site.study
    items = {part: getattr(study, part) for part in ITEM_PARTS}

    def language(request: Request) -> str:
        return site.language(site.task_queue.participants.get(session_of(request).user.name))

    @routes.get("/preview")
    async def index(request: Request) -> Response:
        pages = [page for page in PAGES if _has(site, page)]
        return site.page(
            "preview", language(request), pages=pages, parts=items, csrf=session_of(request).csrf
        )

    @routes.get("/preview/page/{name}")
    async def one_page(request: Request, name: str) -> Response:
        if name not in PAGES or not _has(site, name):
            return not_found(request.scope["path"])
        return site.page(name, language(request), storage_key="", **_context(site))

    @routes.get("/preview/{part}/{number}")
    async def one_item(request: Request, part: str, number: int) -> Response:
        if part not in items or not 0 < number <= len(items[part]):
            return not_found(request.scope["path"])
        item = items[part][number - 1]
        return _item_page(site, item, language(request))

    @routes.get("/preview/feedback/practice/{number}")
    async def feedback(request: Request, number: int) -> Response:
        if not 0 < number <= len(study.practice):
            return not_found(request.scope["path"])
        item = study.practice[number - 1]
        content = site.feedback_content(Feedback(0, item, item.expected), language(request))
        return site.page("feedback", language(request), **_context(site), **content)

    return routes


def _item_page(site: StudyApp, item: StudyItem, language: str) -> Response:
    part: TaskPart = "practice" if item in site.study.practice else "item"
    content = site.item_content(Task(0, 0, item, part), language, "preview")
    return site.page("item", language, **_context(site), **content)


def _has(site: StudyApp, page: str) -> bool:
    """Whether the study has such a page."""
    needed = {
        "consent": site.study.consent,
        "declined": site.study.consent,
        "screening": site.study.screening,
        "refused": site.study.screening,
        "instructions": site.study.instructions,
    }
    return bool(needed.get(page, True))


def _context(site: StudyApp) -> dict[str, Any]:
    access = site.study.access
    return {
        "csrf": "",
        "notice": "",
        "typed": {},
        "wrong": {},
        "answered": 1,
        "max_tasks": 1,
        "undo": None,
        "code": access.completion_code,
        "back": "",
        "open": access.entry == "open",
        "forgotten": True,
        "again": "/preview",
    }
