"""Where links lead, and what needs none."""

from __future__ import annotations

import re
import secrets
from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from starlette.responses import Response

from epicene.annotate.pages.assets import asset, asset_address
from epicene.annotate.pages.guard import not_found
from epicene.annotate.pages.words import page_language
from epicene.annotate.tokens import Pass
from epicene.studies.participants import LONGEST_NAME

if TYPE_CHECKING:
    from epicene.annotate.pages.site import Site
    from epicene.annotate.reception import Entry

# What a platform may call a participant.
_PLATFORM_ID = re.compile(rf"[A-Za-z0-9][A-Za-z0-9._@+-]{{0,{LONGEST_NAME - 1}}}")


class Entrance:
    """Where people and the owner come in."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def routes(self) -> APIRouter:
        """Where it is."""
        routes = APIRouter(include_in_schema=False)
        routes.add_api_route("/enter/{token}", self.enter, methods=["GET"])
        routes.add_api_route("/static/{version}/{name}", self.static, methods=["GET"])
        return routes

    async def enter(self, request: Request, token: str) -> Response:
        """Let in whoever has a link."""
        reception = self._site.desk.reception
        path = request.scope["path"]
        entrant = self._site.sessions.keys.read(token)
        if entrant is None:
            return not_found(path)
        accepted = request.headers.get("accept-language", "")
        language = page_language(self._site.study, "", accepted)
        if entrant.role == "owner":
            return self._welcome(request, entrant, language)
        way: Entry = "personal"
        if entrant.role == "open":
            if self._site.study.access.entry != "open":
                return not_found(path)
            name = self._participant(request)
            if name is None:
                return self._site.page("no_participant", language, status=400)
            if reception.issue(name):  # revoked, and the link is everybody's
                return not_found(path)
            entrant, way = Pass("person", name), "open"
        if not reception.has_entered(entrant.name):  # of whom nothing need be kept
            if reception.is_closed():
                return self._site.page("closed", language, code="", back="")
            if way == "open" and not self._site.desk.has_room_for(entrant.name):
                back = self._site.study.access.full_url
                return self._site.page("full", language, back=back)
        admitted = reception.enter(entrant.name, way, language)
        return self._welcome(request, entrant, language) if admitted else not_found(path)

    def _welcome(self, request: Request, entrant: Pass, language: str) -> Response:
        """A page and no redirect: a browser sends a strict cookie only if one of our own pages,
        not the one that had the link, asks for the next."""
        to = "/owner" if entrant.role == "owner" else "/"
        response = self._site.page("entering", language, to=to)
        self._site.sessions.begin(response, entrant, secure=request.scope["scheme"] == "https")
        return response

    def _participant(self, request: Request) -> str | None:
        """The platform's id for a person; a new one where no platform gives any."""
        parameter = self._site.study.access.participant_parameter
        if not parameter:
            known = self._site.sessions.find(request.headers, "person")
            if known and self._site.desk.reception.came_openly(known.entrant.name):
                return known.entrant.name
            return f"p-{secrets.token_hex(8)}"
        given = request.query_params.get(parameter, "")
        return given if _PLATFORM_ID.fullmatch(given) else None

    async def static(self, request: Request, version: str, name: str) -> Response:
        """The style and the script, which are the same for everybody."""
        found = asset(name)
        if found is None or asset_address(name) != f"/static/{version}/{name}":
            return not_found(request.scope["path"])
        data, media_type = found
        keep = {"Cache-Control": "public, max-age=31536000, immutable"}
        return Response(data, media_type=media_type, headers=keep)
