"""Read and write responses and adjudications: sheets with a column per question, or JSON lines.

PCIbex results (`pcibex`) and Label Studio exports (`label_studio`) are read too. A row with
`settled by` is an adjudication, not a participant's response: an empty cell decides nothing, and
`;` decides that a list is empty.
"""

from __future__ import annotations

import csv
import io
import math
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import msgspec

from epicene.core.data_files import FileRow, read_rows
from epicene.core.errors import InputError
from epicene.core.records import to_json
from epicene.studies.design.answers import (
    as_sentence,
    is_asked,
    normalise_answer,
    response_problems,
    unknown_name,
)
from epicene.studies.design.checks import check_participant_name
from epicene.studies.design.schema import (
    Adjudication,
    AnswerValue,
    Response,
    Study,
    StudyItem,
    visible_fields,
    visible_values,
)
from epicene.studies.exchange import label_studio, pcibex
from epicene.studies.exchange.sheet_cells import (
    CellError,
    answer_from_cell,
    answer_to_cell,
    escape_formula,
    unescape_formula,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

# Columns that are for reading alone begin so, and are passed over when a sheet comes back.
SHOWN_PREFIX, HIDDEN_PREFIX, SAID_PREFIX = "shown: ", "hidden: ", "said: "
# Who decided, in rows that are not a person's answers.
SETTLED_BY = "settled by"
EMPTY_LIST = ";"  # a list that was settled to be empty, where an empty cell settles nothing
_LEADING_COLUMNS = ("participant", "item")

# How a file is laid out: as its content says, or as another program writes it.
ResponseFormat: TypeAlias = Literal["auto", "pcibex", "label-studio"]
_TRAILING_COLUMNS = ("at", "seconds", "language")

# What JSON lines hold must come back from a sheet, too. Python refuses a cell of more than 131,072
# characters unless told otherwise, and knows one limit for all files.
csv.field_size_limit(2**31 - 1)


class LocatedResponse(NamedTuple):
    """A response, with where it stands."""

    place: str
    response: Response


class _RowContext(NamedTuple):
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
    layout: ResponseFormat = "auto",
) -> list[LocatedResponse]:
    """The responses in a file, each checked; rows without any answer are passed over.

    `participant` is whose answers they are where the file does not say; `columns` maps our
    columns to the file's own.
    """
    layout = detect_format(path, layout)
    form = _RowContext(
        study,
        {item.id: item for item in all_items(study)},
        participant,
        path.suffix.lower() in (".csv", ".tsv") and layout == "auto",
    )
    if layout == "pcibex":
        lines = pcibex.read_results(path, study, participant=participant, names=columns or {})
    elif layout == "label-studio":
        lines = label_studio.read_export(path, study)
    else:
        lines = read_rows(path, columns)
    read = (_read_response(line, form) for line in lines)
    found: dict[tuple[str, str], LocatedResponse] = {}
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


def detect_format(path: Path, layout: ResponseFormat = "auto") -> ResponseFormat:
    """Another program's layout, where one is named or the file says so; else our own."""
    if layout == "auto" and pcibex.is_results(path):
        return "pcibex"
    if layout == "auto" and label_studio.is_export(path):
        return "label-studio"
    return layout


def all_items(study: Study) -> Iterator[StudyItem]:
    """All that a person may be asked about: practice, attention checks and fillers too."""
    for part in (study.practice, study.checks, study.fillers, study.items):
        yield from part


def same_answers(one: Response, other: Response) -> bool:
    """Whether two responses say the same; an empty answer says no more than none."""
    said = [
        {name: normalise_answer(answer) for name, answer in each.answers.items() if answer}
        for each in (one, other)
    ]
    return said[0] == said[1]


def _read_response(line: FileRow, form: _RowContext) -> LocatedResponse | None:
    """The response of one row; None where nothing is answered yet, or it is no person's."""
    values = nonempty_values(line, sheet=form.sheet)
    if SETTLED_BY in values:
        return None
    whole = "answers" in values
    if not whole:
        _check_columns(line, form.study)
        if not any(question.id in values for question in form.study.questions):
            return None
    name = str(values.get("item", ""))
    if name not in form.items:
        raise InputError(f"{line.location} {_unknown_item(name, form)}")
    item = form.items[name]
    fields = {
        "study": form.study.name,
        **{key: values[key] for key in Response.__struct_fields__ if key in values},
        "participant": _participant(line, values.get("participant", form.participant)),
    }
    if form.sheet and isinstance(fields.get("seconds"), str):
        fields["seconds"] = fields["seconds"].replace(",", ".")  # where that stands in decimals
    if not whole:
        fields["answers"] = _without_unasked(
            answers_in_row(line, values, item, form.study), form.study
        )
    response = _to_response(line, fields)
    if response.study != form.study.name:
        raise InputError(
            f"{line.location} is of the study {response.study!r}, and this is {form.study.name!r}."
        )
    for fault in (
        *_time_problems(response),
        *response_problems(form.study, item, response.answers),
    ):
        raise InputError(f"{line.location} {as_sentence(fault)}")
    return LocatedResponse(line.location, response)


