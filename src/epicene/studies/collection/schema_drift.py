"""Which responses still fit a study whose `study.toml` was edited after people answered.

An edit may remove an item, a question or an option that answers are about. Such answers stay in the
database and count again once it is restored; until then they are left out everywhere.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from epicene.studies.design.answers import answer_problems, is_asked, pluralise, response_problems
from epicene.studies.design.schema import MarksQuestion, TagsQuestion
from epicene.studies.exchange.response_files import all_items

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
    """How many answers and decisions do not fit, and how many judgements are no longer whole.

    Those `lacking` an answer are counted by the question that is asked now.
    """

    left_out: int = 0
    incomplete: int = 0
    lacking: Mapping[str, int] = {}


class ValidResponses(NamedTuple):
    """The answers and decisions that fit, and what is amiss with the others."""

    responses: list[Response]
    settled: dict[tuple[str, str], Adjudication]
    gaps: DriftCounts

    @property
    def left_out(self) -> int:
        """How many answers and decisions do not fit."""
        return self.gaps.left_out

    @property
    def note(self) -> str:
        """What is left out or counts as missing, if anything does."""
        return " ".join(_drift_sentences(self.gaps))


def _drift_sentences(gaps: DriftCounts) -> Iterator[str]:
    if gaps.left_out:
        yield (
            f"Left out, and kept: {pluralise(gaps.left_out, 'answer')} to an item, question or "
            "option that study.toml no longer has; what is put back counts again."
        )
    if gaps.incomplete:
        named = ", ".join(f"{name} ({number})" for name, number in gaps.lacking.items())
        yield (
            f"Counted as missing, and kept: {pluralise(gaps.incomplete, 'judgement')} without an "
            f"answer to a question that study.toml asks now: {named}."
        )


def valid_responses(
    study: Study, responses: Iterable[Response], settled: Adjudications
) -> ValidResponses:
    """What fits of the responses and of what was settled."""
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
    decided = {
        about: each
        for about, each in settled.items()
        if (item := items.get(each.item)) and _is_valid_adjudication(study, item, each)
    }
    lacking = [[*_unanswered_questions(study, each)] for each in kept if each.item in asked]
    gaps = DriftCounts(
        left_out=left_out + len(settled) - len(decided),
        incomplete=sum(map(bool, lacking)),
        lacking=Counter(name for names in lacking for name in names),
    )
    return ValidResponses(kept, decided, gaps)


def _unanswered_questions(study: Study, response: Response) -> Iterator[str]:
    """The questions that a judgement would have to answer now, and does not."""
    for question in study.questions:
        needed = question.required and is_asked(question, response.answers)
        if needed and question.id not in response.answers:
            yield question.id


def complete_responses(study: Study, responses: Iterable[Response]) -> list[Response]:
    """The responses to the study's items that answer all that it asks now."""
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
    """Those that could be given now, in the order asked: one may depend on another that is gone."""
    kept: dict[str, AnswerValue] = {}
    for question in study.questions:
        answer = answers.get(question.id)
        if answer is None or not is_asked(question, kept):
            continue
        if isinstance(answer, tuple) and isinstance(question, TagsQuestion | MarksQuestion):
            # Without the tags or marks that are gone, the others still stand.
            answer = tuple(each for each in answer if _is_valid(question, item, (each,))) or answer
        if _is_valid(question, item, answer):
            kept[question.id] = answer
    return kept


def _expected_answers_intact(
    item: StudyItem, response: Response, answers: Mapping[str, AnswerValue]
) -> bool:
    """Whether what is left still tells if the person gave the answers that the item expects.

    Who answered a question that is gone must not fail an attention check for it.
    """
    return all(
        name in answers and answers[name] == response.answers.get(name) for name in item.expected
    )


def _is_valid(question: Question, item: StudyItem, answer: AnswerValue) -> bool:
    return not any(answer_problems(question, item, answer))


def _is_valid_adjudication(study: Study, item: StudyItem, settled: Adjudication) -> bool:
    return any(
        question.id == settled.question and _is_valid(question, item, settled.value)
        for question in study.questions
    )
