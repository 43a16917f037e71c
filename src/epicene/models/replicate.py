"""The model kind `replicate:OWNER/NAME[:VERSION]`: models on Replicate that draw, or that look."""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from epicene.core.errors import InputError, RunError
from epicene.core.records import Choice, Draw, Identity, Look, verb
from epicene.models import UnanswerableError, images, model_kind, sample_seed
from epicene.models.http.address import Provider
from epicene.models.http.errors import (
    HttpStatusError,
    RejectedError,
    TransientError,
    is_transient_status,
    mentions_content_filter,
    one_line,
)
from epicene.models.http.image_samples import ImageRefusedError, ReceivedImage
from epicene.models.http.model import HostedImageModel, NoImages
from epicene.models.http.responses import UnusableReplyError
from epicene.models.http.sender import remember_name
from epicene.models.images import aspect_ratio
from epicene.models.output_parsing import match_choice, question_with_choices

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

    from epicene.core.records import Answer, Request
    from epicene.models import ImageStore, Model, ModelOptions
    from epicene.models.http.async_bridge import AnswerRequest
    from epicene.models.http.client import HttpClient, ImageDownloader
    from epicene.models.http.image_samples import RequestImage
    from epicene.models.http.retry import RetryPolicy
    from epicene.models.http.sender import Attempt, Sender

# What providers call the rewriting of prompts, and how each is switched off.
_PROMPT_REWRITING_OFF: dict[str, object] = {
    "prompt_upsampling": False,
    "magic_prompt_option": "Off",
    "prompt_optimizer": False,
    "enhance_prompt": False,
}
# What models call the question about an image, the best name first.
_QUESTIONS = ("question", "prompt", "text")
# Where a model publishes no schema its name has to do.
_FAMILIES = {
    "flux": ("prompt", "seed", "aspect_ratio", "prompt_upsampling"),
    "ideogram": ("prompt", "seed", "aspect_ratio", "magic_prompt_option"),
    "": ("prompt", "seed", "aspect_ratio"),
}