def _participant(line: FileRow, name: Any) -> Any:
    """Whose answers a row has: a name that pages would take, without the blanks around it."""
    if not isinstance(name, str):
        return name  # of which the record says that it does not fit
    if not name.strip():
        raise InputError(
            f"{line.location} does not say whose answers these are; add a column `participant` or "
            "name the person."
        )
    try:
        return check_participant_name(name.strip())
    except InputError as error:
        raise InputError(f"{line.location} {error}") from None


def _time_problems(response: Response) -> Iterator[str]:
    seconds = response.seconds
    if seconds is not None and not (math.isfinite(seconds) and seconds >= 0):
        yield f"seconds is {seconds}, and must be a number that is not negative"


def nonempty_values(line: FileRow, *, sheet: bool) -> dict[str, Any]:
    """What a row holds; a sheet guards its texts."""
    values = {name: value for name, value in line.values.items() if value not in ("", None)}
    return {name: unescape_formula(value) for name, value in values.items()} if sheet else values


def _unknown_item(name: str, form: _RowContext) -> str:
    if not name:
        return "names no item; put its id in the column `item`."
    return f"names the item {name!r}, which the study {form.study.name!r} does not have."


def _check_columns(line: FileRow, study: Study) -> None:
    """Raise for a column that is neither ours nor for reading alone: an answer may be in it."""
    known = {
        *Response.__struct_fields__,
        SETTLED_BY,
        *(question.id for question in study.questions),
    }
    known.discard("answers")
    for name in line.values:
        if name not in known and not str(name).startswith(
            (SHOWN_PREFIX, HIDDEN_PREFIX, SAID_PREFIX)
        ):
            raise InputError(
                f"{line.location} {as_sentence(unknown_name('column', str(name), known))}"
            )


def answers_in_row(
    line: FileRow, values: Mapping[str, Any], item: StudyItem, study: Study
) -> dict[str, AnswerValue]:
    """The answers in the columns that the row has; a list may be empty."""
    answers: dict[str, AnswerValue] = {}
    for question in study.questions:
        value = values.get(question.id, "")
        if question.id not in line.values:
            continue
        try:
            answer = (
                answer_from_cell(question, item, value)
                if isinstance(value, str)
                else msgspec.convert(value, AnswerValue)
            )
        except CellError as fault:
            raise InputError(f"{line.location} {question.id} {as_sentence(str(fault))}") from None
        except msgspec.ValidationError as error:
            raise InputError(f"{line.location} {question.id} does not fit: {error}.") from None
        if answer is not None:
            answers[question.id] = answer
    return answers


def _without_unasked(answers: dict[str, AnswerValue], study: Study) -> dict[str, AnswerValue]:
    """Answers without the empty lists of questions that were not asked: their cells are empty."""
    return {
        name: answer
        for name, answer in answers.items()
        if answer or is_asked(study.question(name), answers)
    }


def _to_response(line: FileRow, fields: dict[str, Any]) -> Response:
    try:
        return msgspec.convert(fields, Response, strict=False)
    except msgspec.ValidationError as error:
        raise InputError(f"{line.location} does not fit: {error}.") from None


# --- writing ---------------------------------------------------------------------------------


def responses_jsonl(
    study: Study,
    responses: Iterable[Response],
    *,
    settled: Iterable[Adjudication] = (),
    with_hidden: bool = False,
) -> str:
    """A JSON line per response and per settled answer, with what was shown of its item."""
    items = {item.id: item for item in all_items(study)}
    rows = [*map(msgspec.to_builtins, responses), *map(_adjudication_row, settled)]
    return "".join(
        to_json(
            {**row, **context_columns(study, items[row["item"]], with_hidden=with_hidden)}
        ).decode()
        + "\n"
        for row in rows
    )


def _adjudication_row(settled: Adjudication) -> dict[str, Any]:
    values = msgspec.to_builtins(settled)
    answers = {values.pop("question"): values.pop("value")}
    return {SETTLED_BY: values.pop("by"), **values, "answers": answers}


