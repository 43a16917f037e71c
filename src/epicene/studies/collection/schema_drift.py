"""Which responses still fit a study whose `study.toml` was edited after participants answered.

An edit may remove an item, a question or an option that answers are about. Such answers stay in the
database and count again once it is restored; until then they are excluded everywhere.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from epicene.core.errors import pluralise
from epicene.studies.design.answers import answer_problems, is_asked, response_problems
from epicene.studies.design.schema import MarksQuestion, TagsQuestion, all_items

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from epicene.studies.collection.adjudication import Adjudications
    from epicene.studies.design.schema import (
        Adjudication,
        AnswerValue,
        Question,
        Response,
        Study,
        StudyItem,
    )


class DriftCounts(NamedTuple):
    """How many answers and adjudications do not fit, and how many judgements are incomplete.

    `lacking` counts the missing answers by question.
    """

    left_out: int = 0
    incomplete: int = 0
    lacking: Mapping[str, int] = {}


class ValidResponses(NamedTuple):
    """The responses and adjudications that fit, and counts of the others."""

    responses: list[Response]
    adjudications: dict[tuple[str, str], Adjudication]
    drift: DriftCounts

    @property
    def note(self) -> str:
        """Sentences about what is left out or incomplete; empty if nothing is."""
        return " ".join(_drift_sentences(self.drift))


def _drift_sentences(drift: DriftCounts) -> Iterator[str]:
    if drift.left_out:
        yield (
            f"Not counted, but kept: {pluralise(drift.left_out, 'answer')} to an item, question "
            "or option that study.toml no longer has; if you restore it, they count again."
        )
    if drift.incomplete:
        named = ", ".join(f"{name} ({number})" for name, number in drift.lacking.items())
        yield (
            f"Counted as missing, but kept: {pluralise(drift.incomplete, 'judgement')} without "
            f"an answer to a question that study.toml now asks: {named}."
        )


def valid_responses(
    study: Study, responses: Iterable[Response], adjudications: Adjudications
) -> ValidResponses:
    """The responses and adjudications that fit the study as it is now."""
    items = {item.id: item for item in all_items(study)}
    asked = {item.id for item in study.items}
    kept, left_out = [], 0
    for response in responses:
        item = items.get(response.item)
        answers = {} if item is None else _valid_answers(study, item, response.answers)
        if item is not None and answers == response.answers:
            kept.append(response)
            continue
        if item is not None and not _expected_answers_intact(item, response, answers):
            answers = {}
        left_out += sum(answers.get(name) != given for name, given in response.answers.items())
        if answers:
            kept.append(msgspec.structs.replace(response, answers=answers))
    valid = {
        about: each
        for about, each in adjudications.items()
        if (item := items.get(each.item)) and _is_valid_adjudication(study, item, each)
    }
    lacking = [[*_unanswered_questions(study, each)] for each in kept if each.item in asked]
    drift = DriftCounts(
        left_out=left_out + len(adjudications) - len(valid),
        incomplete=sum(map(bool, lacking)),
        lacking=Counter(name for names in lacking for name in names),
    )
    return ValidResponses(kept, valid, drift)


def _unanswered_questions(study: Study, response: Response) -> Iterator[str]:
    """The required questions that a response does not answer."""
    for question in study.questions:
        needed = question.required and is_asked(question, response.answers)
        if needed and question.id not in response.answers:
            yield question.id


def complete_responses(study: Study, responses: Iterable[Response]) -> list[Response]:
    """The responses to the study's items that answer everything it asks now."""
    items = {item.id: item for item in study.items}
    return [
        response
        for response in responses
        if (item := items.get(response.item))
        and not any(response_problems(study, item, response.answers))
    ]


def _valid_answers(
    study: Study, item: StudyItem, answers: Mapping[str, AnswerValue]
) -> dict[str, AnswerValue]:
    """The answers that are still possible; one may depend on another that is gone."""
    kept: dict[str, AnswerValue] = {}
    for question in study.questions:
        answer = answers.get(question.id)
        if answer is None or not is_asked(question, kept):
            continue
        if isinstance(answer, tuple) and isinstance(question, TagsQuestion | MarksQuestion):
            # Tags or marks that are gone do not invalidate the others.
            answer = tuple(each for each in answer if _is_valid(question, item, (each,))) or answer
        if _is_valid(question, item, answer):
            kept[question.id] = answer
    return kept


def _expected_answers_intact(
    item: StudyItem, response: Response, answers: Mapping[str, AnswerValue]
) -> bool:
    """Whether the remaining answers still show if the response is as the item expects.

    An attention check must not be failed because a question or option was removed.
    """
    return all(
        name in answers and answers[name] == response.answers.get(name) for name in item.expected
    )


def _is_valid(question: Question, item: StudyItem, answer: AnswerValue) -> bool:
    return not any(answer_problems(question, item, answer))


def _is_valid_adjudication(study: Study, item: StudyItem, decision: Adjudication) -> bool:
    return any(
        question.id == decision.question and _is_valid(question, item, decision.value)
        for question in study.questions
    )
