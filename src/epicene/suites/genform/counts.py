"""The sizes of the paper's sets for one answer, and the two ratios it makes of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from epicene.suites.genform.words import Cutting


class Counts(NamedTuple):
    """Gendered terms that are no mismatch, gendered terms, and terms and mismatches together."""

    right: int
    terms: int
    union: int

    @property
    def sga(self) -> float | None:
        """The share of gendered terms that are right; none where the sentence has no such term."""
        return self.right / self.terms if self.terms else None

    @property
    def giou(self) -> float | None:
        """The same over the union, so that every other change counts against it."""
        return self.right / self.union if self.terms else None

    def __str__(self) -> str:
        return f"{self.right}/{self.terms}/{self.union}"

    @classmethod
    def read(cls, written: str) -> Counts:
        """The counts as they were written."""
        return cls(*map(int, written.split("/")))


def counts_facet(how: Cutting) -> str:
    """The facet that carries the counts by one way of cutting words."""
    return f"right/terms/union ({how})"
