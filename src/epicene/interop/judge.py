"""Judge one document at a time with the suite's judge; exported tasks import this."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec

from epicene.core.errors import InputError
from epicene.core.records import Text, Texts
from epicene.suites import find_suite
from epicene.suites.single_answer_judge import SingleAnswerJudge

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from epicene.core.records import Item, Outcome

OUTCOMES: tuple[Outcome, ...] = ("right", "wrong", "undetected")


def outcome_shares(
    folder: Path, document: Mapping[str, Any], texts: Sequence[str]
) -> dict[str, float]:
    """The share of each outcome among the texts of one document; empty if none is judged."""
    judge, kind = _judge_of(folder)
    item = msgspec.json.decode(document["record"], type=kind)
    answer = Texts(texts=tuple(Text(text=text) for text in texts))
    judged = judge.outcomes(item, document["stage"], document["role"], document["request"], answer)
    if not judged:
        return {}
    return {outcome: judged.count(outcome) / len(judged) for outcome in OUTCOMES}


@lru_cache(maxsize=8)
def _judge_of(folder: Path) -> tuple[SingleAnswerJudge, type[Item]]:
    """The judge of the suite and protocol that a folder's asked.json names, and its items' type."""
    asked = msgspec.json.decode((folder / "asked.json").read_bytes())
    file = asked.get("suite_file")
    suite = find_suite(str(folder / file) if file else asked["suite"])
    name = asked["protocol"]["name"]
    if suite.version != asked["version"] or name not in suite.protocols:
        raise InputError(
            f"These tasks were exported from version {asked['version']} of the suite "
            f"{suite.name}, but the installed version is {suite.version}; export them again."
        )
    protocol = msgspec.convert(asked["protocol"], type(suite.protocols[name]))
    return SingleAnswerJudge(suite, protocol), suite.item
