"""Read Label Studio exports (format JSON) as responses.

`label_studio_project` writes the project that is read here. An export is a list of tasks, each with
the data of an item and an annotation per participant; controls are named after the questions.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from epicene.core.data_files import FileRow, parse_json, read_rows, read_text
from epicene.core.errors import InputError, as_sentence, unknown_name
from epicene.studies.design.answers import choice_ids, is_asked
from epicene.studies.design.schema import (
    ChoiceQuestion,
    MarksQuestion,
    Span,
    TagsQuestion,
    all_items,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from epicene.studies.design.schema import AnswerValue, Option, Question, Study, StudyItem

# Keys of a task's data that identify the item; no field has these names (`safe_names`)
ITEM_KEY, STUDY_KEY = "epicene__item", "epicene__study"
# The label of marks if the study has none
UNLABELLED_MARK = "marked"

_SAFE = re.compile(r"(?!.*__)[A-Za-z][A-Za-z0-9_]*")


def safe_names(names: Sequence[str], otherwise: str) -> dict[str, str]:
    """Names that Label Studio accepts: the name itself, or a numbered one if it has other signs."""
    return {
        name: name if _SAFE.fullmatch(name) else f"{otherwise}__{number}"
        for number, name in enumerate(names, start=1)
    }


def control_names(study: Study) -> dict[str, str]:
    """The names of the controls, by question."""
    return safe_names([question.id for question in study.questions], "question")


def in_all_languages(words: Mapping[str, str]) -> str:
    """The text in all languages: a project has no language setting."""
    return " / ".join(dict.fromkeys(words.values()))


def escape_dollars(text: str) -> str:
    """The text with a joiner after each `$`, which begins a field name and has no escape."""
    return text.replace("$", "$\N{WORD JOINER}")


# --- reading ---------------------------------------------------------------------------------


def is_export(path: Path) -> bool:
    """Whether a file is a list of tasks with annotations."""
    if path.suffix.lower() != ".json":
        return False
    try:
        tasks = parse_json(read_text(path), str(path))
    except InputError:
        return False  # reading it as our own format says what is wrong
    return isinstance(tasks, list) and any(
        isinstance(task, dict) and {"data", "annotations"} <= task.keys() for task in tasks
    )


class _Value(msgspec.Struct, frozen=True):
    """The value of a control: choices, a text, or a mark."""

    choices: str | tuple[str, ...] = ()
    text: str | tuple[str, ...] = ()
    labels: str | tuple[str, ...] = ()
    start: int | None = None
    end: int | None = None


class _Result(msgspec.Struct, frozen=True):
    value: _Value = _Value()
    from_name: str | None = None  # a relation between two marks has none


class _User(msgspec.Struct, frozen=True):
    id: int | None = None
    email: str = ""


class _Annotation(msgspec.Struct, frozen=True):
    """One participant's work on a task."""

    result: tuple[_Result, ...] | None = None
    completed_by: int | str | _User | None = None
    was_cancelled: bool | None = False
    created_at: str | None = None
    lead_time: float | None = None


class _Task(msgspec.Struct, frozen=True):
    data: dict[str, Any]
    annotations: tuple[_Annotation, ...]


def read_export(path: Path, study: Study) -> Iterator[FileRow]:
    """A row per annotation, without those that were skipped."""
    items = {item.id: item for item in all_items(study)}
    for location, values in read_rows(path):
        try:
            task = msgspec.convert(values, _Task, strict=False)
        except msgspec.ValidationError as error:
            raise InputError(
                f"{location} does not fit: {error}; export the project in the format JSON."
            ) from None
        item = items.get(str(task.data.get(ITEM_KEY)))
        if item is None:
            raise InputError(
                f"{location} does not belong to the study {study.name!r}: {ITEM_KEY!r} in its "
                "data names none of the study's items."
            )
        for annotation in task.annotations:
            if not annotation.was_cancelled:
                row = {
                    "study": task.data.get(STUDY_KEY, study.name),
                    "item": item.id,
                    "participant": _person(annotation.completed_by),
                    "at": annotation.created_at,
                    "seconds": annotation.lead_time,
                    "answers": _answers(location, study, item, annotation.result or ()),
                }
                yield FileRow(location, row)


