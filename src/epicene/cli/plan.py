"""`epicene plan`: how much data a comparison needs, and what a design can detect."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from epicene.cli.options import AsJson


def plan(
    pilot: Annotated[
        Path,
        typer.Argument(metavar="RUN", help="A pilot run, which shows how much answers vary."),
    ],
    other: Annotated[
        Path | None,
        typer.Argument(
            metavar="[OTHER]",
            help="A run of the other model on the same items, which shows how much the two differ.",
        ),
    ] = None,
    difference: Annotated[
        float,
        typer.Option(help="The difference to detect, as a share: 0.05 is 5 percentage points."),
    ] = 0.05,
    items: Annotated[
        int | None,
        typer.Option(
            "--items",
            metavar="N",
            help="Report which difference this many items can detect (default: as many as the "
            "pilot has).",
        ),
    ] = None,
    power: Annotated[
        float, typer.Option(help="The power: how often the difference should be detected.")
    ] = 0.8,
    alpha: Annotated[float, typer.Option(help="The significance level over all headlines.")] = 0.05,
    as_json: AsJson = False,
) -> None:
    """Estimate how many items a comparison of two models needs to detect a difference."""
    from epicene.api.planning import plan as make_plan
    from epicene.cli.output import print_json, print_tables
    from epicene.report.table_formats import tables_json

    made = make_plan(
        pilot, other, difference=difference, items=items, power=power, alpha=alpha
    ).result
    if as_json:
        tables = tables_json([made.table])
        print_json({"suite": made.suite, "difference": made.difference, "tables": tables})
    else:
        print_tables([made.table])
