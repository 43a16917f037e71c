"""`epicene annotate …`: draw a human study, bring in what people answered, read it back."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import typer

from epicene.cli import annotate_serve
from epicene.cli.options import AsCsv, AsJson, AsLatex, AsMarkdown, Columns, pairs
from epicene.errors import InputError, unknown

if TYPE_CHECKING:
    from epicene.annotate.fitting import Fitting
    from epicene.annotate.results import Progress, StudySummary
    from epicene.records import Table
    from epicene.studies import Study

app = typer.Typer(help="Draw a human study, take in people's answers, and tabulate them.")

app.command("serve")(annotate_serve.serve)
app.command("links")(annotate_serve.links)

StudyPath: TypeAlias = Annotated[Path, typer.Argument(metavar="STUDY", help="A study's folder.")]
Form = Literal["csv", "tsv", "jsonl"]
Program = Literal["pcibex", "label-studio"]


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
    note(f"{how_many.items} items, {how_many.wanted} judgements wanted. The study is in {out}.")


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
    layout: Annotated[
        Literal["auto", "pcibex", "label-studio"],
        typer.Option("--format", help="How the file is laid out; its content says, unless said."),
    ] = "auto",
) -> None:
    """Keep answers that were made elsewhere, all of the file or nothing."""
    from epicene.annotate.folder import read_folder
    from epicene.cli.output import note

    added = read_folder(study).take(
        file,
        participant=participant,
        columns=pairs(column, "--column"),
        replace=replace,
        layout=layout,
    )
    note(
        f"{added.new} new answers, {added.replaced} in place of others, "
        f"{added.same} were there already."
    )
    if added.settled:
        note(f"{added.settled} answers were settled.")


@app.command()
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
) -> None:
    """Write out all answers, or what people shall fill in: sheets, or a program's project."""
    from epicene.annotate.folder import read_folder
    from epicene.annotate.pictures import hand_out
    from epicene.studies.response_files import responses_jsonl, responses_sheet

    folder = read_folder(study)
    if people or to:
        if out is None or form is not None or hidden or (people and to):
            raise InputError(
                "--people and --to, one of the two, want a folder, --out DIR, and neither --form "
                "nor --hidden."
            )
        _hand_out(hand_out(folder, out), people, to, out)
        return
    form = form or _form_of(out)
    responses, settled, _ = fitting = folder.fitting()
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
    _put(text, out)
    _say_left_out(fitting)


def _say_left_out(fitting: Fitting) -> None:
    """Nothing is left out unseen."""
    from epicene.cli.output import note

    if fitting.left_out:
        note(fitting.note)


def _put(text: str, out: Path | None) -> None:
    """Into a file, or onto standard output."""
    from epicene.runs.files import write_whole

    if out is None:
        sys.stdout.write(text)
    else:
        write_whole(out, text.encode())


def _hand_out(study: Study, people: str, to: Program | None, out: Path) -> None:
    """Write what people fill in: a sheet for each, or else a project for another program."""
    from epicene.annotate.sheets import write_experiment, write_project, write_sheets
    from epicene.cli.output import note

    names = people.split(",")
    if people.isdecimal():
        names = [f"p{number:0{len(people)}}" for number in range(1, int(people) + 1)]
    if people:
        paths = write_sheets(study, names, out)
    else:
        paths = (write_experiment if to == "pcibex" else write_project)(study, out)
    for path in paths:
        note(str(path))


def _form_of(out: Path | None) -> Form:
    forms: dict[str, Form] = {".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl"}
    if out is None:
        return "csv"
    if out.suffix.lower() not in forms:
        raise InputError(f"{out} does not say in which form; end it in .csv, .tsv or .jsonl.")
    return forms[out.suffix.lower()]


