"""The verbs look (a chat turn with an image) and draw (the images endpoint, image by image)."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import msgspec

from epicene.core.records import Choice, Decoding, Look, Message, digest
from epicene.models import UnanswerableError, images, sample_seed
from epicene.models.http.errors import RejectedError, TransientError
from epicene.models.http.image_samples import (
    ImageRefusedError,
    ReceivedImage,
    changed_prompt,
    decode_base64_image,
)
from epicene.models.openai.generation import PromptSender, ServerCapabilities
from epicene.models.openai.token_bounds import LOOK_TOKENS
from epicene.models.output_parsing import match_choice, question_with_choices

if TYPE_CHECKING:
    from epicene.core.records import Draw
    from epicene.models import ImageStore
    from epicene.models.http.client import ImageDownloader
    from epicene.models.openai.client import Body, ImageData, OpenAIClient, Reply

# One word is expected; the rest is for a model that thinks first.
_DECODING = Decoding(max_new_tokens=LOOK_TOKENS, temperature=0.0)


class Looker:
    """Answers look."""

    def __init__(
        self, client: OpenAIClient, model: str, capabilities: ServerCapabilities, files: ImageStore
    ) -> None:
        self._client = client
        self._model = model
        self._capabilities = capabilities
        self._files = files

    async def look(self, request: Look) -> Choice:
        """The choice that the model names; its words are kept in any case."""
        if not request.choices:
            raise UnanswerableError("there are no choices to choose from")
        question = question_with_choices(request.question, request.choices)
        ask = PromptSender(
            self._client,
            self._model,
            self._capabilities,
            (Message(role="user", content=question),),
            msgspec.structs.replace(_DECODING, temperature=request.temperature or 0.0),
            key=digest(request),
            image=await asyncio.to_thread(self._data_url, request.image),
        )
        (text,) = await ask.choices(0, 1)
        refused = text.finish == "refused"
        return Choice(
            choice=None if refused else match_choice(text.text, request.choices), text=text.text
        )

    def _data_url(self, sha256: str) -> str:
        try:
            data, picture = images.read_stored_image(self._files, sha256)
        except images.ImageError as error:
            raise UnanswerableError(str(error)) from None
        return images.data_url(data, picture.media_type)


class Drawer:
    """Requests images one at a time."""

    def __init__(
        self,
        client: OpenAIClient,
        downloads: ImageDownloader,
        model: str,
        capabilities: ServerCapabilities,
    ) -> None:
        self._client = client
        self._downloads = downloads
        self._model = model
        self._capabilities = capabilities

    async def ask(self, request: Draw, index: int) -> ReceivedImage:
        """The image as received."""
        try:
            drawn = await self._post(request, index)
        except RejectedError as rejected:
            if not rejected.filtered:
                raise _explain_rejection(rejected) from None
            reason = rejected.message or rejected.code
            raise ImageRefusedError(reason, self._seed(request, index)) from None
        if drawn.b64_json:
            data = decode_base64_image(drawn.b64_json)
        else:
            data = await self._downloads.fetch(drawn.url or "")
        return ReceivedImage(
            data, self._seed(request, index), changed_prompt(request.prompt, drawn.revised_prompt)
        )

    def _seed(self, request: Draw, index: int) -> int | None:
        return sample_seed(request.seed, index) if self._capabilities.takes_seed else None

    async def _post(self, request: Draw, index: int) -> ImageData:
        while True:
            try:
                return await self._client.post(
                    "images/generations",
                    lambda: self._body(request, index),
                    _parse_image,
                    max_cost=self._client.sender.cost_meter.price.image,
                )
            except RejectedError as rejected:
                if not self._learn(rejected):
                    raise

    def _body(self, request: Draw, index: int) -> Body:
        body: Body = {
            "model": self._model,
            "prompt": request.prompt,
            "n": 1,
            "size": f"{request.width}x{request.height}",
        }
        if self._capabilities.takes_response_format:
            body["response_format"] = "b64_json"
        if self._capabilities.takes_seed:
            # The protocol has no seed here, but many servers of local models take one.
            body["extra_body"] = {"seed": sample_seed(request.seed, index)}
        return body

    def _learn(self, rejected: RejectedError) -> bool:
        """Leave out a setting that the server rejects; returns whether there was one."""
        if rejected.filtered:  # its words may be about a prompt that has a seed in it
            return False
        if "response_format" in rejected.sent and rejected.names("response_format"):
            self._capabilities.takes_response_format = False
            return True
        if "extra_body" in rejected.sent and rejected.names("seed"):
            self._capabilities.takes_seed = False
            return True
        return False


def _parse_image(reply: Reply) -> ImageData:
    """The reply's image or its address; `TransientError` if it holds none."""
    for drawn in reply.data or ():
        if drawn.b64_json or drawn.url:
            return drawn
    raise TransientError("reply", "the reply contains no image")


def _explain_rejection(rejected: RejectedError) -> UnanswerableError:
    """The rejection, with what the user can do about it."""
    if rejected.status in {405, 501} or (rejected.status == 404 and not rejected.code):
        return UnanswerableError(f"the server has no images endpoint for this model ({rejected})")
    if rejected.names("size"):
        size = rejected.sent.get("size")
        return UnanswerableError(f"the server does not draw {size} ({rejected}); use another size")
    return rejected
