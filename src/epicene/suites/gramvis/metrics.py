"""GramVis metrics: shares of labels, effects of grammatical gender, and paired tests.

Every average of the paper is a ratio of sums over words. By images (micro), a word is weighted by
its number of images; by words (macro), each has weight one, and a word without an image of a man or
a woman is left out or, as in the paper's Tables 15–19, counts as showing no men.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar

import msgspec
import numpy as np

from epicene.core.records import Estimate
from epicene.stats import SignificanceResult
from epicene.stats.arrays import encode_groups, finite_or_none, group_sums, safe_ratio
from epicene.stats.hypothesis_tests import holm, paired_t_test
from epicene.stats.intervals import clustered_difference, clustered_mean
from epicene.suites.gramvis.counts import count_array, divergent_words, with_drawer
from epicene.suites.gramvis.items import (
    CONDITIONS,
    CONTROLS,
    GRAMMAR_NAMES,
    GRAMMARS,
    LABEL_OF_GRAMMAR,
    LABELS,
)
from epicene.suites.headline_metrics import HeadlineMetric

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from epicene.stats.arrays import Floats
    from epicene.suites import Results
    from epicene.suites.gramvis.counts import CountArray, WordCounts
    from epicene.suites.gramvis.protocol import GramvisProtocol

KeyT = TypeVar("KeyT")

# --- shares and effects ------------------------------------------------------------------------

AveragingRule: TypeAlias = Literal["images", "words", "words, empty as no men"]

NO_GENDERED_IMAGE = "no image shows a man or a woman"


def ratio_terms(
    part: WordCounts, condition: str, label: str, rule: AveragingRule, *, with_neither: bool = False
) -> tuple[Floats, Floats]:
    """The numerator and the denominator that each row adds to a share."""
    counts = part.counts[:, CONDITIONS.index(condition)]
    denominators = counts.sum(axis=1) if with_neither else counts[:, :2].sum(axis=1)
    numerators = counts[:, LABELS.index(label)]
    if rule == "images":
        return numerators, denominators
    empty = denominators == 0
    shares = np.divide(numerators, denominators, out=np.zeros_like(numerators), where=~empty)
    if rule == "words":
        return shares, (~empty).astype(np.float64)
    return np.where(empty & (label == "female"), 1.0, shares), np.ones_like(denominators)


@dataclass(frozen=True)
class Average:
    """A way to average, with or without intervals over words."""

    rule: AveragingRule
    with_neither: bool = False
    intervals: bool = False

    def share(self, part: WordCounts, condition: str, label: str) -> Estimate:
        """The share of images with that label."""
        numerators, denominators = self._terms(part, condition, label)
        if not denominators.sum():
            return Estimate(value=None, why=NO_GENDERED_IMAGE)
        if not self.intervals:
            return Estimate(
                value=float(numerators.sum() / denominators.sum()),
                n=int(np.count_nonzero(denominators)),
            )
        return clustered_mean(
            numerators,
            denominators,
            part.words,
            bounds=(0, 1),
        )

    def effect(self, part: WordCounts, control: str, label: str) -> Estimate:
        """The share under the gendered prompt minus the share under a control."""
        gendered, neutral = (
            self._terms(part, condition, label) for condition in ("gendered", control)
        )
        if not (gendered[1].sum() and neutral[1].sum()):
            return Estimate(value=None, why=NO_GENDERED_IMAGE)
        if not self.intervals:
            value = gendered[0].sum() / gendered[1].sum() - neutral[0].sum() / neutral[1].sum()
            return Estimate(value=float(value), n=len(part.counts))
        return clustered_difference(
            gendered[0],
            neutral[0],
            part.words,
            first_denominators=gendered[1],
            second_denominators=neutral[1],
            bounds=(-1, 1),
        )

    def standard_error(self, part: WordCounts, condition: str, label: str) -> Estimate:
        """The word-clustered standard error of a share, by linearisation."""
        return _standard_error([self._influence(part, condition, label)])

    def _terms(self, part: WordCounts, condition: str, label: str) -> tuple[Floats, Floats]:
        return ratio_terms(part, condition, label, self.rule, with_neither=self.with_neither)

    def _influence(self, part: WordCounts, condition: str, label: str) -> tuple[Floats, WordCounts]:
        numerators, denominators = self._terms(part, condition, label)
        share = safe_ratio(numerators.sum(keepdims=True), denominators.sum(keepdims=True))
        return (numerators - share * denominators) / denominators.sum(), part


def average_for(
    protocol: GramvisProtocol, rule: AveragingRule, *, with_neither: bool = False
) -> Average:
    """The paper's average under `paper`, the mean over words with intervals otherwise."""
    if protocol.as_printed:
        return Average(rule, with_neither=with_neither)
    return word_average(with_neither=with_neither)


