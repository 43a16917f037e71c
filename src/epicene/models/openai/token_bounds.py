"""Upper bounds on the tokens of a request, for its maximum cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.core.records import Generate, Look, Score, Translate

if TYPE_CHECKING:
    from epicene.core.records import Prompt, Request

# What a server writes around a turn of a chat, before a chat, and before a plain text.
_TURN = 16
_CHAT = 64
_OPENING = 2
# An image's tokens are counted in many ways. This is above the most that any of those known to us
# makes of the largest image (tiles of 5,667 tokens, eight of them and 2,833 beside); most make a
# thousand or two. A table of prices may tell a model's own number.
IMAGE_TOKENS = 50_000
# New tokens of an answer to look, thinking included; docs/guides/openai.md prints it.
LOOK_TOKENS = 512
# The words around a text that is to be translated, or a question with choices.
_INSTRUCTION = 256


def max_request_tokens(request: Request, picture: int = IMAGE_TOKENS) -> tuple[int, int]:
    """The most prompt and new tokens of a request; `picture` is the most for an image."""
    match request:
        case Generate():
            written = request.samples * request.decoding.max_new_tokens
            return request.samples * max_prompt_tokens(request.prompt), written
        case Translate():
            return _byte_length(request.text) + _INSTRUCTION, request.decoding.max_new_tokens
        case Score():
            context = max_prompt_tokens(request.context)
            return sum(context + _byte_length(text) for text in request.texts), len(request.texts)
        case Look():
            asked = _byte_length(request.question) + sum(map(_byte_length, request.choices))
            return asked + _INSTRUCTION + picture, LOOK_TOKENS
        case _:
            return 0, 0


def max_prompt_tokens(prompt: Prompt) -> int:
    """The most tokens that a prompt can have.

    No token is shorter than a byte, so that its bytes are a bound, though one several times too
    high.
    """
    if isinstance(prompt, str):
        return _OPENING + _byte_length(prompt)
    return _CHAT + sum(_byte_length(turn.content) + _TURN for turn in prompt)


def _byte_length(text: str) -> int:
    return len(text.encode())
