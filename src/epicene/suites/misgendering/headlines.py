"""What is read first: the right pronoun, by each format."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.suites.headlines import share_right
from epicene.suites.misgendering.formats import generations, probabilities, with_all_facets

if TYPE_CHECKING:
    import polars

    from epicene.suites import Results
    from epicene.suites.misgendering.protocol import MisgenderingProtocol

    Outcomes = Results[MisgenderingProtocol]


def _probability(results: Outcomes) -> polars.DataFrame:
    return probabilities(with_all_facets(results.frame))


def _generation(results: Outcomes) -> polars.DataFrame:
    return generations(with_all_facets(results.frame))


HEADLINES = (
    share_right("right pronoun by probability", _probability),
    share_right("right pronoun by generation", _generation),
)