def word_average(*, with_neither: bool = False) -> Average:
    """The mean over words with intervals, under any protocol."""
    return Average("words", with_neither, intervals=True)


def mean_of_shares(
    average: Average, parts: list[WordCounts], condition: str, label: str
) -> tuple[Estimate, Estimate]:
    """The mean of cells' shares, and its standard error, in which a word's cells count as one."""
    shares = [average.share(part, condition, label).value for part in parts]
    if any(share is None for share in shares) or not parts:
        empty = Estimate(value=None, why=f"in one of the cells {NO_GENDERED_IMAGE}")
        return empty, empty
    value = float(np.mean([share for share in shares if share is not None]))
    influences = [average._influence(part, condition, label) for part in parts]
    return Estimate(value=value, n=len(parts)), _standard_error(influences)


def _standard_error(influences: list[tuple[Floats, WordCounts]]) -> Estimate:
    """The standard error of a mean of cells, from each row's influence on its cell's share."""
    rows = np.concatenate([influence for influence, _ in influences]) / len(influences)
    words = np.concatenate([part.words for _, part in influences])
    moved = group_sums(rows[:, None], encode_groups(words, len(words)))[:, 0]
    n = len(moved)
    if n < 2 or not np.isfinite(moved).all():
        return Estimate(value=None, n=n, why="there is one word only")
    return Estimate(value=finite_or_none(np.sqrt(n / (n - 1) * np.sum(moved**2))), n=n)


def complement_share(share: Estimate) -> Estimate:
    """The share of women, from the share of men if there is no third label."""
    return _map_numbers(share, lambda number: 1.0 - number)


def opposite_effect(effect: Estimate) -> Estimate:
    """The effect on women, from the effect on men if there is no third label."""
    return _map_numbers(effect, lambda number: 0.0 - number)


def to_percentage_points(share: Estimate) -> Estimate:
    """A share in per cent."""
    return _map_numbers(share, lambda number: 100 * number)


def to_share(points: Estimate) -> Estimate:
    """A percentage as a share."""
    return _map_numbers(points, lambda number: number / 100)


def _map_numbers(estimate: Estimate, change: Callable[[float], float]) -> Estimate:
    """An estimate and its interval under a monotone function."""
    value = None if estimate.value is None else change(estimate.value)
    if estimate.low is None or estimate.high is None:
        return msgspec.structs.replace(estimate, value=value)
    low, high = sorted((change(estimate.low), change(estimate.high)))
    return msgspec.structs.replace(estimate, value=value, low=low, high=high)


# --- tests -----------------------------------------------------------------------------------

SIGNIFICANCE_LEVELS = (0.05, 0.01, 0.001)


def paired_test(
    part: WordCounts,
    control: str,
    label: str,
    *,
    with_neither: bool = False,
    empty: AveragingRule = "words",
    by_word: bool = False,
    infinite: bool = False,
) -> SignificanceResult:
    """The paired t-test of shares under the gendered prompt against those under a control.

    Rows without a share in one of the two are left out, unless `empty` gives them one. `by_word`
    counts a word drawn by several models as one observation. `infinite` gives p = 0 if all
    differences are equal and not zero, as t = ∞ would.
    """
    pairs = [
        ratio_terms(part, condition, label, empty, with_neither=with_neither)
        for condition in ("gendered", control)
    ]
    kept = (pairs[0][1] > 0) & (pairs[1][1] > 0)
    gendered, neutral = (numerators[kept] for numerators, _ in pairs)
    test = paired_t_test(gendered, neutral, part.words[kept] if by_word else None)
    same = test.p is None and test.n > 1
    if infinite and same and not np.isclose(gendered.mean(), neutral.mean()):
        return SignificanceResult(statistic=None, p=0.0, n=test.n, why=test.why)
    return test


def significance_stars(p: float | None, most: int = 3) -> str:
    """One star for each level that p is below."""
    return "" if p is None else "*" * min(most, sum(p < level for level in SIGNIFICANCE_LEVELS))


def p_value_cell(test: SignificanceResult, mark: str = "") -> Estimate:
    """The p-value of a test as a table cell."""
    return Estimate(value=test.p, n=test.n, why="" if test.p is not None else test.why, mark=mark)


def holm_adjusted(tests: Mapping[KeyT, SignificanceResult]) -> dict[KeyT, SignificanceResult]:
    """Adjust the p-values of a family of tests by Holm's method."""
    adjusted = holm([test.p for test in tests.values()])
    return {
        key: SignificanceResult(statistic=test.statistic, p=p, n=test.n, why=test.why)
        for (key, test), p in zip(tests.items(), adjusted, strict=True)
    }


# --- metrics -----------------------------------------------------------------------------------


