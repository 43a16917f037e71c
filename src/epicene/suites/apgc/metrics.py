"""Metrics from judgements: BLEU, precision, recall and F0.5 of edits, and macro scores by label."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from epicene.core.records import Estimate
from epicene.stats.tabulate import group_codes, mean, share
from epicene.suites.apgc.bleu import COUNTS, bleu

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars
    from numpy.typing import NDArray

EDIT_COUNTS = ("correct", "proposed", "gold")

_NOTHING = Estimate(value=None, why="nothing was judged")


def count_matrix(frame: polars.DataFrame, names: Sequence[str]) -> NDArray[Any]:
    """The counts of those names, a row per judgement."""
    return frame.select(names).to_numpy()


def bleu_of(frame: polars.DataFrame, before: str = "") -> Estimate:
    """BLEU of those sentences, resampled by group."""
    from epicene.stats.intervals import bootstrap_sums

    if not len(frame):
        return _NOTHING
    names = [f"{before}{name}" for name in COUNTS]
    return bootstrap_sums(count_matrix(frame, names), bleu, group_codes(frame), n=len(frame))


def bleu_difference(
    first: polars.DataFrame, second: polars.DataFrame, *, before: bool = False
) -> Estimate:
    """One BLEU minus another over the same sentences, resampled together.

    With `before`, both are read from the first frame: after the rewriting minus before it.
    """
    import numpy as np

    from epicene.stats.intervals import bootstrap_sums

    if not len(first):
        return _NOTHING
    names = [f"before_{name}" for name in COUNTS] if before else list(COUNTS)
    columns = np.hstack(
        [count_matrix(first.sort("item"), COUNTS), count_matrix(second.sort("item"), names)]
    )
    size = len(COUNTS)
    return bootstrap_sums(
        columns,
        lambda both: bleu(both[:, :size]) - bleu(both[:, size:]),
        group_codes(first.sort("item")),
        n=len(first),
    )


def total_count(frame: polars.DataFrame, name: str) -> Estimate:
    """How many there are."""
    number = int(frame[name].sum())
    return Estimate(value=number, n=number)


def cleaned_share(frame: polars.DataFrame) -> Estimate:
    """The share of answers that had a code fence, a label or quotes around them."""
    import polars as pl

    return share(frame, pl.col("cleaned").cast(pl.String) != "no")


def empty_share(frame: polars.DataFrame) -> Estimate:
    """The share of translations without a word."""
    import polars as pl

    return share(frame, pl.col("bleu_length") == 0)


def label_accuracy(frame: polars.DataFrame) -> Estimate:
    """The share of words or sentences that have their true label; one without any has not."""
    import polars as pl

    label, truth = pl.col("label").cast(pl.String), pl.col("truth").cast(pl.String)
    return share(frame, label.eq(truth).fill_null(False))


def unlabelled_share(frame: polars.DataFrame) -> Estimate:
    """The share of words or sentences of which nothing was told."""
    import polars as pl

    return share(frame, pl.col("label").is_null())


def rewriting_scores(frame: polars.DataFrame) -> dict[str, Estimate]:
    """Precision, recall and F0.5 of the edits, accuracy and BLEU."""
    from epicene.stats.intervals import bootstrap_sums

    columns, groups = count_matrix(frame, EDIT_COUNTS), group_codes(frame)

    def scored(place: int) -> Estimate:
        if not columns[:, 1:].any():
            return Estimate(value=None, n=len(frame), why="nothing was to change, nothing did")
        return bootstrap_sums(
            columns, lambda rows: _edit_scores(rows)[place], groups, bounds=(0, 1)
        )

    return {
        "P": scored(0),
        "R": scored(1),
        "F0.5": scored(2),
        "accuracy": mean(frame),
        "BLEU": bleu_of(frame),
    }


def _edit_scores(rows: NDArray[Any]) -> NDArray[Any]:
    """Precision, recall and F0.5 of each row of sums; with nothing to divide by they are 1."""
    import numpy as np

    correct, proposed, gold = rows.T
    precision = np.divide(correct, proposed, out=np.ones_like(correct), where=proposed > 0)
    recall = np.divide(correct, gold, out=np.ones_like(correct), where=gold > 0)
    below = 0.25 * precision + recall
    f_half = np.divide(
        1.25 * precision * recall, below, out=np.zeros_like(correct), where=below > 0
    )
    return np.stack([precision, recall, f_half])


def label_counts(frame: polars.DataFrame, labels: Sequence[str]) -> NDArray[Any]:
    """For each row and label: whether it was told, is true, and both."""
    import numpy as np
    import polars as pl

    told = frame["label"].cast(pl.String).to_numpy()
    truth = frame["truth"].cast(pl.String).to_numpy()
    columns = [
        flags
        for label in labels
        for flags in (told == label, truth == label, (told == label) & (truth == label))
    ]
    return np.column_stack(columns).astype(float)


def macro_scores(frame: polars.DataFrame, labels: Sequence[str]) -> dict[str, Estimate]:
    """Precision, recall and F1, the mean over labels that occur; a label never told has 0."""
    from epicene.stats.intervals import bootstrap_sums

    columns, groups = label_counts(frame, labels), group_codes(frame)

    def averaged(place: int) -> Estimate:
        return bootstrap_sums(
            columns, lambda rows: _macro_of_sums(rows)[place], groups, bounds=(0, 1)
        )

    return {"precision": averaged(0), "recall": averaged(1), "F1": averaged(2)}


def _macro_of_sums(rows: NDArray[Any]) -> NDArray[Any]:
    import numpy as np

    told, true, both = (rows[:, start::3] for start in range(3))
    precision = np.divide(both, told, out=np.zeros_like(both), where=told > 0)
    recall = np.divide(both, true, out=np.zeros_like(both), where=true > 0)
    f1 = np.divide(2 * both, told + true, out=np.zeros_like(both), where=told + true > 0)
    occurs = (told + true > 0).astype(float)
    number = np.maximum(occurs.sum(axis=1), 1)
    return np.stack([(each * occurs).sum(axis=1) / number for each in (precision, recall, f1)])
