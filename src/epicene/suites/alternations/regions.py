"""The surprisal of each region of a sentence, and whether a formula over them holds."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from typing import TYPE_CHECKING

from epicene.core.records import TextScore
from epicene.suites.alternations.formulas import parse_formula

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from epicene.core.records import Scores
    from epicene.suites.alternations.items import Condition, RegionMetric, RegionTest

_METRICS: dict[RegionMetric, Callable[[Sequence[float]], float]] = {
    "sum": sum,
    "mean": statistics.fmean,
    "median": statistics.median,
    "range": lambda values: max(values) - min(values),
    "max": max,
    "min": min,
}


def region_scores(condition: Condition, score: TextScore) -> dict[int, TextScore]:
    """The tokens of each region with a text, by its number; offsets count from its beginning.

    A token belongs to the region that contains its first letter: the space before a word belongs to
    the word. Tokens without a letter belong to what follows.
    """
    text, begins = condition.sentence, _beginnings(condition)
    indices: dict[int, list[int]] = defaultdict(list)
    for index, (start, end) in enumerate(zip(score.starts, score.ends, strict=True)):
        spaces = len(text[start:end]) - len(text[start:end].lstrip())
        indices[_region_at(begins, start + spaces)].append(index)
    return {
        region.number: TextScore(
            logprobs=tuple(score.logprobs[index] for index in indices[region.number]),
            starts=tuple(
                max(score.starts[index] - begins[region.number], 0)
                for index in indices[region.number]
            ),
            ends=tuple(
                score.ends[index] - begins[region.number] for index in indices[region.number]
            ),
            words=0,  # regions may cut words
            characters=len(region.text),
        )
        for region in condition.regions
        if region.text
    }


def _beginnings(condition: Condition) -> dict[int, int]:
    """Where each region that has a text begins in the sentence."""
    found: dict[int, int] = {}
    position = 0
    for region in condition.regions:
        if region.text:
            found[region.number] = position
            position += len(region.text) + 1
    return found


def _region_at(begins: Mapping[int, int], position: int) -> int:
    """The last region that begins at the position or before it."""
    return max((begin, number) for number, begin in begins.items() if begin <= position)[1]


def surprisals(test: RegionTest, scores: Scores) -> dict[tuple[str, int], float | None]:
    """The surprisal of each region in bits, by condition and number; an empty region has 0.

    It is None, that is unknown, if no token of a region was scored.
    """
    found: dict[tuple[str, int], float | None] = {}
    for condition, score in zip(test.conditions, scores.texts, strict=True):
        parts = region_scores(condition, score)
        for region in condition.regions:
            if not region.text:
                found[condition.name, region.number] = 0.0
                continue
            bits = [-p / math.log(2) for p in parts[region.number].logprobs if p is not None]
            found[condition.name, region.number] = _METRICS[test.metric](bits) if bits else None
    return found


def holds(test: RegionTest, found: Mapping[tuple[str, int], float | None]) -> bool | None:
    """Whether the formula is true; None if the surprisal of a region in it is not known."""
    formula = parse_formula(test.formula)
    for (condition, number), value in found.items():
        if value is None and {(condition, number), (condition, None)} & formula.references:
            return None
    return formula.holds({key: value for key, value in found.items() if value is not None})
