"""The OpenAI protocol by its client library: a body out, a reply in."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias, TypeVar

import openai

from epicene.models.openai_api import replies
from epicene.models.remote.faults import FaultKind, PassingError, StatusError, brief, words
from epicene.models.remote.server import AwayError, UnlistedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from epicene.models.openai_api.replies import Reply
    from epicene.models.remote.address import Address
    from epicene.models.remote.sender import Sender
    from epicene.models.remote.server import Server
    from epicene.models.remote.tally import Trial

Endpoint: TypeAlias = Literal["chat/completions", "completions", "images/generations"]
Body: TypeAlias = dict[str, Any]
T = TypeVar("T")

# Servers of one's own seldom ask for a key, but the client library wants one.
_NO_KEY = "no-key"
_LOOK = 10.0  # seconds for a look at a server
_BUSY = frozenset({408, 409, 425, 429})  # statuses that say nothing of whether models are listed


class Transport:
    """A client for each server, in one event loop."""

    def __init__(self, sender: Sender) -> None:
        self.sender = sender
        self._clients = {server: _client(server.address) for server in sender.fleet.servers}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        for client in self._clients.values():
            await client.close()

    async def look(self, server: Server) -> frozenset[str]:
        """See whether a server is there, and which models it lists."""
        try:
            async with asyncio.timeout(min(self.sender.timeout, _LOOK)):
                listed = await _listed(self._clients[server])
        except TimeoutError:
            raise AwayError("it does not say which models it has") from None
        except openai.APIConnectionError as error:
            raise AwayError(_broken_line(error).reason) from None
        except openai.APIStatusError as error:
            if error.status_code in _BUSY:
                return frozenset()  # somebody is there
            away = error.status_code >= 500 and error.status_code != 501
            reason = f"HTTP {error.status_code} when asked for its models"
            raise (AwayError if away else UnlistedError)(reason) from None
        except openai.OpenAIError as error:
            raise AwayError(brief(str(error))) from None
        return replies.listed_models(listed)

    async def post(
        self,
        endpoint: Endpoint,
        write: Callable[[], Body],
        read: Callable[[Reply], T],
        worth: float | None,
    ) -> T:
        """Ask until `read` finds an answer in the reply; `UnansweredError` where none came.

        What to send is written when there is room for it, by what has been learnt until then. A
        reply is `worth` so many dollars at most, as far as that is known.
        """

        async def exchange(trial: Trial) -> T:
            return read(self._decode(await self._send(endpoint, write, trial), trial))

        async def attempt(trial: Trial) -> T:
            return await self.sender.once(partial(exchange, trial), trial)

        return await self.sender.until_answered(attempt, worth or 0.0)

    async def _send(self, endpoint: Endpoint, write: Callable[[], Body], trial: Trial) -> bytes:
        assert trial.server
        body = write()
        try:
            return await _create(self._clients[trial.server], endpoint, body)
        except openai.APIStatusError as error:
            raise StatusError(
                error.status_code,
                **words(error.body)._asdict(),
                headers=error.response.headers,
                sent=body,
            ) from None
        except openai.APIConnectionError as error:
            raise _broken_line(error) from None

    def _decode(self, content: bytes, trial: Trial) -> Reply:
        try:
            reply = replies.decode(content)
        except ValueError as error:
            raise PassingError("reply", f"the reply could not be read ({error})") from None
        if reply.error and not reply.choices and not reply.data:
            message = words({"error": reply.error}).message or brief(str(reply.error))
            raise PassingError("server", f"an error came: {message}")
        self._count(reply)
        trial.cost(replies.cost(reply, self.sender.till.price))
        return reply

    def _count(self, reply: Reply) -> None:
        """Note a reply, whether or not it holds an answer."""
        tally = self.sender.tally
        tally.answered += 1
        if reply.model:
            tally.models.add(reply.model)
        if reply.system_fingerprint:
            tally.fingerprints.add(reply.system_fingerprint)
        if reply.usage:
            tally.prompt_tokens += reply.usage.read
            tally.completion_tokens += reply.usage.written


def _client(address: Address) -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(
        api_key=address.key or _NO_KEY,
        base_url=address.base_url,
        default_query=address.query or None,
        max_retries=0,
        timeout=None,  # ours is over the whole request, the client's over each read
    )


async def _listed(client: openai.AsyncOpenAI) -> bytes:
    """What the server says of its models, asked twice where a line broke.

    It may be one that the server has left: many hang up after an error of their own.
    """
    try:
        listed = await client.models.with_raw_response.list()
    except openai.APIConnectionError as error:
        if _broken_line(error).kind == "connect":
            raise
        listed = await client.models.with_raw_response.list()
    return listed.http_response.content


async def _create(client: openai.AsyncOpenAI, endpoint: Endpoint, body: Body) -> bytes:
    if endpoint == "completions":
        completion = await client.completions.with_raw_response.create(**body)
        return completion.http_response.content
    if endpoint == "images/generations":
        images = await client.images.with_raw_response.generate(**body)
        return images.http_response.content
    chat = await client.chat.completions.with_raw_response.create(**body)
    return chat.http_response.content


def _broken_line(error: openai.APIConnectionError) -> PassingError:
    cause = error.__cause__
    # By name: the client library has changed the HTTP library beneath it before.
    kind: FaultKind = "connect" if type(cause).__name__ == "ConnectError" else "server"
    return PassingError(kind, f"the connection failed ({brief(str(cause or error)) or 'closed'})")
