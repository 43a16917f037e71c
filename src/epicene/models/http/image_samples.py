"""Answer a draw request image by image: store it, record a refusal, or retry."""

from __future__ import annotations

import asyncio
import base64
import binascii
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from epicene.core.records import Draw, Image, Images
from epicene.models import UnanswerableError, check_not_empty, images
from epicene.models.http.errors import with_attempts
from epicene.models.http.responses import UnusableReplyError
from epicene.models.http.sender import Sender, gather_all

if TYPE_CHECKING:
    from epicene.models import ImageStore

# How often an image is requested if broken ones come.
_MAX_ATTEMPTS = 3
_UNPACKED_AT_ONCE = 2  # each may take 64 MB and more
_MAX_PROMPT_LENGTH = 100_000  # characters of a prompt as a provider rewrote it


class ReceivedImage(NamedTuple):
    """An image as received, its seed, and the prompt it was drawn from if that was changed."""

    data: bytes
    seed: int | None = None
    revised_prompt: str = ""


class ImageRefusedError(Exception):
    """A filter withheld an image; the message is the provider's."""

    def __init__(self, reason: str, seed: int | None = None) -> None:
        super().__init__(reason or "the provider gave no reason")
        self.seed = seed


RequestImage: TypeAlias = Callable[[Draw, int], Awaitable[ReceivedImage]]


class ImageSampler:
    """Answers draw with one request per image."""

    def __init__(self, sender: Sender, files: ImageStore, ask: RequestImage) -> None:
        self._sender = sender
        self._files = files
        self._ask = ask
        self._unpacking = asyncio.Semaphore(_UNPACKED_AT_ONCE)

    async def draw(self, request: Draw) -> Images:
        """The images; one that was refused or cannot be used is recorded with the reason."""
        if not request.prompt:
            raise UnanswerableError("the prompt is empty")
        check_not_empty(request)
        unusable: list[UnusableReplyError] = []
        drawn = await gather_all(
            self._image(request, index, unusable) for index in range(request.shots)
        )
        if len(unusable) == len(drawn):  # no image is lost if the next session asks again
            raise unusable[0]
        return Images(images=tuple(drawn))

    async def _image(self, request: Draw, index: int, unusable: list[UnusableReplyError]) -> Image:
        if found := self._files.drawn(request, index):
            return found
        flaw, seed = "", None
        for attempt in range(1, _MAX_ATTEMPTS + 1):
            self._sender.stats.retries += attempt > 1
            try:
                async with self._sender.large_bodies.hold():
                    received = await self._ask(request, index)
                    seed = received.seed
                    async with self._unpacking:
                        image = await asyncio.to_thread(self._stored, received)
                    self._files.keep(request, index, image)
                    return image
            except ImageRefusedError as refused:
                self._sender.stats.refused += 1
                return Image(seed=refused.seed, refused=str(refused))
            except UnusableReplyError as error:
                unusable.append(error)
                return Image(refused=str(error))
            except images.UnusableImageError as error:
                flaw = str(error)
                break  # the next would be no better
            except images.BrokenImageError as error:
                flaw = with_attempts(str(error), attempt)
                if not self._sender.cost_meter.budget.reserve_more(
                    self._sender.cost_meter.price.image or 0.0
                ):
                    break
        return Image(seed=seed, refused=flaw)

    def _stored(self, received: ReceivedImage) -> Image:
        picture = images.inspect_image(received.data)
        sha256 = self._files.put(received.data)
        self._sender.stats.pictures += 1
        return Image(
            sha256=sha256,
            media_type=picture.media_type,
            width=picture.width,
            height=picture.height,
            seed=received.seed,
            revised_prompt=received.revised_prompt,
        )


def decode_base64_image(text: str) -> bytes:
    """The image in a base64 text or a data URL."""
    if text.startswith("data:"):
        text = text.partition(",")[2]
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise images.BrokenImageError("the image is not in base64") from None


def changed_prompt(prompt: str, drawn_from: str | None) -> str:
    """The prompt that an image was drawn from, cut if it is long; "" if it is the one sent."""
    if drawn_from and len(drawn_from) > _MAX_PROMPT_LENGTH:
        drawn_from = drawn_from[: _MAX_PROMPT_LENGTH - 1] + "…"
    return drawn_from if drawn_from and drawn_from.strip() != prompt.strip() else ""
