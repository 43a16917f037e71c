"""Asking Ideogram for a picture, and fetching it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from epicene.models.remote.faults import PassingError, RejectedError
from epicene.models.remote.shots import Delivered, KeptBackError, revised

if TYPE_CHECKING:
    from epicene.models.ideogram.endpoints import Endpoint
    from epicene.models.remote.http import Downloads, HttpClient
    from epicene.models.remote.sender import Sender
    from epicene.models.remote.tally import Trial
    from epicene.records import Draw

_UNSAFE = "Ideogram found the picture unsafe and kept it back"


class Drawn(msgspec.Struct, frozen=True):
    """A picture, where it lies, and what it was drawn from."""

    url: str | None = None
    prompt: str | None = None
    seed: int | None = None
    is_image_safe: bool | None = None


class Reply(msgspec.Struct, frozen=True):
    """What comes back."""

    data: list[Drawn] | None = None


class Drawer:
    """Asks for one shot of a draw."""

    def __init__(
        self, sender: Sender, client: HttpClient, downloads: Downloads, endpoint: Endpoint
    ) -> None:
        self._sender = sender
        self._client = client
        self._downloads = downloads
        self._endpoint = endpoint

    async def ask(self, request: Draw, shot: int) -> Delivered:
        """The picture as it came."""
        seed = self._endpoint.seed(request, shot)
        content = self._endpoint.content(request, shot)
        worth = self._sender.till.price.image or 0.0
        try:
            drawn = await self._sender.until_answered(partial(self._attempt, content), worth)
        except RejectedError as rejected:
            if rejected.filtered:
                raise KeptBackError(rejected.message, seed) from None
            raise
        used = seed if drawn.seed is None else drawn.seed
        if not drawn.url:
            raise KeptBackError(_UNSAFE, used)
        data = await self._downloads.fetch(drawn.url)
        return Delivered(data, used, revised(request.prompt, drawn.prompt))

    async def _attempt(self, content: dict[str, Any], trial: Trial) -> Drawn:
        send = partial(self._client.call, "POST", self._endpoint.path, Reply, **content)
        reply = await self._sender.once(send, trial)
        self._sender.tally.answered += 1
        for drawn in reply.data or ():
            if drawn.url or drawn.is_image_safe is False:
                trial.cost(self._sender.till.price.images(1))
                return drawn
        raise PassingError("reply", "the reply holds no image")
