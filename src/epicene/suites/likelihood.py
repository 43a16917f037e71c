"""The likelihood of a text, as it is or per unit; what all suites that score texts share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from epicene.records import TextScore

Measure: TypeAlias = Literal["sum", "per token", "per word", "per character"]
MEASURES: tuple[Measure, ...] = ("sum", "per token", "per word", "per character")


def measured(text: TextScore, measure: Measure) -> float:
    """The log-likelihood of a text, as it is or per unit."""
    units = {
        "sum": 1,
        "per token": text.tokens,
        "per word": text.words,
        "per character": text.characters,
    }[measure]
    return text.sum / max(units, 1)