@app.command()
def adjudicate(
    study: StudyPath,
    by: Annotated[str, typer.Option("--by", help="Who decides.")],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Where to; else standard output.")
    ] = None,
) -> None:
    """Write a sheet of what people do not agree on; `import` takes in what is settled there."""
    from epicene.annotate.adjudication import disagreements
    from epicene.annotate.folder import read_folder
    from epicene.annotate.sheets import adjudication_sheet
    from epicene.cli.output import note

    if not by.strip():
        raise InputError("--by is empty; say who decides.")
    folder = read_folder(study)
    responses, settled, _ = fitting = folder.fitting()
    found = disagreements(folder.study, responses, settled)
    _put(adjudication_sheet(folder.study, found, by), out)
    items = len({each.item.id for each in found})
    note(f"{len(found)} answers about {items} items are to be settled.")
    _say_left_out(fitting)


@app.command()
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
        typer.Option("--run", metavar="RUN", help="Runs to set beside people, one option each."),
    ] = None,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
    as_latex: AsLatex = False,
    as_markdown: AsMarkdown = False,
) -> None:
    """Print what came of a study: how people agree, with each other and with the machine."""
    from epicene.annotate.folder import read_folder
    from epicene.annotate.quality_tables import quality_tables
    from epicene.annotate.results import UnreadableError, progress, summarise_study
    from epicene.cli.output import note, print_json, print_tables
    from epicene.cli.tables import one_form, write_tables
    from epicene.runs.results import read_run

    form = one_form(json=as_json, csv=as_csv, latex=as_latex, markdown=as_markdown)
    folder = read_folder(study)
    beside = [read_run(run) for run in runs or ()]
    responses, settled, _ = fitting = folder.fitting()
    made = quality_tables(folder.study, responses)
    summary = None
    # Of a study written by hand there is only what any study has.
    if folder.study.drawn is not None or beside or figures is not None or not made:
        try:
            summary = summarise_study(folder.study, responses, beside, settled)
            made = (*summary.tables, *made)
        except UnreadableError as error:
            if not made:
                raise
            note(str(error))
    chosen, how_far = _only(made, only or ()), progress(folder.study, responses)
    if form == "json":
        print_json(_document(folder.study, how_far, summary, chosen))
    elif form:
        write_tables(chosen, form)
    else:
        print_tables(chosen)
    if summary is not None and figures is not None:
        _draw(summary, figures)
    if how_far.given < how_far.wanted:
        note(f"{how_far.given} of {how_far.wanted} judgements are there so far.")
    _say_left_out(fitting)
    if summary is not None and summary.unread:
        note(
            f"{summary.unread} responses are not in the suite's own tables: they do not answer "
            "what its study asks, as study.toml was changed."
        )


def _only(made: Sequence[Table], names: Sequence[str]) -> list[Table]:
    known = {table.name: table for table in made}
    for name in names:
        if name not in known:
            raise unknown("table", name, known)
    return [table for name, table in known.items() if name in names or not names]


def _document(
    study: Study, how_far: Progress, summary: StudySummary | None, chosen: Sequence[Table]
) -> dict[str, Any]:
    """The one shape of results (docs/results.schema.json)."""
    import msgspec

    from epicene.records import Estimate
    from epicene.report.document import number
    from epicene.report.plain import tables_json

    nobody = Estimate(value=None, why="no suite judges the answers")
    metrics = {} if summary is None else summary.metrics
    return {
        "suite": study.suite,
        "protocol": "" if summary is None else summary.results.protocol.name,
        "data": study.drawn.data if study.drawn else "",
        "study": msgspec.to_builtins(how_far),
        "metrics": {name: number(each) for name, each in metrics.items()},
        "undetected": number(nobody if summary is None else summary.undetected),
        "tables": tables_json(chosen),
    }


def _draw(summary: StudySummary, folder: Path) -> None:
    from epicene.cli.output import note
    from epicene.report.figures import svg
    from epicene.runs.files import write_whole

    for figure in summary.figures:
        path = folder / f"{figure.name}.svg"
        write_whole(path, svg(figure).encode())
        note(str(path))
