"""Several studies in one process, each at a host name of its own."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from starlette.datastructures import Headers

from epicene.studies.web.middleware import not_found

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fastapi import FastAPI
    from starlette.types import Receive, Scope, Send


class StudiesByHost:
    """Passes each request to the study of its host; other hosts have no page."""

    def __init__(self, apps: Mapping[str, FastAPI]) -> None:
        self._apps = apps  # by host name, with the port if it is not the scheme's own

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or start and stop all studies."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
            return
        headers = Headers(scope=scope)
        app = self._apps.get(headers.get("host", "").lower())
        if app is None:
            reply = not_found(scope["path"], headers.get("accept-language", ""))
            await reply(scope, receive, send)
            return
        await app(scope, receive, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        async with AsyncExitStack() as stack:
            for app in self._apps.values():
                await stack.enter_async_context(app.router.lifespan_context(app))
            await send({"type": "lifespan.startup.complete"})
            await receive()
        await send({"type": "lifespan.shutdown.complete"})
