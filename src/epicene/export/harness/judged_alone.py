"""What a suite's judge says of one answer alone.

A run judges an item with all its answers; the harness has one at a time. Suites whose judge takes
an item's answers one by one can be judged there too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from epicene.records import Scores, Text, Texts, TextScore
from epicene.suites import Answers, Given

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epicene.records import Answer, Generate, Item, Outcome, Score
    from epicene.suites import Protocol, Stage, Suite

# So much likelier than the others that no way to count it by units leaves a doubt.
_CERTAIN, _HARDLY = 0.0, -1e9


class NotAloneError(Exception):
    """The judge wants more than one answer at a time."""


class LoneJudge:
    """A suite's judge, for one answer of one item at a time."""

    def __init__(self, suite: Suite[Any, Any], protocol: Protocol) -> None:
        self._suite = suite
        self._protocol = protocol
        self._takes_texts: dict[tuple[str, str], bool] = {}

    def outcomes(
        self, item: Item, stage: str, role: str, request: str, answer: Answer
    ) -> list[Outcome]:
        """The outcomes of an answer to the request of that name."""
        answers = Answers([Given(stage, role, "", request, answer)])
        try:
            judged = list(self._suite.judge(item, answers, self._protocol))
        except ValueError as error:  # what `Answers.only` raises where there is none
            raise NotAloneError from error
        return [judgement.outcome for judgement in judged if judgement.outcome is not None]

    def right_text(self, item: Item, stage: Stage[Any, Any], request: Score) -> int | None:
        """The place of the text that is right where it is likeliest; None unless it is one."""
        right = [
            place
            for place in range(len(request.texts))
            if set(
                self.outcomes(
                    item, stage.name, stage.role, request.name, _preferring(place, request.texts)
                )
            )
            == {"right"}
        ]
        return right[0] if len(right) == 1 else None

    def takes_texts(self, item: Item, stage: Stage[Any, Any], request: Generate) -> bool:
        """Whether texts that answer requests of that name have an outcome; the first one tells."""
        name = stage.name, request.name
        if name not in self._takes_texts:
            answer = Texts(texts=(Text(text=""),) * request.samples)
            outcomes = self.outcomes(item, stage.name, stage.role, request.name, answer)
            self._takes_texts[name] = bool(outcomes)
        return self._takes_texts[name]


def _preferring(likeliest: int, texts: Sequence[str]) -> Scores:
    """Scores by which one text is by far the likeliest."""
    return Scores(
        texts=tuple(
            TextScore(
                logprobs=(_CERTAIN if place == likeliest else _HARDLY,),
                starts=(0,),
                ends=(len(text),),
                words=1,
                characters=1,
            )
            for place, text in enumerate(texts)
        ),
        method="causal",
    )
