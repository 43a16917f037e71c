"""`epicene compare`: what changed between two runs, item by item, with paired tests."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from epicene.cli.options import AsJson, Crossed, WithItems
from epicene.core.errors import InputError


def compare(
    first: Annotated[
        Path, typer.Argument(metavar="FIRST", help="The first run folder, e.g. the older model.")
    ],
    second: Annotated[
        Path,
        typer.Argument(
            metavar="SECOND", help="The second run folder. Differences are second minus first."
        ),
    ],
    agreement: Annotated[
        bool,
        typer.Option(
            "--agreement",
            help="Instead of differences, report how far the two runs agree: raw agreement, "
            "Matthews correlation and Cohen's kappa.",
        ),
    ] = False,
    names: Annotated[
        str,
        typer.Option(help="With --agreement: the two judgements to compare, A,B."),
    ] = "",
    crossed: Crossed = "",
    as_json: AsJson = False,
    items: WithItems = False,
) -> None:
    """Compare two runs of one suite on the judgements they share."""
    from epicene.api.results import compare as compare_runs
    from epicene.cli.output import note, print_json, print_tables
    from epicene.show.results_document import run_json
    from epicene.show.table_formats import estimate_json, tables_json

    if names and not agreement:
        raise InputError("--names requires --agreement.")
    if items and (agreement or not as_json):
        raise InputError(
            "--items requires --json, and cannot be combined with --agreement, because it lists "
            "what changed."
        )
    if crossed and agreement:
        raise InputError("--crossed reports differences; it cannot be combined with --agreement.")
    compared = compare_runs(
        first,
        second,
        agreement=agreement,
        names=_two_names(names) if names else None,
        crossed=crossed,
    )
    result = compared.result
    if as_json:
        shown = {
            "suite": result.suite,
            "protocol": result.protocol,
            "data": result.data,
            "metrics": {name: estimate_json(each) for name, each in result.metrics.items()},
            "undetected": estimate_json(result.undetected),
            "tables": tables_json(result.tables),
            "runs": [run_json(run) for run in result.runs],
            "notes": result.notes,
        }
        print_json({**shown, "items": result.changed} if items else shown)
        return
    print_tables(result.tables)
    for sentence in compared.notes:
        note(sentence)
    if not agreement:
        note(
            f"The outcome differs in {len(result.changed)} of the {result.outcomes} judgements "
            "that have an outcome in both runs. An answer may have several judgements, for "
            "example one per measure."
        )


def _two_names(names: str) -> tuple[str, str]:
    first, comma, second = names.partition(",")
    if not comma or not first or not second:
        raise InputError(f"--names takes two judgements, A,B, not {names!r}.")
    return first, second
