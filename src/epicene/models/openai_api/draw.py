"""Drawing: the images endpoint, one picture per request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.models.pictures import shot_seed
from epicene.models.remote.faults import PassingError, RejectedError, UnansweredError
from epicene.models.remote.shots import Delivered, KeptBackError, from_base64, revised

if TYPE_CHECKING:
    from epicene.models.openai_api.generate import Habits
    from epicene.models.openai_api.replies import Drawn, Reply
    from epicene.models.openai_api.transport import Body, Transport
    from epicene.models.remote.http import Downloads
    from epicene.records import Draw


class Drawer:
    """Asks for one shot of a draw."""

    def __init__(
        self, transport: Transport, downloads: Downloads, model: str, habits: Habits
    ) -> None:
        self._transport = transport
        self._downloads = downloads
        self._model = model
        self._habits = habits

    async def ask(self, request: Draw, shot: int) -> Delivered:
        """The picture as it came."""
        try:
            drawn = await self._post(request, shot)
        except RejectedError as rejected:
            if not rejected.filtered:
                raise _explained(rejected) from None
            reason = rejected.message or rejected.code
            raise KeptBackError(reason, self._seed(request, shot)) from None
        if drawn.b64_json:
            data = from_base64(drawn.b64_json)
        else:
            data = await self._downloads.fetch(drawn.url or "")
        return Delivered(
            data, self._seed(request, shot), revised(request.prompt, drawn.revised_prompt)
        )

    def _seed(self, request: Draw, shot: int) -> int | None:
        return shot_seed(request.seed, shot) if self._habits.takes_seed else None

    async def _post(self, request: Draw, shot: int) -> Drawn:
        while True:
            try:
                return await self._transport.post(
                    "images/generations",
                    lambda: self._body(request, shot),
                    _read,
                    worth=self._transport.sender.till.price.image,
                )
            except RejectedError as rejected:
                if not self._learn(rejected):
                    raise

    def _body(self, request: Draw, shot: int) -> Body:
        body: Body = {
            "model": self._model,
            "prompt": request.prompt,
            "n": 1,
            "size": f"{request.width}x{request.height}",
        }
        if self._habits.takes_response_format:
            body["response_format"] = "b64_json"
        if self._habits.takes_seed:
            # The protocol has no seed here, but many servers of local models take one.
            body["extra_body"] = {"seed": shot_seed(request.seed, shot)}
        return body

    def _learn(self, rejected: RejectedError) -> bool:
        """Leave out a setting that the server does not know; whether there was one."""
        if rejected.filtered:  # its words may be about a prompt that has a seed in it
            return False
        if "response_format" in rejected.sent and rejected.names("response_format"):
            self._habits.takes_response_format = False
            return True
        if "extra_body" in rejected.sent and rejected.names("seed"):
            self._habits.takes_seed = False
            return True
        return False


def _read(reply: Reply) -> Drawn:
    """The reply's image, or where it lies; a fault where it holds none."""
    for drawn in reply.data or ():
        if drawn.b64_json or drawn.url:
            return drawn
    raise PassingError("reply", "the reply holds no image")


def _explained(rejected: RejectedError) -> UnansweredError:
    """The rejection with what a person can do about it."""
    if rejected.status in {405, 501} or (rejected.status == 404 and not rejected.code):
        return UnansweredError(f"the server has no images endpoint for this model ({rejected})")
    if rejected.names("size"):
        size = rejected.sent.get("size")
        return UnansweredError(f"the server does not draw {size} ({rejected}); ask another size")
    return rejected
