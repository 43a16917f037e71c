"""Which answers a question accepts, problems of a response, and when two answers are equal."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from epicene.core.errors import unknown_name
from epicene.languages.normalisers import nfc
from epicene.studies.design.schema import (
    AnswerValue,
    ChoiceQuestion,
    MarksQuestion,
    Question,
    Response,
    Span,
    Study,
    StudyItem,
    TagsQuestion,
    TextQuestion,
)

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping

    from epicene.studies.design.schema import Option


UNCHANGED = "is the unchanged draft"  # the problem of a text that should differ from it


def responses_by_item(responses: Iterable[Response]) -> defaultdict[str, list[Response]]:
    """The responses to each item; none to others."""
    by_item = defaultdict(list)
    for response in responses:
        by_item[response.item].append(response)
    return by_item


def response_problems(
    study: Study, item: StudyItem, answers: Mapping[str, AnswerValue]
) -> Iterator[str]:
    """All problems of the answers to an item."""
    known = {question.id for question in study.questions}
    for name in answers:
        if name not in known:
            yield unknown_name("question", name, known)
    for question in study.questions:
        answer, asked = answers.get(question.id), is_asked(question, answers)
        if answer is None:
            if asked and question.required:
                yield f"{question.id} has no answer"
        elif not asked:
            yield f"{question.id} should not have been asked"
        else:
            yield from (
                f"{question.id} {fault}" for fault in answer_problems(question, item, answer)
            )


def is_asked(question: Question, answers: Mapping[str, AnswerValue]) -> bool:
    """Whether a question is asked, given the answers to earlier ones."""
    for name, wanted in question.when.items():
        given = answers.get(name, ())
        chosen = {given} if isinstance(given, str) else set(given)
        if chosen.isdisjoint(wanted):
            return False
    return True


def options_of(question: Question) -> tuple[Option, ...]:
    """The options of a choice or tags question, or the labels of a marks question."""
    if isinstance(question, MarksQuestion):
        return question.labels
    return question.options if isinstance(question, ChoiceQuestion | TagsQuestion) else ()


def choice_ids(question: Question) -> tuple[str, ...]:
    """The ids of the choices that a question offers; empty for texts, marks and notes."""
    if not isinstance(question, ChoiceQuestion | TagsQuestion):
        return ()
    ids = tuple(option.id for option in question.options)
    return ids + question.between if isinstance(question, ChoiceQuestion) else ids


def answer_problems(question: Question, item: StudyItem, answer: AnswerValue) -> Iterator[str]:
    """All problems of one answer, each worded to follow the question's id."""
    if isinstance(question, TagsQuestion | MarksQuestion):
        if isinstance(answer, str):
            yield "must have a list as its answer, not a text"
        elif question.required and not answer:
            yield "has an empty answer"
        else:
            yield from _list_problems(question, item, answer)
    elif not isinstance(answer, str):
        yield "must have a text as its answer, not a list"
    elif question.required and not answer.strip():
        yield "has an empty answer"
    elif isinstance(question, ChoiceQuestion) and answer not in choice_ids(question):
        yield f"has no choice {answer!r}"
    elif isinstance(question, TextQuestion):
        if question.same_words:
            wanted, given = len(item.fields[question.source].split()), len(answer.split())
            if given != wanted:
                yield f"has {given} words, but {question.source} has {wanted}"
        if question.changed and comparison_key(answer) == comparison_key(
            item.fields[question.draft]
        ):
            yield UNCHANGED


def _list_problems(
    question: TagsQuestion | MarksQuestion, item: StudyItem, answer: tuple[str | Span, ...]
) -> Iterator[str]:
    if len(set(answer)) < len(answer):
        yield "contains the same answer twice"
    for one in answer:
        if isinstance(question, MarksQuestion):
            yield from _span_problems(question, item.fields[question.field], one)
        elif one not in choice_ids(question):
            yield f"has no choice {one!r}"


def _span_problems(question: MarksQuestion, text: str, span: str | Span) -> Iterator[str]:
    if not isinstance(span, Span):
        yield f"must be answered by marked characters, not by {span!r}"
    elif not 0 <= span.start < span.end <= len(text):
        yield f"marks characters {span.start} to {span.end} of a text of {len(text)}"
    elif span.label not in ([option.id for option in question.labels] or [""]):
        yield f"has no label {span.label!r}"


def normalise_answer(answer: AnswerValue) -> AnswerValue:
    """The answer in Unicode normal form C: keyboards differ in how they write accents."""
    if isinstance(answer, str):
        return nfc(answer)
    return tuple(nfc(one) if isinstance(one, str) else one for one in answer)


def comparison_key(answer: AnswerValue) -> Hashable:
    """A key that is equal for equivalent answers.

    It ignores runs of blanks, the order of tags and marks, and Unicode normalisation.
    """
    answer = normalise_answer(answer)
    return " ".join(answer.split()) if isinstance(answer, str) else frozenset(answer)


def matches_expected(item: StudyItem, response: Response) -> bool:
    """Whether a response gives every answer that the item expects."""
    return all(
        name in response.answers
        and comparison_key(response.answers[name]) == comparison_key(wanted)
        for name, wanted in item.expected.items()
    )
