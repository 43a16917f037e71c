"""The paper's metrics from judgements, each with an interval that resamples pairs.

SGA and GIoU are means over sentences, CGA a ratio of sums; all three speak of sentences with a
gendered term only. The two directions of a pair are one group.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, TypeAlias

from epicene.records import Estimate
from epicene.suites.genform.ask import GENERATION
from epicene.suites.genform.counts import columns

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars
    from numpy.typing import NDArray

    from epicene.suites.genform.pairs import Gender
    from epicene.suites.genform.words import Cutting

    Array: TypeAlias = NDArray[Any]
    Measure: TypeAlias = "Callable[[Part], Estimate]"

# How often pairs are resampled: for what is read first, and for the many figures of a breakdown.
RESAMPLES, RESAMPLES_OF_PARTS = 2000, 1000

_NONE = Estimate(value=None, why="no sentence here has a gendered term")


def generated(frame: polars.DataFrame, how: Cutting) -> polars.DataFrame:
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
        *(pl.col(carried).alias(name) for name, carried in columns(how).items()),
        pl.col("group").rank("dense").cast(pl.Int64),
    )


@dataclass(frozen=True)
class Part:
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
    def of(cls, answers: polars.DataFrame, resamples: int = RESAMPLES) -> Part:
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

    def where(self, condition: Array) -> Part:
        """The answers for which the condition holds."""
        return replace(self, **{name: getattr(self, name)[condition] for name in _ARRAYS})

    def __len__(self) -> int:
        return len(self.group)

    @cached_property
    def gendered(self) -> Part:
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
        from epicene.stats.bootstrap import clustered

        if not len(self):
            return _NONE
        return _once(clustered, above, below, self.group, bounds=(0, 1), resamples=self.resamples)

    @cached_property
    def ones(self) -> Array:
        """A one for each answer: what a mean divides by."""
        import numpy as np

        return np.ones(len(self))

    def share(self, flags: Array, why: str = "nothing was judged") -> Estimate:
        """How often something is so."""
        from epicene.stats.proportions import proportion

        if not len(self):
            return Estimate(value=None, why=why)
        return proportion(flags, groups=self.group)


_KNOWN: dict[bytes, Estimate] = {}
_REMEMBERED = 2**14


def _once(estimate: Callable[..., Estimate], *arrays: Array, **settings: Any) -> Estimate:
    """The estimate of such arrays, made once: headlines, tables and breakdowns share figures."""
    key = blake2b(repr((estimate.__name__, settings)).encode(), digest_size=16)
    for array in arrays:
        key.update(array.dtype.str.encode())
        key.update(array.tobytes())
    digest = key.digest()
    if digest not in _KNOWN:
        if len(_KNOWN) >= _REMEMBERED:
            _KNOWN.clear()
        _KNOWN[digest] = estimate(*arrays, **settings)
    return _KNOWN[digest]


_ARRAYS = tuple(field.name for field in fields(Part) if field.name != "resamples")


def towards(target: Gender, measure: Measure) -> Measure:
    """The measure in one direction, named by the gender that was wanted."""
    return lambda part: measure(part.where(part.masculine == (target == "masculine")))


def sga(part: Part) -> Estimate:
    """The mean share of a sentence's gendered terms that are right."""
    part = part.gendered
    return part.mean(part.sga)


def giou(part: Part) -> Estimate:
    """The mean of right terms over the union of terms and mismatches."""
    part = part.gendered
    return part.mean(part.giou)


def cga(part: Part) -> Estimate:
    """The share of all gendered terms that are right."""
    part = part.gendered
    return part.ratio(part.right, part.terms)


def delta_sga(part: Part) -> Estimate:
    """SGA towards the masculine minus SGA towards the feminine, pairs drawn with both."""
    part = part.gendered
    man = part.masculine.astype(float)
    if man.all() or not man.any():
        one = "there are answers in one direction only"
        return Estimate(value=None, why=one) if len(part) else _NONE
    woman = 1 - man
    arrays = (part.sga * man, part.sga * woman, part.group, man, woman)
    return _once(_gap, *arrays, resamples=part.resamples)


def _gap(
    first: Array, second: Array, groups: Array, man: Array, woman: Array, *, resamples: int
) -> Estimate:
    from epicene.stats.bootstrap import difference

    return difference(
        first,
        second,
        groups,
        first_denominators=man,
        second_denominators=woman,
        bounds=(-1, 1),
        resamples=resamples,
    )


def interference(part: Part) -> Estimate:
    """SGA minus GIoU: what was lost to changes that nobody asked for."""
    part = part.gendered
    return part.mean(part.sga - part.giou)


def others_changed(part: Part) -> Estimate:
    """The share of answers in which a word that is not the speaker's has another form."""
    return part.share(part.others_changed)


def left_alone(part: Part) -> Estimate:
    """The share of sentences without a gendered term whose words were all left as they are."""
    neutral = part.where(part.terms == 0)
    return neutral.share(neutral.union == 0, "every sentence here has a gendered term")


def exact(part: Part) -> Estimate:
    """The share of sentences with a gendered term that are word for word as they should be."""
    part = part.gendered
    return part.share(part.right == part.union, _NONE.why)


def undetected(part: Part) -> Estimate:
    """The share of answers that are no version of the sentence."""
    return part.share(part.undetected)


def cleaned(part: Part) -> Estimate:
    """The share of answers that had a fence, a label or quotes around the sentence."""
    return part.share(part.cleaned)
