"""The OpenAI-compatible API through its client library: send a body, parse the reply.

Replies are read leniently: every field may be missing or null.
"""

from __future__ import annotations

import asyncio
import re
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias, TypeVar

import msgspec
import openai

from epicene.core.errors import RunError
from epicene.models import UnanswerableError, images
from epicene.models.http.errors import (
    ErrorDetails,
    HttpStatusError,
    RejectedError,
    TransientError,
    connection_error,
    is_transient_status,
    one_line,
    parse_error_details,
    shorten,
)
from epicene.models.http.load_balancer import NoModelListError, ServerDownError
from epicene.models.http.responses import (
    ACCEPT_ENCODING,
    MIB,
    decode_json,
    send_within_limits,
    status_error,
)
from epicene.models.http.sender import remember_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from epicene.models.http.address import Address
    from epicene.models.http.load_balancer import Server
    from epicene.models.http.sender import Attempt, Sender
    from epicene.models.pricing import Price


class TokenDetails(msgspec.Struct, frozen=True):
    """The part of the completion tokens that was thinking."""

    reasoning_tokens: int | None = None


class Usage(msgspec.Struct, frozen=True):
    """The usage of a request; only some servers send `cost`.

    The images endpoint has other names for the two kinds of token.
    """

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    completion_tokens_details: TokenDetails | None = None
    cost: float | None = None

    @property
    def read(self) -> int:
        """Prompt tokens."""
        return _count(self.prompt_tokens) or _count(self.input_tokens)

    @property
    def written(self) -> int:
        """New tokens."""
        return _count(self.completion_tokens) or _count(self.output_tokens)

    @property
    def charged(self) -> float | None:
        """What the server charged; None if it does not say, or if the number makes no sense."""
        return self.cost if self.cost is not None and 0 <= self.cost <= _MAX_COST else None

    @property
    def valid(self) -> bool:
        """Whether all numbers in it make sense: not negative, and not absurdly large."""
        counts = self.prompt_tokens, self.completion_tokens, self.input_tokens, self.output_tokens
        return self.charged == self.cost and all(_count(each) == (each or 0) for each in counts)


_MAX_TOKENS = 10**9  # of one request
_MAX_COST = 1e6  # dollars of one request


def _count(tokens: int | None) -> int:
    """A number of tokens; 0 if it is missing or makes no sense."""
    return tokens if tokens and 0 < tokens <= _MAX_TOKENS else 0


class ContentPart(msgspec.Struct, frozen=True):
    """One part of a content that comes in parts; a thinking part may hold parts itself."""

    type: str = ""
    text: str | None = None
    thinking: str | list[ContentPart] | None = None


class ChatMessage(msgspec.Struct, frozen=True):
    """The message of a chat choice. Thinking comes under either of two names."""

    content: str | list[ContentPart] | None = None
    refusal: str | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None


class Logprobs(msgspec.Struct, frozen=True):
    """The log-probabilities of a completion choice."""

    tokens: list[str] | None = None
    token_logprobs: list[float | None] | None = None


class Choice(msgspec.Struct, frozen=True):
    """A choice of either endpoint: a chat's has a message, a completion's a text."""

    index: int | None = None
    finish_reason: str | None = None
    message: ChatMessage | None = None
    text: str | None = None
    logprobs: Logprobs | None = None


class ImageData(msgspec.Struct, frozen=True):
    """An image or its address, and the prompt as the server revised it."""

    b64_json: str | None = None
    url: str | None = None
    revised_prompt: str | None = None


class Reply(msgspec.Struct, frozen=True):
    """A reply of any endpoint. Some servers send an error under status 200."""

    choices: list[Choice] | None = None
    data: list[ImageData] | None = None
    model: str | None = None
    system_fingerprint: str | None = None
    usage: Usage | None = None
    error: Any = None


class ListedModel(msgspec.Struct, frozen=True):
    """A model of a server's list."""

    id: str = ""


class ModelList(msgspec.Struct, frozen=True):
    """A server's list of models."""

    data: list[ListedModel] | None = None


def parse_model_list(content: bytes) -> frozenset[str]:
    """The names in a list of models; empty if it is no such list."""
    try:
        listed = decode_json(content, ModelList)
    except (TransientError, UnanswerableError):
        return frozenset()
    return frozenset(model.id for model in listed.data or () if model.id)


def names_unknown_model(rejected: RejectedError) -> bool:
    """Whether a request was rejected because the server does not have its model."""
    said = rejected.status in {400, 404, 422} and _NO_SUCH_MODEL.search(rejected.message)
    return rejected.code == "model_not_found" or bool(said)


