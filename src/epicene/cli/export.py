"""`epicene export`: export results for a paper, and items for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from epicene.cli.options import (
    Columns,
    DataPath,
    EnglishFile,
    Languages,
    Limit,
    ProtocolName,
    RunFolders,
    Seed,
    Settings,
    Split,
    SuiteName,
    TaskNames,
    key_value_pairs,
    protocol_settings,
)

app = typer.Typer(help="Export results, and the items of a suite.", no_args_is_help=True)

Out = Annotated[Path, typer.Option("--out", "-o", help="A new folder.")]


@app.command("results")
def results(
    runs: RunFolders,
    out: Out,
    to: Annotated[
        Literal["paper", "eee"],
        typer.Option(
            "--to",
            help="The format: paper (tables, figures and a card) or eee (Every Eval Ever).",
        ),
    ] = "paper",
    organization: Annotated[
        str,
        typer.Option(
            "--organization",
            metavar="NAME",
            help="With eee: the organization that evaluated the models.",
        ),
    ] = "",
    relationship: Annotated[
        Literal["first_party", "third_party", "collaborative", "other"],
        typer.Option("--relationship", help="With eee: the evaluator's relationship to the model."),
    ] = "other",
) -> None:
    """Write the results of runs, for a paper or for another program."""
    from epicene.api.exports import export_results
    from epicene.cli.output import note

    export_results(runs, out, to, organization=organization, relationship=relationship)
    where = f"; start with {out / 'README.md'}" if to == "paper" else ""
    note(f"The results are in {out}{where}")


@app.command("data")
def data(
    suite: SuiteName,
    to: Annotated[
        Literal["hf", "lm-eval", "inspect"],
        typer.Option(
            "--to",
            help="The format: hf (Hugging Face datasets), lm-eval (lm-evaluation-harness) or "
            "inspect (Inspect).",
        ),
    ],
    out: Out,
    path: DataPath = None,
    column: Columns = None,
    language: Languages = None,
    protocol: ProtocolName = "epicene",
    setting: Settings = None,
    split: Split = None,
    task: TaskNames = None,
    english: EnglishFile = None,
    limit: Limit = None,
    seed: Seed = None,
    licence: Annotated[
        str, typer.Option("--licence", metavar="ID", help="The licence of your own data.")
    ] = "",
) -> None:
    """Write a suite's items with a card that says what they are and under which licence."""
    from epicene.api.exports import export_data
    from epicene.cli.output import note
    from epicene.suites import find_suite

    done = export_data(
        suite,
        to,
        out,
        data=path,
        columns=key_value_pairs(column, "--column"),
        language=language,
        protocol=protocol,
        settings=protocol_settings(
            setting, suite=find_suite(suite), tasks=task, split=split, english=english
        ),
        limit=limit,
        seed=seed,
        licence=licence,
    )
    if to == "hf":
        note(f"{done.items} items are in {out}: datasets.load_dataset({str(out)!r})")
    for name, documents in done.tasks.items():
        note(f"{name}: {documents} documents")
    for what in done.left_out:
        note(f"Left out: {what}")
    if to != "hf":
        note(f"The tasks are in {out}; {out / 'README.md'} says how to run them")
    if done.warning:
        note(f"Warning: {done.warning}")
