"""The protocols of reflexives."""

from __future__ import annotations

from epicene.core.records import FirstToken
from epicene.suites import Protocol


class ReflexiveProtocol(Protocol, frozen=True, kw_only=True):
    """The settings of a reflexives protocol."""

    first_token: FirstToken = "bos"
    samples: int = 2
    new_tokens: int = 8


PROTOCOLS = {
    "paper": ReflexiveProtocol(
        name="paper",
        about="The tokenizer decides what stands before the first token.",
        first_token="tokenizer-default",
    ),
    "epicene": ReflexiveProtocol(
        name="epicene", about="A beginning token stands before every sentence."
    ),
}
