"""The model kind `ideogram:MODEL`: text-to-image models of Ideogram, through its own API."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from epicene.core.errors import InputError
from epicene.core.records import Draw, Identity
from epicene.models import model_kind, sample_seed
from epicene.models.http.address import Provider
from epicene.models.http.errors import RejectedError, TransientError
from epicene.models.http.image_samples import ImageRefusedError, ReceivedImage, changed_prompt
from epicene.models.http.model import HostedImageModel
from epicene.models.images import aspect_ratio

if TYPE_CHECKING:
    from collections.abc import Mapping

    from epicene.models import Model, ModelOptions
    from epicene.models.http.client import HttpClient, ImageDownloader
    from epicene.models.http.image_samples import RequestImage
    from epicene.models.http.retry import RetryPolicy
    from epicene.models.http.sender import Attempt, Sender

# V_1, V_2 and V_2A are models of one endpoint; 3 and 4 have one each and differ in speed.
_OLD_MODELS = re.compile(r"V_(1|2|2A)(_TURBO)?")
_CURRENT_MODELS = re.compile(r"V_([34])(?:_(FLASH|TURBO|QUALITY))?")


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """The endpoint of a model, and its request format."""

    path: str
    prompt: str  # the field of the prompt
    magic: str = ""  # the field that leaves prompts alone, where there is one
    seeded: bool = True
    speed: str = ""  # of the endpoints that take a form
    model: str = ""  # of the one that takes JSON
    scale: int = 1  # by how much the smallest image it draws is larger than the one requested

    def content(self, request: Draw, index: int) -> dict[str, Any]:
        """The request for one image, as arguments of the HTTP library."""
        fields: dict[str, Any] = {self.prompt: request.prompt}
        if self.magic and not request.rewriting:
            fields[self.magic] = "OFF"
        if self.seeded:
            fields["seed"] = sample_seed(request.seed, index)
        if self.model:
            shape = "ASPECT_{}_{}".format(*aspect_ratio(request.width, request.height))
            return {
                "json": {"image_request": {"model": self.model, "aspect_ratio": shape, **fields}}
            }
        fields["resolution"] = f"{self.scale * request.width}x{self.scale * request.height}"
        fields["rendering_speed"] = self.speed
        # A name without a file name: that is how the library writes a field of a form.
        return {"files": {name: (None, str(value)) for name, value in fields.items()}}

    def seed(self, request: Draw, index: int) -> int | None:
        """The seed that is sent."""
        return sample_seed(request.seed, index) if self.seeded else None


def find_endpoint(model: str) -> Endpoint:
    """The endpoint of a model by the name that Ideogram gives it."""
    if _OLD_MODELS.fullmatch(model):
        return Endpoint(path="generate", prompt="prompt", magic="magic_prompt_option", model=model)
    new = _CURRENT_MODELS.fullmatch(model)
    speed = new[2] or "DEFAULT" if new else ""
    if new and new[1] == "3":
        path = "v1/ideogram-v3/generate"
        return Endpoint(path=path, prompt="prompt", magic="magic_prompt", speed=speed)
    if new and speed != "FLASH":
        # It rewrites every prompt that is a text, takes no seed, and draws nothing small.
        path = "v1/ideogram-v4/generate"
        return Endpoint(path=path, prompt="text_prompt", seeded=False, speed=speed, scale=2)
    raise InputError(
        f"Ideogram has no model {model!r}; write ideogram:V_3, or V_4, V_2, V_2A or V_1, followed "
        "by _TURBO, _QUALITY or _FLASH if Ideogram has that variant."
    )


_UNSAFE = "Ideogram considered the image unsafe and withheld it"


class ImageData(msgspec.Struct, frozen=True):
    """An image: its address, and what it was drawn from."""

    url: str | None = None
    prompt: str | None = None
    seed: int | None = None
    is_image_safe: bool | None = None


class Reply(msgspec.Struct, frozen=True):
    """A reply."""

    data: list[ImageData] | None = None


class Drawer:
    """Requests images one at a time."""

    def __init__(
        self, sender: Sender, client: HttpClient, downloads: ImageDownloader, endpoint: Endpoint
    ) -> None:
        self._sender = sender
        self._client = client
        self._downloads = downloads
        self._endpoint = endpoint

    async def ask(self, request: Draw, index: int) -> ReceivedImage:
        """The image as received."""
        seed = self._endpoint.seed(request, index)
        content = self._endpoint.content(request, index)
        max_cost = self._sender.cost_meter.price.image or 0.0
        try:
            drawn = await self._sender.send_with_retries(partial(self._attempt, content), max_cost)
        except RejectedError as rejected:
            if rejected.filtered:
                raise ImageRefusedError(rejected.message, seed) from None
            raise
        used = seed if drawn.seed is None else _storable(drawn.seed)
        if not drawn.url:
            raise ImageRefusedError(_UNSAFE, used)
        data = await self._downloads.fetch(drawn.url)
        return ReceivedImage(data, used, changed_prompt(request.prompt, drawn.prompt))

    async def _attempt(self, content: dict[str, Any], attempt: Attempt) -> ImageData:
        send = partial(self._client.call, "POST", self._endpoint.path, Reply, **content)
        reply = await self._sender.send_once(send, attempt)
        self._sender.stats.answered += 1
        for drawn in reply.data or ():
            if drawn.url or drawn.is_image_safe is False:
                attempt.cost(self._sender.cost_meter.price.images(1))
                return drawn
        raise TransientError("reply", "the reply contains no image")


def _storable(seed: int) -> int | None:
    """A seed that Ideogram states, or None for one that a run's store has no room for."""
    return seed if -(2**63) <= seed < 2**63 else None


