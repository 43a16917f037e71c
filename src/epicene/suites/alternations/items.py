"""A minimal pair: two sentences of which one is acceptable."""

from __future__ import annotations

from epicene.core.records import Item

# The variants of the Hindi verb frames, as the paper names them.
DIFFERENT_VERB, SAME_VERB, NO_ERGATIVE, NO_INSTRUMENT = VARIANTS = (
    "DV", "SV", "No Case(E)", "No Case(I)",
)  # fmt: skip


class Pair(Item, frozen=True, kw_only=True):
    """An acceptable sentence, one that is not, and what the pair is about.

    `columns` holds whatever else the file says of the pair; every one of them can be broken down
    by. A pair that differs in its last word but one may also make a gap: `prefix`, the word `gold`
    that is wanted, and `after`.
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
        """Whether a gap is asked; that of DV is the gap of SV, and asked there."""
        return bool(self.prefix and self.gold) and self.phenomenon != DIFFERENT_VERB

    @property
    def gapped(self) -> str:
        """The sentence with a line where the word is wanted."""
        return self.filled("____")

    def filled(self, word: str) -> str:
        """The sentence with another word in the gap."""
        return " ".join(part for part in (self.prefix, word, self.after) if part)
