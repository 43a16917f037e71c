"""Exports of Label Studio as rows of whole responses.

`label_studio_project` writes the project whose answers are read here. An export in the format
`JSON` holds tasks; each has the data that we gave it and an annotation per person. Answers are
known by the names that the project's controls have.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import msgspec

from epicene.datafiles import Line, read_rows
from epicene.errors import InputError
from epicene.studies import Choose, Mark, Span, Tag
from epicene.studies.responses import choices, is_asked, no_such, sentence

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from epicene.studies import AnswerValue, Option, Question, Study, StudyItem

# In a task's data: what the answers are about. No field is called so (`safe_names`).
ITEM, STUDY = "epicene__item", "epicene__study"
# What a mark is called where the study has no labels for marks.
MARKED = "marked"

_SAFE = re.compile(r"(?!.*__)[A-Za-z][A-Za-z0-9_]*")


def safe_names(names: Sequence[str], otherwise: str) -> dict[str, str]:
    """Each name as Label Studio can take it: itself, or a number where it has other signs."""
    return {
        name: name if _SAFE.fullmatch(name) else f"{otherwise}__{number}"
        for number, name in enumerate(names, start=1)
    }


def control_names(study: Study) -> dict[str, str]:
    """The names of the controls by question."""
    return safe_names([question.id for question in study.questions], "question")


def said(words: Mapping[str, str]) -> str:
    """A text in all its languages: a project has no language of its own."""
    return " / ".join(dict.fromkeys(words.values()))


def literal(text: str) -> str:
    """A text in which Label Studio finds no name of a field: `$` begins one and has no escape."""
    return text.replace("$", "$\N{WORD JOINER}")


# --- reading ---------------------------------------------------------------------------------


def is_export(path: Path) -> bool:
    """Whether a file is a list of tasks with annotations."""
    if path.suffix.lower() != ".json":
        return False
    try:
        tasks = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(tasks, list) and any(
        isinstance(task, dict) and {"data", "annotations"} <= task.keys() for task in tasks
    )


class _Value(msgspec.Struct, frozen=True):
    """What a control holds: of choices, of a text, or of a mark."""

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
    """What one person did with a task."""

    result: tuple[_Result, ...] | None = None
    completed_by: int | str | _User | None = None
    was_cancelled: bool | None = False
    created_at: str | None = None
    lead_time: float | None = None


class _Task(msgspec.Struct, frozen=True):
    data: dict[str, Any]
    annotations: tuple[_Annotation, ...]


def read_export(path: Path, study: Study) -> Iterator[Line]:
    """A row per annotation, those that were skipped left out."""
    items = {
        item.id: item
        for part in (study.practice, study.checks, study.fillers, study.items)
        for item in part
    }
    for place, values in read_rows(path):
        try:
            task = msgspec.convert(values, _Task, strict=False)
        except msgspec.ValidationError as error:
            raise InputError(
                f"{place} does not fit: {error}; export the project in the format JSON."
            ) from None
        item = items.get(str(task.data.get(ITEM)))
        if item is None:
            raise InputError(
                f"{place} is not of the study {study.name!r}: its data name no item of it in "
                f"{ITEM!r}."
            )
        for annotation in task.annotations:
            if not annotation.was_cancelled:
                row = {
                    "study": task.data.get(STUDY, study.name),
                    "item": item.id,
                    "participant": _person(annotation.completed_by),
                    "at": annotation.created_at,
                    "seconds": annotation.lead_time,
                    "answers": _answers(place, study, item, annotation.result or ()),
                }
                yield Line(place, row)


def _person(completed_by: int | str | _User | None) -> str:
    """By address where the export tells it, else by number."""
    if isinstance(completed_by, _User):
        completed_by = completed_by.email or completed_by.id
    return "" if completed_by is None else str(completed_by)


def _answers(
    place: str, study: Study, item: StudyItem, results: Sequence[_Result]
) -> dict[str, Any]:
    """The answers by question; what a hidden control still held is no answer."""
    names = {control: question for question, control in control_names(study).items()}
    given: dict[str, list[_Value]] = {}
    for result in results:
        if result.from_name is None:
            continue
        if result.from_name not in names:
            raise InputError(f"{place} {sentence(no_such('control', result.from_name, names))}")
        given.setdefault(names[result.from_name], []).append(result.value)
    answers: dict[str, AnswerValue] = {}
    for question in study.questions:
        if question.id in given and is_asked(question, answers):
            answer = _answer(place, question, item, given[question.id])
            if answer is not None:
                answers[question.id] = answer
    plain: dict[str, Any] = msgspec.to_builtins(answers)
    return plain


def _answer(
    place: str, question: Question, item: StudyItem, values: Sequence[_Value]
) -> AnswerValue | None:
    if isinstance(question, Mark):
        spans = {span for value in values for span in _spans(place, question, item, value)}
        return tuple(sorted(spans, key=lambda span: (span.start, span.end, span.label)))
    chosen = list(dict.fromkeys(name for value in values for name in _listed(value.choices)))
    if isinstance(question, Tag):
        ids = _ids(question.options)
        return tuple(ids.get(name, name) for name in chosen)
    if isinstance(question, Choose):
        return _chosen(question, item, chosen[0]) if chosen else None
    return "\n".join(text for value in values for text in _listed(value.text)) or None


def _listed(held: str | tuple[str, ...]) -> tuple[str, ...]:
    return (held,) if isinstance(held, str) else held


def _ids(options: Sequence[Option]) -> dict[str, str]:
    """Ids by what an export may call an option: its alias, which is its id, or what is shown."""
    shown_as = {literal(said(each.label)): each.id for each in options}
    return shown_as | {each.id: each.id for each in options}


def _chosen(question: Choose, item: StudyItem, chosen: str) -> str:
    if question.between:
        by_text = {literal(item.fields[name]): name for name in choices(question)}
        return by_text.get(chosen, chosen)
    return _ids(question.options).get(chosen, chosen)


def _spans(place: str, question: Mark, item: StudyItem, value: _Value) -> Iterator[Span]:
    if value.start is None or value.end is None:
        raise InputError(f"{place} {question.id} does not say which characters it marks.")
    text, marked = item.fields[question.field], value.text
    start, end = _counted(
        place,
        question.id,
        text,
        (value.start, value.end),
        marked if isinstance(marked, str) else None,
    )
    ids = _ids(question.labels)
    for label in _listed(value.labels) or ("",):
        yield Span(start=start, end=end, label=ids.get(label, label) if ids else "")


def _counted(
    place: str, name: str, text: str, found: tuple[int, int], marked: str | None
) -> tuple[int, int]:
    """The place in characters; older versions of Label Studio counted UTF-16 units."""
    wide = text.encode("utf-16-le")
    units = tuple(len(wide[: 2 * at].decode("utf-16-le", "ignore")) for at in found)
    for start, end in (found, units):
        if marked is None or _one_break(text[start:end]) == _one_break(marked):
            return start, end
    raise InputError(
        f"{place} {name} marks {marked!r} at characters {found[0]} to {found[1]}, where the study "
        f"has {text[found[0] : found[1]]!r}; was the text of the task changed?"
    )


def _one_break(text: str) -> str:
    r"""With every break of a line written alike: Label Studio writes each as `\\n`, `\\r` too."""
    return text.replace("\\n", "\n").replace("\r", "\n")