@dataclass
class InputSchema:
    """The inputs of a model, and the choices of each; none where any value will do.

    It holds for the model's life.
    """

    choices: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    least: dict[str, float] = field(default_factory=dict)  # the least values, where there are some
    rewriting: bool = False  # whether prompts were left to be rewritten
    looked: bool = False  # whether it was asked about images
    latest: str = ""  # the version whose schema it is
    needs_version: bool = False  # Replicate runs only its own choice of models by name alone
    guessed: bool = False

    def learn(self, version: str, schema: object) -> None:
        """Read a version's schema."""
        self.latest = version
        schemas = _nested(schema, "components", "schemas")
        properties = _nested(schemas, "Input", "properties")
        self.choices = {name: _choices(each, schemas) for name, each in properties.items()}
        self.least = {
            name: float(each["minimum"])
            for name, each in properties.items()
            if isinstance(each, Mapping) and isinstance(each.get("minimum"), int | float)
        }

    def guess(self, name: str) -> None:
        """Go by the model's name: it publishes no schema."""
        self.guessed = True
        family = next(family for family in _FAMILIES if family in name)
        self.choices = dict.fromkeys(_FAMILIES[family], ())

    def of(self, request: Draw, index: int) -> dict[str, Any]:
        """The inputs for one image."""
        if "prompt" not in self.choices:
            raise UnanswerableError("the model takes no prompt, so it cannot draw from a text")
        values: dict[str, Any] = {"prompt": request.prompt, **self._size(request)}
        self.rewriting = bool(request.rewriting)
        wishes = {
            "seed": sample_seed(request.seed, index),
            "num_outputs": 1,
            "output_format": "png",
            **({"prompt_upsampling": True} if request.rewriting else _PROMPT_REWRITING_OFF),
        }
        for name, wish in wishes.items():
            if (value := self._allowed(name, wish)) is not None:
                values[name] = value
        return values

    def of_look(self, request: Look, image: str) -> dict[str, Any]:
        """The inputs for one question about an image, which is given by its address."""
        name = next((name for name in _QUESTIONS if name in self.choices), "")
        if not name or "image" not in self.choices:
            raise UnanswerableError("the model takes no image with a question, so it cannot look")
        question = question_with_choices(request.question, request.choices)
        self.looked = True
        values: dict[str, Any] = {"image": image, name: question}
        temperature = request.temperature or 0.0
        if "temperature" in self.choices and temperature >= self.least.get("temperature", 0.0):
            values["temperature"] = temperature
        return values

    def notes(self) -> dict[str, object]:
        """For the manifest: what was set, and what the model has no input for."""
        if not self.choices:
            return {}
        if self.looked:
            taken = "temperature" in self.choices
            least = self.least.get("temperature", 0.0)
            below = f", below {least:g} its own" * (least > 0)
            return {"temperature": f"sent{below}" if taken else "not taken by the model"}
        switches = [name for name in _PROMPT_REWRITING_OFF if name in self.choices]
        rewriting = f"off ({', '.join(switches)})"
        if self.rewriting:
            rewriting = (
                "on (prompt_upsampling)" if "prompt_upsampling" in switches else "as the model does"
            )
        notes: dict[str, object] = {
            "seed": "sent" if "seed" in self.choices else "not taken by the model",
            "prompt_rewriting": rewriting if switches else "the model has no switch for it",
        }
        if self.guessed:
            notes["inputs"] = "by the model's name: it publishes no schema"
        return notes

    def _allowed(self, name: str, wish: object) -> object:
        """The wish as the model spells it; None where it takes no such input or value."""
        if name not in self.choices:
            return None
        spelt = {str(choice).casefold(): choice for choice in self.choices[name]}
        return spelt.get(str(wish).casefold()) if spelt else wish

    def _size(self, request: Draw) -> dict[str, Any]:
        """The size by the most exact input there is for it."""
        exact = {"width": request.width, "height": request.height}
        if exact.keys() <= self.choices.keys():
            if "aspect_ratio" not in self.choices:
                return exact
            if (custom := self._allowed("aspect_ratio", "custom")) and self.choices["aspect_ratio"]:
                return {"aspect_ratio": custom, **exact}
        for name in ("resolution", "size"):
            listed = self._allowed(name, f"{request.width}x{request.height}")
            if listed and self.choices[name]:
                return {name: listed}
        ratio = "{}:{}".format(*aspect_ratio(request.width, request.height))
        if (shape := self._allowed("aspect_ratio", ratio)) is not None:
            return {"aspect_ratio": shape}
        if "aspect_ratio" in self.choices:
            raise UnanswerableError(f"the model does not draw {ratio}; use another size")
        return {}


def _choices(property_: object, schemas: Mapping[str, Any]) -> tuple[Any, ...]:
    """The values that an input may have, where it names them here or by reference."""
    parts = [property_, *_nested_list(property_, "allOf"), *_nested_list(property_, "anyOf")]
    for part in parts:
        found = _nested_list(part, "enum")
        reference = part.get("$ref", "") if isinstance(part, Mapping) else ""
        found = found or _nested_list(schemas.get(str(reference).rpartition("/")[2]), "enum")
        if found:
            return tuple(found)
    return ()


def _nested_list(thing: object, name: str) -> list[Any]:
    found = thing.get(name) if isinstance(thing, Mapping) else None
    return found if isinstance(found, list) else []


def _nested(thing: object, *names: str) -> Mapping[str, Any]:
    for name in names:
        thing = thing.get(name) if isinstance(thing, Mapping) else None
    return thing if isinstance(thing, Mapping) else {}


ReplyT = TypeVar("ReplyT")

_MAX_SERVER_WAIT = 60  # seconds that Replicate holds a request open at most
_MIN_CANCEL_AFTER = 5  # seconds after which it lets a prediction be cancelled
_MAX_POLL_INTERVAL = 5.0  # seconds between two polls of a prediction
_CANCEL_TIMEOUT = 2.0  # seconds that calling off a prediction may take
_MAX_INLINE = 256 * 1024  # bytes of an image that is sent with its question
_RESET = re.compile(r"resets in ~?(\d+)s")


class Prediction(msgspec.Struct, frozen=True):
    """What Replicate says of a prediction."""

    id: str = ""
    status: str = ""
    output: Any = None
    error: Any = None
    version: str | None = None

    @property
    def running(self) -> bool:
        """Whether it is not finished yet."""
        return self.status in {"starting", "processing"}

    @property
    def parts(self) -> list[str]:
        """The addresses of its images, or its words in parts."""
        outputs = self.output if isinstance(self.output, list) else [self.output]
        return [each for each in outputs if isinstance(each, str) and each]


