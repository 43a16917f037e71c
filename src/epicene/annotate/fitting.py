"""What of the answers fits the study as it is now.

Who edits `study.toml` after people answered may take out an item, a question or an option that
answers are about. Those stay in the database, and count again once it is put back; until then
they are left out wherever answers are shown, counted or written out.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from epicene.annotate.counting import counted
from epicene.studies import Mark, Tag
from epicene.studies.response_files import every_item
from epicene.studies.responses import answer_faults, is_asked, response_faults

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from epicene.annotate.adjudication import Decided
    from epicene.studies import AnswerValue, Question, Response, Settled, Study, StudyItem


class Gaps(NamedTuple):
    """How many answers and decisions do not fit, and how many judgements are no longer whole.

    Those `lacking` an answer are counted by the question that is asked now.
    """

    left_out: int = 0
    incomplete: int = 0
    lacking: Mapping[str, int] = {}


class Fitting(NamedTuple):
    """The answers and decisions that fit, and what is amiss with the others."""

    responses: list[Response]
    settled: dict[tuple[str, str], Settled]
    gaps: Gaps

    @property
    def left_out(self) -> int:
        """How many answers and decisions do not fit."""
        return self.gaps.left_out

    @property
    def note(self) -> str:
        """What is left out or counts as missing, if anything does."""
        return " ".join(_sentences(self.gaps))


def _sentences(gaps: Gaps) -> Iterator[str]:
    if gaps.left_out:
        yield (
            f"Left out, and kept: {counted(gaps.left_out, 'answer')} to an item, question or "
            "option that study.toml no longer has; what is put back counts again."
        )
    if gaps.incomplete:
        named = ", ".join(f"{name} ({number})" for name, number in gaps.lacking.items())
        yield (
            f"Counted as missing, and kept: {counted(gaps.incomplete, 'judgement')} without an "
            f"answer to a question that study.toml asks now: {named}."
        )


def fitting(study: Study, responses: Iterable[Response], settled: Decided) -> Fitting:
    """What fits of the responses and of what was settled."""
    items = {item.id: item for item in every_item(study)}
    asked = {item.id for item in study.items}
    kept, left_out = [], 0
    for response in responses:
        item = items.get(response.item)
        answers = {} if item is None else _answers(study, item, response.answers)
        if item is not None and answers == response.answers:
            kept.append(response)
            continue
        if item is not None and not _shows_attention(item, response, answers):
            answers = {}
        left_out += sum(answers.get(name) != given for name, given in response.answers.items())
        if answers:
            kept.append(msgspec.structs.replace(response, answers=answers))
    decided = {
        about: each
        for about, each in settled.items()
        if (item := items.get(each.item)) and _stands(study, item, each)
    }
    lacking = [[*_unanswered(study, each)] for each in kept if each.item in asked]
    gaps = Gaps(
        left_out=left_out + len(settled) - len(decided),
        incomplete=sum(map(bool, lacking)),
        lacking=Counter(name for names in lacking for name in names),
    )
    return Fitting(kept, decided, gaps)


def _unanswered(study: Study, response: Response) -> Iterator[str]:
    """The questions that a judgement would have to answer now, and does not."""
    for question in study.questions:
        needed = question.required and is_asked(question, response.answers)
        if needed and question.id not in response.answers:
            yield question.id


def whole_judgements(study: Study, responses: Iterable[Response]) -> list[Response]:
    """The responses to the study's items that answer all that it asks now."""
    items = {item.id: item for item in study.items}
    return [
        response
        for response in responses
        if (item := items.get(response.item))
        and not any(response_faults(study, item, response.answers))
    ]


def _answers(
    study: Study, item: StudyItem, answers: Mapping[str, AnswerValue]
) -> dict[str, AnswerValue]:
    """Those that could be given now, in the order asked: one may depend on another that is gone."""
    kept: dict[str, AnswerValue] = {}
    for question in study.questions:
        answer = answers.get(question.id)
        if answer is None or not is_asked(question, kept):
            continue
        if isinstance(answer, tuple) and isinstance(question, Tag | Mark):
            # Without the tags or marks that are gone, the others still stand.
            answer = tuple(each for each in answer if _fits(question, item, (each,))) or answer
        if _fits(question, item, answer):
            kept[question.id] = answer
    return kept


def _shows_attention(
    item: StudyItem, response: Response, answers: Mapping[str, AnswerValue]
) -> bool:
    """Whether what is left still tells if the person gave the answers that the item expects.

    Who answered a question that is gone must not fail an attention check for it.
    """
    return all(
        name in answers and answers[name] == response.answers.get(name) for name in item.expected
    )


def _fits(question: Question, item: StudyItem, answer: AnswerValue) -> bool:
    return not any(answer_faults(question, item, answer))


def _stands(study: Study, item: StudyItem, settled: Settled) -> bool:
    return any(
        question.id == settled.question and _fits(question, item, settled.value)
        for question in study.questions
    )
