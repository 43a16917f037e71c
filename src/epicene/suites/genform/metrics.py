"""From judgements to the metrics of genform, with intervals that resample pairs.

SGA and GIoU are means over sentences, CGA is a ratio of sums; all three use only sentences with a
gendered term. The two directions of a pair are one group.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, TypeAlias

from epicene.core.records import Column, Estimate, Row, Table
from epicene.stats import paired_agreement
from epicene.stats.tabulate import accuracy, distinct_values, rows_where, share
from epicene.suites.answers import LIKELIHOOD_MEASURES
from epicene.suites.genform.ask import GENERATION, PROBABILITY, TRANSLATION
from epicene.suites.genform.gendered_terms import count_columns
from epicene.suites.genform.statistics import rules_in
from epicene.suites.headline_metrics import HeadlineMetric, accuracy_metric

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import polars
    from numpy.typing import NDArray

    from epicene.suites import Results
    from epicene.suites.genform.items import Gender
    from epicene.suites.genform.protocol import GenformProtocol
    from epicene.suites.genform.words import Tokenisation

if TYPE_CHECKING:
    Array: TypeAlias = NDArray[Any]
    Measure: TypeAlias = "Callable[[AnswerArrays], Estimate]"

# How often pairs are resampled: for what is read first, and for the many figures of a breakdown.
RESAMPLES, BREAKDOWN_RESAMPLES = 2000, 1000

_NO_GENDERED_TERM = Estimate(value=None, why="no sentence here has a gendered term")


def generation_frame(frame: polars.DataFrame, how: Tokenisation) -> polars.DataFrame:
    """The answers, with their counts by one way of cutting words as right, terms and union.

    Groups become numbers here, once for all that is resampled.
    """
    import polars as pl

    frame = frame.filter(pl.col("format") == GENERATION)
    if not len(frame):
        return frame
    absent = [name for name in ("rule", "family") if name not in frame.columns]
    return frame.with_columns(
        *(pl.lit(None, dtype=pl.Categorical).alias(name) for name in absent),
        *(pl.col(carried).alias(name) for name, carried in count_columns(how).items()),
        pl.col("group").rank("dense").cast(pl.Int64),
    )


@dataclass(frozen=True)
class AnswerArrays:
    """Some answers: an entry for each in every array."""

    group: Array
    masculine: Array  # whether that is the gender wanted
    right: Array
    terms: Array
    union: Array
    others_changed: Array
    undetected: Array
    cleaned: Array
    resamples: int = RESAMPLES

    @classmethod
    def of(cls, answers: polars.DataFrame, resamples: int = RESAMPLES) -> AnswerArrays:
        """All answers of a frame that `generated` made."""
        import polars as pl

        frame = answers.select(
            "group",
            "right",
            "terms",
            "union",
            pl.col("others_changed") > 0,
            masculine=pl.col("target").cast(pl.String) == "masculine",
            undetected=pl.col("outcome").cast(pl.String) == "undetected",
            cleaned=pl.col("cleaned").cast(pl.String) != "no",
        )
        return cls(**{name: frame[name].to_numpy() for name in _ARRAYS}, resamples=resamples)

    def where(self, condition: Array) -> AnswerArrays:
        """The answers for which the condition holds."""
        return replace(self, **{name: getattr(self, name)[condition] for name in _ARRAYS})

    def __len__(self) -> int:
        return len(self.group)

    @cached_property
    def gendered(self) -> AnswerArrays:
        """The answers to sentences with a gendered term."""
        return self.where(self.terms > 0)

    @property
    def sga(self) -> Array:
        """The share of each sentence's gendered terms that are right."""
        shares: Array = self.right / self.terms
        return shares

    @property
    def giou(self) -> Array:
        """The same over the union of terms and mismatches."""
        shares: Array = self.right / self.union
        return shares

    def mean(self, values: Array) -> Estimate:
        """The mean of values between 0 and 1."""
        return self.ratio(values, self.ones)

    def ratio(self, above: Array, below: Array) -> Estimate:
        """A ratio of sums between 0 and 1."""
        from epicene.stats.intervals import clustered_mean

        if not len(self):
            return _NO_GENDERED_TERM
        return _cached(
            clustered_mean, above, below, self.group, bounds=(0, 1), resamples=self.resamples
        )

    @cached_property
    def ones(self) -> Array:
        """A one for each answer: what a mean divides by."""
        import numpy as np

        return np.ones(len(self))

    def share(self, flags: Array, why: str = "nothing was judged") -> Estimate:
        """How often something is so."""
        from epicene.stats.intervals import proportion

        if not len(self):
            return Estimate(value=None, why=why)
        return proportion(flags, groups=self.group)


_CACHE: dict[bytes, Estimate] = {}
_CACHE_SIZE = 2**14


