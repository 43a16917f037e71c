"""What servers reply, read leniently: every field may be missing or null."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from epicene.models.prices import Price


class Details(msgspec.Struct, frozen=True):
    """The part of the completion tokens that was thinking."""

    reasoning_tokens: int | None = None


class Usage(msgspec.Struct, frozen=True):
    """What a request used; `cost` is given by some servers only.

    The images endpoint has other names for the two kinds of token.
    """

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    completion_tokens_details: Details | None = None
    cost: float | None = None

    @property
    def read(self) -> int:
        """Tokens read."""
        return self.prompt_tokens or self.input_tokens or 0

    @property
    def written(self) -> int:
        """Tokens written."""
        return self.completion_tokens or self.output_tokens or 0


class Part(msgspec.Struct, frozen=True):
    """One part of a content that comes in parts; a thinking part may hold parts itself."""

    type: str = ""
    text: str | None = None
    thinking: str | list[Part] | None = None


class ChatMessage(msgspec.Struct, frozen=True):
    """The message of a chat choice. Thinking comes under either of two names."""

    content: str | list[Part] | None = None
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


class Drawn(msgspec.Struct, frozen=True):
    """An image, or where it lies, and the prompt that the server made of the one sent."""

    b64_json: str | None = None
    url: str | None = None
    revised_prompt: str | None = None


class Reply(msgspec.Struct, frozen=True):
    """A reply of any endpoint. Some servers send an error under status 200."""

    choices: list[Choice] | None = None
    data: list[Drawn] | None = None
    model: str | None = None
    system_fingerprint: str | None = None
    usage: Usage | None = None
    error: Any = None


class Listed(msgspec.Struct, frozen=True):
    """A model of a server's list."""

    id: str = ""


class ModelList(msgspec.Struct, frozen=True):
    """What a server says that it serves."""

    data: list[Listed] | None = None


def listed_models(content: bytes) -> frozenset[str]:
    """The names in a list of models; none where it is no such list."""
    try:
        listed = msgspec.json.decode(content, type=ModelList)
    except ValueError:
        return frozenset()
    return frozenset(model.id for model in listed.data or () if model.id)


_decoder = msgspec.json.Decoder(Reply)


def decode(content: bytes) -> Reply:
    """Read a reply; `ValueError` where it is not JSON, not even UTF-8, or of another shape."""
    return _decoder.decode(content)


def cost(reply: Reply, price: Price) -> float | None:
    """What a reply cost: as the server says, else by its pictures, else by its tokens."""
    usage = reply.usage
    if usage and usage.cost is not None:
        return usage.cost
    if reply.data and price.image is not None:
        return price.images(len(reply.data))
    counted = usage and (usage.read or usage.written)
    return price.tokens(usage.read, usage.written) if usage and counted else None
