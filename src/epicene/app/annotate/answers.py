"""Settle disagreements, export answers, and tabulate them."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple, TypeAlias, cast, get_args

from cyclopts import Parameter

from epicene.app.arguments import TEXTS, RunsLike, StudyLike
from epicene.app.output import note
from epicene.app.studies import open_study
from epicene.core.errors import InputError, pluralise

if TYPE_CHECKING:
    from epicene.app.output import Output
    from epicene.app.study_results import StudyResults
    from epicene.studies.exchange.response_files import ExportFormat
    from epicene.studies.exchange.table_files import TableFormat

OutFile: TypeAlias = Annotated[str | Path | None, Parameter(alias="-o", metavar="PATH")]
Without: TypeAlias = Annotated[str | Iterable[str], TEXTS, Parameter(metavar="NAME")]


class AdjudicationSheet(NamedTuple):
    """A sheet of disagreements as CSV, with the number of answers and items it covers."""

    text: str
    answers: int
    items: int
    note: str  # which answers are left out or incomplete; "" if none
    out: Path | None

    def _print_(self, _output: Output) -> None:
        if self.out is None:
            sys.stdout.write(self.text)
        about = f"{pluralise(self.answers, 'answer')} about {pluralise(self.items, 'item')}"
        note(f"To decide: {about}.")
        if self.note:
            note(self.note)


def adjudicate(study: StudyLike, *, by: str, out: OutFile = None) -> AdjudicationSheet:
    """Write a sheet of the disagreements; fill it in, and import it with `annotate import`.

    Args:
        study: The study's folder.
        by: Who decides.
        out: The file to write (default: standard output).
    """
    from epicene.core.files import write_atomically
    from epicene.studies.collection.adjudication import disagreements, why_no_adjudication
    from epicene.studies.collection.sheets import adjudication_sheet

    if not by.strip():
        raise InputError("--by must not be empty; name the person who decides.")
    folder = open_study(study).folder
    if why := why_no_adjudication(folder.study):
        raise InputError(why)
    valid = folder.valid_responses()
    found = disagreements(folder.study, valid.responses, valid.adjudications)
    text = adjudication_sheet(folder.study, found, by)
    path = None if out is None else Path(out).expanduser()
    if path is not None:
        write_atomically(path, text.encode(), private=True)
    items = len({each.item.id for each in found})
    return AdjudicationSheet(text, len(found), items, valid.note, path)


class ExportedAnswers(NamedTuple):
    """The content of a file of answers, and notes on what it leaves out."""

    content: bytes
    notes: tuple[str, ...]
    out: Path | None

    def _print_(self, _output: Output) -> None:
        if self.out is None:
            sys.stdout.buffer.write(self.content)
            sys.stdout.flush()
        for sentence in self.notes:
            note(sentence)


def export(
    study: StudyLike,
    *,
    out: OutFile = None,
    per: Literal["judgement", "item", "participant"] | None = None,
    hidden: bool = False,
    codebook: bool = False,
    without: Without = (),
    passed: bool = False,
) -> ExportedAnswers:
    """Export all answers: in a file that `annotate import` reads back, or for analysis.

    Args:
        study: The study's folder.
        out: The file to write, by its extension as .csv, .tsv or .jsonl; for analysis also .xlsx or
            .parquet (default: CSV on standard output).
        per: For analysis: one row per judgement (the default for .xlsx and .parquet), item or
            participant, with kind, list, position, on-screen order, flags and exclusions.
        hidden: Include hidden fields; do not give the file to active annotators.
        codebook: With `--per`: write a description of its columns instead.
        without: Leave out this person's answers; may be repeated.
        passed: Leave out the answers of people who failed the attention checks.
    """
    from epicene.core.files import write_atomically
    from epicene.studies.exchange.response_files import export_responses
    from epicene.studies.exchange.table_files import table_bytes

    answers = open_study(study).answers(without=without, passed=passed)
    path = None if out is None else Path(out).expanduser()
    form: TableFormat = "csv" if path is None else _table_format(path)
    if per is not None or form in ("xlsx", "parquet"):
        per = per or "judgement"
        table = answers.table(per, hidden=hidden)
        content = table_bytes(
            table.codebook() if codebook else table.frame(), table.codebook(), form
        )
        notes = answers.table_notes(per)
    elif codebook:
        raise InputError("--codebook requires --per.")
    else:
        given = answers.study
        content = export_responses(
            given.study,
            given.responses,
            (given.adjudications or {}).values(),
            cast("ExportFormat", form),
            with_hidden=hidden,
        ).encode()
        notes = (*answers.notes, *answers.mixed_kinds)
    if path is not None:
        write_atomically(path, content, private=True)
        if not len(answers):
            notes = (*notes, f"The study has no answers yet, so {path} has no rows.")
    return ExportedAnswers(content, notes, path)


def _table_format(path: Path) -> TableFormat:
    from epicene.studies.exchange.table_files import TableFormat

    ending = path.suffix.lower().removeprefix(".")
    known: dict[str, TableFormat] = {each: each for each in get_args(TableFormat)}
    if ending not in known:
        raise InputError(
            f"The format of {path} is not clear from its name; use the extension "
            f".{', .'.join(known)}."
        )
    return known[ending]


def tables(
    study: StudyLike,
    *,
    runs: Annotated[RunsLike, Parameter(name="--run")] = (),
    figures: Annotated[str | Path | None, Parameter(metavar="FOLDER")] = None,
    without: Without = (),
    passed: bool = False,
) -> StudyResults:
    """Print the results of a study: agreement between people, and of people with the suite.

    Args:
        study: The study's folder.
        runs: A run to compare with people; repeat for several.
        figures: A folder to write the figures to, as SVG.
        without: Leave out this person's answers; may be repeated.
        passed: Leave out the answers of people who failed the attention checks.
    """
    answers = open_study(study).answers(without=without, passed=passed)
    results = answers.results(runs)
    if figures is not None:
        results.save_figures(Path(figures).expanduser())
    return results
