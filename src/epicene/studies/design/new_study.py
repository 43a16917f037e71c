"""A study of your own from a file of items.

A row is an item. The columns `id`, `kind` (item, practice, check, filler), `group`, `condition`,
`list`, `language`, `judgements`, `expected` and `feedback` are about the item, if they are there;
all others are its fields.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from epicene.core.data_files import read_rows
from epicene.core.errors import InputError, as_sentence, unknown, unknown_name
from epicene.studies.design.sampling import item_id
from epicene.studies.design.schema import (
    ChoiceQuestion,
    Option,
    Study,
    StudyItem,
    TextPanel,
    TextQuestion,
)

if TYPE_CHECKING:
    from pathlib import Path

    from epicene.core.data_files import FileRow
    from epicene.studies.design.schema import Question

QUESTION_ID = "answer"
_PARTS = {"item": "items", "practice": "practice", "check": "checks", "filler": "fillers"}
_ITEM_COLUMNS = ("group", "condition", "list", "language")
_COLUMNS = ("id", "kind", *_ITEM_COLUMNS, "judgements", "expected", "feedback")


@dataclass(frozen=True, kw_only=True)
class NewStudy:
    """What a study of your own shows and asks."""

    name: str
    title: str
    ask: str
    show: tuple[str, ...] = ()
    options: tuple[str, ...] = ()  # the answers to choose from; or
    between: tuple[str, ...] = ()  # the fields whose texts are the choices; or a text is written
    draft: str = ""  # the field with the text to start from
    language: str = "en"
    judgements: int = 2


def study_from_file(path: Path, wanted: NewStudy) -> Study:
    """The study with the items in a file."""
    rows = list(read_rows(path))
    if not rows:
        raise InputError(f"{path} has no rows, so there is nothing to judge.")
    fields = [str(name) for name in rows[0].values if name not in _COLUMNS]
    shown = wanted.between or wanted.show or tuple(fields[:1])
    for name in (*shown, *wanted.show, *([wanted.draft] if wanted.draft else ())):
        if name not in fields:
            raise InputError(f"{path}: {as_sentence(unknown_name('column', name, fields))}")
    if sum(map(bool, (wanted.options, wanted.between, wanted.draft))) > 1:
        raise InputError("Use exactly one of --options, --between and --draft.")
    visible = tuple(dict.fromkeys((*wanted.show, *shown)))
    parts: dict[str, list[StudyItem]] = {part: [] for part in _PARTS.values()}
    for row in rows:
        part, item = _item(row, wanted)
        parts[part].append(item)
    return Study(
        name=wanted.name,
        title={wanted.language: wanted.title},
        show=tuple(TextPanel(field=name) for name in visible),
        questions=(_question(wanted),),
        judgements=wanted.judgements,
        lists="given" if all(item.list for item in parts["items"]) else "none",
        hidden=tuple(name for name in fields if name not in (*visible, wanted.draft)),
        practice=tuple(parts["practice"]),
        checks=tuple(parts["checks"]),
        fillers=tuple(parts["fillers"]),
        items=tuple(parts["items"]),
    )


def _item(row: FileRow, wanted: NewStudy) -> tuple[str, StudyItem]:
    values: dict[str, Any] = {
        str(name): "" if value is None else str(value) for name, value in row.values.items()
    }
    kind = values.get("kind") or "item"
    if kind not in _PARTS:
        raise InputError(f"{row.location} {unknown('kind', kind, _PARTS)}")
    fields = {name: text for name, text in values.items() if name not in _COLUMNS}
    about: dict[str, Any] = {name: values[name] for name in _ITEM_COLUMNS if values.get(name)}
    if values.get("judgements"):
        if not values["judgements"].isdecimal():
            raise InputError(f"{row.location} has no number in the column `judgements`.")
        about["judgements"] = int(values["judgements"])
    if values.get("expected"):
        about["expected"] = {QUESTION_ID: values["expected"]}
    if values.get("feedback"):
        about["feedback"] = {wanted.language: values["feedback"]}
    about.setdefault("language", wanted.language)
    name = values.get("id") or item_id(wanted.name, kind, *fields.values())
    return _PARTS[kind], StudyItem(id=name, fields=fields, **about)


def _question(wanted: NewStudy) -> Question:
    ask = {wanted.language: wanted.ask}
    if wanted.between:
        return ChoiceQuestion(id=QUESTION_ID, ask=ask, between=wanted.between)
    if wanted.options:
        options = tuple(Option(id=name) for name in wanted.options)
        return ChoiceQuestion(id=QUESTION_ID, ask=ask, options=options)
    return TextQuestion(id=QUESTION_ID, ask=ask, draft=wanted.draft, source=wanted.draft)