def _person(completed_by: int | str | _User | None) -> str:
    """The e-mail address if the export has it, else the number."""
    if isinstance(completed_by, _User):
        completed_by = completed_by.email or completed_by.id
    return "" if completed_by is None else str(completed_by)


def _answers(
    location: str, study: Study, item: StudyItem, results: Sequence[_Result]
) -> dict[str, Any]:
    """The answers by question, without leftovers in controls that were hidden again."""
    names = {control: question for question, control in control_names(study).items()}
    given: dict[str, list[_Value]] = {}
    for result in results:
        if result.from_name is None:
            continue
        if result.from_name not in names:
            raise InputError(
                f"{location} {as_sentence(unknown_name('control', result.from_name, names))}"
            )
        given.setdefault(names[result.from_name], []).append(result.value)
    answers: dict[str, AnswerValue] = {}
    for question in study.questions:
        if question.id in given and is_asked(question, answers):
            answer = _answer(location, question, item, given[question.id])
            if answer is not None:
                answers[question.id] = answer
    plain: dict[str, Any] = msgspec.to_builtins(answers)
    return plain


def _answer(
    location: str, question: Question, item: StudyItem, values: Sequence[_Value]
) -> AnswerValue | None:
    if isinstance(question, MarksQuestion):
        spans = {span for value in values for span in _spans(location, question, item, value)}
        return tuple(sorted(spans, key=lambda span: (span.start, span.end, span.label)))
    chosen = list(dict.fromkeys(name for value in values for name in _as_tuple(value.choices)))
    if isinstance(question, TagsQuestion):
        ids = _option_ids(question.options)
        return tuple(ids.get(name, name) for name in chosen)
    if isinstance(question, ChoiceQuestion):
        return _chosen(question, item, chosen[0]) if chosen else None
    return "\n".join(text for value in values for text in _as_tuple(value.text)) or None


def _as_tuple(held: str | tuple[str, ...]) -> tuple[str, ...]:
    return (held,) if isinstance(held, str) else held


def _option_ids(options: Sequence[Option]) -> dict[str, str]:
    """Option ids by what an export may contain: the id (as alias) or the shown text."""
    shown_as = {escape_dollars(in_all_languages(each.label)): each.id for each in options}
    return shown_as | {each.id: each.id for each in options}


def _chosen(question: ChoiceQuestion, item: StudyItem, chosen: str) -> str:
    if question.between:
        by_text = {escape_dollars(item.fields[name]): name for name in choice_ids(question)}
        return by_text.get(chosen, chosen)
    return _option_ids(question.options).get(chosen, chosen)


def _spans(
    location: str, question: MarksQuestion, item: StudyItem, value: _Value
) -> Iterator[Span]:
    if value.start is None or value.end is None:
        raise InputError(f"{location} {question.id} does not give the characters it marks.")
    text, marked = item.fields[question.field], value.text
    start, end = _character_span(
        location,
        question.id,
        text,
        (value.start, value.end),
        marked if isinstance(marked, str) else None,
    )
    ids = _option_ids(question.labels)
    for label in _as_tuple(value.labels) or ("",):
        yield Span(start=start, end=end, label=ids.get(label, label) if ids else "")


def _character_span(
    location: str, name: str, text: str, found: tuple[int, int], marked: str | None
) -> tuple[int, int]:
    """The span in characters; older versions of Label Studio count UTF-16 units."""
    wide = text.encode("utf-16-le")
    units = tuple(len(wide[: 2 * at].decode("utf-16-le", "ignore")) for at in found)
    for start, end in (found, units):
        if marked is None or _normalise_line_breaks(text[start:end]) == _normalise_line_breaks(
            marked
        ):
            return start, end
    raise InputError(
        f"{location} {name} marks {marked!r} at characters {found[0]} to {found[1]}, where the "
        f"study has {text[found[0] : found[1]]!r}; check whether the text of the task was changed."
    )


def _normalise_line_breaks(text: str) -> str:
    r"""The text with uniform line breaks: Label Studio writes them all as `\\n`."""
    return text.replace("\\n", "\n").replace("\r", "\n")
