"""Responses as files: a sheet with a column per question, or JSON lines with whole responses.

Results of PCIbex (`pcibex`) and exports of Label Studio (`label_studio`) are read too. Rows that
say who settled what stand beside the responses and are no person's (`settled_files`).
"""

from __future__ import annotations

import csv
import io
import math
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import msgspec

from epicene.datafiles import Line, read_rows
from epicene.errors import InputError
from epicene.records import to_json
from epicene.studies import AnswerValue, Response, Settled, Study, StudyItem, label_studio, pcibex
from epicene.studies.cells import CellError, from_cell, guarded, to_cell, unguarded
from epicene.studies.participants import check_name
from epicene.studies.responses import canonical, is_asked, no_such, response_faults, sentence
from epicene.studies.showing import shown, shown_fields

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

# Columns that are for reading alone begin so, and are passed over when a sheet comes back.
SHOWN, HIDDEN, SAID = "shown: ", "hidden: ", "said: "
# Who decided, in rows that are not a person's answers.
SETTLED_BY = "settled by"
NOTHING = ";"  # a list that was settled to be empty, where an empty cell settles nothing
_BEFORE = ("participant", "item")

# How a file is laid out: as its content says, or as another program writes it.
Layout: TypeAlias = Literal["auto", "pcibex", "label-studio"]
_AFTER = ("at", "seconds", "language")

# What JSON lines hold must come back from a sheet, too. Python refuses a cell of more than 131,072
# characters unless told otherwise, and knows one limit for all files.
csv.field_size_limit(2**31 - 1)


class Placed(NamedTuple):
    """A response, with where it stands."""

    place: str
    response: Response


class _Form(NamedTuple):
    """What a file's rows are read by."""

    study: Study
    items: Mapping[str, StudyItem]
    participant: str
    sheet: bool


# --- reading ---------------------------------------------------------------------------------


def read_responses(
    path: Path,
    study: Study,
    *,
    participant: str = "",
    columns: Mapping[str, str] | None = None,
    layout: Layout = "auto",
) -> list[Placed]:
    """The responses in a file, each checked; rows without any answer are passed over.

    `participant` is whose answers they are where the file does not say; `columns` maps our
    columns to the file's own.
    """
    layout = layout_of(path, layout)
    form = _Form(
        study,
        {item.id: item for item in every_item(study)},
        participant,
        path.suffix.lower() in (".csv", ".tsv") and layout == "auto",
    )
    if layout == "pcibex":
        lines = pcibex.read_results(path, study, participant=participant, names=columns or {})
    elif layout == "label-studio":
        lines = label_studio.read_export(path, study)
    else:
        lines = read_rows(path, columns)
    read = (_read(line, form) for line in lines)
    found: dict[tuple[str, str], Placed] = {}
    for placed in read:
        if placed is None:
            continue
        key = placed.response.participant, placed.response.item
        if key in found and not same_answers(found[key].response, placed.response):
            raise InputError(
                f"{placed.place} answers the item {key[1]} for {key[0]} otherwise than "
                f"{found[key].place.removesuffix(',')}; keep one of the two."
            )
        found.setdefault(key, placed)
    return list(found.values())


def layout_of(path: Path, layout: Layout = "auto") -> Layout:
    """Another program's layout, where one is named or the file says so; else our own."""
    if layout == "auto" and pcibex.is_results(path):
        return "pcibex"
    if layout == "auto" and label_studio.is_export(path):
        return "label-studio"
    return layout


def every_item(study: Study) -> Iterator[StudyItem]:
    """All that a person may be asked about: practice, attention checks and fillers too."""
    for part in (study.practice, study.checks, study.fillers, study.items):
        yield from part


def same_answers(one: Response, other: Response) -> bool:
    """Whether two responses say the same; an empty answer says no more than none."""
    said = [
        {name: canonical(answer) for name, answer in each.answers.items() if answer}
        for each in (one, other)
    ]
    return said[0] == said[1]


