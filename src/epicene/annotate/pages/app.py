"""The application: all pages behind the guard."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from epicene import __version__
from epicene.annotate.desk import LEASE, Desk
from epicene.annotate.ledger import checkpoint
from epicene.annotate.pages.api import api
from epicene.annotate.pages.entrance import Entrance
from epicene.annotate.pages.guard import Guard, Sessions, not_found, not_now, said
from epicene.annotate.pages.owner import owner_api, owner_pages
from epicene.annotate.pages.person import PersonPages
from epicene.annotate.pages.site import OtherLinkError, Site
from epicene.annotate.pages.words import page_language
from epicene.annotate.reception import ClosedError, NotGivenError, RefusedError
from epicene.annotate.tokens import read_keys
from epicene.errors import InputError, RunError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from starlette.responses import Response

    from epicene.annotate.folder import StudyFolder

_CHECKPOINT = 2.0  # seconds

_log = logging.getLogger(__name__)


def make_app(folder: StudyFolder, *, lease: float = LEASE, secure: bool = False) -> FastAPI:
    """The application that serves a study; it closes the desk when it stops.

    `secure`: people reach it by HTTPS alone, whatever the requests say.
    """
    for name in ("completion_url", "screened_out_url", "full_url"):
        url = getattr(folder.study.access, name)
        if url and not url.startswith(("https://", "http://")):
            raise InputError(f"The {name} {url!r} in study.toml is no web address.")
    desk = Desk(folder, lease=lease)
    sessions = Sessions(read_keys(folder.path), secure=secure)
    site = Site(folder, desk, sessions)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        keeping = asyncio.create_task(_keep_on_disk(desk.path))
        yield
        keeping.cancel()
        with suppress(asyncio.CancelledError):
            await keeping
        desk.close()

    app = FastAPI(
        title="Epicene annotate",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,  # such a redirect leads wherever the request says that we are
        lifespan=lifespan,
    )
    # Routes are tried in turn: those that are asked for most come first.
    for routes in (
        api(site),
        PersonPages(site).routes(),
        Entrance(site).routes(),
        owner_api(site),
        owner_pages(site),
    ):
        app.include_router(routes)
    app.add_middleware(Guard, sessions=sessions, is_revoked=desk.reception.is_revoked)
    _explain_errors(app, site)
    return app


async def _keep_on_disk(path: Path) -> None:
    """Bring answers onto the disk every few seconds: a commit alone survives no power cut."""
    while True:
        await asyncio.sleep(_CHECKPOINT)
        try:
            await asyncio.to_thread(checkpoint, path)
        except sqlite3.Error as error:  # the next one may succeed
            _log.warning("The answers were not brought onto the disk: %s", error)


def _explain_errors(app: FastAPI, site: Site) -> None:
    @app.exception_handler(NotGivenError)
    async def _not_given(request: Request, _error: Exception) -> Response:
        return not_found(request.scope["path"])

    @app.exception_handler(ClosedError)
    async def _closed(request: Request, _error: Exception) -> Response:
        return said(request.scope["path"], 410, "This study is closed.")

    @app.exception_handler(OtherLinkError)
    async def _other_link(request: Request, _error: Exception) -> Response:
        path = request.scope["path"]
        if path.startswith(("/api/", "/owner")):
            return said(path, 403, "This is not from the page of who is here now; load it again.")
        accepted = request.headers.get("accept-language", "")
        language = page_language(site.study, "", accepted)
        return site.page("other_link", language, status=403)

    @app.exception_handler(HTTPException)
    async def _refused(request: Request, error: HTTPException) -> Response:
        # Not from the address: that is made from whatever the request says that our name is.
        path = request.scope["path"]
        if error.status_code in (404, 405):
            return not_found(path)
        return said(path, error.status_code, str(error.detail))

    @app.exception_handler(RefusedError)
    @app.exception_handler(InputError)
    async def _wrong(request: Request, error: Exception) -> Response:
        return said(request.scope["path"], 422, str(error))

    @app.exception_handler(RequestValidationError)
    async def _invalid(request: Request, error: RequestValidationError) -> Response:
        # What was sent is not sent back.
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))[:100]
        return said(request.scope["path"], 422, f"{place}: {first['msg']}")

    @app.exception_handler(RunError)
    async def _not_now(request: Request, error: Exception) -> Response:
        return not_now(request.scope["path"], error)
