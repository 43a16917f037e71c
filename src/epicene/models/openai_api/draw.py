"""Drawing: the images endpoint, one picture per request."""

from __future__ import annotations

import asyncio
import base64
import binascii
from typing import TYPE_CHECKING

from epicene.models import pictures
from epicene.models.openai_api.faults import PassingError, RejectedError, UnansweredError
from epicene.models.openai_api.transport import Body, Transport, together
from epicene.models.pictures import shot_seed
from epicene.records import Draw, Image, Images

if TYPE_CHECKING:
    from epicene.models import Files
    from epicene.models.openai_api.generate import Habits
    from epicene.models.openai_api.replies import Drawn, Reply

# How often a picture is asked for when broken ones come.
_TRIES = 3


class Drawer:
    """Answers draw."""

    def __init__(self, transport: Transport, model: str, habits: Habits, files: Files) -> None:
        self._transport = transport
        self._model = model
        self._habits = habits
        self._files = files

    async def draw(self, request: Draw) -> Images:
        """An image per shot; a refused, broken or oversized one is recorded with the reason."""
        if not request.prompt:
            raise UnansweredError("the prompt is empty")
        if min(request.shots, request.width, request.height) < 1:
            raise UnansweredError("at least one image of one pixel must be asked for")
        shots = await together(self._shot(request, shot) for shot in range(request.shots))
        return Images(images=tuple(shots))

    async def _shot(self, request: Draw, shot: int) -> Image:
        flaw = ""
        for attempt in range(_TRIES):
            self._transport.tally.retries += attempt > 0
            try:
                drawn = await self._ask(request, shot)
                return await asyncio.to_thread(self._kept, drawn, self._seed(request, shot))
            except RejectedError as rejected:
                if not rejected.filtered:
                    raise _explained(rejected) from None
                return Image(
                    seed=self._seed(request, shot), refused=rejected.message or rejected.code
                )
            except pictures.OversizedPictureError as error:
                flaw = str(error)
                break  # it would be as large again
            except pictures.BrokenPictureError as error:
                flaw = f"{error} ({_TRIES} attempts)"
        return Image(seed=self._seed(request, shot), refused=flaw)

    def _seed(self, request: Draw, shot: int) -> int | None:
        return shot_seed(request.seed, shot) if self._habits.takes_seed else None

    async def _ask(self, request: Draw, shot: int) -> Drawn:
        while True:
            try:
                return await self._transport.post(
                    "images/generations", lambda: self._body(request, shot), _read
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

    def _kept(self, drawn: Drawn, seed: int | None) -> Image:
        data = _bytes(drawn)
        picture = pictures.inspect(data)
        return Image(
            sha256=self._files.put(data),
            media_type=picture.media_type,
            width=picture.width,
            height=picture.height,
            seed=seed,
            revised_prompt=drawn.revised_prompt or "",
        )


def _read(reply: Reply) -> Drawn:
    """The reply's image; a fault where it holds none."""
    for drawn in reply.data or ():
        if drawn.b64_json:
            return drawn
        if drawn.url:
            raise UnansweredError(
                "the server sends an image's address instead of the image; "
                "set it to reply with b64_json"
            )
    raise PassingError("reply", "the reply holds no image")


def _bytes(drawn: Drawn) -> bytes:
    text = drawn.b64_json or ""
    if text.startswith("data:"):  # some servers send a whole data URL
        text = text.partition(",")[2]
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise pictures.BrokenPictureError("the image is not in base64") from None


def _explained(rejected: RejectedError) -> UnansweredError:
    """The rejection with what a person can do about it."""
    if rejected.status in {405, 501} or (rejected.status == 404 and not rejected.code):
        return UnansweredError(f"the server has no images endpoint for this model ({rejected})")
    if rejected.names("size"):
        size = rejected.sent.get("size")
        return UnansweredError(f"the server does not draw {size} ({rejected}); ask another size")
    return rejected
