"""What only votes can tell: whether judges agree, and effects by template and by shot."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from epicene.records import Column, Estimate, Row, Table
from epicene.stats.raters import fleiss, krippendorff
from epicene.suites.gramvis.analysis.words import counts_of, divergent
from epicene.suites.gramvis.judge import MAJORITY, VOTE
from epicene.suites.gramvis.names import CONTROLS, GRAMMARS, OWN
from epicene.suites.gramvis.representation import average_of
from epicene.suites.gramvis.vote_table import vote_table
from epicene.suites.gramvis.voting import AGREEMENTS
from epicene.suites.tabulate import codes, share, values_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars

    from epicene.suites.gramvis.protocol import GramvisProtocol


def judge_tables(frame: polars.DataFrame, protocol: GramvisProtocol) -> Iterator[Table]:
    """Agreement of the judges, and effects by template and by shot, if there are votes."""
    import polars as pl

    images = frame.filter(pl.col("name").cast(pl.String) == MAJORITY)
    if not len(images):
        return
    if "agreement" in images.columns:  # else not one image was drawn
        votes = frame.filter(pl.col("name").cast(pl.String).str.starts_with(VOTE))
        yield _agreement(votes, images, protocol)
        yield vote_table(votes)
    if len(words := divergent(images)):
        yield _breakdown(words, "template", protocol)
        yield _breakdown(words, "shot", protocol)


def _agreement(
    votes: polars.DataFrame, images: polars.DataFrame, protocol: GramvisProtocol
) -> Table:
    """How far the judges agree, over all images and those of each model."""
    import polars as pl

    # One list of labels an image, in the order of the votes' own images.
    rated = votes.group_by("run", "item", maintain_order=True).agg(
        pl.col("label").cast(pl.String),
        pl.col("group").first(),
        pl.col("drawer").first(),
    )
    rows = [Row(keys=("all",), cells=_agreement_cells(images, rated, protocol))]
    for drawer in values_of(images, "drawer"):
        by = pl.col("drawer").cast(pl.String) == drawer
        cells = _agreement_cells(images.filter(by), rated.filter(by), protocol)
        rows.append(Row(keys=(drawer,), cells=cells))
    return Table(
        name="judges",
        title="Whether the judges agree",
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
            "“two of three” is at least two, but not all. Intervals cluster by word. Votes that "
            "could not be read are left out of α; κ needs equally many votes on every image. "
            "“not drawn” is of all images that were asked for: refused, blocked or never come.",
        ),
    )


def _agreement_cells(
    images: polars.DataFrame, rated: polars.DataFrame, protocol: GramvisProtocol
) -> tuple[Estimate, ...]:
    import polars as pl

    missing = share(images, pl.col("agreement").is_null())
    # An image that was never drawn was shown to no judge.
    images = images.filter(pl.col("agreement").is_not_null())
    split = [share(images, pl.col("agreement").cast(pl.String) == name) for name in AGREEMENTS]
    labels = rated["label"].to_list()
    unread = share(rated.explode("label"), pl.col("label").is_null())
    words = codes(rated)
    kappa = fleiss(labels, words, resamples=protocol.resamples, seed=protocol.seed)
    alpha = krippendorff(labels, words, resamples=protocol.resamples, seed=protocol.seed)
    return (*split, unread, kappa, alpha, missing)


def _breakdown(images: polars.DataFrame, facet: str, protocol: GramvisProtocol) -> Table:
    """Shares of the own gender and effects, by template or by shot."""
    import polars as pl

    average = replace(average_of(protocol, "words"), intervals=True, resamples=protocol.resamples)
    rows = []
    for value in values_of(images, facet):
        counts = counts_of(images.filter(pl.col(facet).cast(pl.String) == value))
        for grammar in GRAMMARS:
            part = counts.part(counts.which(grammar=grammar))
            rep = average.share(part, "gendered", OWN[grammar])
            effects = [average.effect(part, control, OWN[grammar]) for control in CONTROLS]
            rows.append(Row(keys=(value, grammar), cells=(rep, *effects)))
    return Table(
        name=f"{facet}s",
        title=f"The effect of grammatical gender by {facet}",
        levels=(facet, "grammar"),
        columns=(
            Column(name="rep"),
            *(Column(name=f"{control}_effect") for control in CONTROLS),
        ),
        rows=tuple(rows),
        notes=("Means over words and models under both protocols; intervals resample words.",),
    )
