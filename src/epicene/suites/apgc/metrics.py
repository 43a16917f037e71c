"""The metrics of apgc: BLEU, precision, recall and F0.5 of edits, and macro scores by label."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from epicene.core.records import Estimate
from epicene.stats.tabulate import accuracy, group_codes, mean, rows_where, share, undetected_share
from epicene.suites.apgc.ask import IDENTIFICATION, POST_EDITING, REWRITING, TRANSLATION
from epicene.suites.apgc.bleu import COUNTS, bleu
from epicene.suites.apgc.items import SENTENCE_LABELS, TARGETS, WORD_LABELS
from epicene.suites.apgc.judge import FULL_LABEL, MULTI_REFERENCE
from epicene.suites.headline_metrics import SumScore, accuracy_metric

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import polars
    from numpy.typing import NDArray

    from epicene.suites import Results
    from epicene.suites.apgc.protocol import ApgcProtocol
    from epicene.suites.headline_metrics import HeadlineMetric

    Outcomes: TypeAlias = Results[ApgcProtocol]

EDIT_COUNTS = ("correct", "proposed", "gold")

_NOTHING = Estimate(value=None, why="nothing was judged")


def count_matrix(frame: polars.DataFrame, names: Sequence[str]) -> NDArray[Any]:
    """The columns of those names, a row per judgement."""
    return frame.select(names).to_numpy()


def bleu_of(frame: polars.DataFrame, before: str = "") -> Estimate:
    """BLEU of the sentences, with an interval over groups."""
    from epicene.stats.intervals import statistic_of_sums

    if not len(frame):
        return _NOTHING
    names = [f"{before}{name}" for name in COUNTS]
    return statistic_of_sums(
        count_matrix(frame, names), bleu, group_codes(frame), n=len(frame), bounds=(0, 100)
    )


def bleu_difference(
    first: polars.DataFrame, second: polars.DataFrame, *, before: bool = False
) -> Estimate:
    """One BLEU minus another over the same sentences.

    With `before`, the second is that before the rewriting.
    """
    import numpy as np

    from epicene.stats.intervals import statistic_of_sums

    if not len(first):
        return _NOTHING
    names = [f"before_{name}" for name in COUNTS] if before else list(COUNTS)
    columns = np.hstack(
        [count_matrix(first.sort("item"), COUNTS), count_matrix(second.sort("item"), names)]
    )
    size = len(COUNTS)
    return statistic_of_sums(
        columns,
        lambda both: bleu(both[:, :size]) - bleu(both[:, size:]),
        group_codes(first.sort("item")),
        n=len(first),
        bounds=(-100, 100),
        scale="difference",
    )


def total_count(frame: polars.DataFrame, name: str) -> Estimate:
    """The sum of a count."""
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
    """The share of words or sentences with the true label; a missing label is wrong."""
    import polars as pl

    label, truth = pl.col("label").cast(pl.String), pl.col("truth").cast(pl.String)
    return share(frame, label.eq(truth).fill_null(False))


def unlabelled_share(frame: polars.DataFrame) -> Estimate:
    """The share of words or sentences without a label."""
    import polars as pl

    return share(frame, pl.col("label").is_null())


def rewriting_scores(frame: polars.DataFrame) -> dict[str, Estimate]:
    """Precision, recall and F0.5 of the edits, accuracy and BLEU."""
    correct, proposed, gold = count_matrix(frame, EDIT_COUNTS).T
    return {
        "P": _edit_score(frame, correct, proposed),
        "R": _edit_score(frame, correct, gold),
        "F0.5": _edit_score(frame, 1.25 * correct, proposed + 0.25 * gold),
        "accuracy": mean(frame, bounds=(0, 1)),
        "BLEU": bleu_of(frame),
    }


def _edit_score(frame: polars.DataFrame, above: NDArray[Any], below: NDArray[Any]) -> Estimate:
    """A ratio of sums over the sentences; 1 for 0 / 0 if there are edits at all."""
    import numpy as np

    from epicene.stats.intervals import clustered_mean

    if not count_matrix(frame, EDIT_COUNTS).any():
        return Estimate(value=None, n=len(frame), why="nothing needed to change, and nothing did")
    if not below.any():
        above = below = np.ones(len(frame))
    found = clustered_mean(above, below, group_codes(frame), bounds=(0, 1))
    return msgspec.structs.replace(found, n=len(frame))


def label_counts(frame: polars.DataFrame, labels: Sequence[str]) -> NDArray[Any]:
    """For each row and label: whether it was predicted, is true, and both."""
    import numpy as np
    import polars as pl

    predicted = frame["label"].cast(pl.String).to_numpy()
    truth = frame["truth"].cast(pl.String).to_numpy()
    columns = [
        flags
        for label in labels
        for flags in (predicted == label, truth == label, (predicted == label) & (truth == label))
    ]
    return np.column_stack(columns).astype(float)


def macro_scores(frame: polars.DataFrame, labels: Sequence[str]) -> dict[str, Estimate]:
    """Precision, recall and F1, the means over labels that occur; 0 for one never predicted."""
    from epicene.stats.intervals import statistic_of_sums

    columns, groups = label_counts(frame, labels), group_codes(frame)

    def averaged(index: int) -> Estimate:
        return statistic_of_sums(
            columns, lambda rows: _macro_of_sums(rows)[index], groups, bounds=(0, 1)
        )

    return {"precision": averaged(0), "recall": averaged(1), "F1": averaged(2)}


def _macro_of_sums(rows: NDArray[Any]) -> NDArray[Any]:
    import numpy as np

    predicted, true, both = (rows[:, start::3] for start in range(3))
    total = predicted + true
    precision = np.divide(both, predicted, out=np.zeros_like(both), where=predicted > 0)
    recall = np.divide(both, true, out=np.zeros_like(both), where=true > 0)
    f1 = np.divide(2 * both, total, out=np.zeros_like(both), where=total > 0)
    occurs = (total > 0).astype(float)
    number = np.maximum(occurs.sum(axis=1), 1)
    return np.stack([(each * occurs).sum(axis=1) / number for each in (precision, recall, f1)])


# What a label says, as expressions of one that is written out: F!N.
def labels_without_marks(column: str) -> polars.Expr:
    """The paper's 16 labels: without the marks of duals and plurals."""
    import polars as pl

    return pl.col(column).cast(pl.String).str.replace_all("!", "", literal=True)


