"""`epicene annotate …`: draw a human study, bring in what people answered, read it back."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from epicene.cli import annotate_export, annotate_people, annotate_serve, annotate_tables
from epicene.cli.annotate_options import StudyPath, put, say_left_out
from epicene.cli.options import Columns, pairs
from epicene.errors import InputError

app = typer.Typer(help="Draw a human study, take in people's answers, and tabulate them.")


@app.command()
def sample(
    runs: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[RUN…]", help="The run folders whose answers people shall judge."),
    ] = None,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FOLDER", help="The study's folder.")
    ] = Path("study"),
    study: Annotated[
        str, typer.Option("--study", help="Which of the suite's studies, if it has several.")
    ] = "",
    suite: Annotated[
        str, typer.Option("--suite", help="For studies of data: the suite, instead of runs.")
    ] = "",
    data: Annotated[
        Path | None, typer.Option("--data", "-d", help="With --suite: your file or folder.")
    ] = None,
    column: Columns = None,
    language: Annotated[
        list[str] | None, typer.Option("--language", "-l", help="With --suite: only these.")
    ] = None,
    per_cell: Annotated[
        int | None, typer.Option(min=1, help="How many items of each cell of the design.")
    ] = None,
    n: Annotated[
        int | None, typer.Option("--n", min=1, help="How many items in all, spread over the cells.")
    ] = None,
    twice: Annotated[
        int | None,
        typer.Option(min=0, help="How many of them are for two people (200 unless said)."),
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="Another draw.")] = None,
    protocol: Annotated[
        str,
        typer.Option(
            "--protocol", "-p", help="How it is drawn, paper or epicene; the runs' own unless said."
        ),
    ] = "",
) -> None:
    """Draw a study from what models answered in runs, or from a suite's data."""
    from epicene.annotate.counting import counted
    from epicene.annotate.folder import create_folder
    from epicene.annotate.pictures import gather
    from epicene.annotate.results import progress
    from epicene.annotate.sample import sample_data, sample_runs
    from epicene.cli.output import note
    from epicene.runs.results import read_run
    from epicene.studies.drawing import Wanted
    from epicene.suites import Source, find_suite

    wanted = Wanted(per_cell=per_cell, total=n, twice=twice, seed=seed)
    if bool(runs) == bool(suite):
        raise InputError("Name run folders, or a suite with --suite: one of the two.")
    if runs:
        if data is not None or column or language:
            raise InputError("--data, --column and --language go with --suite, not with runs.")
        drawn = sample_runs(
            [read_run(folder) for folder in runs], wanted, study=study, protocol=protocol
        )
    else:
        drawn = sample_data(
            find_suite(suite),
            Source(path=data, columns=pairs(column, "--column")),
            wanted,
            study=study,
            protocol=protocol or "epicene",
            languages=tuple(language or ()),
        )
    create_folder(out, drawn)
    gather(drawn, runs or (), out)
    how_many = progress(drawn, ())
    note(
        f"{counted(how_many.items, 'item')}, {counted(how_many.wanted, 'judgement')} wanted. "
        f"The study is in {out}."
    )


@app.command("import")
def import_(
    study: StudyPath,
    file: Annotated[
        Path,
        typer.Argument(
            help="Answers as CSV, TSV or JSONL, results of PCIbex, a JSON export of Label Studio."
        ),
    ],
    participant: Annotated[
        str, typer.Option("--participant", help="Whose they are, if the file does not say.")
    ] = "",
    column: Columns = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Take new answers in place of a person's old ones.")
    ] = False,
    incomplete: Annotated[
        bool,
        typer.Option(
            "--incomplete", help="Take answers that study.toml asked less of when they were given."
        ),
    ] = False,
    layout: Annotated[
        Literal["auto", "pcibex", "label-studio"],
        typer.Option("--format", help="How the file is laid out; its content says, unless said."),
    ] = "auto",
) -> None:
    """Keep answers that were made elsewhere, all of the file or nothing."""
    from epicene.annotate.counting import counted
    from epicene.annotate.folder import read_folder
    from epicene.cli.output import note

    added = read_folder(study).take(
        file,
        participant=participant,
        columns=pairs(column, "--column"),
        replace=replace,
        incomplete=incomplete,
        layout=layout,
    )
    was = {1: "was"}
    note(
        f"{counted(added.new, 'new answer')}, {added.replaced} in place of others, "
        f"{added.same} {was.get(added.same, 'were')} there already."
    )
    if added.settled:
        note(f"{counted(added.settled, 'answer')} {was.get(added.settled, 'were')} settled.")


@app.command()
def adjudicate(
    study: StudyPath,
    by: Annotated[str, typer.Option("--by", help="Who decides.")],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Where to; else standard output.")
    ] = None,
) -> None:
    """Write a sheet of what people do not agree on; `import` takes in what is settled there."""
    from epicene.annotate.adjudication import disagreements, nothing_to_settle
    from epicene.annotate.counting import counted
    from epicene.annotate.folder import read_folder
    from epicene.annotate.sheets import adjudication_sheet
    from epicene.cli.output import note

    if not by.strip():
        raise InputError("--by is empty; say who decides.")
    folder = read_folder(study)
    if why := nothing_to_settle(folder.study):
        raise InputError(why)
    responses, settled, _ = fitting = folder.fitting()
    found = disagreements(folder.study, responses, settled)
    put(adjudication_sheet(folder.study, found, by), out)
    items = len({each.item.id for each in found})
    note(f"To be settled: {counted(len(found), 'answer')} about {counted(items, 'item')}.")
    say_left_out(fitting)


app.command("export")(annotate_export.export)
app.command("tables")(annotate_tables.tables)
app.command("serve")(annotate_serve.serve)
app.command("links")(annotate_serve.links)
app.command("forget")(annotate_people.forget)
