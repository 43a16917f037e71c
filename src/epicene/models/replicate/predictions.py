"""Predictions: one is made for each shot, waited for, and its picture fetched."""

from __future__ import annotations

import asyncio
import math
import re
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from epicene.errors import RunError
from epicene.models.remote.faults import (
    PassingError,
    RejectedError,
    StatusError,
    UnansweredError,
    brief,
    speaks_of_content,
)
from epicene.models.remote.shots import Delivered, KeptBackError

if TYPE_CHECKING:
    from epicene.models.remote.http import Downloads, HttpClient
    from epicene.models.remote.sender import Sender
    from epicene.models.remote.tally import Trial
    from epicene.models.replicate.inputs import Inputs
    from epicene.records import Draw

ReplyT = TypeVar("ReplyT")

_LONGEST_HOLD = 60  # seconds that Replicate holds a request open at most
_SHORTEST_LIFE = 5  # seconds after which it lets a prediction be cancelled
_LONGEST_PAUSE = 5.0  # seconds between two looks at a prediction
_FAREWELL = 2.0  # seconds that calling off a prediction may take
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
        """Whether it is worth waiting for."""
        return self.status in {"starting", "processing"}

    @property
    def addresses(self) -> list[str]:
        """Where its pictures lie."""
        outputs = self.output if isinstance(self.output, list) else [self.output]
        return [each for each in outputs if isinstance(each, str) and each]


class Version(msgspec.Struct, frozen=True):
    """A version of a model, with the schema of its inputs."""

    id: str = ""
    openapi_schema: Any = None


class Described(msgspec.Struct, frozen=True):
    """A model, with its latest version."""

    latest_version: Version | None = None


class Predictions:
    """Asks one model for one shot of a draw."""

    def __init__(
        self,
        sender: Sender,
        client: HttpClient,
        downloads: Downloads,
        model: str,
        version: str,
        inputs: Inputs,
    ) -> None:
        self._sender = sender
        self._client = client
        self._downloads = downloads
        self._model = model
        self._version = version
        self._inputs = inputs
        self._describing = asyncio.Lock()

    async def ask(self, request: Draw, shot: int) -> Delivered:
        """The picture as it came."""
        await self._describe()
        values = self._inputs.of(request, shot)
        seed = values.get("seed")
        worth = self._sender.till.price.image or 0.0
        attempt = partial(self._attempt, values, seed)
        address = await self._sender.until_answered(attempt, worth)
        return Delivered(await self._downloads.fetch(address), seed)

    # --- what the model takes --------------------------------------------------------------

    async def _describe(self) -> None:
        """Read the model's schema, once."""
        async with self._describing:
            if self._inputs.choices:
                return
            once = partial(self._sender.once, self._get_version)
            try:
                version = await self._sender.until_answered(once)
            except RejectedError:
                version = Version()
            self._inputs.learn(version.id, version.openapi_schema)
            if not self._inputs.choices:
                self._inputs.guess(self._model)

    async def _get_version(self) -> Version:
        path = f"models/{self._model}"
        if self._version:
            return await self._call("GET", f"{path}/versions/{self._version}", Version)
        described = await self._call("GET", path, Described)
        return described.latest_version or Version()

    # --- a prediction ----------------------------------------------------------------------

    async def _attempt(self, values: dict[str, Any], seed: int | None, trial: Trial) -> str:
        """Where the picture lies."""
        version = self._by_version
        try:
            prediction = await self._sender.once(partial(self._predict, values), trial)
        except RejectedError as rejected:
            if rejected.status == 404 and self._inputs.latest and not version:
                self._inputs.needs_version = True
                return await self._attempt(values, seed, trial)
            if rejected.status == 404 and not self._sender.tally.answered:
                raise RunError(
                    f"Replicate has no model {self._model} that can be run ({rejected})."
                ) from None
            if rejected.filtered:
                raise KeptBackError(rejected.message, seed) from None
            raise
        self._sender.tally.answered += 1
        self._sender.tally.models.add(prediction.version or self._model)
        if prediction.status != "succeeded":
            trial.turned_away()  # what came to nothing is not charged by the picture
            raise _failure(prediction, seed)
        addresses = prediction.addresses
        trial.cost(self._sender.till.price.images(len(addresses)))
        if not addresses:
            raise PassingError("reply", "the prediction holds no image")
        return addresses[0]

    @property
    def _by_version(self) -> str:
        """The version that is run; "" where the model is run by its name."""
        return self._version or (self._inputs.latest if self._inputs.needs_version else "")

    async def _predict(self, values: dict[str, Any]) -> Prediction:
        """Make a prediction and wait for its end; called off, it is called off over there too."""
        prediction = await self._create(values)
        pause = self._sender.patience.first_wait
        try:
            while prediction.running:
                await asyncio.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)
                with suppress(PassingError):  # it goes on whether or not this look succeeds
                    prediction = await self._look(prediction.id)
        except asyncio.CancelledError:
            with suppress(Exception):
                async with asyncio.timeout(_FAREWELL):
                    await self._call("POST", f"predictions/{prediction.id}/cancel", Prediction)
            raise
        return prediction

    async def _create(self, values: dict[str, Any]) -> Prediction:
        seconds = self._sender.timeout
        headers = {
            "Prefer": f"wait={max(1, min(_LONGEST_HOLD, int(seconds)))}",
            # Should nobody be left to call it off, it is not paid for in vain.
            "Cancel-After": f"{max(_SHORTEST_LIFE, math.ceil(seconds))}s",
        }
        if self._by_version:
            path, body = "predictions", {"version": self._by_version, "input": values}
        else:
            path, body = f"models/{self._model}/predictions", {"input": values}
        return await self._call("POST", path, Prediction, json=body, headers=headers)

    async def _look(self, name: str) -> Prediction:
        try:
            return await self._call("GET", f"predictions/{name}", Prediction)
        except StatusError as error:
            if error.status == 429 or error.status >= 500:
                raise PassingError("server", str(error)) from None
            raise UnansweredError(f"the prediction {name} was lost from sight ({error})") from None

    async def _call(self, method: str, path: str, reply: type[ReplyT], **content: Any) -> ReplyT:
        try:
            return await self._client.call(method, path, reply, **content)
        except StatusError as error:
            if (reset := _RESET.search(error.message)) and "retry-after" not in error.headers:
                error.headers = {"retry-after": reset[1]}
            raise


def _failure(prediction: Prediction, seed: int | None) -> Exception:
    """What a prediction that came to nothing means."""
    reason = brief(str(prediction.error or ""))
    if speaks_of_content(reason):
        return KeptBackError(reason, seed)
    return PassingError("server", f"the prediction {prediction.status or 'ended'}: {reason}")