def condensed_labels(column: str) -> polars.Expr:
    """The nine condensed labels: N as B."""
    return labels_without_marks(column).str.replace_all("N", "B", literal=True)


def person_letters(column: str, person: int) -> polars.Expr:
    """The letter of the speaker (0) or the listener (1)."""
    return labels_without_marks(column).str.slice(person, 1)


def person_marks(column: str, person: int) -> polars.Expr:
    """`!` if there are several of that person, else nothing."""
    import polars as pl

    pattern = "^.!" if person == 0 else "!$"
    several = pl.col(column).cast(pl.String).str.contains(pattern)
    return pl.when(several).then(pl.lit("!")).when(several.not_()).then(pl.lit(""))


def read_labels_as(frame: polars.DataFrame, read: Callable[[str], polars.Expr]) -> polars.DataFrame:
    """The judgements with found and true labels reduced to a part of them."""
    return frame.with_columns(read(name).alias(name) for name in ("label", "truth"))


def all_metrics(results: Outcomes) -> Mapping[str, Estimate]:
    """The main metrics of each task that was scored."""
    found: dict[str, Estimate] = {}
    frame = results.frame
    labelled = of_task(frame, IDENTIFICATION, unit="sentence")
    if len(labelled):
        words = of_task(frame, IDENTIFICATION, unit="word")
        found["identification_accuracy"] = label_accuracy(words)
        found["identification_macro_F1"] = macro_scores(words, WORD_LABELS)["F1"]
        found["identification_sentence_accuracy"] = accuracy(labelled)
        found |= _undetected_and_cleaned("identification", labelled)
    full = of_task(frame, IDENTIFICATION, unit=FULL_LABEL)
    if len(full):
        of_16 = read_labels_as(full, labels_without_marks)
        found["identification_label_accuracy"] = label_accuracy(of_16)
        found["identification_label_macro_F1"] = macro_scores(of_16, SENTENCE_LABELS)["F1"]
        found["identification_label_accuracy_with_marks"] = accuracy(full)
        found |= _undetected_and_cleaned("identification_label", full)
    rewritten = of_task(frame, REWRITING)
    if len(rewritten):
        found |= rewriting_scores(rewritten)
        found |= {name: total_count(rewritten, name) for name in EDIT_COUNTS}
        found |= _undetected_and_cleaned("rewriting", rewritten)
    translated = of_task(frame, TRANSLATION, unit="sentence", letters="folded")
    if len(translated):
        for reference in (*TARGETS, MULTI_REFERENCE):
            part = rows_where(translated, reference=reference)
            found[f"translation_BLEU_{reference}"] = bleu_of(part)
        found["translation_undetected"] = empty_share(
            rows_where(translated, reference=MULTI_REFERENCE)
        )
    edited = of_task(frame, POST_EDITING)
    if len(edited):
        for target in TARGETS:
            found[f"post_editing_BLEU_{target}"] = bleu_of(rows_where(edited, target=target))
        found |= _undetected_and_cleaned("post_editing", edited)
    return found