class UploadedFile(msgspec.Struct, frozen=True):
    """A file that was uploaded, with its addresses."""

    urls: dict[str, str]


class Account(msgspec.Struct, frozen=True):
    """Whose key it is; anybody will do."""


class ModelVersion(msgspec.Struct, frozen=True):
    """A version of a model, with the schema of its inputs."""

    id: str = ""
    openapi_schema: Any = None


class ModelReply(msgspec.Struct, frozen=True):
    """A model, with its latest version."""

    latest_version: ModelVersion | None = None


class PredictionClient:
    """Requests the predictions of one model, images one at a time."""

    def __init__(
        self,
        sender: Sender,
        client: HttpClient,
        downloads: ImageDownloader,
        model: str,
        version: str,
        inputs: InputSchema,
    ) -> None:
        self._sender = sender
        self._client = client
        self._downloads = downloads
        self._model = model
        self._version = version
        self._inputs = inputs
        self._describing = asyncio.Lock()

    async def ask(self, request: Draw, index: int) -> ReceivedImage:
        """The image as received."""
        await self._describe()
        values = self._inputs.of(request, index)
        seed = values.get("seed")
        max_cost = self._sender.cost_meter.price.image or 0.0
        make_attempt = partial(self._attempt, values, seed, self._address)
        address = await self._sender.send_with_retries(make_attempt, max_cost)
        return ReceivedImage(await self._downloads.fetch(address), seed)

    async def look(self, request: Look, files: ImageStore) -> Choice:
        """The choice that the model names; its words are kept in any case."""
        if not request.choices:
            raise UnanswerableError("there are no choices to choose from")
        await self._describe()
        self._inputs.of_look(request, "")  # before anything is sent
        try:
            data, picture = await asyncio.to_thread(images.read_stored_image, files, request.image)
        except images.ImageError as error:
            raise UnanswerableError(str(error)) from None
        values = self._inputs.of_look(request, await self._hosted(data, picture.media_type))
        max_cost = self._sender.cost_meter.price.look or 0.0
        make_attempt = partial(self._attempt, values, None, self._words)
        try:
            text = await self._sender.send_with_retries(make_attempt, max_cost)
        except ImageRefusedError as refused:
            return Choice(choice=None, text=str(refused))
        return Choice(choice=match_choice(text, request.choices), text=text)

    async def _hosted(self, data: bytes, media_type: str) -> str:
        """An image's address: of small ones the data themselves, as Replicate recommends."""
        if len(data) <= _MAX_INLINE:
            return images.data_url(data, media_type)
        content = {"content": ("image", data, media_type)}
        upload = partial(self._call, "POST", "files", UploadedFile, files=content)
        return (await self._send_free(upload)).urls.get("get", "")

    # --- what the model takes --------------------------------------------------------------

    async def check_access(self) -> None:
        """Check, at no cost, whether the key is valid and the model exists; raises `RunError` if
        not.

        A server other than Replicate's own may have no accounts; then nothing is known.
        """
        try:
            await self._send_free(partial(self._call, "GET", "account", Account))
        except UnanswerableError:
            return
        try:
            version = await self._send_free(self._get_version)
        except UnanswerableError as error:
            if isinstance(error, RejectedError) and error.status == 404:
                raise RunError(
                    f"Replicate has no model {self._model}{self._version and f':{self._version}'} "
                    f"({error}); check the name after replicate: in --model."
                ) from None
        else:
            self._inputs.learn(version.id, version.openapi_schema)

    async def _send_free(self, send: Callable[[], Awaitable[ReplyT]]) -> ReplyT:
        return await self._sender.send_with_retries(partial(self._sender.send_once, send))

    async def _describe(self) -> None:
        """Read the model's schema, once."""
        async with self._describing:
            if self._inputs.choices:
                return
            try:
                version = await self._send_free(self._get_version)
            except (RejectedError, UnusableReplyError):
                version = ModelVersion()
            self._inputs.learn(version.id, version.openapi_schema)
            if not self._inputs.choices:
                self._inputs.guess(self._model)

    async def _get_version(self) -> ModelVersion:
        path = f"models/{self._model}"
        if self._version:
            return await self._call("GET", f"{path}/versions/{self._version}", ModelVersion)
        described = await self._call("GET", path, ModelReply)
        return described.latest_version or ModelVersion()

    # --- a prediction ----------------------------------------------------------------------

    async def _attempt(
        self,
        values: dict[str, Any],
        seed: int | None,
        result: Callable[[Prediction, Attempt], str],
        attempt: Attempt,
    ) -> str:
        """What comes of a prediction: the address of an image, or words."""
        version = self._by_version
        try:
            prediction = await self._sender.send_once(partial(self._predict, values), attempt)
        except RejectedError as rejected:
            if rejected.status == 404 and self._inputs.latest and not version:
                self._inputs.needs_version = True
                return await self._attempt(values, seed, result, attempt)
            if rejected.status == 404 and not self._sender.stats.answered:
                raise RunError(
                    f"Replicate has no model {self._model} that can be run ({rejected})."
                ) from None
            if rejected.filtered:
                raise ImageRefusedError(rejected.message, seed) from None
            raise
        self._sender.stats.answered += 1
        remember_name(self._sender.stats.models, prediction.version or self._model)
        if prediction.status != "succeeded":
            attempt.mark_uncharged()  # images are not charged if none was drawn
            raise _prediction_error(prediction, seed)
        return result(prediction, attempt)

    def _address(self, prediction: Prediction, attempt: Attempt) -> str:
        addresses = prediction.parts
        attempt.cost(self._sender.cost_meter.price.images(len(addresses)))
        if not addresses:
            raise TransientError("reply", "the prediction contains no image")
        return addresses[0]

    def _words(self, prediction: Prediction, attempt: Attempt) -> str:
        attempt.cost(self._sender.cost_meter.price.look)
        return "".join(prediction.parts).strip()

    @property
    def _by_version(self) -> str:
        """The version that is run; "" where the model is run by its name."""
        return self._version or (self._inputs.latest if self._inputs.needs_version else "")

    async def _predict(self, values: dict[str, Any]) -> Prediction:
        """Make a prediction and wait for its end; if this is cancelled, so is the prediction."""
        prediction = await self._create(values)
        pause = self._sender.retry_policy.first_wait
        try:
            while prediction.running:
                await asyncio.sleep(pause)
                pause = min(2 * pause, _MAX_POLL_INTERVAL)
                with suppress(TransientError):  # the prediction continues nevertheless
                    prediction = await self._poll(prediction.id)
        except asyncio.CancelledError:
            with suppress(Exception):
                async with asyncio.timeout(_CANCEL_TIMEOUT):
                    await self._call("POST", f"predictions/{prediction.id}/cancel", Prediction)
            raise
        return prediction

    async def _create(self, values: dict[str, Any]) -> Prediction:
        seconds = self._sender.timeout
        headers = {
            "Prefer": f"wait={max(1, min(_MAX_SERVER_WAIT, int(seconds)))}",
            # If this process dies, the prediction is cancelled and not charged.
            "Cancel-After": f"{max(_MIN_CANCEL_AFTER, math.ceil(seconds))}s",
        }
        if self._by_version:
            path, body = "predictions", {"version": self._by_version, "input": values}
        else:
            path, body = f"models/{self._model}/predictions", {"input": values}
        return await self._call("POST", path, Prediction, json=body, headers=headers)

    async def _poll(self, name: str) -> Prediction:
        try:
            return await self._call("GET", f"predictions/{name}", Prediction)
        except HttpStatusError as error:
            if is_transient_status(error.status):
                raise TransientError("server", str(error)) from None
            raise UnanswerableError(
                f"the prediction {name} is no longer known to the server ({error})"
            ) from None

    async def _call(self, method: str, path: str, reply: type[ReplyT], **content: Any) -> ReplyT:
        try:
            return await self._client.call(method, path, reply, **content)
        except HttpStatusError as error:
            if (
                reset := _RESET.search(error.details.message)
            ) and "retry-after" not in error.headers:
                error.headers = {"retry-after": reset[1]}
            raise


