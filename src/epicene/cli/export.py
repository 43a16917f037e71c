"""`epicene export`: export results for a paper, and items for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

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

if TYPE_CHECKING:
    from epicene.export.selection import Selection

app = typer.Typer(help="Export results, and the items of a suite.", no_args_is_help=True)

Out = Annotated[Path, typer.Option("--out", "-o", help="A new folder.")]


@app.command("results")
def results(runs: RunFolders, out: Out) -> None:
    """Write tables (LaTeX, CSV, Markdown, JSON), figures (SVG, PNG) and a results card."""
    from epicene.cli.output import note
    from epicene.export.results_folder import write_results
    from epicene.runs.stored_run import read_run

    write_results([read_run(folder) for folder in runs], out)
    note(f"The results are in {out}; begin with {out / 'README.md'}")


@app.command("data")
def data(
    suite: SuiteName,
    to: Annotated[
        Literal["hf", "lm-eval"],
        typer.Option("--to", help="Hugging Face datasets, or lm-evaluation-harness."),
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
    from epicene.cli.output import note
    from epicene.export.selection import select
    from epicene.suites import DataSource, choose_protocol, find_suite

    chosen = find_suite(suite)
    settings = protocol_settings(setting, suite=chosen, tasks=task, split=split, english=english)
    how = choose_protocol(chosen, protocol, settings, seed)
    selection = select(
        chosen,
        how,
        DataSource(path=path, columns=key_value_pairs(column, "--column")),
        languages=tuple(language or ()),
        limit=limit,
        licence=licence,
    )
    if to == "hf":
        _dataset(selection, out)
    else:
        _tasks(selection, out)
    if selection.warning:
        note(f"Warning: {selection.warning}")


def _dataset(selection: Selection, out: Path) -> None:
    from epicene.cli.output import note
    from epicene.export.hf_dataset import write_dataset

    parts = write_dataset(selection, out)
    items = sum(part.items for part in parts)
    note(f"{items} items are in {out}: datasets.load_dataset({str(out)!r})")


def _tasks(selection: Selection, out: Path) -> None:
    from epicene.cli.output import note
    from epicene.export.lm_eval.folder import write_tasks

    written = write_tasks(selection, out)
    for task in written.tasks:
        note(f"{task.name}: {len(task.documents)} documents")
    for (what, why), times in written.left_out.items():
        note(f"Left out: {what}{f' ({times} requests)' * (times > 1)}, since {why}.")
    note(f"The tasks are in {out}; {out / 'README.md'} says how they are run")
