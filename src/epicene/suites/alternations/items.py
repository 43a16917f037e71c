"""A minimal pair: two sentences, one of them acceptable; or the sentences of a formula."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from epicene.core.records import Item, Record

# The variants of the Hindi verb frames, as the paper names them.
DIFFERENT_VERB, SAME_VERB, NO_ERGATIVE, NO_INSTRUMENT = VARIANTS = (
    "DV", "SV", "No Case(E)", "No Case(I)",
)  # fmt: skip

# The valencies by which the paper's Table 5 sorts verbs.
VALENCY_CLASSES = ("intransitive", "transitive", "ditransitive")

# A variant's short name, for ids: the paper's names hold spaces and brackets.
VARIANT_IDS = dict(zip(VARIANTS, ("dv", "sv", "e", "i"), strict=True))


# How the surprisals of a region's tokens become one number; nearly every suite takes the sum.
RegionMetric: TypeAlias = Literal["sum", "mean", "median", "range", "max", "min"]


class Region(Record, frozen=True, kw_only=True):
    """A numbered part of a sentence; it may be empty."""

    number: int
    text: str


class Condition(Record, frozen=True, kw_only=True):
    """A version of a sentence, cut into regions."""

    name: str
    regions: tuple[Region, ...]

    @property
    def sentence(self) -> str:
        """The sentence that the regions make up."""
        return " ".join(region.text for region in self.regions if region.text)


class RegionTest(Record, frozen=True, kw_only=True):
    """Versions of one sentence, and a formula over the surprisals of their regions that should be
    true (SyntaxGym).
    """

    conditions: tuple[Condition, ...]
    formula: str
    metric: RegionMetric = "sum"


class Pair(Item, frozen=True, kw_only=True):
    """An acceptable sentence, one that is not, and what the pair is about.

    `columns` has the other columns of the file; tables can be broken down by each of them. A pair
    that differs in its second-to-last word may also have a gap: `prefix`, the expected word `gold`,
    and `after`. With a `test` there are more sentences than two, and `good` and `bad` are empty.
    """

    good: str
    bad: str
    phenomenon: str = ""
    columns: dict[str, str] = {}
    prefix: str = ""
    gold: str = ""
    after: str = ""
    transliteration: str = ""  # of the acceptable sentence, for readers of another script
    gloss: str = ""
    test: RegionTest | msgspec.UnsetType = msgspec.UNSET

    @property
    def texts(self) -> tuple[str, ...]:
        """The sentences to score: the good and the bad one, or one per condition of a test."""
        if isinstance(self.test, RegionTest):
            return tuple(condition.sentence for condition in self.test.conditions)
        return (self.good, self.bad)

    @property
    def has_gap(self) -> bool:
        """Whether the gap is asked for; DV has the same gap as SV, where it is asked for."""
        return bool(self.prefix and self.gold) and self.phenomenon != DIFFERENT_VERB

    @property
    def gapped(self) -> str:
        """The sentence with a blank for the expected word."""
        return self.filled("____")

    def filled(self, word: str) -> str:
        """The sentence with another word in the gap."""
        return " ".join(part for part in (self.prefix, word, self.after) if part)
