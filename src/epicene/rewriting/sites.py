"""Sites: words that agree with a person, each with the rule that found it and its confidence.

Rules add sites; a language's `make_changes` gives each word the form that its site calls for.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from epicene.rewriting import Change, Confidence

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.rewriting.persons import Person
    from epicene.rewriting.text import Token

T = TypeVar("T")

_CONFIDENCE_RANK: dict[Confidence, int] = {"certain": 2, "likely": 1, "guess": 0}


def less_sure(first: Confidence, second: Confidence) -> Confidence:
    """The lower of two confidences."""
    return min(first, second, key=_CONFIDENCE_RANK.__getitem__)


class Site(NamedTuple, Generic[T]):
    """A word, or a part of one, that shows a person's gender.

    `target` is what the language needs to know to inflect it.
    """

    at: int
    who: Person
    target: T
    rule: str
    sure: Confidence
    part: int = 0  # 1 for a suffixed pronoun

    def change(self, token: Token, after: str) -> Change:
        """The change that replaces the word with `after`."""
        return Change(
            start=token.start,
            end=token.end,
            before=token.text,
            after=after,
            rule=self.rule,
            sure=self.sure,
            whose=self.who,
        )


class Sites(Generic[T]):
    """The sites found so far, one per part of a word: the first or, with `keep_surest`, the most
    certain.

    If two are equally certain, the first is kept.
    """

    def __init__(self, *, keep_surest: bool = False) -> None:
        self._keep_surest = keep_surest
        self._found: dict[tuple[int, int], Site[T]] = {}

    def add(self, site: Site[T]) -> None:
        """Keep a site, unless its part of the word already has one that takes precedence."""
        known = self._found.setdefault((site.at, site.part), site)
        if self._keep_surest and _CONFIDENCE_RANK[site.sure] > _CONFIDENCE_RANK[known.sure]:
            self._found[site.at, site.part] = site

    def get(self, at: int) -> Site[T] | None:
        """The site of the word itself, if there is one."""
        return self._found.get((at, 0))

    def drop(self, at: int) -> None:
        """Remove the site of the word itself, not that of a suffixed pronoun."""
        self._found.pop((at, 0), None)

    def __contains__(self, at: object) -> bool:
        return (at, 0) in self._found

    def __iter__(self) -> Iterator[Site[T]]:
        """All sites, in text order."""
        return (self._found[key] for key in sorted(self._found))

    def by_word(self) -> Iterator[tuple[int, list[Site[T]]]]:
        """The index of each word with its sites, that of the word itself first."""
        for at, sites in groupby(self, key=lambda site: site.at):
            yield at, list(sites)