def _read(line: Line, form: _Form) -> Placed | None:
    """The response of one row; None where nothing is answered yet, or it is no person's."""
    values = filled(line, sheet=form.sheet)
    if SETTLED_BY in values:
        return None
    whole = "answers" in values
    if not whole:
        _check_columns(line, form.study)
        if not any(question.id in values for question in form.study.questions):
            return None
    name = str(values.get("item", ""))
    if name not in form.items:
        raise InputError(f"{line.place} {_unknown_item(name, form)}")
    item = form.items[name]
    fields = {
        "study": form.study.name,
        **{key: values[key] for key in Response.__struct_fields__ if key in values},
        "participant": _participant(line, values.get("participant", form.participant)),
    }
    if form.sheet and isinstance(fields.get("seconds"), str):
        fields["seconds"] = fields["seconds"].replace(",", ".")  # where that stands in decimals
    if not whole:
        fields["answers"] = _asked_for(answers_in(line, values, item, form.study), form.study)
    response = _response(line, fields)
    if response.study != form.study.name:
        raise InputError(
            f"{line.place} is of the study {response.study!r}, and this is {form.study.name!r}."
        )
    for fault in (*_time_faults(response), *response_faults(form.study, item, response.answers)):
        raise InputError(f"{line.place} {sentence(fault)}")
    return Placed(line.place, response)


def _participant(line: Line, name: Any) -> Any:
    """Whose answers a row has: a name that pages would take, without the blanks around it."""
    if not isinstance(name, str):
        return name  # of which the record says that it does not fit
    if not name.strip():
        raise InputError(
            f"{line.place} does not say whose answers these are; add a column `participant` or "
            "name the person."
        )
    try:
        return check_name(name.strip())
    except InputError as error:
        raise InputError(f"{line.place} {error}") from None


def _time_faults(response: Response) -> Iterator[str]:
    seconds = response.seconds
    if seconds is not None and not (math.isfinite(seconds) and seconds >= 0):
        yield f"seconds is {seconds}, and must be a number that is not negative"


def filled(line: Line, *, sheet: bool) -> dict[str, Any]:
    """What a row holds; a sheet guards its texts."""
    values = {name: value for name, value in line.values.items() if value not in ("", None)}
    return {name: unguarded(value) for name, value in values.items()} if sheet else values


def _unknown_item(name: str, form: _Form) -> str:
    if not name:
        return "names no item; put its id in the column `item`."
    return f"names the item {name!r}, which the study {form.study.name!r} does not have."


def _check_columns(line: Line, study: Study) -> None:
    """Raise for a column that is neither ours nor for reading alone: an answer may be in it."""
    known = {
        *Response.__struct_fields__,
        SETTLED_BY,
        *(question.id for question in study.questions),
    }
    known.discard("answers")
    for name in line.values:
        if name not in known and not str(name).startswith((SHOWN, HIDDEN, SAID)):
            raise InputError(f"{line.place} {sentence(no_such('column', str(name), known))}")


def answers_in(
    line: Line, values: Mapping[str, Any], item: StudyItem, study: Study
) -> dict[str, AnswerValue]:
    """The answers in the columns that the row has; a list may be empty."""
    answers: dict[str, AnswerValue] = {}
    for question in study.questions:
        value = values.get(question.id, "")
        if question.id not in line.values:
            continue
        try:
            answer = (
                from_cell(question, item, value)
                if isinstance(value, str)
                else msgspec.convert(value, AnswerValue)
            )
        except CellError as fault:
            raise InputError(f"{line.place} {question.id} {sentence(str(fault))}") from None
        except msgspec.ValidationError as error:
            raise InputError(f"{line.place} {question.id} does not fit: {error}.") from None
        if answer is not None:
            answers[question.id] = answer
    return answers


