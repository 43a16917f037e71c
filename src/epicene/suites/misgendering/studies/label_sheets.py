"""Read the authors' label sheets: samples with a column of labels per person.

A sheet has the columns of a table of samples and, for each person, `NAME_label_pronoun` and
`NAME_extraneous_gendered_word`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.core.errors import InputError, as_sentence, unknown_name
from epicene.core.records import Text, Texts
from epicene.studies.design.schema import Response
from epicene.suites import AnsweredRequest, Answers
from epicene.suites.misgendering.stored_outputs import is_stored_output, read_samples
from epicene.suites.misgendering.studies.labels import OUTCOMES, UNMARKED, study, study_item
from epicene.suites.studies import Material

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from epicene.core.data_files import FileRow
    from epicene.studies.design.schema import AnswerValue, StudyItem
    from epicene.suites.misgendering.protocol import MisgenderingProtocol

_LABEL, _EXTRANEOUS = "_label_pronoun", "_extraneous_gendered_word"
_FLAGS = {"true": "yes", "1": "yes", "yes": "yes", "false": "no", "0": "no", "no": "no", "": "no"}


def read_labels(
    path: Path, protocol: MisgenderingProtocol
) -> tuple[tuple[StudyItem, ...], list[Response]]:
    """The sampled continuations that somebody labelled, and all labels."""
    if not is_stored_output(path):
        return (), []
    name, items, responses = study(protocol).name, {}, []
    for sample in read_samples(path):
        given = dict(_answers_by_person(sample.line))
        if not given:
            continue
        text = Text(text=sample.text)
        answered = AnsweredRequest(
            "ask", "model", sample.model, sample.setting, Texts(texts=(text,))
        )
        material = Material(
            item=sample.instance,
            protocol=protocol,
            model=sample.model,
            answers=Answers([answered]),
        )
        item = study_item(material, answered, sample.number, text)
        items[item.id] = item
        responses += [
            Response(study=name, participant=person, item=item.id, answers=answers)
            for person, answers in given.items()
        ]
    return tuple(items.values()), responses


def _answers_by_person(line: FileRow) -> Iterator[tuple[str, dict[str, AnswerValue]]]:
    for column, value in line.values.items():
        label = str(value or "").strip().replace("_", "-")
        if not column.endswith(_LABEL) or not label:
            continue
        if label not in OUTCOMES:
            known = [each.replace("-", "_") for each in OUTCOMES]
            problem = unknown_name(f"label in {column}", str(value), known)
            raise InputError(f"In {line.location} {as_sentence(problem)}")
        person = column.removesuffix(_LABEL)
        yield person, {"outcome": label, UNMARKED: _flag(line, person + _EXTRANEOUS)}


def _flag(line: FileRow, column: str) -> str:
    """yes or no; empty if the sheet has no such column."""
    if column not in line.values:
        return ""
    value = str(line.values.get(column, "")).strip().lower()
    if value not in _FLAGS:
        raise InputError(f"{line.location} has {value!r} in {column}; it must be TRUE or FALSE.")
    return _FLAGS[value]
