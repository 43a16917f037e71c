"""What people fill in elsewhere: sheets, with the items dealt out, or another program's project.

A sheet has a person's items in an order of their own, with fillers and attention checks among them;
practice stands in the instructions, where its answers can be told.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.annotate.dealing import answered_before, deal
from epicene.errors import InputError
from epicene.runs.files import write_whole
from epicene.studies import Choose, Mark, Study, Tag
from epicene.studies.cells import to_cell
from epicene.studies.label_studio_project import project
from epicene.studies.lists import sequence
from epicene.studies.pcibex_experiment import experiment
from epicene.studies.response_files import (
    SAID,
    SETTLED_BY,
    SHOWN,
    beside,
    csv_text,
    empty_sheet,
)
from epicene.studies.showing import shown, shown_fields

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from epicene.annotate.adjudication import Disagreement
    from epicene.studies import Option, Question, Response, Words

INSTRUCTIONS = "instructions.md"
# So that spreadsheets read UTF-8.
_MARK = b"\xef\xbb\xbf"


def write_sheets(
    study: Study, people: Sequence[str], out: Path, responses: Sequence[Response] = ()
) -> list[Path]:
    """A sheet for each person who has something left to do, and the instructions; where they are.

    What was answered already is in no sheet of the person who did.
    """
    for person in people:
        if not person or "/" in person or person.startswith("."):
            raise InputError(f"{person!r} cannot be the name of a person's sheet.")
    before = answered_before(study, responses)
    hands = {person: items for person, items in deal(study, people, before).items() if items}
    if not hands:
        raise InputError(f"The study {study.name} has nothing left to do for those who are named.")
    paths = {person: out / f"{person}.csv" for person in hands}
    _must_be_new(paths.values())
    for person, items in hands.items():
        rows = [
            item for item in sequence(study, items, person) if (person, item.id) not in before.met
        ]
        write_whole(paths[person], _MARK + empty_sheet(study, rows, person).encode())
    write_whole(out / INSTRUCTIONS, instructions(study).encode())
    return [*paths.values(), out / INSTRUCTIONS]


def write_experiment(study: Study, out: Path) -> list[Path]:
    """The files of an experiment for PCIbex; where they are."""
    return _write(experiment(study), out)


def write_project(study: Study, out: Path) -> list[Path]:
    """The files of a project for Label Studio; where they are."""
    return _write(project(study), out)


def _write(files: Mapping[str, str], out: Path) -> list[Path]:
    texts = {out / name: text for name, text in files.items()}
    _must_be_new(texts)
    for path, text in texts.items():
        write_whole(path, text.encode())
    return list(texts)


def _must_be_new(paths: Iterable[Path]) -> None:
    for path in paths:
        if path.exists():
            raise InputError(f"{path} is there already, and may be in use; name another folder.")


def adjudication_sheet(study: Study, found: Sequence[Disagreement], by: str) -> str:
    """A row per item on which people differ, with what each said, for one who decides."""
    asked = [each.id for each in study.questions if any(each.id == one.question for one in found)]
    rows: dict[str, dict[str, str]] = {}
    for one in found:
        row = rows.setdefault(
            one.item.id, {SETTLED_BY: by, "item": one.item.id, **beside(study, one.item)}
        )
        row[f"{SAID}{one.question}"] = " | ".join(
            f"{person}: {to_cell(answer)}" for person, answer in one.answers.items()
        )
    heads = [SETTLED_BY, "item", *(f"{SHOWN}{name}" for name in shown_fields(study))]
    for name in asked:
        heads += [f"{SAID}{name}", name]
    return csv_text(heads, rows.values())


def instructions(study: Study) -> str:
    """What a person must know to fill in a sheet; the study's own words in all its languages."""
    parts = [part for code in study.title for part in _in_language(study, code)]
    return "\n\n".join(parts) + "\n"


def _in_language(study: Study, code: str) -> Iterator[str]:
    yield f"# {study.title[code]}"
    for words in (study.consent, study.instructions):
        if words:
            yield words[code].strip()
    for question in study.questions:
        yield f"## {question.id}"
        yield question.ask[code]
        if question.hint:
            yield question.hint[code]
        yield _how(question, code)
    yield from _practice(study, code)


def _practice(study: Study, code: str) -> Iterator[str]:
    """The practice items as they would stand in a sheet, each with what was expected."""
    for number, item in enumerate(study.practice, 1):
        cells = (f"- {name}: {text}" for name, text in shown(study, item).items())
        yield f"## {number}"
        yield "\n".join(cells)
        if item.feedback:
            yield item.feedback[code]


def _how(question: Question, code: str) -> str:
    """How an answer is written into its cell."""
    if isinstance(question, Choose):
        named = _options(question.options, code) or "\n".join(
            f"- `{name}`" for name in question.between
        )
        return f"One of\n\n{named}"
    if isinstance(question, Tag):
        return f"Any of these, with `;` between them:\n\n{_options(question.options, code)}"
    if isinstance(question, Mark):
        words = f"Words of `{question.field}`, with `;` between them"
        if not question.labels:
            return f"{words}."
        return f"{words}, each with `:` and one of\n\n{_options(question.labels, code)}"
    return "A text."


def _options(options: Sequence[Option], code: str) -> str:
    return "\n".join(f"- `{option.id}`{_explained(option.label, code)}" for option in options)


def _explained(label: Words, code: str) -> str:
    return f": {label[code]}" if label else ""
