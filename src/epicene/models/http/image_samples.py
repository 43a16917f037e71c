"""Answer a draw request image by image: store it, record a refusal, or retry."""

from __future__ import annotations

import asyncio
import base64
import binascii
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from epicene.core.records import Draw, Image, Images
from epicene.models import images
from epicene.models.http.errors import UnanswerableError, with_attempts
from epicene.models.http.sender import Sender, gather_all

if TYPE_CHECKING:
    from epicene.models import ImageStore

# How often a picture is asked for when broken ones come.
_MAX_ATTEMPTS = 3


class ReceivedImage(NamedTuple):
    """A picture as it came, the seed that it was drawn from, and the prompt that it was drawn
    from where that is another than the one sent."""

    data: bytes
    seed: int | None = None
    revised_prompt: str = ""


class ImageRefusedError(Exception):
    """A filter kept a picture back; the message is the provider's."""

    def __init__(self, reason: str, seed: int | None = None) -> None:
        super().__init__(reason or "the provider gave no reason")
        self.seed = seed


RequestImage: TypeAlias = Callable[[Draw, int], Awaitable[ReceivedImage]]


class ImageSampler:
    """Answers draw by asking for one picture at a time."""

    def __init__(self, sender: Sender, files: ImageStore, ask: RequestImage) -> None:
        self._sender = sender
        self._files = files
        self._ask = ask

    async def draw(self, request: Draw) -> Images:
        """An image per shot; a refused, broken or oversized one is recorded with the reason."""
        if not request.prompt:
            raise UnanswerableError("the prompt is empty")
        if min(request.shots, request.width, request.height) < 1:
            raise UnanswerableError("at least one image of one pixel must be asked for")
        shots = await gather_all(self._shot(request, shot) for shot in range(request.shots))
        return Images(images=tuple(shots))

    async def _shot(self, request: Draw, shot: int) -> Image:
        flaw, seed = "", None
        for attempt in range(1, _MAX_ATTEMPTS + 1):
            self._sender.tally.retries += attempt > 1
            try:
                delivered = await self._ask(request, shot)
                seed = delivered.seed
                return await asyncio.to_thread(self._kept, delivered)
            except ImageRefusedError as kept_back:
                self._sender.tally.refused += 1
                return Image(seed=kept_back.seed, refused=str(kept_back))
            except images.OversizedImageError as error:
                flaw = str(error)
                break  # it would be as large again
            except images.BrokenImageError as error:
                flaw = with_attempts(str(error), attempt)
                if not self._sender.cost_meter.budget.reserve_more(
                    self._sender.cost_meter.price.image or 0.0
                ):
                    break
        return Image(seed=seed, refused=flaw)

    def _kept(self, delivered: ReceivedImage) -> Image:
        picture = images.inspect_image(delivered.data)
        sha256 = self._files.put(delivered.data)
        self._sender.tally.pictures += 1
        return Image(
            sha256=sha256,
            media_type=picture.media_type,
            width=picture.width,
            height=picture.height,
            seed=delivered.seed,
            revised_prompt=delivered.revised_prompt,
        )


def decode_base64_image(text: str) -> bytes:
    """The picture in a text that is base64, or a whole data URL."""
    if text.startswith("data:"):
        text = text.partition(",")[2]
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise images.BrokenImageError("the image is not in base64") from None


def changed_prompt(prompt: str, drawn_from: str | None) -> str:
    """The prompt that a picture was drawn from, where it is another."""
    return drawn_from if drawn_from and drawn_from.strip() != prompt.strip() else ""
