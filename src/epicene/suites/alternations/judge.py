"""What is made of the answers: the likelier sentence, and the verb in the gap."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.suites.alternations import acceptability, cloze

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.records import Judgement
    from epicene.suites import Answers
    from epicene.suites.alternations.pairs import Pair
    from epicene.suites.alternations.protocol import AlternationsProtocol


def judge(pair: Pair, answers: Answers, protocol: AlternationsProtocol) -> Iterator[Judgement]:
    """Acceptability by every measure, and what fills the gap by every ranking."""
    yield from acceptability.judge(pair, answers, protocol)
    yield from cloze.judge(pair, answers, protocol)
