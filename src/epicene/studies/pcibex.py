"""Results of PCIbex, a widely used server for experiments with sentences, as rows of a study.

A results file has a row per logged event. Comments say what its columns are, and say it anew,
from the first that differs, whenever they change:

    # Columns below this comment are as follows:
    # 1. Results reception time.
    …
    # 12. EventTime.
    # 13. item.
    # 14. Comments.
    1700000000,HASH,PennController,7,0,pair,NULL,Selector,better,Selection,a,1700000000123,4f,NULL

Here an item is what a trial logs as `item` (`.log("item", row.item)`), and the answer to a
question what the element of that question's name logs: the element chosen, the key pressed, the
text written. A comma inside a value is written %2C, and a line break %0A.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from epicene.datafiles import Line, read_text
from epicene.errors import InputError
from epicene.languages.normalise import nfc
from epicene.records import digest
from epicene.studies import Choose, Mark, Tag
from epicene.studies.responses import sentence

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from epicene.studies import Question, Study, StudyItem

_HEAD = "# Columns below this comment"
_HEAD_WITHIN = 8192  # bytes
_COLUMN = re.compile(r"#\s*(?P<number>\d+)\.\s+(?P<name>.*?)\.?,*\s*")

# Columns that every results file has; older servers call some of them otherwise.
_RECEIVED = ("Results reception time", "Time results were received")
_SENDER = ("MD5 hash of participant's IP address",)
_ORDER = ("Order number of item", "Item number")
_ELEMENT, _PARAMETER, _VALUE, _TIME = "PennElementName", "Parameter", "Value", "EventTime"

# What elements log of an answer: selectors, scales, menus, text boxes, keys.
_ANSWERS = frozenset({"Selection", "Choice", "Selected", "Final", "PressedKey"})
_NO_ANSWER = frozenset({"", "NA", "NULL"})


def is_results(path: Path) -> bool:
    """Whether a file says of itself that it is one."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD_WITHIN)
    except OSError:
        return False
    return head.removeprefix(b"\xef\xbb\xbf").startswith(b"#") and _HEAD.encode() in head


def read_results(
    path: Path, study: Study, *, participant: str = "", names: Mapping[str, str]
) -> Iterator[Line]:
    """A row per answered trial: participant, item, a column per question, when and how long.

    `names` says what the file calls the columns `item` and `participant` and the element of a
    question. Who is not named is told apart by sender and time, and gets an id that says neither.
    """
    elements = {question.id: names.get(question.id, question.id) for question in study.questions}
    found = _Found()
    for trial in _trials(path, _rows(path)):
        row = _row(trial, study, elements, names, found)
        if row is not None:
            row.setdefault("participant", participant or trial.sender)
            yield Line(trial.place, row)
    if not found.answered:
        raise InputError(f"{path} {found.lacking(elements, names)}")


# --- rows and trials -------------------------------------------------------------------------


