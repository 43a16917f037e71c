"""The sizes of the paper's sets for one answer, and the two ratios it makes of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

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

    def named(self, how: Cutting) -> dict[str, float]:
        """The counts as a judgement carries them."""
        return {_name(field, how): number for field, number in zip(FIELDS, self, strict=True)}

    @classmethod
    def of(cls, carried: Mapping[str, float], how: Cutting) -> Counts:
        """The counts that a judgement carries."""
        return cls(*(int(carried[_name(field, how)]) for field in FIELDS))


FIELDS = Counts._fields


def _name(field: str, how: Cutting) -> str:
    return f"{field} ({how})"


def columns(how: Cutting) -> dict[str, str]:
    """The columns of a frame that hold the counts by one way of cutting words."""
    return {field: _name(field, how) for field in FIELDS}
