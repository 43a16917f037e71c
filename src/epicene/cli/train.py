"""`epicene train SUITE`: train a tagger on a suite's data to label and rewrite words."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from epicene.cli.options import Columns, DataPath, SuiteName, key_value_pairs


def train(
    suite: SuiteName,
    out: Annotated[Path, typer.Option("--out", "-o", help="A new folder for the tagger.")],
    path: DataPath = None,
    column: Columns = None,
    split: Annotated[
        str | None, typer.Option("--split", help="The part of the data (default: train).")
    ] = None,
    seed: Annotated[
        int, typer.Option("--seed", help="The random seed; the same seed gives the same tagger.")
    ] = 0,
    members: Annotated[
        int, typer.Option(min=1, help="The number of networks whose probabilities are averaged.")
    ] = 1,
    epochs: Annotated[
        int | None,
        typer.Option(min=1, help="The number of passes over the sentences with their labels."),
    ] = None,
    small: Annotated[
        bool,
        typer.Option(
            "--small",
            help="Train a smaller network without pre-training, for machines without a GPU.",
        ),
    ] = False,
) -> int:
    """Train a tagger, for use as the model tagger:FOLDER and with `epicene rewrite --model`."""
    from epicene.api.training import train as train_tagger
    from epicene.cli.output import note

    spec = train_tagger(
        suite,
        out,
        data=path,
        columns=key_value_pairs(column, "--column"),
        split=split,
        seed=seed,
        members=members,
        epochs=epochs,
        small=small,
    )
    note(f"The tagger is in {out}; use it with --model {spec}")
    return 0