def all_metrics(results: Results[GramvisProtocol]) -> dict[str, Estimate]:
    """The aggregate shares and effects of Table 11, and the average “neither” rates of Table 12.

    A metric is a fraction of 1, as in every suite; the table has per cent, as in the paper.
    """
    counts, protocol = count_array(divergent_words(with_drawer(results))), results.protocol
    if not counts.words:
        return {}
    average = neither_percentages(counts, protocol)[NEITHER_AVERAGE]
    return headline_effects(counts, protocol) | {
        f"{condition}_neither": to_share(rate)
        for condition, rate in zip(CONDITIONS, average, strict=False)
    }


def headline_effects(counts: CountArray, protocol: GramvisProtocol) -> dict[str, Estimate]:
    """The aggregate's share and effects, by name and grammatical gender."""
    average = average_for(protocol, "images")
    found = {}
    for grammar in GRAMMARS:
        parts = [part for cell, part in counts.cells() if cell[2] == grammar]
        if parts:
            everything = counts.select(counts.word_indices(grammar=grammar))
            rep, _, *effects = pooled_estimates(
                average, everything, parts, LABEL_OF_GRAMMAR[grammar], protocol.as_printed
            )
            found[f"rep_{grammar}"] = rep
            for control, effect in zip(CONTROLS, effects, strict=True):
                found[f"{control}_effect_{grammar}"] = effect
    return found


def pooled_estimates(
    average: Average, everything: WordCounts, parts: list[WordCounts], own: str, as_printed: bool
) -> list[Estimate]:
    """The share under the gendered prompt, its standard error, the effect against each control."""
    if not as_printed:
        return [
            average.share(everything, "gendered", own),
            average.standard_error(everything, "gendered", own),
            *(average.effect(everything, control, own) for control in CONTROLS),
        ]
    rep, error = mean_of_shares(average, parts, "gendered", own)
    controls = [mean_of_shares(average, parts, control, own)[0] for control in CONTROLS]
    return [rep, error, *(_difference(rep, neutral) for neutral in controls)]


def _difference(first: Estimate, second: Estimate) -> Estimate:
    if first.value is None or second.value is None:
        return Estimate(value=None, why=first.why or second.why)
    return Estimate(value=first.value - second.value, n=first.n)


NEITHER_AVERAGE = "average"


def neither_percentages(
    counts: CountArray, protocol: GramvisProtocol
) -> dict[str, tuple[Estimate, ...]]:
    """“Neither” in per cent of all images, by language and on `average`.

    Under each condition, then gendered less each control.
    """
    average = average_for(protocol, "images", with_neither=True)
    if protocol.as_printed:
        return _mean_neither_of_cells(counts, average)
    words = {language: counts.word_indices(language) for language in counts.languages}
    words[NEITHER_AVERAGE] = counts.word_indices()
    return {name: _neither_of_words(counts.select(each), average) for name, each in words.items()}


def _neither_of_words(part: WordCounts, average: Average) -> tuple[Estimate, ...]:
    rates = [average.share(part, condition, "neither") for condition in CONDITIONS]
    effects = [average.effect(part, control, "neither") for control in CONTROLS]
    return tuple(map(to_percentage_points, [*rates, *effects]))


def _mean_neither_of_cells(counts: CountArray, average: Average) -> dict[str, tuple[Estimate, ...]]:
    rates: dict[str, list[list[float]]] = {}
    for (language, _, _), part in counts.cells():
        shares = [average.share(part, condition, "neither").value for condition in CONDITIONS]
        rates.setdefault(language, []).append([np.nan if s is None else s for s in shares])
    means = {language: np.mean(cells, axis=0) for language, cells in rates.items()}
    means[NEITHER_AVERAGE] = np.mean(list(means.values()), axis=0)
    return {
        language: tuple(map(_percentage, (*mean, *(mean[-1] - mean[:-1]))))
        for language, mean in means.items()
    }


def _percentage(rate: float) -> Estimate:
    value = finite_or_none(100 * rate)
    return Estimate(value=value, why="" if value is not None else "one of the cells has no image")


def _headline_effect(grammar: str, results: Results[GramvisProtocol]) -> Estimate:
    counts = count_array(divergent_words(with_drawer(results)))
    effects = headline_effects(counts, results.protocol) if counts.words else {}
    nothing = Estimate(value=None, why="no image of such a word was judged")
    return effects.get(f"english_effect_{grammar}", nothing)


def headline_name(grammar: str) -> str:
    """The name of the headline about words of one grammatical gender."""
    return f"effect of grammar, {GRAMMAR_NAMES[grammar]} words"


HEADLINE_METRICS = tuple(
    HeadlineMetric(
        name=headline_name(grammar),
        estimate=partial(_headline_effect, grammar),
        unit="number",
        by_language=False,
        chance=0.0,
    )
    for grammar in GRAMMAR_NAMES
)
