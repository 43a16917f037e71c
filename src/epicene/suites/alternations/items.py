"""A minimal pair: two sentences of which one is acceptable."""

from __future__ import annotations

from epicene.core.records import Item

# The variants of the Hindi verb frames, as the paper names them.
DIFFERENT_VERB, SAME_VERB, NO_ERGATIVE, NO_INSTRUMENT = VARIANTS = (
    "DV", "SV", "No Case(E)", "No Case(I)",
)  # fmt: skip

# A variant's short name, for ids: the paper's names hold spaces and brackets.
VARIANT_IDS = dict(zip(VARIANTS, ("dv", "sv", "e", "i"), strict=True))


class Pair(Item, frozen=True, kw_only=True):
    """An acceptable sentence, one that is not, and what the pair is about.

    `columns` holds the other columns of the file; tables can break down by each of them. A pair
    that differs in its last word but one may also make a gap: `prefix`, the expected word `gold`,
    and `after`.
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

    @property
    def has_gap(self) -> bool:
        """Whether the gap is asked for; DV has the gap of SV, where it is asked for."""
        return bool(self.prefix and self.gold) and self.phenomenon != DIFFERENT_VERB

    @property
    def gapped(self) -> str:
        """The sentence with a blank for the expected word."""
        return self.filled("____")

    def filled(self, word: str) -> str:
        """The sentence with another word in the gap."""
        return " ".join(part for part in (self.prefix, word, self.after) if part)
