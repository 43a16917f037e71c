"""The sizes of the paper's sets for one answer, and the two ratios it makes of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from epicene.suites.genform.words import CUTTINGS, Cutting

if TYPE_CHECKING:
    from collections.abc import Mapping


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

    def named(self, how: Cutting) -> dict[str, float]:
        """The counts as a judgement carries them."""
        return dict(zip(CARRIED[how], self, strict=True))

    @classmethod
    def of(cls, carried: Mapping[str, float], how: Cutting) -> Counts:
        """The counts that a judgement carries."""
        return cls(*(int(carried[name]) for name in CARRIED[how]))


# Under which names a judgement carries the counts, by the way of cutting words.
CARRIED: dict[Cutting, tuple[str, ...]] = {
    how: tuple(f"{field} ({how})" for field in Counts._fields) for how in CUTTINGS
}


def columns(how: Cutting) -> dict[str, str]:
    """The columns of a frame that hold the counts by one way of cutting words."""
    return dict(zip(Counts._fields, CARRIED[how], strict=True))
