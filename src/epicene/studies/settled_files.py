"""Settled answers in the files of responses: rows that say in `settled by` who decided.

Such a row holds one answer or several; an empty cell settles nothing, and `;` that a list is empty.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from epicene.datafiles import read_rows
from epicene.errors import InputError
from epicene.studies import AnswerValue, Settled
from epicene.studies.response_files import SETTLED_BY, answers_in, filled, layout_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from epicene.datafiles import Line
    from epicene.studies import Study, StudyItem
    from epicene.studies.response_files import Layout


class PlacedDecision(NamedTuple):
    """A settled answer, with where it stands."""

    place: str
    settled: Settled


def read_settled(
    path: Path,
    study: Study,
    *,
    columns: Mapping[str, str] | None = None,
    layout: Layout = "auto",
) -> list[PlacedDecision]:
    """The settled answers in a file of our own; whether they can be is not looked at here."""
    if layout_of(path, layout) != "auto":
        return []
    items = {item.id: item for item in study.items}
    sheet = path.suffix.lower() in (".csv", ".tsv")
    return [
        decision
        for line in read_rows(path, columns)
        if line.values.get(SETTLED_BY)
        for decision in _decisions(line, study, items, sheet=sheet)
    ]


def _decisions(
    line: Line, study: Study, items: Mapping[str, StudyItem], *, sheet: bool
) -> Iterator[PlacedDecision]:
    values = filled(line, sheet=sheet)
    name = str(values.get("item", ""))
    if name not in items:
        raise InputError(f"{line.place} settles the item {name!r}, which the study does not have.")
    if values.get("study", study.name) != study.name:
        raise InputError(
            f"{line.place} is of the study {values['study']!r}, and this is {study.name!r}."
        )
    answers = values.get("answers")
    if answers is None:
        answers = answers_in(line._replace(values=values), values, items[name], study)
    try:
        for question, value in msgspec.convert(answers, dict[str, AnswerValue]).items():
            fields = {
                "study": study.name,
                "item": name,
                "question": question,
                "value": msgspec.to_builtins(value),
                "by": values[SETTLED_BY],
                "at": values.get("at"),
            }
            yield PlacedDecision(line.place, msgspec.convert(fields, Settled, strict=False))
    except msgspec.ValidationError as error:
        raise InputError(f"{line.place} does not fit: {error}.") from None