def _undetected_and_cleaned(task: str, frame: polars.DataFrame) -> dict[str, Estimate]:
    """The share of answers that could not be read, and of those with a wrapper."""
    return {f"{task}_undetected": undetected_share(frame), f"{task}_cleaned": cleaned_share(frame)}


def of_task(frame: polars.DataFrame, task: str, **values: str) -> polars.DataFrame:
    """The judgements of one task, with these values of other facets."""
    return rows_where(frame, task=task, **values)


REWRITTEN_RIGHT = "whole sentence rewritten right"

_HEADLINE_METRICS = (
    accuracy_metric(
        "every word labelled right",
        lambda results: of_task(results.frame, IDENTIFICATION, unit="sentence"),
        contrasts=("sentence label",),
    ),
    accuracy_metric(
        REWRITTEN_RIGHT,
        lambda results: of_task(results.frame, REWRITING),
        contrasts=("target",),
    ),
)
_FULL_LABEL_METRIC = accuracy_metric(
    "sentence label right, with N and !",
    lambda results: of_task(results.frame, IDENTIFICATION, unit=FULL_LABEL),
)


def headline_metrics(results: Outcomes) -> tuple[HeadlineMetric, ...]:
    """Words and sentences that are right; labels with N and !, where they were asked for."""
    full = of_task(results.frame, IDENTIFICATION, unit=FULL_LABEL)
    return (*_HEADLINE_METRICS, _FULL_LABEL_METRIC) if len(full) else _HEADLINE_METRICS


def _f_half(sums: NDArray[Any]) -> NDArray[Any]:
    """F0.5 of each row of sums of correct, proposed and gold edits; 1 without any edit."""
    import numpy as np

    correct, proposed, gold = sums.T
    below = proposed + 0.25 * gold
    found: NDArray[Any] = np.divide(
        1.25 * correct, below, out=np.ones_like(correct), where=below > 0
    )
    return found


def _translated(results: Outcomes) -> polars.DataFrame:
    return of_task(
        results.frame,
        TRANSLATION,
        unit="sentence",
        letters="folded",
        reference=MULTI_REFERENCE,
    )


SUM_SCORES = (
    SumScore(
        "F0.5 of edits",
        lambda results: of_task(results.frame, REWRITING),
        EDIT_COUNTS,
        _f_half,
        (0.0, 1.0),
    ),
    SumScore(
        "BLEU of rewritings",
        lambda results: of_task(results.frame, REWRITING),
        COUNTS,
        bleu,
        (0.0, 100.0),
    ),
    SumScore("BLEU of translations", _translated, COUNTS, bleu, (0.0, 100.0)),
    SumScore(
        "BLEU of post-edited translations",
        lambda results: of_task(results.frame, POST_EDITING),
        COUNTS,
        bleu,
        (0.0, 100.0),
    ),
)
