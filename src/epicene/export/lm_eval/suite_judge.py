"""Score one document at a time with the suite's judge, as lm-evaluation-harness does."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from epicene.core.errors import InputError
from epicene.core.records import Text, Texts
from epicene.suites import find_suite
from epicene.suites.single_answer_judge import SingleAnswerJudge

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from epicene.core.records import Item, Outcome

OUTCOMES: tuple[Outcome, ...] = ("right", "wrong", "undetected")


def outcome_shares(
    asked: Mapping[str, Any], document: Mapping[str, Any], texts: Sequence[str]
) -> dict[str, float]:
    """The share of each outcome among the texts of one document; empty if none is judged.

    `asked` is the content of asked.json: the suite, its version and the protocol; and the folder,
    if a file in it defines the suite.
    """
    judge, kind = _judge_of(msgspec.json.encode(asked))
    item = msgspec.json.decode(document["record"], type=kind)
    answer = Texts(texts=tuple(Text(text=text) for text in texts))
    judged = judge.outcomes(item, document["stage"], document["role"], document["request"], answer)
    if not judged:
        return {}
    return {outcome: judged.count(outcome) / len(judged) for outcome in OUTCOMES}


@lru_cache(maxsize=8)
def _judge_of(asked: bytes) -> tuple[SingleAnswerJudge, type[Item]]:
    """The suite's judge under the protocol, and its items' type."""
    content = msgspec.json.decode(asked)
    file = content.get("suite_file")
    suite = find_suite(str(Path(content["folder"]) / file) if file else content["suite"])
    name = content["protocol"]["name"]
    if suite.version != content["version"] or name not in suite.protocols:
        raise InputError(
            f"These tasks were exported from version {content['version']} of the suite "
            f"{suite.name}, but the installed version is {suite.version}; export them again."
        )
    protocol = msgspec.convert(content["protocol"], type(suite.protocols[name]))
    return SingleAnswerJudge(suite, protocol), suite.item
