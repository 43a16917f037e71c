"""What cards about items and cards about results say in the same words."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import msgspec

from epicene.suites.data_cards import table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.suites import Card, Protocol

_SAID_IN_WORDS = ("name", "about")


def code(text: object) -> str:
    """A text as code, whatever it holds."""
    shown = " ".join(str(text).split())
    ticks = "`" * (1 + max(map(len, re.findall("`+", shown)), default=0))
    apart = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{ticks}{apart}{shown}{apart}{ticks}"


def protocol_lines(protocol: Protocol, card: Card) -> Iterator[str]:
    """How the suite was asked and judged: in words, then every setting."""
    yield (
        f"Protocol `{protocol.name}`: {protocol.about} Normalisers: "
        f"{', '.join(protocol.normalisers) or 'none'}. Chance level: {card.chance}"
    )
    yield ""
    settings = [
        (name, code(json.dumps(value, ensure_ascii=False)))
        for name, value in msgspec.to_builtins(protocol).items()
        if name not in _SAID_IN_WORDS
    ]
    yield from table(("setting", "value"), settings)
    yield ""


def fault_lines(card: Card, heading: str) -> Iterator[str]:
    """What is wrong with the published version, under a heading of that level (`##`)."""
    if card.faults:
        yield f"{heading} Known faults of the published version"
        yield ""
        yield from (f"- {fault}" for fault in card.faults)
        yield ""
