"""The paper's figures: the strongest words (4–5) and what words there are (6–11)."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from epicene import charts
from epicene.records import Estimate
from epicene.suites.gramvis.analysis.averages import Average, columns
from epicene.suites.gramvis.analysis.words import counts_of, divergent, drawn
from epicene.suites.gramvis.names import CATEGORIES, GRAMMARS, OWN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.records import Figure
    from epicene.suites import Results
    from epicene.suites.gramvis.analysis.words import Counts
    from epicene.suites.gramvis.protocol import GramvisProtocol

STRONGEST = 12  # words a figure
EFFECT = "own gender's share, gendered less English"
SHARE = "share of words"
GENDERS = {"M": "masculine", "F": "feminine"}


def figures(results: Results[GramvisProtocol]) -> Iterator[Figure]:
    """Figures 4 to 11, those that have something to show."""
    counts = counts_of(divergent(drawn(results)))
    if not counts.words:
        return
    for make in (_expected, _reversed):
        with suppress(charts.EmptyChartError):
            yield make(counts)
    yield from _words(counts)
    with suppress(charts.EmptyChartError):
        yield _effects(counts, results.protocol)


def word_effects(counts: Counts) -> list[tuple[str, str, float]]:
    """Each word with its grammatical gender and the mean over models of its effect on English."""
    found = []
    for place, word in enumerate(counts.words):
        part = counts.part(np.array([place]))
        gendered, neutral = (
            columns(part, condition, OWN[word.grammar], "words")
            for condition in ("gendered", "english")
        )
        both = (gendered[1] > 0) & (neutral[1] > 0)
        if both.any():
            effect = float(np.mean(gendered[0][both] - neutral[0][both]))
            name = word.word.replace("_", " ").strip()
            found.append((f"{name} ({word.language})", word.grammar, effect))
    return found


def _expected(counts: Counts) -> Figure:
    return _listed("4", "Words whose grammar moves who is shown most", counts, 1)


def _reversed(counts: Counts) -> Figure:
    return _listed("5", "Words that most show the other gender than their grammar's", counts, -1)


def _listed(name: str, title: str, counts: Counts, sign: int) -> Figure:
    """The words of the strongest effects with that sign."""
    words = sorted(word_effects(counts), key=lambda word: -sign * word[2])
    rows: list[dict[str, Any]] = [
        {"word": word, "grammar": GENDERS[grammar], EFFECT: effect}
        for word, grammar, effect in words
        if sign * effect > 0
    ]
    left_out = len(rows) - STRONGEST
    return charts.bars(
        name,
        title,
        rows[:STRONGEST],
        x=EFFECT,
        y="word",
        color="grammar",
        unit="difference",
        notes=(
            "The own gender's share under the gendered prompt less under English, all models.",
            *([f"{left_out} words with a weaker effect are left out."] if left_out > 0 else ()),
        ),
    )


def _words(counts: Counts) -> Iterator[Figure]:
    """Figures 6 to 11."""
    total = len(counts.words)
    names = {category: category.replace("_", " ") for category in CATEGORIES}
    by_category: list[dict[str, Any]] = [
        {
            "category": names[category],
            "words": float(len(counts.which(category=category))),
            SHARE: len(counts.which(category=category)) / total,
        }
        for category in CATEGORIES
    ]
    yield charts.bars(
        "6",
        "Words by grammatical gender",
        [{"grammar": GENDERS[g], SHARE: len(counts.which(grammar=g)) / total} for g in GRAMMARS],
        x="grammar",
        y=SHARE,
        unit="share",
    )
    yield charts.bars("7", "Words by category", by_category, x="category", y=SHARE, unit="share")
    yield charts.heatmap(
        "8",
        "Categories by grammatical gender",
        [
            {"grammar": GENDERS[g], "category": names[c], SHARE: _share(counts, c, grammar=g)}
            for g in GRAMMARS
            for c in CATEGORIES
        ],
        x="category",
        y="grammar",
        value=SHARE,
        unit="share",
    )
    yield charts.bars("9", "Words by category", by_category, x="category", y="words", unit="count")
    yield charts.heatmap(
        "10",
        "Categories by language",
        [
            {"language": code, "category": names[c], SHARE: _share(counts, c, language=code)}
            for code in counts.languages
            for c in CATEGORIES
        ],
        x="category",
        y="language",
        value=SHARE,
        unit="share",
    )
    yield charts.bars(
        "11",
        "Words by language and grammatical gender",
        [
            {"language": code, "grammar": GENDERS[g], "words": float(len(counts.which(code, g)))}
            for code in counts.languages
            for g in GRAMMARS
        ],
        x="language",
        y="words",
        color="grammar",
        unit="count",
    )


def _share(counts: Counts, category: str, language: str = "", grammar: str = "") -> Estimate:
    whole = len(counts.which(language, grammar))
    if not whole:
        return Estimate(value=None, why="there are no such words")
    return Estimate(value=len(counts.which(language, grammar, category)) / whole, n=whole)


def _effects(counts: Counts, protocol: GramvisProtocol) -> Figure:
    """Every cell's effect against English with its interval, whatever the protocol."""
    average = Average("words", intervals=True, resamples=protocol.resamples, seed=protocol.seed)
    rows: list[dict[str, Any]] = [
        {
            "language": language,
            "model": drawer,
            "words": f"{GENDERS[grammar]} words",
            EFFECT: average.effect(part, "english", OWN[grammar]),
        }
        for (language, drawer, grammar), part in counts.cells()
    ]
    return charts.points_with_intervals(
        "effects",
        "The effect of grammatical gender against English",
        rows,
        x="language",
        y=EFFECT,
        color="model",
        facet="words",
        unit="difference",
        reference=0.0,
        notes=("Means over words; intervals resample words.",),
    )
