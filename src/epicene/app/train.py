"""Train a tagger on a suite's data to label and rewrite words."""

from __future__ import annotations

from pathlib import Path

import msgspec

from epicene.app.arguments import Columns, Data, Out, Progress, SuiteLike, at_least, data_source
from epicene.app.progress import progress_display
from epicene.core.errors import InputError


def train(
    suite: SuiteLike,
    *,
    out: Out,
    data: Data = None,
    columns: Columns = None,
    split: str | None = None,
    seed: int = 0,
    members: int = 1,
    epochs: int | None = None,
    small: bool = False,
    progress: Progress = True,
) -> str:
    """Train a tagger, and return its spec, for `--model` of `run` and `rewrite`.

    Args:
        suite: The suite whose data have labels for words.
        out: A new folder for the tagger.
        data: Your file or folder (default: the starter set).
        columns: Read Epicene's field OURS from your column THEIRS; may be repeated.
        split: The part of the data (default: train).
        seed: The random seed; the same seed gives the same tagger.
        members: The number of networks whose probabilities are averaged.
        epochs: The number of passes over the sentences with their labels.
        small: Train a smaller network without pre-training, for machines without a GPU.
        progress: Whether to show progress on standard error.

    Examples:
        >>> import epicene
        >>> tagger = epicene.train("apgc", out="tagger", data="corpus")  # doctest: +SKIP
        >>> epicene.rewrite("أنا متعب", "ar", speaker="f", model=tagger)  # doctest: +SKIP
    """
    from epicene.models.tagger.network import NetworkShape
    from epicene.models.tagger.storage import check_empty, save
    from epicene.models.tagger.training import SMALL_RECIPE, SMALL_SHAPE, TrainingConfig
    from epicene.models.tagger.training import train as train_tagger
    from epicene.suites import choose_protocol, find_suite

    at_least(1, members=members, epochs=epochs)
    chosen = find_suite(suite)
    if chosen.tagging_data is None:
        raise InputError(f"The suite {chosen.name} has no data to train a tagger on.")
    folder = Path(out)
    check_empty(folder)
    if split is None and hasattr(chosen.protocols["epicene"], "split"):
        split = "train"
    protocol = choose_protocol(chosen, "epicene", {} if split is None else {"split": split}, None)
    dataset = chosen.read(data_source(data, columns), protocol)
    sentences = chosen.tagging_data(dataset.items)
    show = (progress_display(wanted=progress)).show_message
    show(f"{dataset.name}: {len(sentences.sentences)} sentences.")
    recipe = SMALL_RECIPE if small else TrainingConfig()
    trained = train_tagger(
        sentences,
        seed=seed,
        members=members,
        recipe=recipe if epochs is None else msgspec.structs.replace(recipe, epochs=epochs),
        shape=SMALL_SHAPE if small else NetworkShape(),
        report_progress=show,
    )
    save(trained, folder)
    return f"tagger:{folder}"
