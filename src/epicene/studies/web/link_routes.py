"""The owner's pages of links and owners, and of what owners did."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from epicene.core.errors import InputError
from epicene.studies.exchange.response_files import to_csv
from epicene.studies.exchange.table_files import UTF8_BOM
from epicene.studies.web.owner_data import OwnerData, Page
from epicene.studies.web.owner_routes import acting_owner, owner_page
from epicene.studies.web.study_app import first_value

if TYPE_CHECKING:
    from epicene.studies.web.study_app import StudyApp

_ACTIONS_PER_PAGE = 100


def link_pages(site: StudyApp) -> APIRouter:
    """The pages of links, owners and activity, and the form that changes links and owners."""
    routes = APIRouter(include_in_schema=False)
    data = OwnerData(site)

    @routes.get("/owner/links")
    async def links(request: Request) -> Response:
        return owner_page(site, request, "links", **data.links())

    @routes.get("/owner/links.csv")
    async def links_table() -> Response:
        rows = [{"person": each.participant, "link": link} for each, link in data.links()["people"]]
        content = UTF8_BOM + to_csv(("person", "link"), rows).encode()
        named = f'attachment; filename="{site.study.name}-links.csv"'
        return Response(content, media_type="text/csv", headers={"Content-Disposition": named})

    @routes.get("/owner/activity")
    async def activity(request: Request, start: int = 0, by: str = "") -> Response:
        found = await run_in_threadpool(data.activity)
        chosen = [each for each in found if by in ("", each.by)]
        names = sorted({each.by for each in found})
        shown = Page(chosen, start, _ACTIONS_PER_PAGE)
        return owner_page(site, request, "activity", page=shown, names=names, only=by)

    @routes.post("/owner/links")
    async def change_links(request: Request) -> Response:
        fields = await site.read_form(request)
        queue, by = site.task_queue, acting_owner(request)
        new_owner = first_value(fields, "owner").strip()
        try:
            if invited := _names(first_value(fields, "people")):
                queue.participants.invite(*invited, by=by)
            if revoked := first_value(fields, "revoke"):
                queue.participants.revoke(revoked, by=by)
            if revoked := first_value(fields, "revoke-owner"):
                queue.owners.revoke(revoked, by)
            if new_owner:
                queue.owners.add(new_owner, by)
        except InputError as refused:
            return owner_page(site, request, "links", 422, **data.links(), notice=str(refused))
        if new_owner:  # this page alone shows the new owner's link
            return owner_page(site, request, "links", **data.links(new_owner))
        return RedirectResponse("/owner/links", 303)

    return routes


def _names(text: str) -> list[str]:
    """The names in a text field, separated by commas, semicolons or line breaks."""
    return [name for each in re.split(r"[,;\n]", text) if (name := each.strip())]
