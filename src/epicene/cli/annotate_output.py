"""`epicene annotate export` and `tables`, and the options that all `annotate` commands share."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import typer

from epicene.cli.options import AsCsv, AsJson, AsLatex, AsMarkdown
from epicene.core.errors import InputError, pluralise, unknown

if TYPE_CHECKING:
    from collections.abc import Collection

    from epicene.core.records import Table
    from epicene.studies.analysis.exclusions import Exclusions
    from epicene.studies.analysis.study_summary import StudySummary
    from epicene.studies.collection.folder import StudyFolder
    from epicene.studies.collection.progress import StudyProgress
    from epicene.studies.collection.schema_drift import ValidResponses
    from epicene.studies.design.schema import Study

StudyPath: TypeAlias = Annotated[Path, typer.Argument(metavar="STUDY", help="A study's folder.")]
WithoutOption: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--without", metavar="NAME", help="Leave this person's answers out."),
]
PassedOption: TypeAlias = Annotated[
    bool,
    typer.Option("--passed", help="Leave out the answers of who failed the attention checks."),
]


def split_names(people: str) -> list[str]:
    """The names in a comma-separated option."""
    return [name.strip() for name in people.split(",") if name.strip()]


def included_responses(
    folder: StudyFolder, without: list[str] | None, *, passed: bool
) -> tuple[ValidResponses, Exclusions]:
    """The valid responses without those of excluded participants, and who those are."""
    from epicene.cli.output import note
    from epicene.studies.analysis.exclusions import Exclusions, exclude_participants

    valid = folder.valid_responses()
    if not without and not passed:
        return valid, Exclusions()
    excluded = exclude_participants(folder.study, valid.responses, without or (), failed=passed)
    if passed and not excluded.failed:
        note(f"Nobody {'else ' if without else ''}failed the attention checks.")
    return folder.valid_responses(without=excluded.participants), excluded


def note_left_out(valid: ValidResponses) -> None:
    """Tell the user which responses are left out or incomplete, if any."""
    from epicene.cli.output import note

    if valid.note:
        note(valid.note)


def write_output(text: str, out: Path | None) -> None:
    """Write to a file, or to standard output."""
    from epicene.core.files import write_atomically

    if out is None:
        sys.stdout.write(text)
    else:
        write_atomically(out, text.encode(), private=True)


ExportFormat = Literal["csv", "tsv", "jsonl"]
TargetProgram = Literal["pcibex", "label-studio"]


def export(
    study: StudyPath,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="The file to write (default: standard output)."),
    ] = None,
    form: Annotated[
        ExportFormat | None,
        typer.Option("--form", help="The format (default: by the file's extension, or csv)."),
    ] = None,
    hidden: Annotated[
        bool,
        typer.Option(
            "--hidden", help="Include hidden fields; do not give the file to active annotators."
        ),
    ] = False,
    people: Annotated[
        str,
        typer.Option(
            metavar="A,B,…|N",
            help="Instead: an empty sheet per person, by name or number of people, in --out.",
        ),
    ] = "",
    to: Annotated[
        TargetProgram | None,
        typer.Option("--to", help="Instead: a project for another program, in the folder --out."),
    ] = None,
    without: WithoutOption = None,
    passed: PassedOption = False,
) -> None:
    """Export all answers, or material to fill in: sheets, or a project of another program."""
    from epicene.cli.output import note
    from epicene.studies.collection.folder import open_study_folder
    from epicene.studies.exchange.response_files import export_responses

    folder = open_study_folder(study)
    if people or to:
        of_answers = form is not None or hidden or without or passed
        if out is None or of_answers or (people and to):
            raise InputError(
                "--people and --to, one of the two, want a folder, --out DIR, and neither --form, "
                "--hidden, --without nor --passed."
            )
        _export_materials(folder, people, to, out)
        return
    form = form or _format_of(out)
    valid, excluded = included_responses(folder, without, passed=passed)
    adjudications = valid.adjudications.values()
    text = export_responses(folder.study, valid.responses, adjudications, form, with_hidden=hidden)
    write_output(text, out)
    if excluded.participants:
        note(excluded.note)
    note_left_out(valid)


def _export_materials(
    folder: StudyFolder, people: str, to: TargetProgram | None, out: Path
) -> None:
    """Write a sheet for each person, or a project for another program."""
    from epicene.cli.output import note
    from epicene.studies.collection.images import export_images
    from epicene.studies.collection.sheets import write_project, write_sheets
    from epicene.studies.design.checks import check_participant_name

    study = export_images(folder, out)
    names = [check_participant_name(name) for name in split_names(people)]
    if people.isdecimal():
        names = [f"p{number:0{len(people)}}" for number in range(1, int(people) + 1)]
    if to is not None:
        paths = write_project(study, out, to)
    else:
        paths = write_sheets(study, names, out, folder.responses())
    for path in paths:
        note(str(path))
    if people:
        _note_already_answered(folder, names, {path.stem for path in paths})


def _note_already_answered(
    folder: StudyFolder, names: Sequence[str], sheets: Collection[str]
) -> None:
    """Tell the user who has less to do, or nothing, because of earlier answers."""
    from epicene.cli.output import note

    study = folder.study
    in_sheets = {item.id for item in (*study.items, *study.fillers, *study.checks)}
    answered = Counter(each.participant for each in folder.responses() if each.item in in_sheets)
    for name in names:
        if name not in sheets:
            note(f"There is nothing to do for {name}, who gets no sheet.")
        elif answered[name]:
            done = pluralise(answered[name], "item")
            note(f"The sheet of {name} leaves out {done} that {name} has answered already.")


def _format_of(out: Path | None) -> ExportFormat:
    forms: dict[str, ExportFormat] = {".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl"}
    if out is None:
        return "csv"
    if out.suffix.lower() not in forms:
        raise InputError(f"{out} does not say in which form; end it in .csv, .tsv or .jsonl.")
    return forms[out.suffix.lower()]


def tables(
    study: StudyPath,
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="NAME", help="Only these tables.")
    ] = None,
    figures: Annotated[
        Path | None, typer.Option("--figures", help="A folder for the figures, as SVG.")
    ] = None,
    runs: Annotated[
        list[Path] | None,
        typer.Option(
            "--run", metavar="RUN", help="A run to compare with people; repeat for several."
        ),
    ] = None,
    without: WithoutOption = None,
    passed: PassedOption = False,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
    as_latex: AsLatex = False,
    as_markdown: AsMarkdown = False,
) -> None:
    """Print the results of a study: agreement between people, and with the suite."""
    from epicene.cli.output import chosen_format, note, print_json, print_tables, write_tables
    from epicene.runs.stored_run import read_run
    from epicene.studies.analysis.quality_tables import quality_tables
    from epicene.studies.analysis.study_summary import IncompatibleStudyError, summarise_study
    from epicene.studies.collection.folder import open_study_folder
    from epicene.studies.collection.progress import study_progress

    form = chosen_format(json=as_json, csv=as_csv, latex=as_latex, markdown=as_markdown)
    folder = open_study_folder(study)
    beside = [read_run(run) for run in runs or ()]
    valid, excluded = included_responses(folder, without, passed=passed)
    made = quality_tables(folder.study, valid.responses)
    summary = None
    # A study written by hand has only the general tables.
    if folder.study.drawn is not None or beside or figures is not None or not made:
        try:
            summary = summarise_study(folder.study, valid.responses, beside, valid.adjudications)
            made = (*summary.tables, *made)
        except IncompatibleStudyError as error:
            if not made:
                raise
            note(str(error))
    printed = _with_exclusion_note(_only(made, only or ()), excluded)
    progress = study_progress(folder.study, valid.responses)
    if form == "json":
        print_json(_document(folder.study, progress, summary, printed, excluded))
    elif form:
        write_tables(printed, form)
    else:
        print_tables(printed)
    if summary is not None and figures is not None:
        _write_figures(summary, figures, excluded)
    if excluded.participants:
        note(excluded.note)
    if progress.given < progress.wanted:
        note(f"{progress.given} of {progress.wanted} judgements are there so far.")
    note_left_out(valid)
    if summary is not None and summary.unread:
        note(
            f"Not in the suite's own tables: {pluralise(summary.unread, 'response')} without an "
            "answer to what its study asks, as study.toml was changed."
        )


def _only(made: Sequence[Table], names: Sequence[str]) -> list[Table]:
    known = {table.name: table for table in made}
    for name in names:
        if name not in known:
            raise unknown("table", name, known)
    return [table for name, table in known.items() if name in names or not names]


def _with_exclusion_note(tables: Sequence[Table], excluded: Exclusions) -> list[Table]:
    """The tables with a note on who is excluded."""
    import msgspec

    if not excluded.participants:
        return list(tables)
    return [msgspec.structs.replace(each, notes=(*each.notes, excluded.note)) for each in tables]


def _document(
    study: Study,
    progress: StudyProgress,
    summary: StudySummary | None,
    printed: Sequence[Table],
    excluded: Exclusions,
) -> dict[str, Any]:
    """The results in the common format (docs/results.schema.json)."""
    import msgspec

    from epicene.core.records import Estimate
    from epicene.report.table_formats import estimate_json, tables_json

    nobody = Estimate(value=None, why="no suite judges the answers")
    metrics = {} if summary is None else summary.metrics
    return {
        "suite": study.suite,
        "protocol": "" if summary is None else summary.results.protocol.name,
        "data": study.drawn.data if study.drawn else "",
        "study": {
            **msgspec.to_builtins(progress),
            **({"left_out": len(excluded.participants)} if excluded.participants else {}),
        },
        "metrics": {name: estimate_json(each) for name, each in metrics.items()},
        "undetected": estimate_json(nobody if summary is None else summary.undetected),
        "tables": tables_json(printed),
    }


def _write_figures(summary: StudySummary, folder: Path, excluded: Exclusions) -> None:
    import msgspec

    from epicene.cli.output import note
    from epicene.core.files import write_atomically
    from epicene.report.figures import svg

    for figure in summary.figures:
        path = folder / f"{figure.name}.svg"
        notes = (*figure.notes, excluded.note) if excluded.participants else figure.notes
        write_atomically(path, svg(msgspec.structs.replace(figure, notes=notes)).encode())
        note(str(path))
