"""What each judge saw, by its words and, where it tells them, by its probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.records import Column, Estimate, Row, Table
from epicene.suites.gramvis.names import LABELS
from epicene.suites.tabulate import share, values_of

if TYPE_CHECKING:
    import polars

_UNTOLD = "this judge tells no probabilities"


def vote_table(votes: polars.DataFrame) -> Table:
    """Each judge's labels, and how often the likeliest choice is what it said."""
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
            Row(keys=(judge,), cells=_cells(votes, judge)) for judge in values_of(votes, "judge")
        ),
        notes=(
            "Shares of all its votes, intervals cluster by word. “likeliest” is the choice of the "
            "highest log-probability after the question, which local models tell; “said the "
            "likeliest” is of votes whose words could be read.",
        ),
    )


def _cells(votes: polars.DataFrame, judge: str) -> tuple[Estimate, ...]:
    import polars as pl

    own = votes.filter(pl.col("judge").cast(pl.String) == judge)
    said = pl.col("label").cast(pl.String)
    count = Estimate(value=float(len(own)), n=len(own))
    by_words = [share(own, said.eq_missing(label)) for label in LABELS]
    unread = share(own, said.is_null())
    told = own.filter(pl.col("likeliest").is_not_null()) if "likeliest" in own.columns else own[:0]
    if not len(told):
        untold = Estimate(value=None, why=_UNTOLD)
        return (count, *by_words, unread, *[untold] * (len(LABELS) + 1))
    likeliest = pl.col("likeliest").cast(pl.String)
    by_probability = [share(told, likeliest == label) for label in LABELS]
    same = share(told.filter(said.is_not_null()), said == likeliest)
    return (count, *by_words, unread, *by_probability, same)
