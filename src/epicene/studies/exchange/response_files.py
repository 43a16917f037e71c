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

from epicene.core.data_files import FileRow, escape_formula, read_rows, unescape_formula
from epicene.core.errors import InputError, as_sentence, unknown_name
from epicene.core.records import to_json
from epicene.studies.design.answers import is_asked, normalise_answer, response_problems
from epicene.studies.design.checks import check_participant_name
from epicene.studies.design.schema import (
    Adjudication,
    AnswerValue,
    Response,
    Study,
    StudyItem,
    all_items,
    visible_fields,
    visible_values,
)
from epicene.studies.exchange import label_studio, pcibex
from epicene.studies.exchange.sheet_cells import CellError, answer_from_cell, answer_to_cell

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

# Prefixes of columns that are only for reading; they are ignored when a sheet is imported
SHOWN_PREFIX, HIDDEN_PREFIX, SAID_PREFIX = "shown: ", "hidden: ", "said: "
# The column that marks a row as an adjudication and says who decided
ADJUDICATED_BY = "settled by"
EMPTY_LIST = ";"  # decides that a list is empty, as an empty cell decides nothing
_LEADING_COLUMNS = ("participant", "item")

# "auto": another program's format if the content shows it, else our own
ResponseFormat: TypeAlias = Literal["auto", "pcibex", "label-studio"]
_TRAILING_COLUMNS = ("at", "seconds", "language")


class LocatedResponse(NamedTuple):
    """A response, and its location in a file."""

    location: str
    response: Response


