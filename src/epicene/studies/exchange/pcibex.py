"""Export a study as a PCIbex experiment, and read PCIbex results as rows of the study.

A results file has a row per logged event. Comments name its columns, and again, from the first that
differs, whenever they change:

    # Columns below this comment are as follows:
    # 1. Results reception time.
    …
    # 12. EventTime.
    # 13. item.
    # 14. Comments.
    1700000000,HASH,PennController,7,0,pair,NULL,Selector,better,Selection,a,1700000000123,4f,NULL

The item is what a trial logs as `item` (`.log("item", row.item)`), the answer to a question what
the element with the question's name logs: an element, a key, a text. Commas inside a value are
written %2C, line breaks %0A.

The experiment is `pcibex_main.js`, preceded by the study's texts, and a table with the id, list and
visible fields of each item; hidden fields are not exported.
"""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from epicene.core.data_files import FileRow, read_text_lines
from epicene.core.errors import InputError, as_sentence
from epicene.core.records import digest
from epicene.languages.normalisers import nfc
from epicene.studies.design.interface_texts import interface_text
from epicene.studies.design.lists import items_by_list
from epicene.studies.design.schema import (
    ChoiceQuestion,
    ChoiceScreener,
    TagsQuestion,
    TextPanel,
    all_items,
    visible_fields,
    visible_values,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from epicene.studies.design.schema import Question, Screener, Study, StudyItem

_HEAD = "# Columns below this comment"
_HEAD_WITHIN = 8192  # bytes
_COLUMN = re.compile(r"#\s*(?P<number>\d+)\.\s+(?P<name>.*?)\.?,*\s*")

# Columns of every results file; older servers have other names for some
_RECEIVED = ("Results reception time", "Time results were received")
_SENDER = ("MD5 hash of participant's IP address",)
_ORDER = ("Order number of item", "Item number")
_ELEMENT, _PARAMETER, _VALUE, _TIME = "PennElementName", "Parameter", "Value", "EventTime"

# Parameters that hold answers: of selectors, scales, menus, text boxes, keys
_ANSWER_PARAMETERS = frozenset({"Selection", "Choice", "Selected", "Final", "PressedKey"})
_NO_ANSWER = frozenset({"", "NA", "NULL"})


def is_results(path: Path) -> bool:
    """Whether a file is a PCIbex results file, judged by its comments."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD_WITHIN)
    except OSError:
        return False
    return head.removeprefix(b"\xef\xbb\xbf").startswith(b"#") and _HEAD.encode() in head


def read_results(
    path: Path, study: Study, *, participant: str = "", names: Mapping[str, str]
) -> Iterator[FileRow]:
    """A row per answered trial: participant, item, a column per question, time and duration.

    `names` maps `item`, `participant` and questions to the file's own columns and elements.
    Participants without a name get an opaque id from sender and time.
    """
    elements = {question.id: names.get(question.id, question.id) for question in study.questions}
    found = _FileContents()
    for trial in _trials(path, _rows(path)):
        row = _trial_row(trial, study, elements, names, found)
        if row is not None:
            row.setdefault("participant", participant or trial.sender)
            yield FileRow(trial.location, row)
    if not found.answered:
        raise InputError(f"{path} {found.lacking(elements, names)}")


# --- rows and trials -------------------------------------------------------------------------


def _rows(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """The location and the values of each row, by the columns that comments declare."""
    columns: list[str] = []
    for number, text in enumerate(read_text_lines(path), start=1):
        text = text.removesuffix("\r")
        location = f"{path}, line {number},"
        if text.startswith("#"):
            if column := _COLUMN.fullmatch(text):
                columns = _with_column(columns, int(column["number"]), column["name"], location)
        elif text.strip():
            if not columns:
                raise InputError(
                    f"{location} has no comments before it that name its columns, as PCIbex "
                    "writes them; import the results file exactly as downloaded."
                )
            yield location, _values(text, columns, location)


def _with_column(columns: list[str], number: int, name: str, location: str) -> list[str]:
    """The columns before the redeclared one, and that one."""
    if not 1 <= number <= len(columns) + 1:
        raise InputError(f"{location} names column {number} after {len(columns)} columns.")
    return [*columns[: number - 1], name]


def _values(text: str, columns: Sequence[str], location: str) -> dict[str, str]:
    # The last column, comments, may contain commas.
    cells = text.split(",", len(columns) - 1)
    if len(cells) < len(columns):
        raise InputError(f"{location} has {len(cells)} values for {len(columns)} columns.")
    return {
        name: re.sub("%0A", "\n", re.sub("%2C", ",", cell, flags=re.I), flags=re.I)
        for name, cell in zip(columns, cells, strict=True)
    }


@dataclass
class _Trial:
    """The events of one trial."""

    location: str
    key: tuple[str, ...]
    columns: dict[str, str]
    answers: dict[str, str] = field(default_factory=dict)  # the last of each element
    began: int | None = None  # milliseconds
    ended: int | None = None

    @property
    def sender(self) -> str:
        """An opaque id of the sender and time of the results."""
        return digest(self.key[:2]).hex()[:12]

    def add(self, values: Mapping[str, str]) -> None:
        """Add an event."""
        time = int(values[_TIME]) if values[_TIME].isdecimal() else None
        if _starts(values):
            self.began = time
        elif values[_PARAMETER] in _ANSWER_PARAMETERS and values[_VALUE] not in _NO_ANSWER:
            self.answers[values[_ELEMENT]] = values[_VALUE]
            self.ended = time


def _starts(values: Mapping[str, str]) -> bool:
    return values[_PARAMETER] == "_Trial_" and values[_VALUE] == "Start"


def _trials(path: Path, rows: Iterable[tuple[str, dict[str, str]]]) -> Iterator[_Trial]:
    trial: _Trial | None = None
    for location, values in rows:
        for name in (_ELEMENT, _PARAMETER, _VALUE, _TIME):
            if name not in values:
                raise InputError(
                    f"{location} has no column {name}: {path} was not written by PennController."
                )
        key = tuple(
            _first_column(values, names, location) for names in (_RECEIVED, _SENDER, _ORDER)
        )
        if trial is None or trial.key != key or _starts(values):
            if trial is not None:
                yield trial
            trial = _Trial(location, key, values)
        trial.add(values)
    if trial is not None:
        yield trial


def _first_column(values: Mapping[str, str], names: Sequence[str], location: str) -> str:
    for name in names:
        if name in values:
            return values[name]
    raise InputError(f"{location} has no column {names[0]!r}, which PCIbex always writes.")


# --- a trial as a row of the study -----------------------------------------------------------


@dataclass
class _FileContents:
    """What was found in a file, for the error message if there is no answer."""

    answered: bool = False
    items: bool = False
    elements: dict[str, None] = field(default_factory=dict)

    def lacking(self, elements: Mapping[str, str], names: Mapping[str, str]) -> str:
        """Why the file has no answers, and what to do."""
        if not self.items:
            name = names.get("item", "item")
            return (
                f"has no trial that logs its {name}; log it in the experiment, "
                '.log("item", row.item), or name the column with --column item=NAME.'
            )
        wanted, there = " or ".join(elements.values()), ", ".join(self.elements) or "none"
        return (
            f"has no answers of an element named {wanted}; elements with answers: {there}. Name it "
            f"with --column {next(iter(elements))}=ELEMENT."
        )


def _trial_row(
    trial: _Trial,
    study: Study,
    elements: Mapping[str, str],
    names: Mapping[str, str],
    found: _FileContents,
) -> dict[str, Any] | None:
    """The row of a trial; None if it has no item or no answer."""
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
    if participant := _logged(trial, "participant", names):
        row["participant"] = participant
    shown = next((each for each in all_items(study) if each.id == item), None)
    for name, value in given.items():
        row[name] = _answer(study.question(name), shown, value, trial.location)
    if trial.ended is not None:
        row["at"] = datetime.fromtimestamp(trial.ended / 1000, UTC).isoformat()
        # The clock may have been set back in between.
        if trial.began is not None and trial.began <= trial.ended:
            row["seconds"] = (trial.ended - trial.began) / 1000
    return row


def _logged(trial: _Trial, name: str, names: Mapping[str, str]) -> str:
    """The value of our column `name`: under the name the user gave, else in any case."""
    if name in names:
        if names[name] not in trial.columns:
            return ""
        return _value_or_empty(trial.columns[names[name]])
    for column, value in trial.columns.items():
        if column.casefold() == name:
            return _value_or_empty(value)
    return ""


def _value_or_empty(value: str) -> str:
    return "" if value in _NO_ANSWER else value


def _answer(question: Question, item: StudyItem | None, value: str, location: str) -> str:
    """A logged value as a cell of a sheet: labels and texts of choices become ids."""
    if item is None or not isinstance(question, ChoiceQuestion | TagsQuestion):
        return value
    known: dict[str, str] = {}
    for option in question.options:
        for text in (option.key, *option.label.values(), option.id):
            known[nfc(text).casefold()] = option.id
    for name in question.between if isinstance(question, ChoiceQuestion) else ():
        known |= {nfc(item.fields[name]).casefold(): name, name.casefold(): name}
    known.pop("", None)
    parts = value.split(";") if isinstance(question, TagsQuestion) else [value]
    answers = [known.get(nfc(part).strip().casefold(), "") for part in parts]
    if "" in answers:
        fault = f"{question.id} is answered by {value!r}, which is not one of its choices"
        raise InputError(f"{location} {as_sentence(fault)}")
    return "; ".join(answers)


SCRIPT_FILE, TABLE_FILE = "main.js", "items.csv"

_TEXTS = ("next", "agree", "refused", "answers_sent")  # of the experiment itself
_MAX_NUMBER = 999  # that a number screener accepts


def experiment_files(study: Study) -> dict[str, str]:
    """The files of the experiment by name."""
    question = _only_question(study)
    code = study.access.completion_code
    content = {
        "title": study.title,
        "question": question.id,
        "ask": question.ask,
        "between": question.between,
        "options": [{"id": each.id, "label": each.label} for each in question.options],
        "above": [name for name in visible_fields(study) if name not in question.between],
        "consent": [study.consent] if study.consent else [],
        "screening": [_screener(screen) for screen in study.screening],
        "instructions": [study.instructions] if study.instructions else [],
        "practice": [
            {**_item_row(study, item), "feedback": item.feedback} for item in study.practice
        ],
        "filler": [_item_row(study, item) for item in study.fillers],
        "check": [_item_row(study, item) for item in study.checks],
        "shuffle": study.shuffle,
        "parameter": study.access.participant_parameter,
        "code": code,
        "url": study.access.completion_url.replace("{code}", code),
        "interface": {
            name: {code: interface_text(name, code) for code in study.title} for name in _TEXTS
        },
    }
    text = json.dumps(msgspec.to_builtins(content), ensure_ascii=False, indent=1)
    script = Path(__file__).with_name("pcibex_main.js").read_text(encoding="utf-8")
    return {SCRIPT_FILE: f"const STUDY = {text};\n\n{script}", TABLE_FILE: _items_csv(study)}


def _only_question(study: Study) -> ChoiceQuestion:
    """The study's single choice question; the script cannot ask anything else."""
    (*others, question) = study.questions
    if others or not isinstance(question, ChoiceQuestion):
        raise InputError(
            f"The study {study.name} asks for something other than a single choice, but an "
            "experiment for PCIbex can ask nothing else; give people sheets instead (--people)."
        )
    if not all(isinstance(panel, TextPanel) for panel in study.show):
        raise InputError(
            f"The study {study.name} shows more than texts, but an experiment for PCIbex can only "
            "show texts."
        )
    return question


def _screener(screen: Screener) -> dict[str, Any]:
    if isinstance(screen, ChoiceScreener):
        labels = {each.id: " / ".join(each.label.values()) or each.id for each in screen.options}
        accept = [labels[name] for name in screen.accept]
        return {"id": screen.id, "ask": screen.ask, "options": [*labels.values()], "accept": accept}
    least, most = screen.at_least or 0, _MAX_NUMBER if screen.at_most is None else screen.at_most
    numbers = "|".join(map(str, range(least, min(most, _MAX_NUMBER) + 1)))
    return {"id": screen.id, "ask": screen.ask, "pattern": f"^(?:{numbers})$"}


def _item_row(study: Study, item: StudyItem) -> dict[str, str]:
    return {"item": item.id, **visible_values(study, item)}


def _items_csv(study: Study) -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("list", "item", *visible_fields(study)))
    writer.writerows(_rows_by_list(study))
    return text.getvalue()


def _rows_by_list(study: Study) -> Iterator[tuple[str, ...]]:
    """The rows of all lists, numbered: the name of a list could reveal what is in it."""
    for number, items in enumerate(items_by_list(study).values(), start=1):
        for item in items:
            yield (str(number), *_item_row(study, item).values())
