"""What is read first: SGA of the rewritten sentences, and the likelier of two forms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.records import Estimate
from epicene.suites.genform import measures
from epicene.suites.genform.formats import probabilities
from epicene.suites.genform.measures import Part
from epicene.suites.headlines import Headline, share_right

if TYPE_CHECKING:
    import polars

    from epicene.suites import Results
    from epicene.suites.genform.protocol import GenformProtocol

    Outcomes = Results[GenformProtocol]


def _generated(results: Outcomes) -> polars.DataFrame:
    return measures.generated(results.frame, results.protocol.words)


def _shares(results: Outcomes) -> polars.DataFrame:
    """Of each sentence that has gendered terms, how many of them are right."""
    import polars as pl

    frame = _generated(results)
    if not len(frame):
        return frame
    gendered = frame.filter(pl.col("terms") > 0)
    return gendered.with_columns((pl.col("right") / pl.col("terms")).alias("figure"))


def _sga(results: Outcomes) -> Estimate:
    frame = _generated(results)
    if not len(frame):
        return Estimate(value=None, why="no sentence was rewritten")
    return measures.sga(Part.of(frame))


HEADLINES = (
    Headline(name="gendered terms right (SGA)", estimate=_sga, figures=_shares),
    share_right("form of the wanted gender likelier", lambda results: probabilities(results.frame)),
)
