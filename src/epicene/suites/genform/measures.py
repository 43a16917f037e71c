"""The paper's metrics from judgements, each with an interval that resamples pairs.

SGA and GIoU are means over sentences, CGA a ratio of sums; all three speak of sentences with a
gendered term only. The two directions of a pair are one unit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.records import Estimate
from epicene.suites.genform.ask import GENERATION
from epicene.suites.genform.counts import columns
from epicene.suites.tabulate import share

if TYPE_CHECKING:
    from collections.abc import Iterable

    import polars

    from epicene.suites.genform.pairs import Gender
    from epicene.suites.genform.words import Cutting

_NONE = Estimate(value=None, why="no sentence here has a gendered term")


def generated(frame: polars.DataFrame, how: Cutting) -> polars.DataFrame:
    """The answers, with their counts by one way of cutting words and their scores.

    Groups become numbers here, once for all that is resampled.
    """
    import polars as pl

    frame = frame.filter(pl.col("format") == GENERATION)
    if not len(frame):
        return frame
    absent = [name for name in ("rule", "family") if name not in frame.columns]
    counted = frame.with_columns(
        *(pl.lit(None, dtype=pl.Categorical).alias(name) for name in absent),
        *(pl.col(carried).alias(name) for name, carried in columns(how).items()),
        pl.col("group").rank("dense").cast(pl.Int64),
    )
    has = pl.col("terms") > 0
    return counted.with_columns(
        pl.when(has).then(pl.col("right") / pl.col("terms")).alias("sga"),
        pl.when(has).then(pl.col("right") / pl.col("union")).alias("giou"),
    )


def gendered(frame: polars.DataFrame) -> polars.DataFrame:
    """The answers to sentences with a gendered term."""
    import polars as pl

    return frame.filter(pl.col("terms") > 0)


def towards(frame: polars.DataFrame, target: Gender) -> polars.DataFrame:
    """The answers in one direction, named by the gender that was wanted."""
    import polars as pl

    return frame.filter(pl.col("target") == target)


def sga(frame: polars.DataFrame) -> Estimate:
    """The mean share of a sentence's gendered terms that are right."""
    return _mean(gendered(frame), "sga")


def giou(frame: polars.DataFrame) -> Estimate:
    """The mean of right terms over the union of terms and mismatches."""
    return _mean(gendered(frame), "giou")


def cga(frame: polars.DataFrame) -> Estimate:
    """The share of all gendered terms that are right."""
    from epicene.stats.bootstrap import clustered

    frame = gendered(frame)
    if not len(frame):
        return _NONE
    return clustered(
        frame["right"].to_numpy(),
        frame["terms"].to_numpy(),
        frame["group"].to_numpy(),
        bounds=(0, 1),
    )


def delta_sga(frame: polars.DataFrame) -> Estimate:
    """SGA towards the masculine minus SGA towards the feminine, pairs drawn with both."""
    import polars as pl

    from epicene.stats.bootstrap import difference

    frame = gendered(frame)
    if frame["target"].n_unique() < 2:
        return Estimate(value=None, why="there are answers in one direction only")
    sides = {
        target: frame.select(
            (pl.col("target") == target).cast(pl.Float64).alias("asked"),
            pl.when(pl.col("target") == target).then(pl.col("sga")).otherwise(0.0).alias("sga"),
        )
        for target in ("masculine", "feminine")
    }
    return difference(
        sides["masculine"]["sga"].to_numpy(),
        sides["feminine"]["sga"].to_numpy(),
        frame["group"].to_numpy(),
        first_denominators=sides["masculine"]["asked"].to_numpy(),
        second_denominators=sides["feminine"]["asked"].to_numpy(),
        bounds=(-1, 1),
    )


def interference(frame: polars.DataFrame) -> Estimate:
    """SGA minus GIoU: what was lost to changes that nobody asked for."""
    import polars as pl

    frame = gendered(frame).with_columns((pl.col("sga") - pl.col("giou")).alias("lost"))
    return _mean(frame, "lost")


def others_changed(frame: polars.DataFrame) -> Estimate:
    """The share of answers in which a word that is not the speaker's has another form."""
    import polars as pl

    return share(frame, pl.col("others_changed") > 0)


def left_alone(frame: polars.DataFrame) -> Estimate:
    """The share of sentences without a gendered term whose words were all left as they are."""
    import polars as pl

    neutral = frame.filter(pl.col("terms") == 0)
    if not len(neutral):
        return Estimate(value=None, why="every sentence here has a gendered term")
    return share(neutral, pl.col("union") == 0)


def exact(frame: polars.DataFrame) -> Estimate:
    """The share of sentences with a gendered term that are word for word as they should be."""
    import polars as pl

    frame = gendered(frame)
    return share(frame, pl.col("right") == pl.col("union")) if len(frame) else _NONE


def cleaned(frame: polars.DataFrame) -> Estimate:
    """The share of answers that had a fence, a label or quotes around the sentence."""
    import polars as pl

    return share(frame, pl.col("cleaned") != "no")


def labels(frame: polars.DataFrame, names: Iterable[str]) -> list[Estimate]:
    """The shares of some labels."""
    import polars as pl

    return [share(frame, pl.col("label").eq_missing(pl.lit(name))) for name in names]


def _mean(frame: polars.DataFrame, column: str) -> Estimate:
    from epicene.stats.bootstrap import clustered

    if not len(frame):
        return _NONE
    return clustered(frame[column].to_numpy(), groups=frame["group"].to_numpy(), bounds=(0, 1))
