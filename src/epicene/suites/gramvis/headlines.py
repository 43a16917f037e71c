"""What is read first: how far grammar moves who is shown. No value of it is a better drawing."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from epicene.records import Estimate
from epicene.suites.gramvis.analysis.words import counts_of, divergent, drawn
from epicene.suites.gramvis.effects import headline_effects
from epicene.suites.headlines import Headline

if TYPE_CHECKING:
    from epicene.suites import Results
    from epicene.suites.gramvis.protocol import GramvisProtocol

_GRAMMARS = {"M": "masculine", "F": "feminine"}


def _effect(grammar: str, results: Results[GramvisProtocol]) -> Estimate:
    counts = counts_of(divergent(drawn(results)))
    found = headline_effects(counts, results.protocol) if counts.words else {}
    nothing = Estimate(value=None, why="no image of such a word was judged")
    return found.get(f"english_effect_{grammar}", nothing)


HEADLINES = tuple(
    Headline(
        name=f"effect of grammar, {gender} words",
        estimate=partial(_effect, grammar),
        unit="number",
        by_language=False,
    )
    for grammar, gender in _GRAMMARS.items()
)