class _RowContext(NamedTuple):
    """What reading a row depends on."""

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
    """Read and check the responses in a file, ignoring rows without an answer.

    `participant` is the name for rows that have none; `columns` maps our columns to the file's own.
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
    found: dict[tuple[str, str], LocatedResponse] = {}
    for line in lines:
        read = _read_response(line, form)
        if read is None:
            continue
        key = read.response.participant, read.response.item
        if key in found and not same_answers(found[key].response, read.response):
            raise InputError(
                f"{read.location} answers the item {key[1]} for {key[0]} differently from "
                f"{found[key].location.removesuffix(',')}; keep one of the two."
            )
        found.setdefault(key, read)
    return list(found.values())


def detect_format(path: Path, layout: ResponseFormat = "auto") -> ResponseFormat:
    """The format that is named or that the content shows; "auto" if it is our own."""
    if layout == "auto" and pcibex.is_results(path):
        return "pcibex"
    if layout == "auto" and label_studio.is_export(path):
        return "label-studio"
    return layout


def same_answers(one: Response, other: Response) -> bool:
    """Whether two responses have the same answers; an empty answer counts as none."""
    first, second = (
        {name: normalise_answer(answer) for name, answer in each.answers.items() if answer}
        for each in (one, other)
    )
    return first == second


def _read_response(line: FileRow, form: _RowContext) -> LocatedResponse | None:
    """The response in a row; None if nothing is answered, or the row is an adjudication."""
    values = nonempty_values(line, sheet=form.sheet)
    if ADJUDICATED_BY in values:
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
        fields["seconds"] = fields["seconds"].replace(",", ".")  # a decimal comma
    if not whole:
        fields["answers"] = _without_unasked(
            answers_in_row(line, values, item, form.study), form.study
        )
    response = _to_response(line, fields)
    if response.study != form.study.name:
        raise InputError(
            f"{line.location} belongs to the study {response.study!r}, but this is "
            f"{form.study.name!r}."
        )
    for fault in (
        *_time_problems(response),
        *response_problems(form.study, item, response.answers),
    ):
        raise InputError(f"{line.location} {as_sentence(fault)}")
    return LocatedResponse(line.location, response)


def _participant(line: FileRow, name: Any) -> Any:
    """The participant of a row, checked and without surrounding blanks."""
    if not isinstance(name, str):
        return name  # reported when it is converted to a record
    if not name.strip():
        raise InputError(
            f"{line.location} does not name the participant; add a column `participant`, or give "
            "the person's name."
        )
    try:
        return check_participant_name(name.strip())
    except InputError as error:
        raise InputError(f"{line.location} {error}") from None


def _time_problems(response: Response) -> Iterator[str]:
    seconds = response.seconds
    if seconds is not None and not (math.isfinite(seconds) and seconds >= 0):
        yield f"seconds is {seconds}, but must be a finite number of at least 0"


def nonempty_values(line: FileRow, *, sheet: bool) -> dict[str, Any]:
    """The values of a row that are not empty; those of a sheet are unescaped."""
    values = {name: value for name, value in line.values.items() if value not in ("", None)}
    return {name: unescape_formula(value) for name, value in values.items()} if sheet else values


def _unknown_item(name: str, form: _RowContext) -> str:
    if not name:
        return "does not name an item; put its id in the column `item`."
    return f"names the item {name!r}, which the study {form.study.name!r} does not have."


def _check_columns(line: FileRow, study: Study) -> None:
    """Raise InputError for an unknown column, as it may hold answers."""
    known = {
        *Response.__struct_fields__,
        ADJUDICATED_BY,
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
    """The answers in the columns of a row; a list may be empty."""
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
    """The answers without empty lists for questions that were not asked."""
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


ExportFormat: TypeAlias = Literal["csv", "tsv", "jsonl"]


def export_responses(
    study: Study,
    responses: Iterable[Response],
    adjudications: Iterable[Adjudication],
    form: ExportFormat,
    *,
    with_hidden: bool = False,
) -> str:
    """Responses and adjudications as JSON lines or as a sheet."""
    if form == "jsonl":
        return responses_jsonl(
            study, responses, adjudications=adjudications, with_hidden=with_hidden
        )
    delimiter = "\t" if form == "tsv" else ","
    return responses_sheet(
        study, responses, adjudications=adjudications, with_hidden=with_hidden, delimiter=delimiter
    )


def responses_jsonl(
    study: Study,
    responses: Iterable[Response],
    *,
    adjudications: Iterable[Adjudication] = (),
    with_hidden: bool = False,
) -> str:
    """A JSON line per response and adjudication, with the visible fields of its item."""
    items = {item.id: item for item in all_items(study)}
    rows = [*map(msgspec.to_builtins, responses), *map(_adjudication_row, adjudications)]
    return "".join(
        to_json(
            {**row, **context_columns(study, items[row["item"]], with_hidden=with_hidden)}
        ).decode()
        + "\n"
        for row in rows
    )


def _adjudication_row(adjudication: Adjudication) -> dict[str, Any]:
    values = msgspec.to_builtins(adjudication)
    answers = {values.pop("question"): values.pop("value")}
    return {ADJUDICATED_BY: values.pop("by"), **values, "answers": answers}


def responses_sheet(
    study: Study,
    responses: Iterable[Response],
    *,
    adjudications: Iterable[Adjudication] = (),
    with_hidden: bool = False,
    delimiter: str = ",",
) -> str:
    """A row per response and adjudication, and a column per question."""
    items = {item.id: item for item in all_items(study)}
    rows = [
        (
            msgspec.to_builtins(each),
            {name: answer_to_cell(answer) for name, answer in each.answers.items()},
        )
        for each in responses
    ]
    decided = [
        (_adjudication_row(each), {each.question: answer_to_cell(each.value) or EMPTY_LIST})
        for each in adjudications
    ]
    heads = [
        *_LEADING_COLUMNS,
        *context_headers(study, with_hidden=with_hidden),
        *(question.id for question in study.questions),
        *_TRAILING_COLUMNS,
        *([ADJUDICATED_BY] if decided else ()),
    ]
    return to_csv(
        heads,
        (
            {
                **{name: values.get(name, "") for name in (*_LEADING_COLUMNS, *_TRAILING_COLUMNS)},
                **({ADJUDICATED_BY: values[ADJUDICATED_BY]} if ADJUDICATED_BY in values else {}),
                **context_columns(study, items[values["item"]], with_hidden=with_hidden),
                **cells,
            }
            for values, cells in (*rows, *decided)
        ),
        delimiter,
    )


def empty_sheet(study: Study, items: Sequence[StudyItem], participant: str) -> str:
    """A row per item, for one participant to fill in."""
    rows = [
        {"participant": participant, "item": item.id, **context_columns(study, item)}
        for item in items
    ]
    heads = [*_LEADING_COLUMNS, *context_headers(study)]
    return to_csv(
        [*heads, *(question.id for question in study.questions), *_TRAILING_COLUMNS], rows
    )


def context_columns(study: Study, item: StudyItem, *, with_hidden: bool = False) -> dict[str, str]:
    """The columns beside the answers: visible fields, and hidden ones for the owner."""
    written = {f"{SHOWN_PREFIX}{name}": text for name, text in visible_values(study, item).items()}
    if with_hidden:
        written |= {f"{HIDDEN_PREFIX}{name}": item.fields.get(name, "") for name in study.hidden}
    return written


def context_headers(study: Study, *, with_hidden: bool = False) -> list[str]:
    """The names of the columns that `context_columns` fills."""
    hidden = study.hidden if with_hidden else ()
    return [
        *(f"{SHOWN_PREFIX}{name}" for name in visible_fields(study)),
        *(f"{HIDDEN_PREFIX}{name}" for name in hidden),
    ]


def to_csv(heads: Sequence[str], rows: Iterable[Mapping[str, Any]], delimiter: str = ",") -> str:
    """The rows as a sheet, escaped so that no cell is taken for a formula."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, heads, restval="", delimiter=delimiter, lineterminator="\r\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: escape_formula(str(value)) for name, value in row.items()})
    return text.getvalue()


class LocatedAdjudication(NamedTuple):
    """An adjudication, and its location in a file."""

    location: str
    adjudication: Adjudication


def read_adjudications(
    path: Path,
    study: Study,
    *,
    columns: Mapping[str, str] | None = None,
    layout: ResponseFormat = "auto",
) -> list[LocatedAdjudication]:
    """Read the adjudications in a file of our own format; they are checked when stored."""
    if detect_format(path, layout) != "auto":
        return []
    items = {item.id: item for item in study.items}
    sheet = path.suffix.lower() in (".csv", ".tsv")
    return [
        decision
        for line in read_rows(path, columns)
        if line.values.get(ADJUDICATED_BY)
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
            f"{line.location} belongs to the study {values['study']!r}, but this is {study.name!r}."
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
                "by": values[ADJUDICATED_BY],
                "at": values.get("at"),
            }
            yield LocatedAdjudication(
                line.location, msgspec.convert(fields, Adjudication, strict=False)
            )
    except msgspec.ValidationError as error:
        raise InputError(f"{line.location} does not fit: {error}.") from None