def _cached(estimate: Callable[..., Estimate], *arrays: Array, **settings: Any) -> Estimate:
    """The estimate of such arrays, made once: headlines, tables and breakdowns share figures."""
    key = blake2b(repr((estimate.__name__, settings)).encode(), digest_size=16)
    for array in arrays:
        key.update(array.dtype.str.encode())
        key.update(array.tobytes())
    digest = key.digest()
    if digest not in _CACHE:
        if len(_CACHE) >= _CACHE_SIZE:
            _CACHE.clear()
        _CACHE[digest] = estimate(*arrays, **settings)
    return _CACHE[digest]


_ARRAYS = tuple(field.name for field in fields(AnswerArrays) if field.name != "resamples")


def for_target(target: Gender, measure: Measure) -> Measure:
    """The measure in one direction, named by the gender that was wanted."""
    return lambda part: measure(part.where(part.masculine == (target == "masculine")))


def sga(part: AnswerArrays) -> Estimate:
    """The mean share of a sentence's gendered terms that are right."""
    part = part.gendered
    return part.mean(part.sga)


def giou(part: AnswerArrays) -> Estimate:
    """The mean of right terms over the union of terms and mismatches."""
    part = part.gendered
    return part.mean(part.giou)


def cga(part: AnswerArrays) -> Estimate:
    """The share of all gendered terms that are right."""
    part = part.gendered
    return part.ratio(part.right, part.terms)


def delta_sga(part: AnswerArrays) -> Estimate:
    """SGA towards the masculine minus SGA towards the feminine, pairs drawn with both."""
    part = part.gendered
    man = part.masculine.astype(float)
    if man.all() or not man.any():
        one = "there are answers in one direction only"
        return Estimate(value=None, why=one) if len(part) else _NO_GENDERED_TERM
    woman = 1 - man
    arrays = (part.sga * man, part.sga * woman, part.group, man, woman)
    return _cached(_sga_difference, *arrays, resamples=part.resamples)


def _sga_difference(
    first: Array, second: Array, groups: Array, man: Array, woman: Array, *, resamples: int
) -> Estimate:
    from epicene.stats.intervals import clustered_difference

    return clustered_difference(
        first,
        second,
        groups,
        first_denominators=man,
        second_denominators=woman,
        bounds=(-1, 1),
        resamples=resamples,
    )


def interference(part: AnswerArrays) -> Estimate:
    """SGA minus GIoU: what was lost to changes that nobody asked for."""
    part = part.gendered
    return part.mean(part.sga - part.giou)


def others_changed(part: AnswerArrays) -> Estimate:
    """The share of answers in which a word that is not the speaker's has another form."""
    return part.share(part.others_changed)


def left_alone(part: AnswerArrays) -> Estimate:
    """The share of sentences without a gendered term whose words were all left as they are."""
    neutral = part.where(part.terms == 0)
    return neutral.share(neutral.union == 0, "every sentence here has a gendered term")


def exact(part: AnswerArrays) -> Estimate:
    """The share of sentences with a gendered term that are word for word as they should be."""
    part = part.gendered
    return part.share(part.right == part.union, _NO_GENDERED_TERM.why)


def undetected(part: AnswerArrays) -> Estimate:
    """The share of answers that are no version of the sentence."""
    return part.share(part.undetected)


def cleaned(part: AnswerArrays) -> Estimate:
    """The share of answers that had a fence, a label or quotes around the sentence."""
    return part.share(part.cleaned)


ASSUMED_GENDERS = ("masculine", "feminine", "mixed", "undetected")


def probability_judgements(frame: polars.DataFrame) -> polars.DataFrame:
    """The judgements by probability, by the protocol's measure."""
    import polars as pl

    return _of_format(frame, PROBABILITY).filter(~pl.col("name").cast(pl.String).str.ends_with(")"))


def translation_judgements(frame: polars.DataFrame) -> polars.DataFrame:
    """The translations that could be read: those into a language that has a rewriter."""
    import polars as pl

    return _of_format(frame, TRANSLATION).filter(pl.col("label") != "unknown")


def _of_format(frame: polars.DataFrame, form: str) -> polars.DataFrame:
    import polars as pl

    return frame.filter(pl.col("format") == form)


def paired_formats(frame: polars.DataFrame) -> polars.DataFrame:
    """Right by probability and by writing, for each pair and direction."""
    return paired_agreement.paired_outcomes(
        probability_judgements(frame), _of_format(frame, GENERATION), on=("model", "item", "target")
    )


# --- probability ---------------------------------------------------------------------------


def probability_tables(frame: polars.DataFrame) -> Iterator[Table]:
    """How often the form that is wanted is likelier; then whether writing agrees."""
    if len(probability_judgements(frame)):
        yield _probability_table(_of_format(frame, PROBABILITY))
        if len(paired_formats(frame)):
            yield _agreement_table(paired_formats(frame))


