"""Sheets for people and projects for other programs; answers from both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple, get_args

from cyclopts import Parameter

from epicene.app.arguments import TEXTS, Columns, StudyLike
from epicene.app.output import note
from epicene.app.studies import Folder, names_of, open_study
from epicene.core.errors import pluralise, unknown

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from epicene.app.output import Output


class Sheets(NamedTuple):
    """The files for people to fill in, and notes about people with fewer items or none."""

    paths: list[Path]
    notes: list[str]

    def _print_(self, _output: Output) -> None:
        for sentence in (*map(str, self.paths), *self.notes):
            note(sentence)


def sheets(
    study: StudyLike,
    *,
    people: Annotated[int | str | Iterable[str], TEXTS, Parameter(metavar="A,B,…|N")],
    out: Folder,
) -> Sheets:
    """Write one empty sheet per person, to fill in and import.

    Args:
        study: The study's folder.
        people: Their names, or how many they are.
        out: The folder to write to.
    """
    from epicene.studies.collection.images import export_images
    from epicene.studies.collection.sheets import write_sheets
    from epicene.studies.design.checks import check_participant_name

    given = names_of(str(people) if isinstance(people, int) else people)
    if len(given) == 1 and given[0].isdecimal():
        digits, count = len(given[0]), int(given[0])
        names = [f"p{number:0{digits}}" for number in range(1, count + 1)]
    else:
        names = [check_participant_name(name) for name in given]
    folder = open_study(study).folder
    responses = folder.responses()
    ready = export_images(folder, Path(out))
    paths = write_sheets(ready, names, Path(out), responses, folder.exclusions())
    own = {item.id for item in (*ready.items, *ready.fillers, *ready.checks)}
    answered = Counter(each.participant for each in responses if each.item in own)
    return Sheets(paths, [*_reduced_work(names, {path.stem for path in paths}, answered)])


def _reduced_work(
    names: Sequence[str], sheets: Collection[str], answered: Mapping[str, int]
) -> Iterator[str]:
    """Sentences about people who have less to do, or nothing, because of earlier answers."""
    for name in names:
        if name not in sheets:
            yield f"{name} has nothing left to do and gets no sheet."
        elif answered[name]:
            done = pluralise(answered[name], "item")
            yield f"The sheet of {name} leaves out {done} that {name} has already answered."


def project(study: StudyLike, *, to: Literal["pcibex", "label-studio"], out: Folder) -> list[Path]:
    """Write a study as a project for another program.

    Args:
        study: The study's folder.
        to: The program.
        out: The folder to write to.
    """
    from epicene.studies.collection.images import export_images
    from epicene.studies.collection.sheets import TargetProgram, write_project

    if to not in (known := get_args(TargetProgram)):
        raise unknown("program", to, known)
    return write_project(export_images(open_study(study).folder, Path(out)), Path(out), to)


class Imported(NamedTuple):
    """How many answers a file had that are new, replace others, or were there already."""

    new: int
    replaced: int
    same: int
    adjudications: int = 0

    def _print_(self, _output: Output) -> None:
        note(
            f"{pluralise(self.new, 'new answer')}, {self.replaced} replaced, {self.same} unchanged."
        )
        if self.adjudications:
            were = "was" if self.adjudications == 1 else "were"
            note(f"{pluralise(self.adjudications, 'answer')} {were} settled by adjudication.")


def import_answers(
    study: StudyLike,
    file: Annotated[str | Path, Parameter(name="FILE")],
    *,
    participant: str = "",
    columns: Columns = None,
    replace: bool = False,
    incomplete: bool = False,
    format: Literal["auto", "pcibex", "label-studio"] = "auto",
) -> Imported:
    """Import answers collected outside Epicene: the whole file, or nothing if it has an error.

    Args:
        study: The study's folder.
        file: CSV, TSV or JSONL, PCIbex results, or a JSON export of Label Studio.
        participant: The person who gave the answers, if the file does not name them.
        columns: The file's columns with Epicene's fields.
        replace: Replace a person's earlier answers.
        incomplete: Accept responses that lack questions added later.
        format: The file's format (default: detected from its content).
    """
    from epicene.studies.exchange.response_files import ResponseFormat

    if format not in (known := get_args(ResponseFormat)):
        raise unknown("layout of answers", format, known)
    counts = open_study(study).folder.import_file(
        Path(file),
        participant=participant,
        columns=dict(columns or {}),
        replace=replace,
        incomplete=incomplete,
        layout=format,
    )
    return Imported(counts.new, counts.replaced, counts.same, counts.adjudications)
