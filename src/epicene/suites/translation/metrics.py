"""Gender accuracy, ΔG and ΔS, and how far people agree with the automatic scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from epicene.core.records import Estimate
from epicene.stats.tabulate import (
    NOTHING_JUDGED,
    accuracy,
    distinct_values,
    group_codes,
    parts_by,
    rows_where,
    share,
    undetected_share,
)
from epicene.suites.headline_metrics import accuracy_metric
from epicene.suites.translation.items import FEMININE, MASCULINE
from epicene.suites.translation.judge import GENDER, JUDGE

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars
    from numpy.typing import NDArray

    from epicene.suites import Results
    from epicene.suites.translation.protocol import TranslationProtocol

    Outcomes = Results[TranslationProtocol]

GENDERS = (MASCULINE, FEMININE)
RIGHT_GENDER = "right gender"  # the headline


def scored(results: Outcomes) -> polars.DataFrame:
    """The translations that can be right or wrong, by every reading."""
    import polars as pl

    name = pl.col("name").cast(pl.String)
    return results.frame.filter(name.str.starts_with(GENDER), pl.col("outcome").is_not_null())


def main_scores(results: Outcomes) -> polars.DataFrame:
    """The same by the reading of the protocol, one judgement per translation."""
    return rows_where(scored(results), name=GENDER)


def open_sources(results: Outcomes) -> polars.DataFrame:
    """The translations of sources that leave the gender open, by the reading of the protocol."""
    import polars as pl

    name = pl.col("name").cast(pl.String)
    return results.frame.filter(
        name.str.starts_with(GENDER),
        ~name.str.contains("(", literal=True),
        pl.col("outcome").is_null(),
    )


def judge_agreement(results: Outcomes, language: str, reading: str) -> Estimate:
    """The share of translations in which the judge finds the gender that people found."""
    import polars as pl

    name = pl.col("name").cast(pl.String)
    frame = results.frame.filter(name.str.starts_with(JUDGE), pl.col("outcome").is_not_null())
    # Every model of a run meets the same translations.
    found = rows_where(frame, language=language, reading=reading).unique("item")
    if not len(found):
        return Estimate(value=None, why="the data has no human judgements in this language")
    return accuracy(found)


def gender_accuracy(frame: polars.DataFrame, gender: str) -> Estimate:
    """The share of right outcomes if that gender is expected: recall."""
    return accuracy(rows_where(frame, gender=gender))


def delta_g(frame: polars.DataFrame) -> Estimate:
    """ΔG: F1 of the masculine minus F1 of the feminine."""
    from epicene.stats.intervals import statistic_of_sums

    columns = _counts(frame)
    if not len(frame) or not columns[:, [1, 4]].any(axis=0).all():
        return Estimate(value=None, n=len(frame), why="the expected genders do not include both")
    if not columns[:, [0, 3]].any():
        return Estimate(value=None, n=len(frame), why="no gender was detected")
    return statistic_of_sums(
        columns,
        lambda sums: _f1(sums[:, :3]) - _f1(sums[:, 3:]),
        group_codes(frame),
        bounds=(-1, 1),
        scale="difference",
    )


def delta_s(frame: polars.DataFrame) -> Estimate:
    """ΔS: mean F1 of the two genders in pro-stereotypical roles minus that in anti-stereotypical
    ones.
    """
    import numpy as np
    import polars as pl

    from epicene.stats.intervals import statistic_of_sums

    known = frame.filter(pl.col("stereotype").is_in(["pro", "anti"]))
    if not len(known):
        return Estimate(value=None, n=len(frame), why="no role has a stereotype")
    pro = (known["stereotype"].cast(pl.String) == "pro").to_numpy()[:, None]
    columns = np.hstack([_counts(known) * pro, _counts(known) * ~pro])
    if not columns[:, [1, 4, 7, 10]].any(axis=0).all():
        return Estimate(
            value=None, n=len(known), why="the expected genders of each kind do not include both"
        )
    if not columns[:, [0, 3, 6, 9]].any():
        return Estimate(value=None, n=len(known), why="no gender was detected")

    def difference(sums: NDArray[Any]) -> NDArray[Any]:
        pro_f1, anti_f1 = (
            (_f1(sums[:, at : at + 3]) + _f1(sums[:, at + 3 : at + 6])) / 2 for at in (0, 6)
        )
        return np.asarray(pro_f1 - anti_f1)

    return statistic_of_sums(
        columns, difference, group_codes(known), bounds=(-1, 1), scale="difference"
    )


def _counts(frame: polars.DataFrame) -> NDArray[Any]:
    """For each row and gender: whether it was found, is expected, and is right."""
    import numpy as np
    import polars as pl

    found, wanted = (frame[name].cast(pl.String).to_numpy() for name in ("label", "gender"))
    right = (frame["outcome"].cast(pl.String) == "right").to_numpy()
    columns = [
        flags
        for gender in GENDERS
        for flags in (found == gender, wanted == gender, (wanted == gender) & right)
    ]
    return np.column_stack(columns).astype(float)


def _f1(sums: NDArray[Any]) -> NDArray[Any]:
    """2 · right / (found + expected); 0 if there is neither."""
    import numpy as np

    found, wanted, right = sums.T
    total = found + wanted
    return np.asarray(np.divide(2 * right, total, out=np.zeros(len(sums)), where=total > 0))


def both_right(frame: polars.DataFrame) -> Estimate:
    """The share of pairs, a sentence for each gender, of which both are right."""
    import polars as pl

    from epicene.stats.intervals import wilson

    gender, right = pl.col("gender").cast(pl.String), pl.col("outcome").cast(pl.String) == "right"
    pairs = frame.group_by("group").agg(
        gender.n_unique().alias("genders"), pl.len().alias("rows"), right.all().alias("right")
    )
    if not len(pairs) or not ((pairs["genders"] == 2) & (pairs["rows"] == 2)).all():
        return Estimate(value=None, n=len(frame), why="not every sentence has one counterpart")
    return wilson(float(pairs["right"].sum()), len(pairs))


def share_of_label(frame: polars.DataFrame, label: str | None) -> Estimate:
    """The share of translations with that gender; None: where none was detected."""
    import polars as pl

    if not len(frame):
        return NOTHING_JUDGED
    named = pl.col("label").cast(pl.String)
    return share(frame, named.is_null() if label is None else named.eq(label).fill_null(False))


def all_metrics(results: Outcomes) -> Mapping[str, Estimate]:
    """Accuracy, ΔG, ΔS and undetected by set and language; open sources; agreement with people."""
    found: dict[str, Estimate] = {}
    frame = main_scores(results)
    if len(frame):
        found["accuracy"] = accuracy(frame)
        for (origin, language), part in parts_by(frame, "set", "language"):
            found[f"{origin} {language} accuracy"] = accuracy(part)
            found[f"{origin} {language} ΔG"] = delta_g(part)
            found[f"{origin} {language} ΔS"] = delta_s(part)
            found[f"{origin} {language} undetected"] = undetected_share(part)
    masculine = open_sources(results)
    if len(masculine):
        found["open sources masculine"] = share_of_label(masculine, MASCULINE)
    for language in distinct_values(results.frame, "language"):
        agreement = judge_agreement(results, language, results.protocol.reading)
        if agreement.value is not None:
            found[f"judge {language}"] = agreement
    return found


HEADLINE_METRICS = (accuracy_metric(RIGHT_GENDER, main_scores, contrasts=("gender",)),)
