"""Responses as files: a sheet with a column per question, or JSON lines with whole responses.

Results of PCIbex are read too (`pcibex`).
"""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import msgspec

from epicene.datafiles import Line, read_rows
from epicene.errors import InputError
from epicene.records import to_json
from epicene.studies import AnswerValue, Response, Study, StudyItem, pcibex
from epicene.studies.cells import CellError, from_cell, guarded, to_cell, unguarded
from epicene.studies.responses import no_such, response_faults, sentence
from epicene.studies.showing import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

# Columns that are for reading alone begin so, and are passed over when a sheet comes back.
SHOWN, HIDDEN = "shown: ", "hidden: "
_BEFORE = ("participant", "item")

# How a file is laid out: as its content says, or as PCIbex writes its results.
Layout: TypeAlias = Literal["auto", "pcibex"]
_AFTER = ("at", "seconds", "language")


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
    from_pcibex = layout == "pcibex" or pcibex.is_results(path)
    form = _Form(
        study,
        {item.id: item for item in every_item(study)},
        participant,
        path.suffix.lower() in (".csv", ".tsv") and not from_pcibex,
    )
    lines = (
        pcibex.read_results(path, study, participant=participant, names=columns or {})
        if from_pcibex
        else read_rows(path, columns)
    )
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


def every_item(study: Study) -> Iterator[StudyItem]:
    """All that a person may be asked about: practice, attention checks and fillers too."""
    for part in (study.practice, study.checks, study.fillers, study.items):
        yield from part


def same_answers(one: Response, other: Response) -> bool:
    """Whether two responses say the same; an empty answer says no more than none."""
    said = [
        {name: answer for name, answer in each.answers.items() if answer} for each in (one, other)
    ]
    return said[0] == said[1]


def _read(line: Line, form: _Form) -> Placed | None:
    """The response of one row; None where nothing is answered yet."""
    values = {name: value for name, value in line.values.items() if value not in ("", None)}
    if form.sheet:
        values = {name: unguarded(value) for name, value in values.items()}
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
        "participant": form.participant,
        **{key: values[key] for key in Response.__struct_fields__ if key in values},
    }
    if not fields["participant"]:
        raise InputError(
            f"{line.place} does not say whose answers these are; add a column `participant` or "
            "name the person."
        )
    if not whole:
        fields["answers"] = _answers(line, values, item, form.study)
    response = _response(line, fields)
    if response.study != form.study.name:
        raise InputError(
            f"{line.place} is of the study {response.study!r}, and this is {form.study.name!r}."
        )
    for fault in response_faults(form.study, item, response.answers):
        raise InputError(f"{line.place} {sentence(fault)}")
    return Placed(line.place, response)


def _unknown_item(name: str, form: _Form) -> str:
    if not name:
        return "names no item; put its id in the column `item`."
    return f"names the item {name!r}, which the study {form.study.name!r} does not have."


def _check_columns(line: Line, study: Study) -> None:
    """Raise for a column that is neither ours nor for reading alone: an answer may be in it."""
    known = {*Response.__struct_fields__, *(question.id for question in study.questions)}
    known.discard("answers")
    for name in line.values:
        if name not in known and not str(name).startswith((SHOWN, HIDDEN)):
            raise InputError(f"{line.place} {sentence(no_such('column', str(name), known))}")


def _answers(
    line: Line, values: Mapping[str, Any], item: StudyItem, study: Study
) -> dict[str, AnswerValue]:
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


def _response(line: Line, fields: dict[str, Any]) -> Response:
    try:
        return msgspec.convert(fields, Response, strict=False)
    except msgspec.ValidationError as error:
        raise InputError(f"{line.place} does not fit: {error}.") from None


# --- writing ---------------------------------------------------------------------------------


def responses_jsonl(
    study: Study, responses: Iterable[Response], *, with_hidden: bool = False
) -> str:
    """A JSON line per response, with what was shown of its item."""
    items = {item.id: item for item in every_item(study)}
    return "".join(
        to_json(
            {
                **msgspec.to_builtins(response),
                **_beside(study, items[response.item], with_hidden=with_hidden),
            }
        ).decode()
        + "\n"
        for response in responses
    )


def responses_sheet(
    study: Study,
    responses: Iterable[Response],
    *,
    with_hidden: bool = False,
    delimiter: str = ",",
) -> str:
    """A row per response and a column per question."""
    items = {item.id: item for item in every_item(study)}
    rows = []
    for response in responses:
        values = msgspec.to_builtins(response)
        rows.append(
            {
                **{name: values.get(name, "") for name in (*_BEFORE, *_AFTER)},
                **_beside(study, items[response.item], with_hidden=with_hidden),
                **{name: to_cell(answer) for name, answer in response.answers.items()},
            }
        )
    return _sheet(study, rows, delimiter, with_hidden=with_hidden)


def empty_sheet(study: Study, items: Sequence[StudyItem], participant: str) -> str:
    """A row per item, for one person to fill in."""
    rows = [{"participant": participant, "item": item.id, **_beside(study, item)} for item in items]
    return _sheet(study, rows, ",")


def _beside(study: Study, item: StudyItem, *, with_hidden: bool = False) -> dict[str, str]:
    """What is written beside the answers: the shown fields, and for the owner the hidden ones."""
    beside = {f"{SHOWN}{name}": text for name, text in shown(study, item).items()}
    if with_hidden:
        beside |= {f"{HIDDEN}{name}": item.fields.get(name, "") for name in study.hidden}
    return beside


def _sheet(
    study: Study, rows: Sequence[Mapping[str, Any]], delimiter: str, *, with_hidden: bool = False
) -> str:
    any_item = next(every_item(study))
    heads = [
        *_BEFORE,
        *_beside(study, any_item, with_hidden=with_hidden),
        *(question.id for question in study.questions),
        *_AFTER,
    ]
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, heads, restval="", delimiter=delimiter, lineterminator="\r\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: guarded(str(value)) for name, value in row.items()})
    return text.getvalue()