def reply_cost(reply: Reply, price: Price) -> float | None:
    """The cost of a reply: as stated by the server, by its images, or by its tokens."""
    usage = reply.usage
    if usage and usage.charged is not None:
        return usage.charged
    if reply.data and price.image is not None:
        return price.images(len(reply.data))
    counted = usage and (usage.read or usage.written)
    return price.tokens(usage.read, usage.written) if usage and counted else None


Endpoint: TypeAlias = Literal["chat/completions", "completions", "images/generations"]
Body: TypeAlias = dict[str, Any]
T = TypeVar("T")

# An image in base64 takes four bytes for three, and has some text around it.
_MAX_IMAGE_RESPONSE = images.MAX_BYTES * 4 // 3 + MIB
# Servers of one's own seldom ask for a key, but the client library wants one.
_NO_KEY = "no-key"
_CHECK_TIMEOUT = 10.0  # seconds to list a server's models
_MAX_LISTED = 100  # models that a message names, if they are short
_CONNECT_TIMEOUT = 5.0  # seconds of these to reach the server
# What servers say of a model that they do not have, where they have no code for it.
_NO_SUCH_MODEL = re.compile(
    r"\b(invalid|unknown|no such|not a valid) model\b|\bmodels?\b.*\bnot (be )?(found|exist)",
    re.IGNORECASE,
)


class OpenAIClient:
    """A client for each server, in one event loop."""

    def __init__(self, sender: Sender) -> None:
        self.sender = sender
        self._clients = {
            server: _open_client(server.address, sender) for server in sender.load_balancer.servers
        }

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        for client in self._clients.values():
            await client.close()

    async def list_models(self, server: Server) -> frozenset[str]:
        """The models that a server lists; raises `ServerDownError` if it does not answer."""
        try:
            async with asyncio.timeout(min(self.sender.timeout, _CHECK_TIMEOUT)):
                listed = await _fetch_model_list(self._clients[server])
        except TimeoutError:
            raise ServerDownError("it does not list its models") from None
        except openai.APIConnectionError as error:
            cause = _connection_error(error)
            unreachable = isinstance(cause, TransientError) and cause.kind == "connect"
            raise ServerDownError(str(cause), unreachable=unreachable) from None
        except (TransientError, UnanswerableError, HttpStatusError) as error:
            raise NoModelListError(str(error)) from None
        except openai.APIStatusError as error:
            transient = is_transient_status(error.status_code)
            if transient and error.status_code < 500:
                return frozenset()  # a server is there; whether it lists models is unknown
            reason = f"HTTP {error.status_code} when asked for its models"
            if transient:
                raise ServerDownError(reason) from None
            raise NoModelListError(reason, error.status_code) from None
        except openai.OpenAIError as error:
            raise ServerDownError(one_line(str(error))) from None
        return parse_model_list(listed)

    async def check_access(self) -> None:
        """Find out, at no cost, whether the server takes the key, and which models it lists.

        Raises `RunError` if it rejects the key or cannot be reached. A server that lists no models,
        or fails to list them, may still answer requests. Several servers were asked when monitoring
        began.
        """
        balancer = self.sender.load_balancer
        if not balancer.several:
            once = partial(self.sender.send_once, partial(self._try_to_list, *balancer.servers))
            models = await self.sender.send_with_retries(once)
            balancer.listing.check_initial([(balancer.servers[0], models)])
        elif len(balancer.key_refused_by) == len(balancer.servers):
            raise balancer.all_rejected_error(balancer.key_refused_by, self.sender.key_variable)

    async def _try_to_list(self, server: Server) -> frozenset[str]:
        """The models that a server lists; raises if it cannot be reached or refuses the key."""
        try:
            return await self.list_models(server)
        except ServerDownError as down:
            if down.unreachable:
                raise TransientError("connect", str(down)) from None
        except NoModelListError as unlisted:
            if unlisted.status == 401:
                raise HttpStatusError(unlisted.status, ErrorDetails(str(unlisted))) from None
        return frozenset()

    async def post(
        self,
        endpoint: Endpoint,
        write: Callable[[], Body],
        read: Callable[[Reply], T],
        max_cost: float | None,
    ) -> T:
        """Ask until `read` finds an answer in the reply; `UnanswerableError` if none came.

        The body is built when a slot is free, by what has been learnt of the server until then. A
        reply costs `max_cost` dollars at most; None if that is not known.
        """

        async def exchange(attempt: Attempt) -> T:
            return read(self._decode(await self._send(endpoint, write, attempt), attempt))

        async def make_attempt(attempt: Attempt) -> T:
            return await self.sender.send_once(partial(exchange, attempt), attempt)

        try:
            return await self.sender.send_with_retries(make_attempt, max_cost or 0.0)
        except RejectedError as rejected:
            if names_unknown_model(rejected) and not self.sender.stats.answered:
                raise self._unknown_model_error(rejected) from None
            raise

    def _unknown_model_error(self, rejected: RejectedError) -> RunError:
        balancer = self.sender.load_balancer
        names = sorted(balancer.listing.names)[:_MAX_LISTED]
        listed = shorten(one_line(self.sender.address.redact(", ".join(names))))
        return RunError(
            f"The server {balancer.display} has no model {rejected.sent['model']} ({rejected})"
            f"{f'; it lists {listed}' if listed else ''}: check the name after openai: in --model."
        )

    async def _send(self, endpoint: Endpoint, write: Callable[[], Body], attempt: Attempt) -> bytes:
        assert attempt.server
        body = write()
        try:
            return await _post(self._clients[attempt.server], endpoint, body)
        except openai.APIStatusError as error:
            response = error.response
            raise status_error(
                response.status_code, response.headers, response.content, body
            ) from None
        except openai.APIConnectionError as error:
            raise _connection_error(error) from None

    def _decode(self, content: bytes, attempt: Attempt) -> Reply:
        reply = decode_json(content, Reply)
        if reply.error and not reply.choices and not reply.data:
            message = parse_error_details({"error": reply.error}).message or one_line(
                str(reply.error)
            )
            raise TransientError("server", f"the server returned an error: {message}")
        self._count(reply)
        attempt.cost(reply_cost(reply, self.sender.cost_meter.price))
        return reply

    def _count(self, reply: Reply) -> None:
        """Count a reply, whether or not it holds an answer."""
        stats = self.sender.stats
        stats.answered += 1
        remember_name(stats.models, reply.model)
        remember_name(stats.fingerprints, reply.system_fingerprint)
        if reply.usage:
            stats.prompt_tokens += reply.usage.read
            stats.completion_tokens += reply.usage.written
            stats.invalid_usage += not reply.usage.valid


