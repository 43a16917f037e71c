"""The words that agree with somebody, as they are found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.languages.rewriting import Sureness
    from epicene.languages.rewriting.people import Person

# determiner: also a pronoun with a determiner's forms; pronoun: celui, il, le; stressed: lui, elle.
Kind: TypeAlias = Literal["adjective", "noun", "determiner", "pronoun", "stressed"]

_RANK: dict[Sureness, int] = {"certain": 2, "likely": 1, "guess": 0}


class Site(NamedTuple):
    """One word, with whom it agrees, and why."""

    place: int  # of the word among the tokens
    who: Person
    kind: Kind
    plural: bool
    rule: str
    sure: Sureness


class Sites:
    """What was found so far, one site for each word: the surer, of equals the earlier."""

    def __init__(self) -> None:
        self._sites: dict[int, Site] = {}

    def add(self, site: Site) -> None:
        """Keep it, unless the word is known to agree with somebody as surely."""
        known = self._sites.get(site.place)
        if known is None or _RANK[site.sure] > _RANK[known.sure]:
            self._sites[site.place] = site

    def get(self, index: int) -> Site | None:
        """Whom the word there agrees with, if anybody."""
        return self._sites.get(index)

    def drop(self, index: int) -> None:
        """Forget the word."""
        self._sites.pop(index, None)

    def __iter__(self) -> Iterator[Site]:
        """In the order of the text."""
        return iter(sorted(self._sites.values()))


class Bond(NamedTuple):
    """Whom the words that are being read agree with; what they are added to."""

    sites: Sites
    who: Person
    rule: str
    plural: bool = False
    sure: Sureness = "certain"

    def add(self, index: int, kind: Kind, sure: Sureness | None = None) -> None:
        """One more word that agrees."""
        weaker = min(sure or self.sure, self.sure, key=_RANK.__getitem__)
        self.sites.add(Site(index, self.who, kind, self.plural, self.rule, weaker))

    def by(self, rule: str, sure: Sureness | None = None) -> Bond:
        """The same person by another rule."""
        return self._replace(rule=rule, sure=sure or self.sure)
