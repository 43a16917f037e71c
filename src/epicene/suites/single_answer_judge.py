"""Apply a suite's judge to one answer at a time, for suites whose judge needs only one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from epicene.core.records import Scores, Text, Texts, TextScore
from epicene.suites import AnsweredRequest, Answers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epicene.core.records import Answer, Generate, Item, Outcome, Score
    from epicene.suites import Protocol, Stage, Suite

# So much likelier than the others that it wins by any normalisation.
_CERTAIN, _IMPROBABLE = 0.0, -1e9


class NeedsAllAnswersError(Exception):
    """The judge needs more than one answer at a time."""


class SingleAnswerJudge:
    """A suite's judge, for one answer of one item at a time."""

    def __init__(self, suite: Suite[Any, Any], protocol: Protocol) -> None:
        self._suite = suite
        self._protocol = protocol
        self._takes_texts: dict[tuple[str, str], bool] = {}

    def outcomes(
        self, item: Item, stage: str, role: str, request: str, answer: Answer
    ) -> list[Outcome]:
        """The outcomes of an answer to the request of that name."""
        answers = Answers([AnsweredRequest(stage, role, "", request, answer)])
        try:
            judged = list(self._suite.judge(item, answers, self._protocol))
        except ValueError as error:  # raised by `Answers.only` if there is none
            raise NeedsAllAnswersError from error
        return [judgement.outcome for judgement in judged if judgement.outcome is not None]

    def right_text(self, item: Item, stage: Stage[Any, Any], request: Score) -> int | None:
        """The index of the only text that is right if it is the most likely; None if there is not
        exactly one."""
        right = [
            index
            for index in range(len(request.texts))
            if set(
                self.outcomes(
                    item,
                    stage.name,
                    stage.role,
                    request.name,
                    _scores_preferring(index, request.texts),
                )
            )
            == {"right"}
        ]
        return right[0] if len(right) == 1 else None

    def takes_texts(self, item: Item, stage: Stage[Any, Any], request: Generate) -> bool:
        """Whether texts that answer requests of that name have an outcome; decided by the first
        one."""
        name = stage.name, request.name
        if name not in self._takes_texts:
            answer = Texts(texts=(Text(text=""),) * request.samples)
            outcomes = self.outcomes(item, stage.name, stage.role, request.name, answer)
            self._takes_texts[name] = bool(outcomes)
        return self._takes_texts[name]


def _scores_preferring(likeliest: int, texts: Sequence[str]) -> Scores:
    """Scores with which one text is by far the most likely."""
    return Scores(
        texts=tuple(
            TextScore(
                logprobs=(_CERTAIN if index == likeliest else _IMPROBABLE,),
                starts=(0,),
                ends=(len(text),),
                words=1,
                characters=1,
            )
            for index, text in enumerate(texts)
        ),
        method="causal",
    )
