"""`epicene plan`: how much data a comparison needs, and what a design can detect."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from epicene.cli.options import AsJson, SuiteName


def plan(
    suite: SuiteName,
    difference: Annotated[
        float,
        typer.Option(help="The difference to detect, as a share: 0.05 is 5 percentage points."),
    ] = 0.05,
    items: Annotated[
        int | None,
        typer.Option(
            "--items",
            metavar="N",
            help="Report which difference this many items "
            "can detect (default: the number of items "
            "in the data).",
        ),
    ] = None,
    models: Annotated[
        int, typer.Option(metavar="K", help="The number of models, each compared with every other.")
    ] = 2,
    pilot: Annotated[
        list[Path] | None,
        typer.Option(
            "--from",
            metavar="RUN",
            help="A pilot run to take rates and correlations from; repeat the option to name one "
            "run of each of two models.",
        ),
    ] = None,
    rate: Annotated[
        float | None,
        typer.Option(help="Without a pilot run: the share of correct answers (default: 0.5)."),
    ] = None,
    icc: Annotated[
        float | None,
        typer.Option(help="Without a pilot run: the correlation within a group (default: 0.3)."),
    ] = None,
    correlation: Annotated[
        float, typer.Option(help="The correlation between two models' answers to the same item.")
    ] = 0.0,
    group_size: Annotated[
        int | None, typer.Option(metavar="N", help="Items per group (default: as in the data).")
    ] = None,
    samples: Annotated[
        int | None,
        typer.Option(metavar="N", help="Judgements per item: samples of a model, or annotators."),
    ] = None,
    agreement: Annotated[
        float | None,
        typer.Option(
            help="The correlation between judgements of the same item; for annotators, κ."
        ),
    ] = None,
    power: Annotated[
        float, typer.Option(help="The power: how often the difference should be detected.")
    ] = 0.8,
    alpha: Annotated[float, typer.Option(help="The significance level.")] = 0.05,
    data: Annotated[
        Path | None,
        typer.Option("--data", "-d", help="Your file or folder (default: the starter set)."),
    ] = None,
    seed: Annotated[int, typer.Option(help="The random seed of the simulation.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Estimate how many items a comparison of models needs to detect a difference."""
    from epicene.api.planning import plan as make_plan
    from epicene.cli.output import print_json, print_tables
    from epicene.report.data_needs import data_needs_document, data_needs_tables

    made = make_plan(
        suite,
        difference=difference,
        items=items,
        models=models,
        from_=pilot or (),
        rate=rate,
        icc=icc,
        correlation=correlation,
        group_size=group_size,
        samples=samples,
        agreement=agreement,
        power=power,
        alpha=alpha,
        data=data,
        seed=seed,
    )
    if as_json:
        print_json(data_needs_document(made.result))
    else:
        print_tables(data_needs_tables(made.result))
