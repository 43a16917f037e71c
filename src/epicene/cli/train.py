"""`epicene train SUITE`: train a tagger on a suite's data to label and rewrite words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from epicene.cli.options import Columns, DataPath, SuiteName, key_value_pairs, protocol_settings
from epicene.core.errors import InputError

if TYPE_CHECKING:
    from epicene.suites import Suite


def train(
    suite: SuiteName,
    out: Annotated[Path, typer.Option("--out", "-o", help="A new folder for the tagger.")],
    path: DataPath = None,
    column: Columns = None,
    split: Annotated[
        str | None, typer.Option("--split", help="Which part of the data (default: train).")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="The same seed, the same tagger.")] = 0,
    members: Annotated[
        int, typer.Option(min=1, help="Networks whose probabilities are averaged.")
    ] = 1,
    epochs: Annotated[
        int | None, typer.Option(min=1, help="How often all sentences are read.")
    ] = None,
) -> int:
    """Train a tagger, for use as the model tagger:FOLDER and with `epicene rewrite --model`."""
    from epicene.cli.output import note
    from epicene.models.tagger.storage import check_empty, save
    from epicene.models.tagger.training import TrainingConfig
    from epicene.models.tagger.training import train as train_tagger
    from epicene.suites import DataSource, choose_protocol, find_suite

    chosen = find_suite(suite)
    if chosen.tagging_data is None:
        raise InputError(f"The suite {suite} has no data to train a tagger on.")
    check_empty(out)
    settings = protocol_settings(None, split=_split(chosen, split))
    protocol = choose_protocol(chosen, "epicene", settings, None)
    dataset = chosen.read(
        DataSource(path=path, columns=key_value_pairs(column, "--column")), protocol
    )
    data = chosen.tagging_data(dataset.items)
    note(f"{dataset.name}: {len(data.sentences)} sentences.")
    trained = train_tagger(
        data,
        seed=seed,
        members=members,
        recipe=TrainingConfig() if epochs is None else TrainingConfig(epochs=epochs),
        report_progress=note,
    )
    save(trained, out)
    note(f"The tagger is in {out}; use it with --model tagger:{out}")
    return 0


def _split(suite: Suite[Any, Any], asked: str | None) -> str | None:
    """The chosen split; by default train, if the suite's data has splits."""
    has_splits = hasattr(suite.protocols["epicene"], "split")
    return "train" if asked is None and has_splits else asked