def responses_sheet(
    study: Study,
    responses: Iterable[Response],
    *,
    settled: Iterable[Adjudication] = (),
    with_hidden: bool = False,
    delimiter: str = ",",
) -> str:
    """A row per response or settled answer, and a column per question."""
    items = {item.id: item for item in all_items(study)}
    rows = [
        (
            msgspec.to_builtins(each),
            {name: answer_to_cell(said) for name, said in each.answers.items()},
        )
        for each in responses
    ]
    decided = [
        (_adjudication_row(each), {each.question: answer_to_cell(each.value) or EMPTY_LIST})
        for each in settled
    ]
    heads = [
        *_LEADING_COLUMNS,
        *_context_headers(study, with_hidden=with_hidden),
        *(question.id for question in study.questions),
        *_TRAILING_COLUMNS,
        *([SETTLED_BY] if decided else ()),
    ]
    return to_csv(
        heads,
        (
            {
                **{name: values.get(name, "") for name in (*_LEADING_COLUMNS, *_TRAILING_COLUMNS)},
                **({SETTLED_BY: values[SETTLED_BY]} if SETTLED_BY in values else {}),
                **context_columns(study, items[values["item"]], with_hidden=with_hidden),
                **cells,
            }
            for values, cells in (*rows, *decided)
        ),
        delimiter,
    )


def empty_sheet(study: Study, items: Sequence[StudyItem], participant: str) -> str:
    """A row per item, for one person to fill in."""
    rows = [
        {"participant": participant, "item": item.id, **context_columns(study, item)}
        for item in items
    ]
    heads = [*_LEADING_COLUMNS, *_context_headers(study)]
    return to_csv(
        [*heads, *(question.id for question in study.questions), *_TRAILING_COLUMNS], rows
    )


def context_columns(study: Study, item: StudyItem, *, with_hidden: bool = False) -> dict[str, str]:
    """What is written beside the answers: the shown fields, and for the owner the hidden ones."""
    written = {f"{SHOWN_PREFIX}{name}": text for name, text in visible_values(study, item).items()}
    if with_hidden:
        written |= {f"{HIDDEN_PREFIX}{name}": item.fields.get(name, "") for name in study.hidden}
    return written


def _context_headers(study: Study, *, with_hidden: bool = False) -> list[str]:
    """The columns of what is written beside the answers, of a study without items too."""
    hidden = study.hidden if with_hidden else ()
    return [
        *(f"{SHOWN_PREFIX}{name}" for name in visible_fields(study)),
        *(f"{HIDDEN_PREFIX}{n}" for n in hidden),
    ]


def to_csv(heads: Sequence[str], rows: Iterable[Mapping[str, Any]], delimiter: str = ",") -> str:
    """A sheet, its texts guarded against spreadsheets."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, heads, restval="", delimiter=delimiter, lineterminator="\r\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: escape_formula(str(value)) for name, value in row.items()})
    return text.getvalue()


class LocatedAdjudication(NamedTuple):
    """A settled answer, with where it stands."""

    place: str
    settled: Adjudication


def read_adjudications(
    path: Path,
    study: Study,
    *,
    columns: Mapping[str, str] | None = None,
    layout: ResponseFormat = "auto",
) -> list[LocatedAdjudication]:
    """The settled answers in a file of our own; whether they can be is not looked at here."""
    if detect_format(path, layout) != "auto":
        return []
    items = {item.id: item for item in study.items}
    sheet = path.suffix.lower() in (".csv", ".tsv")
    return [
        decision
        for line in read_rows(path, columns)
        if line.values.get(SETTLED_BY)
        for decision in _adjudications_in_row(line, study, items, sheet=sheet)
    ]


def _adjudications_in_row(
    line: FileRow, study: Study, items: Mapping[str, StudyItem], *, sheet: bool
) -> Iterator[LocatedAdjudication]:
    values = nonempty_values(line, sheet=sheet)
    name = str(values.get("item", ""))
    if name not in items:
        raise InputError(
            f"{line.location} settles the item {name!r}, which the study does not have."
        )
    if values.get("study", study.name) != study.name:
        raise InputError(
            f"{line.location} is of the study {values['study']!r}, and this is {study.name!r}."
        )
    answers = values.get("answers")
    if answers is None:
        answers = answers_in_row(line._replace(values=values), values, items[name], study)
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
            yield LocatedAdjudication(
                line.location, msgspec.convert(fields, Adjudication, strict=False)
            )
    except msgspec.ValidationError as error:
        raise InputError(f"{line.location} does not fit: {error}.") from None
