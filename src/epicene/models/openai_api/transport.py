"""The OpenAI protocol by its client library: a body out, a reply in."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

import msgspec
import openai

from epicene.models.openai_api import replies
from epicene.models.remote.faults import FaultKind, PassingError, StatusError, brief, words

if TYPE_CHECKING:
    from collections.abc import Callable

    from epicene.models.openai_api.replies import Reply
    from epicene.models.remote.sender import Sender

Endpoint: TypeAlias = Literal["chat/completions", "completions", "images/generations"]
Body: TypeAlias = dict[str, Any]
T = TypeVar("T")

# Servers of one's own seldom ask for a key, but the client library wants one.
_NO_KEY = "no-key"


class Transport:
    """One client in one event loop."""

    def __init__(self, sender: Sender) -> None:
        self.sender = sender
        address = sender.address
        self._client = openai.AsyncOpenAI(
            api_key=address.key or _NO_KEY,
            base_url=address.base_url,
            default_query=address.query or None,
            max_retries=0,
            timeout=None,  # ours is over the whole request, the client's over each read
        )

    async def close(self) -> None:
        """Let go of the connections."""
        await self._client.close()

    async def post(
        self, endpoint: Endpoint, write: Callable[[], Body], read: Callable[[Reply], T]
    ) -> T:
        """Ask until `read` finds an answer in the reply; `UnansweredError` where none came.

        What to send is written when there is room for it, by what has been learnt until then.
        """

        async def attempt() -> T:
            content = await self.sender.once(partial(self._send, endpoint, write))
            return read(self._decode(content))

        drawn = endpoint == "images/generations"
        worth = self.sender.till.price.image or 0.0 if drawn else 0.0
        return await self.sender.until_answered(attempt, worth)

    async def _send(self, endpoint: Endpoint, write: Callable[[], Body]) -> bytes:
        body = write()
        try:
            return await self._create(endpoint, body)
        except openai.APIStatusError as error:
            message, parameter, code = words(error.body)
            raise StatusError(
                error.status_code,
                message,
                parameter=parameter,
                code=code,
                headers=error.response.headers,
                sent=body,
            ) from None
        except openai.APIConnectionError as error:
            raise _broken_line(error) from None

    async def _create(self, endpoint: Endpoint, body: Body) -> bytes:
        if endpoint == "completions":
            completion = await self._client.completions.with_raw_response.create(**body)
            return completion.http_response.content
        if endpoint == "images/generations":
            images = await self._client.images.with_raw_response.generate(**body)
            return images.http_response.content
        chat = await self._client.chat.completions.with_raw_response.create(**body)
        return chat.http_response.content

    def _decode(self, content: bytes) -> Reply:
        try:
            reply = replies.decode(content)
        except msgspec.DecodeError as error:
            raise PassingError("reply", f"the reply could not be read ({error})") from None
        if reply.error and not reply.choices and not reply.data:
            message, _, _ = words({"error": reply.error})
            raise PassingError("server", f"an error came: {message or brief(str(reply.error))}")
        self._count(reply)
        return reply

    def _count(self, reply: Reply) -> None:
        """Note a reply, whether or not it holds an answer: it was paid for."""
        tally = self.sender.tally
        tally.answered += 1
        if reply.model:
            tally.models.add(reply.model)
        if reply.system_fingerprint:
            tally.fingerprints.add(reply.system_fingerprint)
        if reply.usage:
            tally.prompt_tokens += reply.usage.read
            tally.completion_tokens += reply.usage.written
        self.sender.till.charge(replies.cost(reply, self.sender.till.price))


def _broken_line(error: openai.APIConnectionError) -> PassingError:
    cause = error.__cause__
    # By name: the client library has changed the HTTP library beneath it before.
    kind: FaultKind = "connect" if type(cause).__name__ == "ConnectError" else "server"
    return PassingError(kind, f"the connection failed ({brief(str(cause or error)) or 'closed'})")
