"""Read Label Studio exports (format JSON) as responses.

`label_studio_project` writes the project whose answers are read here. An export holds tasks; each
has the data we gave it and an annotation per person. Answers are found by the names of the
project's controls.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import msgspec

from epicene.core.data_files import FileRow, read_rows
from epicene.core.errors import InputError
from epicene.studies.design.answers import as_sentence, choice_ids, is_asked, unknown_name
from epicene.studies.design.schema import ChoiceQuestion, MarksQuestion, Span, TagsQuestion

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from epicene.studies.design.schema import AnswerValue, Option, Question, Study, StudyItem

# In a task's data: what the answers are about. No field is called so (`safe_names`).
ITEM_KEY, STUDY_KEY = "epicene__item", "epicene__study"
# What a mark is called where the study has no labels for marks.
UNLABELLED_MARK = "marked"

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


def in_all_languages(words: Mapping[str, str]) -> str:
    """A text in all its languages: a project has no language of its own."""
    return " / ".join(dict.fromkeys(words.values()))


def escape_dollars(text: str) -> str:
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


def read_export(path: Path, study: Study) -> Iterator[FileRow]:
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
        item = items.get(str(task.data.get(ITEM_KEY)))
        if item is None:
            raise InputError(
                f"{place} is not of the study {study.name!r}: its data name no item of it in "
                f"{ITEM_KEY!r}."
            )
        for annotation in task.annotations:
            if not annotation.was_cancelled:
                row = {
                    "study": task.data.get(STUDY_KEY, study.name),
                    "item": item.id,
                    "participant": _person(annotation.completed_by),
                    "at": annotation.created_at,
                    "seconds": annotation.lead_time,
                    "answers": _answers(place, study, item, annotation.result or ()),
                }
                yield FileRow(place, row)


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
            raise InputError(
                f"{place} {as_sentence(unknown_name('control', result.from_name, names))}"
            )
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
    if isinstance(question, MarksQuestion):
        spans = {span for value in values for span in _spans(place, question, item, value)}
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
    """Ids by what an export may call an option: its alias, which is its id, or what is shown."""
    shown_as = {escape_dollars(in_all_languages(each.label)): each.id for each in options}
    return shown_as | {each.id: each.id for each in options}


def _chosen(question: ChoiceQuestion, item: StudyItem, chosen: str) -> str:
    if question.between:
        by_text = {escape_dollars(item.fields[name]): name for name in choice_ids(question)}
        return by_text.get(chosen, chosen)
    return _option_ids(question.options).get(chosen, chosen)


def _spans(place: str, question: MarksQuestion, item: StudyItem, value: _Value) -> Iterator[Span]:
    if value.start is None or value.end is None:
        raise InputError(f"{place} {question.id} does not say which characters it marks.")
    text, marked = item.fields[question.field], value.text
    start, end = _character_span(
        place,
        question.id,
        text,
        (value.start, value.end),
        marked if isinstance(marked, str) else None,
    )
    ids = _option_ids(question.labels)
    for label in _as_tuple(value.labels) or ("",):
        yield Span(start=start, end=end, label=ids.get(label, label) if ids else "")


def _character_span(
    place: str, name: str, text: str, found: tuple[int, int], marked: str | None
) -> tuple[int, int]:
    """The place in characters; older versions of Label Studio counted UTF-16 units."""
    wide = text.encode("utf-16-le")
    units = tuple(len(wide[: 2 * at].decode("utf-16-le", "ignore")) for at in found)
    for start, end in (found, units):
        if marked is None or _normalise_line_breaks(text[start:end]) == _normalise_line_breaks(
            marked
        ):
            return start, end
    raise InputError(
        f"{place} {name} marks {marked!r} at characters {found[0]} to {found[1]}, where the study "
        f"has {text[found[0] : found[1]]!r}; was the text of the task changed?"
    )


def _normalise_line_breaks(text: str) -> str:
    r"""With every break of a line written alike: Label Studio writes each as `\\n`, `\\r` too."""
    return text.replace("\\n", "\n").replace("\r", "\n")
