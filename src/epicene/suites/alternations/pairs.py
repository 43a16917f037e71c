"""A minimal pair: two sentences of which one is acceptable."""

from __future__ import annotations

from epicene.records import Item


class Pair(Item, frozen=True, kw_only=True):
    """An acceptable sentence, one that is not, and what the pair is about.

    `columns` holds whatever else the file says of the pair; every one of them can be broken down
    by. A pair whose last word but one is the verb also makes a cloze item: `prefix`, the verb
    `gold` in the gap, and `after`.
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
