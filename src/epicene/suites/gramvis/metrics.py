"""From judgements to numbers: label counts per word, shares and effects, paired tests.

Every average of the paper is a ratio of sums over words. By images (micro) a word weighs as many
images as it has; by words (macro) each weighs one, and a word without an image of a man or a woman
is left out or, as in the paper's Tables 15–19, counts as showing no men.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from epicene.core.records import Estimate
from epicene.stats import SignificanceResult
from epicene.stats.arrays import encode_groups, finite_or_none, group_sums, safe_ratio
from epicene.stats.hypothesis_tests import holm, paired_t_test
from epicene.stats.intervals import clustered_difference, clustered_mean
from epicene.suites.gramvis.items import CONDITIONS, GRAMMARS, LABEL_OF_GRAMMAR, LABELS, LANGUAGES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import TypeVar

    import polars
    from numpy.typing import NDArray

    from epicene.stats.arrays import Floats, Ints
    from epicene.suites import Results
    from epicene.suites.gramvis.protocol import GramvisProtocol

if TYPE_CHECKING:
    KeyT = TypeVar("KeyT")

_KEYS = ("language", "grammar", "category", "word")


class WordKey(NamedTuple):
    """A word of a language."""

    language: str
    grammar: str
    category: str
    word: str


class WordCounts(NamedTuple):
    """Some words' counts (row × condition × label) and which word each row is of."""

    counts: Floats
    words: Ints


@dataclass(frozen=True)
class CountArray:
    """Counts by word and drawing model; `drawn` says which of them were drawn at all."""

    words: tuple[WordKey, ...]
    drawers: tuple[str, ...]
    values: Floats
    drawn: NDArray[np.bool_]

    @property
    def languages(self) -> list[str]:
        """Those that have words, in the paper's order."""
        here = {word.language for word in self.words}
        return [code for code in LANGUAGES if code in here]

    def which(self, language: str = "", grammar: str = "", category: str = "") -> Ints:
        """The places of the words that fit all that is named."""
        return np.array(
            [
                place
                for place, word in enumerate(self.words)
                if language in ("", word.language)
                and grammar in ("", word.grammar)
                and category in ("", word.category)
            ],
            dtype=np.int64,
        )

    def part(self, words: Ints, drawers: Sequence[str] = ()) -> WordCounts:
        """Those words' counts by one, some or (if none is named) all of the drawing models."""
        chosen = np.array([self.drawers.index(drawer) for drawer in drawers or self.drawers])
        rows, columns = np.nonzero(self.drawn[np.ix_(words, chosen)])
        places = words[rows]
        return WordCounts(self.values[places, chosen[columns]], places)

    def cells(self, category: str = "") -> list[tuple[tuple[str, str, str], WordCounts]]:
        """A part for each language, drawing model and grammatical gender that has words."""
        found: list[tuple[tuple[str, str, str], WordCounts]] = []
        for language in self.languages:
            for drawer in self.drawers:
                for grammar in GRAMMARS:
                    part = self.part(self.which(language, grammar, category), [drawer])
                    if len(part.counts):
                        found.append(((language, drawer, grammar), part))
        return found


def with_drawer(results: Results[GramvisProtocol]) -> polars.DataFrame:
    """The judgements with who drew: in a run its model, under the name that tells runs apart."""
    import polars as pl

    runs = [info.run for info in results.runs if info.identities]
    if not runs:
        return results.frame
    asked = pl.col("run").cast(pl.String).is_in(runs)
    names = [pl.col(name).cast(pl.String) for name in ("model", "drawer")]
    return results.frame.with_columns(
        pl.when(asked).then(names[0]).otherwise(names[1]).alias("drawer")
    )


def with_stereotype(frame: polars.DataFrame) -> polars.DataFrame:
    """The judgements on words of which a stereotype is known."""
    import polars as pl

    if "stereotype" not in frame.columns:
        return frame.clear()
    return frame.filter(pl.col("stereotype").is_not_null())


def control_words(frame: polars.DataFrame) -> polars.DataFrame:
    """Those on words whose stereotype is their grammar's."""
    return frame.filter(_is_control()) if "stereotype" in frame.columns else frame.clear()


def divergent_words(frame: polars.DataFrame) -> polars.DataFrame:
    """All but control words: what the paper's tables are about. Published words all diverge."""
    return frame.filter(~_is_control()) if "stereotype" in frame.columns else frame


def _is_control() -> polars.Expr:
    import polars as pl

    own = pl.col("grammar").cast(pl.String).replace_strict(LABEL_OF_GRAMMAR, default=None)
    return (pl.col("stereotype").cast(pl.String) == own).fill_null(value=False)


def count_array(frame: polars.DataFrame) -> CountArray:
    """The counts that the judgements bring, added up. A run's own model is what drew."""
    import polars as pl

    counted = frame.filter(pl.any_horizontal(pl.col(label).is_not_null() for label in LABELS))
    drawer = pl.col("model").cast(pl.String)
    if "drawer" in counted.columns:
        drawer = pl.coalesce(pl.col("drawer").cast(pl.String), drawer)
    keys = [
        pl.col("language").cast(pl.String).str.to_uppercase(),
        *(pl.col(key).cast(pl.String) for key in _KEYS[1:]),
    ]
    summed = counted.group_by(
        *keys, drawer.alias("drawn by"), pl.col("condition").cast(pl.String), maintain_order=True
    ).agg(pl.col(label).fill_null(0).sum() for label in LABELS)
    words = _indices(WordKey(*key) for key in summed.select(_KEYS).iter_rows())
    drawers = _indices(summed["drawn by"].to_list())
    values = np.zeros((len(words), len(drawers), len(CONDITIONS), len(LABELS)))
    drawn = np.zeros((len(words), len(drawers)), dtype=np.bool_)
    conditions = {name: place for place, name in enumerate(CONDITIONS)}
    for language, grammar, category, word, drew, condition, *numbers in summed.iter_rows():
        place, by = words[WordKey(language, grammar, category, word)], drawers[drew]
        values[place, by, conditions[condition]] = numbers
        drawn[place, by] = True
    return CountArray(tuple(words), tuple(drawers), values, drawn)