class _LimitedClient(openai.DefaultAsyncHttpxClient):
    """The client library's HTTP client, with our limits on what servers may send."""

    def __init__(self, sender: Sender) -> None:
        super().__init__(headers=ACCEPT_ENCODING, timeout=None)  # the sender has its own timeout
        self._sender = sender

    async def send(self, request: Any, **options: Any) -> Any:
        """Send a request and read its reply within the limits."""
        send = partial(super().send, **{**options, "stream": True, "follow_redirects": False})
        limit = self._sender.max_response
        if request.url.path.endswith("/images/generations"):
            limit = max(limit, _MAX_IMAGE_RESPONSE)
        redact = self._sender.address.redact_body
        return await send_within_limits(send, request, limit, self._sender.large_bodies, redact)


def _open_client(address: Address, sender: Sender) -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(
        api_key=address.key or _NO_KEY,
        base_url=address.base_url,
        default_query=address.query or None,
        max_retries=0,
        timeout=None,  # ours is over the whole request, the client's over each read
        http_client=_LimitedClient(sender),
    )


async def _fetch_model_list(client: openai.AsyncOpenAI) -> bytes:
    """The server's list of models, requested again if the connection broke.

    Many servers close the connection after an error of their own.
    """
    models = client.models.with_raw_response
    timeout = openai.Timeout(None, connect=_CONNECT_TIMEOUT)
    try:
        listed = await models.list(timeout=timeout)
    except openai.APIConnectionError as error:
        reason = _connection_error(error)
        if not isinstance(reason, TransientError) or reason.kind == "connect":
            raise
        listed = await models.list(timeout=timeout)
    return listed.http_response.content


async def _post(client: openai.AsyncOpenAI, endpoint: Endpoint, body: Body) -> bytes:
    if endpoint == "completions":
        completion = await client.completions.with_raw_response.create(**body)
        return completion.http_response.content
    if endpoint == "images/generations":
        images = await client.images.with_raw_response.generate(**body)
        return images.http_response.content
    chat = await client.chat.completions.with_raw_response.create(**body)
    return chat.http_response.content


def _connection_error(error: openai.APIConnectionError) -> Exception:
    """Why a connection failed; an error of ours, which some versions of the library wrap, as is."""
    cause = error.__cause__ or error
    if isinstance(cause, TransientError | UnanswerableError | HttpStatusError):
        return cause
    return connection_error(cause, "closed")
