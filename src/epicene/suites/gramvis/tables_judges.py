"""Tables that need votes: judge agreement, each judge's votes, effects by template and shot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.core.records import Column, Estimate, Row, Table
from epicene.stats.agreement import fleiss, krippendorff
from epicene.stats.tabulate import distinct_values, group_codes, share
from epicene.suites.gramvis.counts import count_array, divergent_words
from epicene.suites.gramvis.items import CONTROLS, GRAMMARS, LABEL_OF_GRAMMAR, LABELS
from epicene.suites.gramvis.judge import AGREEMENTS, MAJORITY, VOTE_PREFIX
from epicene.suites.gramvis.metrics import word_average

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars


_NO_PROBABILITIES = "this judge tells no probabilities"


def vote_table(votes: polars.DataFrame) -> Table:
    """The shares of each judge's labels, and how often it said its likeliest choice."""
    return Table(
        name="votes",
        title="What each judge saw",
        levels=("judge",),
        columns=(
            Column(name="votes", unit="count"),
            *(Column(name=label) for label in LABELS),
            Column(name="unreadable"),
            *(Column(name=f"likeliest {label}") for label in LABELS),
            Column(name="said the likeliest"),
        ),
        rows=tuple(
            Row(keys=(judge,), cells=_vote_cells(votes, judge))
            for judge in distinct_values(votes, "judge")
        ),
        notes=(
            "Shares are of all votes of the judge; intervals are clustered by word. "
            "“likeliest” is the choice with the highest log-probability after the question, "
            "which only local models give; “said the likeliest” is among votes with readable "
            "words.",
        ),
    )


def _vote_cells(votes: polars.DataFrame, judge: str) -> tuple[Estimate, ...]:
    import polars as pl

    own = votes.filter(pl.col("judge").cast(pl.String) == judge)
    label_said = pl.col("label").cast(pl.String)
    count = Estimate(value=float(len(own)), n=len(own))
    by_words = [share(own, label_said.eq_missing(label)) for label in LABELS]
    unread = share(own, label_said.is_null())
    rated = own.filter(pl.col("likeliest").is_not_null()) if "likeliest" in own.columns else own[:0]
    if not len(rated):
        nothing = Estimate(value=None, why=_NO_PROBABILITIES)
        return (count, *by_words, unread, *[nothing] * (len(LABELS) + 1))
    likeliest = pl.col("likeliest").cast(pl.String)
    by_probability = [share(rated, likeliest == label) for label in LABELS]
    same = share(rated.filter(label_said.is_not_null()), label_said == likeliest)
    return (count, *by_words, unread, *by_probability, same)


def judge_tables(frame: polars.DataFrame) -> Iterator[Table]:
    """Agreement of the judges, and effects by template and by shot, if there are votes."""
    import polars as pl

    images = frame.filter(pl.col("name").cast(pl.String) == MAJORITY)
    if not len(images):
        return
    if "agreement" in images.columns:  # else not one image was drawn
        votes = frame.filter(pl.col("name").cast(pl.String).str.starts_with(VOTE_PREFIX))
        yield _agreement_table(votes, images)
        yield vote_table(votes)
    if len(words := divergent_words(images)):
        yield _breakdown_table(words, "template")
        yield _breakdown_table(words, "shot")


def _agreement_table(votes: polars.DataFrame, images: polars.DataFrame) -> Table:
    """How far the judges agree, over all images and those of each model."""
    import polars as pl

    # One list of labels an image, in the order of the votes' own images.
    rated = votes.group_by("run", "item", maintain_order=True).agg(
        pl.col("label").cast(pl.String),
        pl.col("group").first(),
        pl.col("drawer").first(),
    )
    rows = [Row(keys=("all",), cells=_agreement_cells(images, rated))]
    for drawer in distinct_values(images, "drawer"):
        by = pl.col("drawer").cast(pl.String) == drawer
        cells = _agreement_cells(images.filter(by), rated.filter(by))
        rows.append(Row(keys=(drawer,), cells=cells))
    return Table(
        name="judges",
        title="Agreement of the judges",
        levels=("model",),
        columns=(
            *(Column(name=name) for name in AGREEMENTS),
            Column(name="unreadable"),
            Column(name="Fleiss' κ", unit="number", decimals=3),
            Column(name="Krippendorff's α", unit="number", decimals=3),
            Column(name="not drawn"),
        ),
        rows=tuple(rows),
        notes=(
            "“two of three” means at least two, but not all. Intervals are clustered by word. "
            "Unreadable votes are left out of α; κ needs the same number of votes on every "
            "image. “not drawn” is among all requested images: refused, blocked or never "
            "returned.",
        ),
    )


def _agreement_cells(images: polars.DataFrame, rated: polars.DataFrame) -> tuple[Estimate, ...]:
    import polars as pl

    missing = share(images, pl.col("agreement").is_null())
    # An image that was never drawn was shown to no judge.
    images = images.filter(pl.col("agreement").is_not_null())
    split = [share(images, pl.col("agreement").cast(pl.String) == name) for name in AGREEMENTS]
    labels = rated["label"].to_list()
    unread = share(rated.explode("label"), pl.col("label").is_null())
    words = group_codes(rated)
    kappa = fleiss(labels, words)
    alpha = krippendorff(labels, words)
    return (*split, unread, kappa, alpha, missing)


def _breakdown_table(images: polars.DataFrame, facet: str) -> Table:
    """Shares of the own gender and effects, by template or by shot."""
    import polars as pl

    average = word_average()
    rows = []
    for value in distinct_values(images, facet):
        counts = count_array(images.filter(pl.col(facet).cast(pl.String) == value))
        for grammar in GRAMMARS:
            part = counts.select(counts.word_indices(grammar=grammar))
            rep = average.share(part, "gendered", LABEL_OF_GRAMMAR[grammar])
            effects = [
                average.effect(part, control, LABEL_OF_GRAMMAR[grammar]) for control in CONTROLS
            ]
            rows.append(Row(keys=(value, grammar), cells=(rep, *effects)))
    return Table(
        name=f"{facet}s",
        title=f"Effect of grammatical gender by {facet}",
        levels=(facet, "grammar"),
        columns=(
            Column(name="rep"),
            *(Column(name=f"{control}_effect") for control in CONTROLS),
        ),
        rows=tuple(rows),
        notes=("Means are over words and models under both protocols; intervals are over words.",),
    )
