"""One answer as one cell of a sheet, for people to fill in and programs to read back.

A choice is its id, a text is itself. Tags are ids separated by `;`. Marks are characters `12-16`,
or words of the text, each meaning every occurrence; a label follows a colon.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

import regex

from epicene.studies.design.schema import (
    ChoiceQuestion,
    MarksQuestion,
    Question,
    Span,
    TagsQuestion,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.studies.design.schema import AnswerValue, StudyItem

_CHARACTERS = regex.compile(r"(\d+)-(\d+)")


class CellError(ValueError):
    """The problem of a cell, worded to follow the question's id."""


def answer_to_cell(answer: AnswerValue) -> str:
    """The answer as the text of a cell."""
    if isinstance(answer, str):
        return answer
    return "; ".join(one if isinstance(one, str) else _span_to_cell(one) for one in answer)


def _span_to_cell(span: Span) -> str:
    return f"{span.start}-{span.end}" + (f":{span.label}" if span.label else "")


def answer_from_cell(question: Question, item: StudyItem, cell: str) -> AnswerValue | None:
    """The answer in a cell; None if it is empty.

    For optional tags and marks an empty cell is an answer: there are none.
    """
    if isinstance(question, TagsQuestion | MarksQuestion):
        parts = [part.strip() for part in cell.split(";") if part.strip()]
        if not parts and question.required:
            return None
        if isinstance(question, TagsQuestion):
            return tuple(parts)
        return tuple(dict.fromkeys(span for part in parts for span in _spans(question, item, part)))
    if not cell.strip():
        return None
    return cell.strip() if isinstance(question, ChoiceQuestion) else cell


def _spans(question: MarksQuestion, item: StudyItem, part: str) -> Iterator[Span]:
    words, label = part, ""
    if question.labels:
        words, _, label = (piece.strip() for piece in part.rpartition(":"))
        if not words:
            raise CellError(f"has no label for {part!r}; write WORD:LABEL")
    if found := _CHARACTERS.fullmatch(words):
        yield Span(start=int(found[1]), end=int(found[2]), label=label)
        return
    spans = list(_find_words(words, item.fields[question.field]))
    if not spans:
        raise CellError(f"marks {words!r}, which {question.field} does not contain")
    yield from (Span(start=start, end=end, label=label) for start, end in spans)


def _find_words(wanted: str, text: str) -> Iterator[tuple[int, int]]:
    """All occurrences of the words, in any case, and not inside a longer word.

    An apostrophe or a hyphen ends a word here: "girl" is found in "girl's".
    """
    for found in regex.finditer(regex.escape(wanted), text, regex.IGNORECASE):
        beside = text[: found.start()][-1:] + text[found.end() :][:1]
        if not any(unicodedata.category(sign)[0] in "LMN" for sign in beside):
            yield found.start(), found.end()
