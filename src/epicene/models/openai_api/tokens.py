"""How many tokens a request may take, before anybody has counted them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.records import Generate, Look, Score, Translate

if TYPE_CHECKING:
    from epicene.records import Prompt, Request

# What a server writes around a turn of a chat, before a chat, and before a plain text.
_TURN = 16
_CHAT = 64
_OPENING = 2
# A picture's tokens are counted in many ways. This is above the most that any of those known to us
# makes of the largest picture (tiles of 5,667 tokens, eight of them and 2,833 beside); most make a
# thousand or two. A table of prices may tell a model's own number.
PICTURE = 50_000
# What a looking model may write, thinking included; docs/openai.md prints it.
LOOK_TOKENS = 512
# The words around a text that is to be translated, or a question with choices.
_INSTRUCTION = 256


def at_most(request: Request, picture: int = PICTURE) -> tuple[int, int]:
    """The most tokens that a request has read and written; a `picture` is so many at most."""
    match request:
        case Generate():
            written = request.samples * request.decoding.max_new_tokens
            return request.samples * read_of(request.prompt), written
        case Translate():
            return _bytes(request.text) + _INSTRUCTION, request.decoding.max_new_tokens
        case Score():
            context = read_of(request.context)
            return sum(context + _bytes(text) for text in request.texts), len(request.texts)
        case Look():
            asked = _bytes(request.question) + sum(map(_bytes, request.choices))
            return asked + _INSTRUCTION + picture, LOOK_TOKENS
        case _:
            return 0, 0


def read_of(prompt: Prompt) -> int:
    """The most tokens that a prompt is.

    No token is shorter than a byte, so that its bytes are a bound, though one several times too
    high.
    """
    if isinstance(prompt, str):
        return _OPENING + _bytes(prompt)
    return _CHAT + sum(_bytes(turn.content) + _TURN for turn in prompt)


def _bytes(text: str) -> int:
    return len(text.encode())
