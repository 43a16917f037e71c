"""`epicene annotate export` and `tables`, and the options that all `annotate` commands share."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias, cast

import typer

from epicene.cli.options import AsCsv, AsJson, AsLatex, AsMarkdown
from epicene.core.errors import InputError

if TYPE_CHECKING:
    from epicene.api.study_results import ExportFormat as PlainFormat
    from epicene.api.study_results import StudyAnswers

StudyPath: TypeAlias = Annotated[Path, typer.Argument(metavar="STUDY", help="A study's folder.")]
StudyOption: TypeAlias = Annotated[
    Path, typer.Option("--out", "-o", metavar="FOLDER", help="The study's folder.")
]
OutFileOption: TypeAlias = Annotated[
    Path | None,
    typer.Option("--out", "-o", help="The file to write (default: standard output)."),
]
HostOption: TypeAlias = Annotated[
    str, typer.Option(help="The address to listen on (default: this machine only).")
]
PortOption: TypeAlias = Annotated[
    int, typer.Option(min=0, max=65535, help="The port to listen on; 0 picks a free one.")
]
WithoutOption: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--without", metavar="NAME", help="Leave out this person's answers; may be repeated."
    ),
]
PassedOption: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--passed", help="Leave out the answers of people who failed the attention checks."
    ),
]


def split_names(people: str) -> list[str]:
    """The names in a comma-separated option."""
    return [name.strip() for name in people.split(",") if name.strip()]


ExportFormat = Literal["csv", "tsv", "jsonl", "xlsx", "parquet"]
ExportUnit = Literal["judgement", "item", "participant"]
TargetProgram = Literal["pcibex", "label-studio"]


def export(
    study: StudyPath,
    out: OutFileOption = None,
    form: Annotated[
        ExportFormat | None,
        typer.Option("--form", help="The format (default: from the file's extension, or csv)."),
    ] = None,
    hidden: Annotated[
        bool,
        typer.Option(
            "--hidden", help="Include hidden fields; do not give the file to active annotators."
        ),
    ] = False,
    per: Annotated[
        ExportUnit | None,
        typer.Option(
            "--per",
            help="For analysis: one row per judgement, item or participant, with kind, list, "
            "position, on-screen order, flags and exclusions.",
        ),
    ] = None,
    codebook: Annotated[
        bool,
        typer.Option("--codebook", help="With --per: write a description of its columns instead."),
    ] = False,
    bom: Annotated[
        bool,
        typer.Option(
            "--bom",
            help="With --per: add a byte order mark, so that Excel reads the CSV file as UTF-8.",
        ),
    ] = False,
    people: Annotated[
        str,
        typer.Option(
            metavar="A,B,…|N",
            help="Instead of answers, write one empty sheet per person to the folder --out. Give "
            "names, or the number of people.",
        ),
    ] = "",
    to: Annotated[
        TargetProgram | None,
        typer.Option(
            "--to",
            help="Instead of answers, write a project for another program to the folder --out.",
        ),
    ] = None,
    without: WithoutOption = None,
    passed: PassedOption = False,
) -> None:
    """Export all answers, or material to fill in: sheets, or a project for another program."""
    from epicene.api.studies import load_study
    from epicene.cli.output import note

    chosen = load_study(study)
    if people or to:
        of_answers = form is not None or hidden or without or passed or per or codebook or bom
        if people and to:
            raise InputError("Use either --people or --to.")
        if out is None:
            raise InputError("--people and --to write to a folder; name it with --out.")
        if of_answers:
            raise InputError(
                "--people and --to export no answers; leave out --per, --form, --hidden, "
                "--without, --passed, --codebook and --bom."
            )
        if to is not None:
            notes = [str(path) for path in chosen.write_project(to, out)]
        else:
            named = int(people) if people.isdecimal() else split_names(people)
            sheets = chosen.write_sheets(named, out)
            notes = [*map(str, sheets.paths), *sheets.notes]
    else:
        answers = chosen.answers(without=without or (), passed=passed)
        notes = list(answers.notes)
        if per or _is_table(out, form):
            unit = per or "judgement"
            _write_table(answers, out, unit, form, hidden=hidden, bom=bom, codebook=codebook)
            notes = list(answers.table_notes(unit))
        elif codebook or bom:
            raise InputError("--codebook and --bom require --per.")
        else:
            plain = cast("PlainFormat | None", form)  # the others are tables
            text = answers.export(out, form=plain, hidden=hidden)
            if out is None:
                sys.stdout.write(text)
            notes += answers.mixed_kinds
        if out is not None and not per and not len(answers):
            notes.append(f"{study} has no answers yet, so {out} has no rows.")
    for sentence in notes:
        note(sentence)


def _is_table(out: Path | None, form: ExportFormat | None) -> bool:
    """Whether a format is for analysis only."""
    ending = form or ("" if out is None else out.suffix.lower().removeprefix("."))
    return ending in ("xlsx", "parquet")


def _write_table(
    answers: StudyAnswers,
    out: Path | None,
    per: ExportUnit,
    form: ExportFormat | None,
    *,
    hidden: bool,
    bom: bool,
    codebook: bool,
) -> None:
    if out is not None:
        answers.write_table(out, per, form=form, hidden=hidden, bom=bom, codebook=codebook)
        return
    content = answers.table_bytes(
        per, form=form or "csv", hidden=hidden, bom=bom, codebook=codebook
    )
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()


def tables(
    study: StudyPath,
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="NAME", help="Only these tables.")
    ] = None,
    figures: Annotated[
        Path | None, typer.Option("--figures", help="A folder to write the figures to, as SVG.")
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
    """Print the results of a study: agreement between people, and of people with the suite."""
    from epicene.api.studies import load_study
    from epicene.cli.output import chosen_format, note, print_json, print_tables, write_tables

    form = chosen_format(json=as_json, csv=as_csv, latex=as_latex, markdown=as_markdown)
    answers = load_study(study).answers(without=without or (), passed=passed)
    results = answers.results(runs or ())
    drawn = results.figures if figures is not None else {}
    if form == "json":
        print_json(results.document(only or ()))
    elif form:
        write_tables(results.select(only or ()), form)
    else:
        print_tables(results.select(only or ()))
    for name in drawn:
        assert figures is not None
        note(str(results.figure(name).save(figures / f"{name}.svg")))
    for sentence in results.notes:
        note(sentence)
