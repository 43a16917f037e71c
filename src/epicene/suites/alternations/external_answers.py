"""Read external answers in a short form: the scores of a pair's sentences, or which one was
chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from epicene.core.errors import InputError
from epicene.core.records import Choice, Scores, TextScore
from epicene.suites.alternations.ask import scores_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from epicene.core.records import Answer
    from epicene.suites.alternations.items import Pair
    from epicene.suites.alternations.protocol import AlternationsProtocol

GIVEN = "as given"  # the measure of scores that are one number per sentence
GOOD, BAD = "good", "bad"
CHOICE = "choice"  # the measure of choices, which have no scores


def read_answer_row(
    values: Mapping[str, Any], pair: Pair, protocol: AlternationsProtocol
) -> tuple[str, Answer] | None:
    """`good` and `bad`, a score each; or `choice`: good, bad, one of the sentences, or nothing."""
    name = scores_name(protocol.maskings[0])
    if GOOD in values or BAD in values:
        if not (GOOD in values and BAD in values):
            raise InputError(
                f"the pair {pair.id!r} has only one of the two scores `good` and `bad`."
            )
        texts = zip((pair.good, pair.bad), (values[GOOD], values[BAD]), strict=True)
        scored = tuple(_score(pair, text, number) for text, number in texts)
        return name, Scores(texts=scored, method=GIVEN)
    if CHOICE in values:
        return name, Choice(choice=_choice(pair, values[CHOICE]))
    return None


def _score(pair: Pair, text: str, value: Any) -> TextScore:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InputError(f"the score {value!r} of the pair {pair.id!r} is not a number.") from None
    return TextScore(logprobs=(number,), starts=(0,), ends=(len(text),), words=0, characters=0)


def _choice(pair: Pair, value: Any) -> str | None:
    names = {GOOD: GOOD, BAD: BAD, pair.good: GOOD, pair.bad: BAD, "": None, None: None}
    if value not in names:
        raise InputError(
            f"the choice {value!r} of the pair {pair.id!r} must be good, bad or one of its "
            "sentences."
        )
    return names[value]