def _indices(keys: Iterable[KeyT]) -> dict[KeyT, int]:
    return {key: place for place, key in enumerate(dict.fromkeys(keys))}


AveragingRule: TypeAlias = Literal["images", "words", "words, empty as no men"]

NO_GENDERED_IMAGE = "no image shows a man or a woman"


def ratio_terms(
    part: WordCounts, condition: str, label: str, rule: AveragingRule, *, with_neither: bool = False
) -> tuple[Floats, Floats]:
    """What each row adds above and below the line of a share."""
    counts = part.counts[:, CONDITIONS.index(condition)]
    below = counts.sum(axis=1) if with_neither else counts[:, :2].sum(axis=1)
    above = counts[:, LABELS.index(label)]
    if rule == "images":
        return above, below
    empty = below == 0
    shares = np.divide(above, below, out=np.zeros_like(above), where=~empty)
    if rule == "words":
        return shares, (~empty).astype(np.float64)
    return np.where(empty & (label == "female"), 1.0, shares), np.ones_like(below)


@dataclass(frozen=True)
class Average:
    """One way to average, with intervals that resample words or without any."""

    rule: AveragingRule
    with_neither: bool = False
    intervals: bool = False
    resamples: int = 2000
    seed: int = 0

    def share(self, part: WordCounts, condition: str, label: str) -> Estimate:
        """The share of images with that label."""
        above, below = self._columns(part, condition, label)
        if not below.sum():
            return Estimate(value=None, why=NO_GENDERED_IMAGE)
        if not self.intervals:
            return Estimate(value=float(above.sum() / below.sum()), n=int(np.count_nonzero(below)))
        return clustered_mean(
            above, below, part.words, bounds=(0, 1), resamples=self.resamples, seed=self.seed
        )

    def effect(self, part: WordCounts, control: str, label: str) -> Estimate:
        """The share under the gendered prompt less the share under a control."""
        gendered, neutral = (
            self._columns(part, condition, label) for condition in ("gendered", control)
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
            resamples=self.resamples,
            seed=self.seed,
        )

    def standard_error(self, part: WordCounts, condition: str, label: str) -> Estimate:
        """The word-clustered standard error of a share, by linearisation."""
        return _standard_error([self._influence(part, condition, label)])

    def _columns(self, part: WordCounts, condition: str, label: str) -> tuple[Floats, Floats]:
        return ratio_terms(part, condition, label, self.rule, with_neither=self.with_neither)

    def _influence(self, part: WordCounts, condition: str, label: str) -> tuple[Floats, WordCounts]:
        above, below = self._columns(part, condition, label)
        share = safe_ratio(above.sum(keepdims=True), below.sum(keepdims=True))
        return (above - share * below) / below.sum(), part


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
    """From what each row moves its cell's share by; the mean of the cells is taken."""
    rows = np.concatenate([influence for influence, _ in influences]) / len(influences)
    words = np.concatenate([part.words for _, part in influences])
    moved = group_sums(rows[:, None], encode_groups(words, len(words)))[:, 0]
    n = len(moved)
    if n < 2 or not np.isfinite(moved).all():
        return Estimate(value=None, n=n, why="there is one word only")
    return Estimate(value=finite_or_none(np.sqrt(n / (n - 1) * np.sum(moved**2))), n=n)


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
    """The test of gendered against control shares.

    Rows without a share in one of the two are left out, unless `empty` gives them one. `by_word`
    takes a word drawn by several models for one observation. `infinite` calls differences that
    are all equal, and not nought, significant beyond measure, as t = ∞ would.
    """
    pairs = [
        ratio_terms(part, condition, label, empty, with_neither=with_neither)
        for condition in ("gendered", control)
    ]
    kept = (pairs[0][1] > 0) & (pairs[1][1] > 0)
    gendered, neutral = (above[kept] for above, _ in pairs)
    test = paired_t_test(gendered, neutral, part.words[kept] if by_word else None)
    same = test.p is None and test.n > 1
    if infinite and same and not np.isclose(gendered.mean(), neutral.mean()):
        return SignificanceResult(statistic=None, p=0.0, n=test.n, why=test.why)
    return test


def significance_stars(p: float | None, most: int = 3) -> str:
    """A star for each level that p stays below."""
    return "" if p is None else "*" * min(most, sum(p < level for level in SIGNIFICANCE_LEVELS))


def p_value_cell(test: SignificanceResult, mark: str = "") -> Estimate:
    """A test's p as a cell of a table."""
    return Estimate(value=test.p, n=test.n, why="" if test.p is not None else test.why, mark=mark)


def holm_adjusted(tests: Mapping[KeyT, SignificanceResult]) -> dict[KeyT, SignificanceResult]:
    """The same tests with p after Holm, all of them one family."""
    adjusted = holm([test.p for test in tests.values()])
    return {
        key: SignificanceResult(statistic=test.statistic, p=p, n=test.n, why=test.why)
        for (key, test), p in zip(tests.items(), adjusted, strict=True)
    }
