"""`epicene annotate export`: all answers, or what people shall fill in."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from epicene.cli.annotate_options import (
    Passed,
    StudyPath,
    Without,
    chosen,
    names_in,
    put,
    say_left_out,
)
from epicene.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from epicene.annotate.folder import StudyFolder

Form = Literal["csv", "tsv", "jsonl"]
Program = Literal["pcibex", "label-studio"]


def export(
    study: StudyPath,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Where to; else standard output.")
    ] = None,
    form: Annotated[
        Form | None, typer.Option("--form", help="csv unless said, or as the file's name ends.")
    ] = None,
    hidden: Annotated[
        bool,
        typer.Option("--hidden", help="With what people are not shown; not for who still labels."),
    ] = False,
    people: Annotated[
        str,
        typer.Option(
            metavar="A,B,…|N",
            help="Instead: an empty sheet for each of these people, or for so many, in --out.",
        ),
    ] = "",
    to: Annotated[
        Program | None,
        typer.Option("--to", help="Instead: a project for another program, in the folder --out."),
    ] = None,
    without: Without = None,
    passed: Passed = False,
) -> None:
    """Write out all answers, or what people shall fill in: sheets, or a program's project."""
    from epicene.annotate.folder import read_folder
    from epicene.cli.output import note
    from epicene.studies.response_files import responses_jsonl, responses_sheet

    folder = read_folder(study)
    if people or to:
        of_answers = form is not None or hidden or without or passed
        if out is None or of_answers or (people and to):
            raise InputError(
                "--people and --to, one of the two, want a folder, --out DIR, and neither --form, "
                "--hidden, --without nor --passed."
            )
        _hand_out(folder, people, to, out)
        return
    form = form or _form_of(out)
    fitting, gone = chosen(folder, without, passed=passed)
    responses, settled = fitting.responses, fitting.settled
    if form == "jsonl":
        text = responses_jsonl(
            folder.study, responses, settled=settled.values(), with_hidden=hidden
        )
    else:
        text = responses_sheet(
            folder.study,
            responses,
            settled=settled.values(),
            with_hidden=hidden,
            delimiter="\t" if form == "tsv" else ",",
        )
    put(text, out)
    if gone.people:
        note(gone.note)
    say_left_out(fitting)


def _hand_out(folder: StudyFolder, people: str, to: Program | None, out: Path) -> None:
    """Write what people fill in: a sheet for each, or else a project for another program."""
    from epicene.annotate.pictures import hand_out
    from epicene.annotate.sheets import write_experiment, write_project, write_sheets
    from epicene.cli.output import note
    from epicene.studies.participants import check_name

    study = hand_out(folder, out)
    names = [check_name(name) for name in names_in(people)]
    if people.isdecimal():
        names = [f"p{number:0{len(people)}}" for number in range(1, int(people) + 1)]
    if not people:
        paths = (write_experiment if to == "pcibex" else write_project)(study, out)
    else:
        paths = write_sheets(study, names, out, folder.responses())
    for path in paths:
        note(str(path))
    if people:
        _say_answered(folder, names, {path.stem for path in paths})


def _say_answered(folder: StudyFolder, names: Sequence[str], sheets: Collection[str]) -> None:
    """Who has less to do, or nothing, as it was done already."""
    from epicene.annotate.counting import counted
    from epicene.cli.output import note

    study = folder.study
    in_sheets = {item.id for item in (*study.items, *study.fillers, *study.checks)}
    answered = Counter(each.participant for each in folder.responses() if each.item in in_sheets)
    for name in names:
        if name not in sheets:
            note(f"There is nothing to do for {name}, who gets no sheet.")
        elif answered[name]:
            done = counted(answered[name], "item")
            note(f"The sheet of {name} leaves out {done} that {name} has answered already.")


def _form_of(out: Path | None) -> Form:
    forms: dict[str, Form] = {".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl"}
    if out is None:
        return "csv"
    if out.suffix.lower() not in forms:
        raise InputError(f"{out} does not say in which form; end it in .csv, .tsv or .jsonl.")
    return forms[out.suffix.lower()]