def _asked_for(answers: dict[str, AnswerValue], study: Study) -> dict[str, AnswerValue]:
    """Answers without the empty lists of questions that were not asked: their cells are empty."""
    return {
        name: answer
        for name, answer in answers.items()
        if answer or is_asked(study.question(name), answers)
    }


def _response(line: Line, fields: dict[str, Any]) -> Response:
    try:
        return msgspec.convert(fields, Response, strict=False)
    except msgspec.ValidationError as error:
        raise InputError(f"{line.place} does not fit: {error}.") from None


# --- writing ---------------------------------------------------------------------------------


def responses_jsonl(
    study: Study,
    responses: Iterable[Response],
    *,
    settled: Iterable[Settled] = (),
    with_hidden: bool = False,
) -> str:
    """A JSON line per response and per settled answer, with what was shown of its item."""
    items = {item.id: item for item in every_item(study)}
    rows = [*map(msgspec.to_builtins, responses), *map(_settled_values, settled)]
    return "".join(
        to_json({**row, **beside(study, items[row["item"]], with_hidden=with_hidden)}).decode()
        + "\n"
        for row in rows
    )


def _settled_values(settled: Settled) -> dict[str, Any]:
    values = msgspec.to_builtins(settled)
    answers = {values.pop("question"): values.pop("value")}
    return {SETTLED_BY: values.pop("by"), **values, "answers": answers}


def responses_sheet(
    study: Study,
    responses: Iterable[Response],
    *,
    settled: Iterable[Settled] = (),
    with_hidden: bool = False,
    delimiter: str = ",",
) -> str:
    """A row per response or settled answer, and a column per question."""
    items = {item.id: item for item in every_item(study)}
    rows = [
        (msgspec.to_builtins(each), {name: to_cell(said) for name, said in each.answers.items()})
        for each in responses
    ]
    decided = [
        (_settled_values(each), {each.question: to_cell(each.value) or NOTHING}) for each in settled
    ]
    heads = [
        *_BEFORE,
        *_beside_heads(study, with_hidden=with_hidden),
        *(question.id for question in study.questions),
        *_AFTER,
        *([SETTLED_BY] if decided else ()),
    ]
    return csv_text(
        heads,
        (
            {
                **{name: values.get(name, "") for name in (*_BEFORE, *_AFTER)},
                **({SETTLED_BY: values[SETTLED_BY]} if SETTLED_BY in values else {}),
                **beside(study, items[values["item"]], with_hidden=with_hidden),
                **cells,
            }
            for values, cells in (*rows, *decided)
        ),
        delimiter,
    )


def empty_sheet(study: Study, items: Sequence[StudyItem], participant: str) -> str:
    """A row per item, for one person to fill in."""
    rows = [{"participant": participant, "item": item.id, **beside(study, item)} for item in items]
    heads = [*_BEFORE, *_beside_heads(study)]
    return csv_text([*heads, *(question.id for question in study.questions), *_AFTER], rows)


def beside(study: Study, item: StudyItem, *, with_hidden: bool = False) -> dict[str, str]:
    """What is written beside the answers: the shown fields, and for the owner the hidden ones."""
    written = {f"{SHOWN}{name}": text for name, text in shown(study, item).items()}
    if with_hidden:
        written |= {f"{HIDDEN}{name}": item.fields.get(name, "") for name in study.hidden}
    return written


def _beside_heads(study: Study, *, with_hidden: bool = False) -> list[str]:
    """The columns of what is written beside the answers, of a study without items too."""
    hidden = study.hidden if with_hidden else ()
    return [*(f"{SHOWN}{name}" for name in shown_fields(study)), *(f"{HIDDEN}{n}" for n in hidden)]


def csv_text(heads: Sequence[str], rows: Iterable[Mapping[str, Any]], delimiter: str = ",") -> str:
    """A sheet, its texts guarded against spreadsheets."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, heads, restval="", delimiter=delimiter, lineterminator="\r\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: guarded(str(value)) for name, value in row.items()})
    return text.getvalue()
