"""`epicene annotate new`, `check`, `preview` and `pilot`: before a study starts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from epicene.cli.annotate_output import (
    HostOption,
    PortOption,
    StudyOption,
    StudyPath,
    split_names,
)
from epicene.core.errors import InputError, pluralise


def new(
    items: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="A file with one row per item: CSV, TSV, JSONL or Parquet."
        ),
    ],
    ask: Annotated[str, typer.Option("--ask", help="The question.")],
    out: StudyOption = Path("study"),
    show: Annotated[
        str,
        typer.Option(metavar="A,B,…", help="The columns that people see (default: the first)."),
    ] = "",
    options: Annotated[
        str, typer.Option(metavar="A,B,…", help="The answers that people choose from.")
    ] = "",
    between: Annotated[
        str,
        typer.Option(
            metavar="A,B,…",
            help="Instead of --options: the columns whose texts people choose from.",
        ),
    ] = "",
    draft: Annotated[
        str,
        typer.Option(
            metavar="COLUMN",
            help="Instead of --options: the column with the draft that people edit.",
        ),
    ] = "",
    name: Annotated[
        str, typer.Option("--name", help="The study's name (default: the folder's name).")
    ] = "",
    title: Annotated[
        str, typer.Option("--title", help="The title of the pages (default: the question).")
    ] = "",
    language: Annotated[
        str, typer.Option("--language", "-l", help="The language of the pages and items.")
    ] = "en",
    judgements: Annotated[
        int, typer.Option(min=1, help="The number of people who judge each item.")
    ] = 2,
) -> None:
    """Create your own study from a file of items, without a suite."""
    from epicene.api.studies import new_study
    from epicene.cli.output import note

    made = new_study(
        items,
        out,
        ask=ask,
        show=split_names(show),
        options=split_names(options),
        between=split_names(between),
        draft=draft,
        name=name,
        title=title,
        language=language,
        judgements=judgements,
    )
    progress = made.progress()
    note(
        f"{pluralise(progress.items, 'item')}, {pluralise(progress.wanted, 'judgement')} "
        f"needed. The study is in {out}; edit {out}/study.toml to add instructions, consent "
        "and more."
    )


def check(study: StudyPath) -> None:
    """List a study's problems, which make the command fail, and what may be missing from it."""
    from epicene.api.studies import check_study_file
    from epicene.cli.output import note

    found = check_study_file(study)
    for sentence in found.advice:
        note(f"Advice: {sentence}")
    for sentence in found.problems:
        note(f"Problem: {sentence}")
    if found.problems:
        raise InputError(f"{study} has {pluralise(len(found.problems), 'problem')}.")
    note(f"{study} can start.")


def preview(
    study: StudyPath,
    host: HostOption = "127.0.0.1",
    port: PortOption = 8765,
) -> None:
    """Preview every page as participants see it; nothing is stored."""
    from epicene.api.studies import load_study
    from epicene.cli.output import note

    def ready(link: str) -> None:
        typer.echo(link)
        note("All pages are listed at /preview of the same address. Press Ctrl-C to stop.")

    load_study(study).preview(host=host, port=port, ready=ready)
    note("Stopped. Nothing was stored.")


def pilot(
    study: StudyPath,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FOLDER", help="The pilot's folder.")],
    n: Annotated[int, typer.Option("--n", min=1, help="The approximate number of items.")] = 10,
) -> None:
    """Create a pilot with a few items; its answers are kept apart from the study's."""
    from epicene.api.studies import load_study
    from epicene.cli.output import note

    progress = load_study(study).pilot(out, n).progress()
    note(
        f"{pluralise(progress.items, 'item')}, {pluralise(progress.wanted, 'judgement')} needed. "
        f"The pilot is in {out}."
    )


def backup(
    study: StudyPath,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="A .tar.gz file.")],
) -> None:
    """Back up a study, even while it is being served; keep the file safe."""
    from epicene.api.studies import load_study
    from epicene.cli.output import note

    size = load_study(study).backup(out)
    note(
        f"{out}: {size / 1024:,.0f} KiB. It contains the answers and the secret that the "
        "links are made from."
    )


def restore(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The file that `annotate backup` wrote.")
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FOLDER", help="A new folder for the study.")
    ],
) -> None:
    """Restore a study from its backup into a new folder; the links work as before."""
    from epicene.api.studies import restore_study
    from epicene.cli.output import note

    made = restore_study(file, out)
    given = len(made.answers())
    note(f"{made.name} is in {out}, with {pluralise(given, 'response')}.")
