"""Routes that need no session: entering by a link, and static files."""

from __future__ import annotations

import hashlib
import re
import secrets
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from starlette.responses import Response

from epicene.studies.collection.links import User
from epicene.studies.design.checks import MAX_NAME_LENGTH
from epicene.studies.web.middleware import not_found
from epicene.studies.web.translations import page_language

if TYPE_CHECKING:
    from epicene.studies.collection.participants import EntryType
    from epicene.studies.web.site import Site

_ASSETS = {
    "icon.svg": ("image/svg+xml", (("epicene.studies.web", "static/icon.svg"),)),
    "pages.css": (
        "text/css",
        (("epicene.report", "templates/colours.css"), ("epicene.studies.web", "static/pages.css")),
    ),
    "pages.js": (
        "text/javascript",
        (
            ("epicene.report", "templates/word_diff.js"),
            ("epicene.studies.web", "static/words.js"),
            ("epicene.studies.web", "static/keys.js"),
            ("epicene.studies.web", "static/saving.js"),
        ),
    ),
}


@cache
def read_asset(name: str) -> tuple[bytes, str] | None:
    """The bytes of a style or script and what they are; None where there is no such."""
    if name not in _ASSETS:
        return None
    media_type, parts = _ASSETS[name]
    data = b"\n".join((files(package) / path).read_bytes() for package, path in parts)
    return data, media_type


@cache
def asset_url(name: str) -> str:
    """Where it is, with what changes when it does, so that browsers may keep it."""
    found = read_asset(name)
    assert found is not None
    return f"/static/{hashlib.sha256(found[0]).hexdigest()[:12]}/{name}"


# What a platform may call a participant.
_PLATFORM_ID = re.compile(rf"[A-Za-z0-9][A-Za-z0-9._@+-]{{0,{MAX_NAME_LENGTH - 1}}}")


class LoginRoutes:
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
        reception = self._site.desk.participants
        path = request.scope["path"]
        entrant = self._site.sessions.keys.read(token)
        if entrant is None:
            return not_found(path)
        accepted = request.headers.get("accept-language", "")
        language = page_language(self._site.study, "", accepted)
        if entrant.role == "owner":
            return self._welcome(request, entrant, language)
        way: EntryType = "personal"
        if entrant.role == "open":
            if self._site.study.access.entry != "open":
                return not_found(path)
            name = self._participant(request)
            if name is None:
                return self._site.page("no_participant", language, status=400)
            if reception.issue(name):  # revoked, and the link is everybody's
                return not_found(path)
            entrant, way = User("person", name), "open"
        if not reception.has_entered(entrant.name):  # of whom nothing need be kept
            if reception.is_closed():
                return self._site.page("closed", language, code="", back="")
            if way == "open" and not self._site.desk.has_task_for(entrant.name):
                back = self._site.study.access.full_url
                return self._site.page("full", language, back=back)
        admitted = reception.enter(entrant.name, way, language)
        return self._welcome(request, entrant, language) if admitted else not_found(path)

    def _welcome(self, request: Request, entrant: User, language: str) -> Response:
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
            if known and self._site.desk.participants.used_open_link(known.user.name):
                return known.user.name
            return f"p-{secrets.token_hex(8)}"
        given = request.query_params.get(parameter, "")
        return given if _PLATFORM_ID.fullmatch(given) else None

    async def static(self, request: Request, version: str, name: str) -> Response:
        """The style and the script, which are the same for everybody."""
        found = read_asset(name)
        if found is None or asset_url(name) != f"/static/{version}/{name}":
            return not_found(request.scope["path"])
        data, media_type = found
        keep = {"Cache-Control": "public, max-age=31536000, immutable"}
        return Response(data, media_type=media_type, headers=keep)
