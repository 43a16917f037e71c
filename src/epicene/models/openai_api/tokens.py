"""How many tokens a request may take, before anybody has counted them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.records import Generate, Look, Score, Translate

if TYPE_CHECKING:
    from epicene.records import Prompt, Request

# What a server writes around a turn of a chat.
_TURN = 16
# A picture's tokens are counted in many ways; this is what a megapixel takes in most of them.
_PICTURE = 1_500
# What a looking model may write, thinking included; docs/openai.md prints it.
LOOK_TOKENS = 512
# The words around a text that is to be translated.
_INSTRUCTION = 128


def at_most(request: Request) -> tuple[int, int]:
    """The most tokens that a request has read and written.

    No token is shorter than a byte, so that a prompt's bytes are a bound, though one several times
    too high.
    """
    match request:
        case Generate():
            written = request.samples * request.decoding.max_new_tokens
            return request.samples * _read(request.prompt), written
        case Translate():
            return _bytes(request.text) + _INSTRUCTION, request.decoding.max_new_tokens
        case Score():
            context = _read(request.context)
            return sum(context + _bytes(text) for text in request.texts), len(request.texts)
        case Look():
            return _bytes(request.question) + _INSTRUCTION + _PICTURE, LOOK_TOKENS
        case _:
            return 0, 0


def _read(prompt: Prompt) -> int:
    if isinstance(prompt, str):
        return _bytes(prompt)
    return sum(_bytes(turn.content) + _TURN for turn in prompt)


def _bytes(text: str) -> int:
    return len(text.encode())
