"""Agreement of annotators with each other and with automatic scores, from frames of labels.

The frames are those of `StudyResults`: people's judgements with the column `person`, and the
suite's own. Agreement between people is computed from their own judgements (`frame`), and one label
per item is taken from the adjudicated ones (`adjudicated`). Labels are compared per item and name.
No statistic depends on people's names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from epicene.core.records import Column, Estimate, Row, Table, digest
from epicene.stats import paired_agreement
from epicene.stats.tabulate import group_codes, parts_by, rows_where

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import polars
    from numpy.typing import NDArray

ALL = "all"

COLUMNS = (
    Column(name="agreement", unit="number", decimals=3),
    Column(name="standard error", unit="number", decimals=3),
    Column(name="κ", unit="number", decimals=3),
    Column(name="MCC", unit="number", decimals=3),
    Column(name="α", unit="number", decimals=3),
)

NOTES = (
    "Agreement is raw, with its standard error; κ is Cohen's, α Krippendorff's; MCC is Matthews' "
    "correlation, for two labels.",
)
PAIR_NOTES = (
    *NOTES,
    "Of three people or more nobody is always the first of a pair: for κ and MCC each pair counts "
    "in both orders.",
)


def majority_labels(frame: polars.DataFrame) -> polars.DataFrame:
    """One judgement per item and name: the majority label.

    Ties are decided by the person who judged most items, then by a reproducible random choice.
    """
    import polars as pl

    frame = _labelled_as_text(frame)
    workload = frame.group_by("person").agg(pl.col("item").n_unique().alias("judged"))
    lots = [digest(*row).hex() for row in frame.select("item", "name", "label").iter_rows()]
    votes = frame.with_columns(
        pl.len().over("item", "name", "label").alias("votes"), pl.Series("lot", lots, pl.String)
    )
    order = {"item": False, "name": False, "votes": True, "judged": True, "lot": False}
    return (
        votes.join(workload, on="person")
        .sort([*order], descending=[*order.values()])
        .unique(["item", "name"], keep="first", maintain_order=True)
        .drop("votes", "judged", "lot")
    )


def without_ties(frame: polars.DataFrame) -> polars.DataFrame:
    """The judgements without those of an item and name whose two most common labels are tied."""
    import polars as pl

    votes = _labelled_as_text(frame).group_by("item", "name", "label").len("votes")
    most = votes.filter(pl.col("votes") == pl.col("votes").max().over("item", "name"))
    tied = most.filter(pl.len().over("item", "name") > 1)
    keys = [pl.col(name).cast(pl.String) for name in ("item", "name")]
    return frame.join(tied.select("item", "name").unique(), on=keys, how="anti")


def annotator_pairs(frame: polars.DataFrame) -> polars.DataFrame:
    """One row per pair of people who judged the same item and name: labels `a` and `b`."""
    import polars as pl

    frame = _labelled_as_text(frame)
    other = frame.select(
        "item", "name", pl.col("person").alias("person_b"), pl.col("label").alias("b")
    )
    both = frame.rename({"label": "a"}).join(other, on=["item", "name"], maintain_order="left")
    return both.filter(pl.col("person") < pl.col("person_b"))


def pairs_with_automatic(frame: polars.DataFrame, automatic: polars.DataFrame) -> polars.DataFrame:
    """One row per item and name: people's label `a` and the suite's own `b`."""
    import polars as pl

    own = _labelled_as_text(automatic).select("item", "name", pl.col("label").alias("b"))
    return (
        majority_labels(frame)
        .rename({"label": "a"})
        .join(own, on=["item", "name"], maintain_order="left")
    )


def _labelled_as_text(frame: polars.DataFrame) -> polars.DataFrame:
    """The rows that have a label, with categories as text, which sorts and joins by spelling."""
    import polars as pl
    import polars.selectors as cs

    return frame.with_columns(cs.categorical().cast(pl.String)).filter(
        pl.col("label").is_not_null()
    )


def cells(pairs: polars.DataFrame, *, clustered: bool) -> tuple[Estimate, ...]:
    """The cells of `COLUMNS` for pairs of labels."""
    return (
        paired_agreement.raw(pairs, clustered=clustered),
        paired_agreement.standard_error(pairs),
        paired_agreement.kappa(pairs, clustered=clustered),
        paired_agreement.mcc(pairs, clustered=clustered),
        paired_agreement.alpha(pairs, clustered=clustered),
    )


def labels_by_item(frame: polars.DataFrame) -> tuple[list[list[str]], NDArray[Any]]:
    """People's labels of each item and name, and the code of its group."""
    import polars as pl

    items = (
        _labelled_as_text(frame)
        .group_by("item", "name", maintain_order=True)
        .agg("label", pl.col("group").first())
    )
    return items["label"].to_list(), group_codes(items)


def by_facet(
    pairs: polars.DataFrame,
    facets: Sequence[str],
    *,
    clustered: bool,
) -> Iterator[Row]:
    """A row for all pairs, then one per value of each facet; the keys are facet and value."""
    yield Row(keys=(ALL, ALL), cells=cells(pairs, clustered=clustered))
    for facet in facets:
        for (value,), part in parts_by(pairs, facet):
            yield Row(keys=(facet, value), cells=cells(part, clustered=clustered))


def agreement_table(
    pairs: polars.DataFrame, facets: Sequence[str], *, name: str, title: str, notes: Sequence[str]
) -> Table:
    """Agreement of all pairs of labels and by each facet, clustered by group."""
    return Table(
        name=name,
        title=title,
        levels=("facet", "of"),
        columns=COLUMNS,
        rows=tuple(by_facet(pairs, facets, clustered=True)),
        notes=tuple(notes),
    )


def people_table(
    pairs: polars.DataFrame, facets: Sequence[str], notes: Sequence[str] = PAIR_NOTES
) -> Table:
    """The table of how far people agree with each other, from `annotator_pairs`."""
    title = "Agreement of people with each other"
    return agreement_table(pairs, facets, name="agreement", title=title, notes=notes)


def by_judgement(
    pairs: polars.DataFrame, names: Iterable[str], facets: Sequence[str], *, clustered: bool
) -> Iterator[Row]:
    """The rows of `by_facet` for each of these judgements, whose name is the first key."""
    for name in names:
        for row in by_facet(rows_where(pairs, name=name), facets, clustered=clustered):
            yield Row(keys=(name, *row.keys), cells=row.cells)


def confusion_table(
    pairs: polars.DataFrame, people: Sequence[str], automatic: Sequence[str], ties_note: str
) -> Table:
    """How many items people label one way and the suite another: labels `a` and `b` of pairs."""
    return Table(
        name="confusion",
        title="People's labels (rows) and automatic labels (columns)",
        levels=("people",),
        columns=tuple(Column(name=f"automatically {label}", unit="count") for label in automatic),
        rows=tuple(
            Row(
                keys=(label,),
                cells=tuple(
                    Estimate(value=len(rows_where(pairs, a=label, b=other))) for other in automatic
                ),
            )
            for label in people
        ),
        notes=(
            f"Items of the sample, each with the label that most people gave. {ties_note}".rstrip(),
        ),
    )
