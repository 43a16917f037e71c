"""Train a tagger on a suite's data to label and rewrite words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from epicene.app.arguments import data_source
from epicene.app.progress import NoProgress, progress_display
from epicene.api.wording import keyword_errors
from epicene.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from epicene.app.arguments import PathLike
    from epicene.suites import SuiteLike


@keyword_errors
def train(
    suite: SuiteLike,
    out: PathLike,
    *,
    data: PathLike | None = None,
    columns: Mapping[str, str] | None = None,
    split: str | None = None,
    seed: int = 0,
    members: int = 1,
    epochs: int | None = None,
    small: bool = False,
    progress: bool = True,
) -> str:
    """Train a tagger, and return its spec, which you can pass as `model` to `run` and `rewrite`.

    out: a new folder for the tagger.
    data: your file or folder (default: the suite's starter set).
    split: the part of the data (default: train).
    seed: the random seed; the same seed gives the same tagger.
    members: the number of networks whose probabilities are averaged.
    epochs: the number of passes over the sentences with their labels.
    small: train a smaller network without pre-training, for machines without a GPU.

    >>> import epicene
    >>> tagger = epicene.train("apgc", "tagger", data="corpus")  # doctest: +SKIP
    >>> epicene.rewrite("أنا متعب", "ar", speaker="f", model=tagger)  # doctest: +SKIP
    """
    from epicene.models.tagger.network import NetworkShape
    from epicene.models.tagger.storage import check_empty, save
    from epicene.models.tagger.training import SMALL_RECIPE, SMALL_SHAPE, TrainingConfig
    from epicene.models.tagger.training import train as train_tagger
    from epicene.suites import choose_protocol, find_suite

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
    show = (progress_display() if progress else NoProgress()).show_message
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