def _probability_table(scored: polars.DataFrame) -> Table:
    rows = [
        Row(
            keys=keys,
            cells=tuple(
                accuracy(rows_where(part, measure=measure)) for measure in LIKELIHOOD_MEASURES
            ),
        )
        for keys, part in _by_direction(scored)
    ]
    return Table(
        name="probability",
        title="The form that is wanted is likelier, by how likelihood is normalised",
        levels=("model", "language", "target"),
        columns=tuple(Column(name=measure) for measure in LIKELIHOOD_MEASURES),
        rows=tuple(rows),
        notes=("Both forms after the same instruction; sentences with two equal forms left out.",),
    )


def _agreement_table(pairs: polars.DataFrame) -> Table:
    statistics = (paired_agreement.raw, paired_agreement.mcc, paired_agreement.kappa)
    rows = [
        Row(keys=keys, cells=tuple(each(part, clustered=True) for each in statistics))
        for keys, part in _by_direction(pairs)
    ]
    heads = ("agreement", "mcc", "kappa")
    return Table(
        name="agreement",
        title="Whether a model that ranks right also writes right",
        levels=("model", "language", "target"),
        columns=tuple(Column(name=head, unit="number", decimals=3) for head in heads),
        rows=tuple(rows),
        notes=("Written right: word for word. Undetected answers are left out.",),
    )


def _by_direction(
    frame: polars.DataFrame,
) -> Iterator[tuple[tuple[str, str, str], polars.DataFrame]]:
    for model in distinct_values(frame, "model"):
        for language in distinct_values(rows_where(frame, model=model), "language"):
            part = rows_where(frame, model=model, language=language)
            yield (model, language, "both"), part
            for target in distinct_values(part, "target"):
                yield (model, language, target), rows_where(part, target=target)


# --- translation ---------------------------------------------------------------------------


def translation_metrics(frame: polars.DataFrame) -> dict[str, Estimate]:
    """How often which gender was assumed."""
    import polars as pl

    read = translation_judgements(frame)
    if not len(read):
        return {}
    return {f"assumed_{name}": share(read, pl.col("label") == name) for name in ASSUMED_GENDERS}


def translation_tables(frame: polars.DataFrame) -> Iterator[Table]:
    """The gender that translations assume, by rule."""
    asked = _of_format(frame, TRANSLATION)
    rows = [
        row
        for model in distinct_values(asked, "model")
        for language in distinct_values(rows_where(asked, model=model), "language")
        for row in _assumed_gender_rows(
            rows_where(asked, model=model, language=language), model, language
        )
    ]
    if rows:
        yield Table(
            name="translation",
            title="The speaker's gender in translations from English, which gives none",
            levels=("model", "language", "rule"),
            columns=tuple(Column(name=name) for name in ASSUMED_GENDERS),
            rows=tuple(rows),
            notes=(
                "Found with the rule-based rewriter: words that it would change for a woman are "
                "masculine, and the other way round; undetected where it would change none.",
            ),
        )


def _assumed_gender_rows(asked: polars.DataFrame, model: str, language: str) -> Iterator[Row]:
    import polars as pl

    read = translation_judgements(asked)
    if not len(read):
        unread = Estimate(value=None, n=len(asked), why="no rewriter reads this language")
        yield Row(keys=(model, language, "all"), cells=(unread,) * len(ASSUMED_GENDERS))
        return
    rule = pl.col("rule").cast(pl.String).fill_null("")
    parts = [("all", read)]
    parts += [(name or "–", read.filter(rule == name)) for name in rules_in(read, language)]
    for name, part in parts:
        cells = tuple(share(part, pl.col("label") == label) for label in ASSUMED_GENDERS)
        yield Row(keys=(model, language, name), cells=cells)


if TYPE_CHECKING:
    Outcomes = Results[GenformProtocol]


def _generation_results(results: Outcomes) -> polars.DataFrame:
    return generation_frame(results.frame, results.protocol.words)


def _sga_per_sentence(results: Outcomes) -> polars.DataFrame:
    """Of each sentence that has gendered terms, how many of them are right."""
    import polars as pl

    frame = _generation_results(results)
    if not len(frame):
        return frame
    gendered = frame.filter(pl.col("terms") > 0)
    return gendered.with_columns((pl.col("right") / pl.col("terms")).alias("score"))


def _sga(results: Outcomes) -> Estimate:
    frame = _generation_results(results)
    if not len(frame):
        return Estimate(value=None, why="no sentence was rewritten")
    return sga(AnswerArrays.of(frame))


HEADLINE_METRICS = (
    HeadlineMetric(name="gendered terms right (SGA)", estimate=_sga, item_scores=_sga_per_sentence),
    accuracy_metric(
        "form of the wanted gender likelier", lambda results: probability_judgements(results.frame)
    ),
)