KIND = "ideogram"
# Changed when the same request would be sent otherwise.
VERSION = "1"
PROVIDER = Provider(
    key_variable="IDEOGRAM_API_KEY",
    url_variable="IDEOGRAM_BASE_URL",
    url_option="?base_url= in the spec",
    name="Ideogram",
    default_url="https://api.ideogram.ai",
)


class IdeogramModel(HostedImageModel):
    """One of Ideogram's models."""

    subject = "Ideogram"

    def __init__(
        self, name: str, options: ModelOptions, retry_policy: RetryPolicy | None = None
    ) -> None:
        self._endpoint = find_endpoint(name)
        self._rewriting = False  # whether prompts were left to be rewritten
        identity = Identity(
            kind=KIND,
            label=options.label or f"ideogram-{name}",
            key={"model": name, "version": VERSION},
            about={"name": name, "family": "", "parameters": None},
        )
        super().__init__(identity, PROVIDER, options, retry_policy)

    def notes(self) -> Mapping[str, object]:
        """What was sent, and whether prompts were rewritten."""
        endpoint = self._endpoint
        rewriting = "off (magic prompt)" if endpoint.magic else "this endpoint has no switch for it"
        if endpoint.magic and self._rewriting:
            rewriting = "left to Ideogram"
        return {
            **super().notes(),
            "prompt_rewriting": rewriting,
            "seed": "sent" if endpoint.seeded else "not taken by this endpoint",
        }

    def _headers(self, key: str) -> dict[str, str]:
        return {"Api-Key": key}

    def _requester(
        self, sender: Sender, client: HttpClient, downloads: ImageDownloader
    ) -> RequestImage:
        drawer = Drawer(sender, client, downloads, self._endpoint)

        async def ask(request: Draw, index: int) -> ReceivedImage:
            self._rewriting = bool(request.rewriting)
            return await drawer.ask(request, index)

        return ask


# Another provider's server, named for all models of a run, must not be sent this one's key.
@model_kind(
    about="Ideogram's text-to-image models",
    usage="ideogram:MODEL",
    options=("label", "base_url", "concurrency", "timeout", "max_response", "price"),
    spec_only=("base_url",),
    packages=("httpx",),
)
def open(name: str, options: ModelOptions) -> Model:  # noqa: A001 - what an entry point is called
    """Open the model of that name; nothing is sent yet."""
    return IdeogramModel(name, options)
