"""Read answers from submitted forms."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING

from epicene.studies.collection.participants import RejectedSubmissionError
from epicene.studies.design.answers import is_asked
from epicene.studies.design.schema import (
    ChoiceQuestion,
    MarksQuestion,
    NoteQuestion,
    Span,
    TagsQuestion,
    TextQuestion,
)
from epicene.studies.web.item_view import shuffled_choices

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from epicene.studies.design.schema import AnswerValue, Question, Study, StudyItem

_MARK_VALUE = re.compile(r"([0-9]{1,7})-([0-9]{1,7})(?::(.{1,100}))?")


def read_answers(
    study: Study, item: StudyItem, reader: str, values: Mapping[str, Sequence[str]]
) -> dict[str, AnswerValue]:
    """The answers to an item; what was not to be asked is left out, though the page may send it."""
    known = {question.id for question in study.questions}
    for name in values:
        if name not in known:
            raise RejectedSubmissionError(f"There is no question {name[:50]!r}.")
    answers: dict[str, AnswerValue] = {}
    for question in study.questions:
        if is_asked(question, answers):
            answer = read_answer(study, question, item, reader, values.get(question.id, ()))
            if answer is not None:
                answers[question.id] = answer
    return answers


def restore_answers(
    study: Study, item: StudyItem, reader: str, values: Mapping[str, Sequence[str]]
) -> dict[str, AnswerValue]:
    """What a form held, as far as it can stand in one again, whatever is wrong with it."""
    typed: dict[str, AnswerValue] = {}
    for question in study.questions:
        given = values.get(question.id, ())
        answer: AnswerValue | None = None
        if isinstance(question, TextQuestion | NoteQuestion):
            answer = given[0].replace("\r\n", "\n") if given else None
        else:
            with suppress(RejectedSubmissionError):
                answer = read_answer(study, question, item, reader, given)
        if answer is not None:
            typed[question.id] = answer
    return typed


def read_answer(
    study: Study, question: Question, item: StudyItem, reader: str, values: Sequence[str]
) -> AnswerValue | None:
    """The answer to a question; None where there is none."""
    given = [value for value in values if value.strip()]
    if isinstance(question, TagsQuestion | MarksQuestion):
        if not given and question.required:
            return None
        return tuple(map(_span, given)) if isinstance(question, MarksQuestion) else tuple(given)
    if not given:
        return None
    if len(given) > 1:
        raise RejectedSubmissionError(f"{question.id} has more than one answer.")
    if not isinstance(question, ChoiceQuestion):
        return given[0].replace("\r\n", "\n").strip()
    return _chosen(study, question, item, reader, given[0])


def _chosen(
    study: Study, question: ChoiceQuestion, item: StudyItem, reader: str, value: str
) -> str:
    """The option, or the text that stood at this place on the reader's page."""
    if not question.between:
        return value
    order = shuffled_choices(study, question, item, reader)
    if value not in {str(place + 1) for place in range(len(order))}:
        raise RejectedSubmissionError(f"{question.id} has no choice {value[:50]!r}.")
    return order[int(value) - 1]


def _span(value: str) -> Span:
    found = _MARK_VALUE.fullmatch(value)
    if found is None:
        raise RejectedSubmissionError(f"{value[:50]!r} marks nothing.")
    return Span(start=int(found[1]), end=int(found[2]), label=found[3] or "")