def _rows(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """The place and the values of each row, by the columns that the comments above it say."""
    columns: list[str] = []
    for number, text in enumerate(read_text(path).splitlines(), start=1):
        place = f"{path}, line {number},"
        if text.startswith("#"):
            if column := _COLUMN.fullmatch(text):
                columns = _with_column(columns, int(column["number"]), column["name"], place)
        elif text.strip():
            if not columns:
                raise InputError(
                    f"{place} has no comments before it that say what its columns are, as PCIbex "
                    "writes them; import the results file as it was downloaded."
                )
            yield place, _values(text, columns, place)


def _with_column(columns: list[str], number: int, name: str, place: str) -> list[str]:
    """The columns up to the one that is said anew, and that one."""
    if not 1 <= number <= len(columns) + 1:
        raise InputError(f"{place} speaks of column {number} after {len(columns)} columns.")
    return [*columns[: number - 1], name]


def _values(text: str, columns: Sequence[str], place: str) -> dict[str, str]:
    # The last column, comments, may hold commas of its own.
    cells = text.split(",", len(columns) - 1)
    if len(cells) < len(columns):
        raise InputError(f"{place} has {len(cells)} values for {len(columns)} columns.")
    return {
        name: re.sub("%0A", "\n", re.sub("%2C", ",", cell, flags=re.I), flags=re.I)
        for name, cell in zip(columns, cells, strict=True)
    }


@dataclass
class _Trial:
    """The events of one trial."""

    place: str
    key: tuple[str, ...]
    columns: dict[str, str]
    answers: dict[str, str] = field(default_factory=dict)  # the last of each element
    began: int | None = None  # milliseconds
    ended: int | None = None

    @property
    def sender(self) -> str:
        """An id of who sent the results in, that says neither from where nor when."""
        return digest(self.key[:2]).hex()[:12]

    def take(self, values: Mapping[str, str]) -> None:
        """One event."""
        time = int(values[_TIME]) if values[_TIME].isdecimal() else None
        if _starts(values):
            self.began = time
        elif values[_PARAMETER] in _ANSWERS and values[_VALUE] not in _NO_ANSWER:
            self.answers[values[_ELEMENT]] = values[_VALUE]
            self.ended = time


def _starts(values: Mapping[str, str]) -> bool:
    return values[_PARAMETER] == "_Trial_" and values[_VALUE] == "Start"


def _trials(path: Path, rows: Iterable[tuple[str, dict[str, str]]]) -> Iterator[_Trial]:
    trial: _Trial | None = None
    for place, values in rows:
        for name in (_ELEMENT, _PARAMETER, _VALUE, _TIME):
            if name not in values:
                raise InputError(f"{place} has no column {name}: {path} is not of PennController.")
        key = tuple(_first(values, names, place) for names in (_RECEIVED, _SENDER, _ORDER))
        if trial is None or trial.key != key or _starts(values):
            if trial is not None:
                yield trial
            trial = _Trial(place, key, values)
        trial.take(values)
    if trial is not None:
        yield trial


def _first(values: Mapping[str, str], names: Sequence[str], place: str) -> str:
    for name in names:
        if name in values:
            return values[name]
    raise InputError(f"{place} has no column {names[0]!r}; PCIbex writes one.")


# --- a trial as a row of the study -----------------------------------------------------------


@dataclass
class _Found:
    """What a file turned out to hold."""

    answered: bool = False
    items: bool = False
    elements: dict[str, None] = field(default_factory=dict)

    def lacking(self, elements: Mapping[str, str], names: Mapping[str, str]) -> str:
        """Why a file gave no answer."""
        if not self.items:
            name = names.get("item", "item")
            return (
                f"has no trial that logs its {name}; log it in the experiment, "
                '.log("item", row.item), or name the column with --column item=NAME.'
            )
        wanted, there = " or ".join(elements.values()), ", ".join(self.elements) or "none"
        return (
            f"has no answer of an element named {wanted}; elements with answers: {there}. Name it "
            f"with --column {next(iter(elements))}=ELEMENT."
        )


def _row(
    trial: _Trial,
    study: Study,
    elements: Mapping[str, str],
    names: Mapping[str, str],
    found: _Found,
) -> dict[str, Any] | None:
    """The row of a trial; None for one without an item or an answer."""
    item = _logged(trial, "item", names)
    if not item:
        return None
    found.items = True
    found.elements |= dict.fromkeys(trial.answers)
    given = {
        question.id: trial.answers[elements[question.id]]
        for question in study.questions
        if elements[question.id] in trial.answers
    }
    if not given:
        return None
    found.answered = True
    row: dict[str, Any] = {"item": item}
    if person := _logged(trial, "participant", names):
        row["participant"] = person
    shown = _item_of(study, item)
    for name, value in given.items():
        row[name] = _answer(study.question(name), shown, value, trial.place)
    if trial.ended is not None:
        row["at"] = datetime.fromtimestamp(trial.ended / 1000, UTC).isoformat()
        # A clock that was set back in between says nothing of how long it took.
        if trial.began is not None and trial.began <= trial.ended:
            row["seconds"] = (trial.ended - trial.began) / 1000
    return row


def _logged(trial: _Trial, name: str, names: Mapping[str, str]) -> str:
    """What a trial logs in one of our columns, in whatever capitals unless the user named it."""
    if name in names:
        if names[name] not in trial.columns:
            return ""
        return _unless_empty(trial.columns[names[name]])
    for column, value in trial.columns.items():
        if column.casefold() == name:
            return _unless_empty(value)
    return ""


def _unless_empty(value: str) -> str:
    return "" if value in _NO_ANSWER else value


def _item_of(study: Study, name: str) -> StudyItem | None:
    for part in (study.items, study.fillers, study.checks, study.practice):
        for item in part:
            if item.id == name:
                return item
    return None


def _answer(question: Question, item: StudyItem | None, value: str, place: str) -> str:
    """A logged value as a cell of our sheets: ids, where choices are logged by label or text."""
    if isinstance(question, Mark) or not isinstance(question, Choose | Tag) or item is None:
        return value
    known: dict[str, str] = {}
    for option in question.options:
        for text in (option.key, *option.label.values(), option.id):
            known[nfc(text).casefold()] = option.id
    for name in question.between if isinstance(question, Choose) else ():
        known |= {nfc(item.fields[name]).casefold(): name, name.casefold(): name}
    known.pop("", None)
    parts = value.split(";") if isinstance(question, Tag) else [value]
    answers = [known.get(nfc(part).strip().casefold(), "") for part in parts]
    if "" in answers:
        fault = f"{question.id} is answered by {value!r}, which is none of its choices"
        raise InputError(f"{place} {sentence(fault)}")
    return "; ".join(answers)
