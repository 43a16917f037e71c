"""Routes that need no session: entering by a link, and static files."""

from __future__ import annotations

import re
import secrets
from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from starlette.responses import Response

from epicene.studies.collection.links import User
from epicene.studies.design.checks import MAX_NAME_LENGTH
from epicene.studies.web.assets import asset_url, read_asset
from epicene.studies.web.middleware import not_found
from epicene.studies.web.translations import page_language

if TYPE_CHECKING:
    from epicene.studies.collection.participants import EntryType
    from epicene.studies.web.study_app import StudyApp

# A participant id that a recruiting platform may pass
_PLATFORM_ID = re.compile(rf"[A-Za-z0-9][A-Za-z0-9._@+-]{{0,{MAX_NAME_LENGTH - 1}}}")


class LoginRoutes:
    """The routes by which participants and the owner enter."""

    def __init__(self, site: StudyApp) -> None:
        self._site = site

    def routes(self) -> APIRouter:
        """The router."""
        routes = APIRouter(include_in_schema=False)
        routes.add_api_route("/enter/{token}", self.enter, methods=["GET"])
        routes.add_api_route("/static/{version}/{name}", self.static, methods=["GET"])
        return routes

    async def enter(self, request: Request, token: str) -> Response:
        """Start the session of whoever has a valid link."""
        participants = self._site.task_queue.participants
        path = request.scope["path"]
        accepted = request.headers.get("accept-language", "")
        user = self._site.sessions.signer.read(token)
        if user is None:
            return not_found(path, accepted)
        language = page_language(self._site.study, "", accepted)
        if user.role == "owner":
            return self._start_session(request, user, language)
        entry: EntryType = "personal"
        if user.role == "open":
            if self._site.study.access.entry != "open":
                return not_found(path, accepted)
            name = self._participant(request)
            if name is None:
                return self._site.page("no_participant", language, status=400)
            if participants.issue(name):  # revoked, though the open link itself is valid
                return not_found(path, accepted)
            user, entry = User("person", name), "open"
        if not participants.has_entered(user.name):  # nothing about them is stored yet
            if participants.is_closed():
                return self._site.page("closed", language, code="", back="")
            if entry == "open" and not self._site.task_queue.has_task_for(user.name):
                back = self._site.study.access.full_url
                return self._site.page("full", language, back=back)
        admitted = participants.enter(user.name, entry, language)
        return (
            self._start_session(request, user, language) if admitted else not_found(path, accepted)
        )

    def _start_session(self, request: Request, user: User, language: str) -> Response:
        """A page, not a redirect: browsers send strict cookies only from pages of our own."""
        to = "/owner" if user.role == "owner" else "/"
        response = self._site.page("entry_redirect", language, to=to)
        self._site.sessions.begin(response, user, secure=request.scope["scheme"] == "https")
        return response

    def _participant(self, request: Request) -> str | None:
        """The platform's id of the participant; a new id if there is no platform."""
        parameter = self._site.study.access.participant_parameter
        if not parameter:
            known = self._site.sessions.find(request.headers, "person")
            if known and self._site.task_queue.participants.used_open_link(known.user.name):
                return known.user.name
            return f"p-{secrets.token_hex(8)}"
        given = request.query_params.get(parameter, "")
        return given if _PLATFORM_ID.fullmatch(given) else None

    async def static(self, request: Request, version: str, name: str) -> Response:
        """A static file."""
        found = read_asset(name)
        if found is None or asset_url(name) != f"/static/{version}/{name}":
            return not_found(request.scope["path"])
        data, media_type = found
        keep = {"Cache-Control": "public, max-age=31536000, immutable"}
        return Response(data, media_type=media_type, headers=keep)
