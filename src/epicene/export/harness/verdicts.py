"""What a suite's judge says of a text that another program had a model write."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec

from epicene.errors import InputError
from epicene.export.harness.judged_alone import LoneJudge
from epicene.records import Text, Texts
from epicene.suites import find_suite

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from epicene.records import Item, Outcome

OUTCOMES: tuple[Outcome, ...] = ("right", "wrong", "undetected")


def outcomes(
    asked: Mapping[str, Any], document: Mapping[str, Any], texts: Sequence[str]
) -> dict[str, float]:
    """The share of each outcome among the texts of one document, nothing where none is judged.

    `asked` is the content of asked.json: the suite, its version and the protocol.
    """
    judge, kind = _judge_of(msgspec.json.encode(asked))
    item = msgspec.json.decode(document["record"], type=kind)
    answer = Texts(texts=tuple(Text(text=text) for text in texts))
    judged = judge.outcomes(item, document["stage"], document["role"], document["request"], answer)
    if not judged:
        return {}
    return {outcome: judged.count(outcome) / len(judged) for outcome in OUTCOMES}


@lru_cache(maxsize=8)
def _judge_of(asked: bytes) -> tuple[LoneJudge, type[Item]]:
    """The suite's judge under the protocol, and what it judges."""
    content = msgspec.json.decode(asked)
    suite = find_suite(content["suite"])
    name = content["protocol"]["name"]
    if suite.version != content["version"] or name not in suite.protocols:
        raise InputError(
            f"These tasks are of version {content['version']} of the suite {suite.name}, and this "
            f"Epicene has version {suite.version}; export them again."
        )
    protocol = msgspec.convert(content["protocol"], type(suite.protocols[name]))
    return LoneJudge(suite, protocol), suite.item