def _prediction_error(prediction: Prediction, seed: int | None) -> Exception:
    """The error for a prediction without an image."""
    reason = one_line(str(prediction.error or ""))
    if mentions_content_filter(reason):
        return ImageRefusedError(reason, seed)
    return TransientError("server", f"the prediction {prediction.status or 'ended'}: {reason}")


KIND = "replicate"
# Changed when the same request would set other inputs, or to other values.
VERSION = "1"
PROVIDER = Provider(
    key_variable="REPLICATE_API_TOKEN",
    url_variable="REPLICATE_BASE_URL",
    url_option="?base_url= in the spec",
    name="Replicate",
    default_url="https://api.replicate.com/v1",
)
_NAME = re.compile(r"([\w.-]+/[\w.-]+)(?::([0-9a-f]{8,64}))?")


class ReplicateModel(HostedImageModel):
    """Any model on Replicate that draws from a text, or answers a question about an image."""

    subject = "a model on Replicate"

    def __init__(
        self, name: str, options: ModelOptions, retry_policy: RetryPolicy | None = None
    ) -> None:
        parts = _NAME.fullmatch(name)
        if parts is None:
            raise InputError(
                f"The model spec replicate:{name} does not name a model; write "
                "replicate:OWNER/NAME, or replicate:OWNER/NAME:VERSION."
            )
        self._name, self._version = parts[1], parts[2] or ""
        identity = Identity(
            kind=KIND,
            label=options.label or self._name.partition("/")[2],
            key={"model": self._name, "revision": self._version, "version": VERSION},
            about={"name": self._name, "family": "", "parameters": None},
        )
        super().__init__(identity, PROVIDER, options, retry_policy)
        # A price for an image is one for a prediction, whether it is drawn or looked at.
        price = self._cost_meter.price
        self._cost_meter.price = msgspec.structs.replace(price, look=price.image)
        self._inputs: InputSchema | None = None
        self._predictions: PredictionClient | None = None
        self._probing = False

    @property
    def verbs(self) -> frozenset[str]:
        """Draw and look; the model's schema says which of them it supports."""
        return frozenset({verb(Draw), verb(Look)})

    def cost_of(self, request: Request) -> float | None:
        """The expected maximum cost of a request; None if unknown."""
        return self.price.look if isinstance(request, Look) else super().cost_of(request)

    def notes(self) -> Mapping[str, object]:
        """What was sent, which versions answered, and which inputs were set."""
        notes = {**super().notes(), "served_versions": self._redacted(self._stats.models)}
        return {**notes, **self._inputs.notes()} if self._inputs else notes

    def _headers(self, key: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {key}"}

    def _requester(
        self, sender: Sender, client: HttpClient, downloads: ImageDownloader
    ) -> RequestImage:
        self._inputs = self._inputs or InputSchema()
        self._predictions = PredictionClient(
            sender, client, downloads, self._name, self._version, self._inputs
        )
        return self._predictions.ask

    def probe(self, requests: Sequence[Request]) -> None:  # noqa: ARG002 - none is sent
        """Check, at no cost, whether the key is valid and the model exists."""
        self._probing = True
        try:
            for _ in self.answer(iter(()), NoImages()):
                pass
        finally:
            self._probing = False

    @asynccontextmanager
    async def _answering(self, sender: Sender, files: ImageStore) -> AsyncIterator[AnswerRequest]:
        async with super()._answering(sender, files) as answer:
            predictions = self._predictions
            assert predictions is not None  # made with the session
            if self._probing:
                await predictions.check_access()

            async def answer_either(request: Request) -> Answer:
                if isinstance(request, Look):
                    return await predictions.look(request, files)
                return await answer(request)

            yield answer_either


# Another provider's server, named for all models of a run, must not be sent this one's key.
@model_kind(
    about="a model on Replicate that draws from text or looks at images",
    usage="replicate:OWNER/NAME[:VERSION]",
    options=("label", "base_url", "concurrency", "timeout", "max_response", "price"),
    spec_only=("base_url",),
    packages=("httpx",),
)
def open(name: str, options: ModelOptions) -> Model:  # noqa: A001 - what an entry point is called
    """Open the model of that name; nothing is sent yet."""
    return ReplicateModel(name, options)
