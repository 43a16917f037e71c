"""The FastAPI application: all routes, the middleware and the error handlers."""

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
from epicene.core.errors import InputError, RunError
from epicene.studies.collection.database import checkpoint_wal
from epicene.studies.collection.links import load_signer
from epicene.studies.collection.participants import (
    NotAssignedError,
    RejectedSubmissionError,
    StudyClosedError,
)
from epicene.studies.collection.task_queue import LEASE_SECONDS, TaskQueue
from epicene.studies.web.link_routes import link_pages
from epicene.studies.web.login import LoginRoutes
from epicene.studies.web.middleware import (
    AccessMiddleware,
    Sessions,
    message_response,
    not_found,
    unavailable,
)
from epicene.studies.web.owner_routes import (
    owner_actions,
    owner_api,
    owner_logout,
    owner_pages,
)
from epicene.studies.web.participant_routes import ParticipantPages, participant_api
from epicene.studies.web.preview import preview_pages
from epicene.studies.web.study_app import SessionMismatchError, StudyApp
from epicene.studies.web.translations import page_language

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from starlette.responses import Response

    from epicene.studies.collection.folder import StudyFolder

_CHECKPOINT_SECONDS = 2.0

_log = logging.getLogger(__name__)


def make_app(
    folder: StudyFolder,
    *,
    lease: float = LEASE_SECONDS,
    secure: bool = False,
    preview: bool = False,
) -> FastAPI:
    """Build the application that serves a study.

    `secure`: it is reached only by HTTPS, whatever the requests say. `preview`: with a list of all
    pages.
    """
    for name in ("completion_url", "screened_out_url", "full_url", "excluded_url"):
        url = getattr(folder.study.access, name)
        if url and not url.startswith(("https://", "http://")):
            raise InputError(f"The {name} {url!r} in study.toml is not a web address.")
    task_queue = TaskQueue(folder, lease=lease)
    sessions = Sessions(load_signer(folder.path), task_queue.owner_sessions, secure=secure)
    site = StudyApp(folder, task_queue, sessions)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        checkpoints = asyncio.create_task(_checkpoint_regularly(task_queue.path))
        yield
        checkpoints.cancel()
        with suppress(asyncio.CancelledError):
            await checkpoints
        task_queue.close()

    app = FastAPI(
        title="Epicene annotate",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,  # such a redirect goes to whatever host the request names
        lifespan=lifespan,
    )
    # Routes are tried in order: the most frequent ones come first.
    for routes in (
        participant_api(site),
        ParticipantPages(site).routes(),
        LoginRoutes(site).routes(),
        owner_api(site),
        owner_pages(site),
        owner_actions(site),
        link_pages(site),
        owner_logout(site),
        *([preview_pages(site)] if preview else ()),
    ):
        app.include_router(routes)
    app.add_middleware(AccessMiddleware, sessions=sessions, is_revoked=site.is_revoked)
    _add_error_handlers(app, site)
    return app


async def _checkpoint_regularly(path: Path) -> None:
    """Write answers to disk every few seconds: a commit alone does not survive a power cut."""
    while True:
        await asyncio.sleep(_CHECKPOINT_SECONDS)
        try:
            await asyncio.to_thread(checkpoint_wal, path)
        except sqlite3.Error as error:  # the next attempt may succeed
            _log.warning("The answers could not be written to disk: %s", error)


def _add_error_handlers(app: FastAPI, site: StudyApp) -> None:
    @app.exception_handler(NotAssignedError)
    async def _not_assigned(request: Request, _error: Exception) -> Response:
        return not_found(request.scope["path"], request.headers.get("accept-language", ""))

    @app.exception_handler(StudyClosedError)
    async def _closed(request: Request, _error: Exception) -> Response:
        return message_response(request.scope["path"], 410, "This study is closed.")

    @app.exception_handler(SessionMismatchError)
    async def _other_link(request: Request, _error: Exception) -> Response:
        path = request.scope["path"]
        if path.startswith(("/api/", "/owner")):
            return message_response(
                path, 403, "This form does not belong to the current session; reload the page."
            )
        accepted = request.headers.get("accept-language", "")
        language = page_language(site.study, "", accepted)
        return site.page("other_link", language, status=403)

    @app.exception_handler(HTTPException)
    async def _http_error(request: Request, error: HTTPException) -> Response:
        # Not request.url, which contains whatever host the request names.
        path = request.scope["path"]
        if error.status_code in (404, 405):
            return not_found(path, request.headers.get("accept-language", ""))
        return message_response(
            path, error.status_code, str(error.detail), dict(error.headers or {})
        )

    @app.exception_handler(RejectedSubmissionError)
    @app.exception_handler(InputError)
    async def _rejected(request: Request, error: Exception) -> Response:
        return message_response(request.scope["path"], 422, str(error))

    @app.exception_handler(RequestValidationError)
    async def _invalid(request: Request, error: RequestValidationError) -> Response:
        # The reply must not repeat what was sent.
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"]))[:100]
        return message_response(request.scope["path"], 422, f"{field}: {first['msg']}")

    @app.exception_handler(RunError)
    async def _unavailable(request: Request, error: Exception) -> Response:
        return unavailable(request.scope["path"], error)
