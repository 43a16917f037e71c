"""One sentence in two forms, as a man and as a woman would say it."""

from __future__ import annotations

from typing import Literal, TypeAlias

from epicene.records import Item

# A direction is named by the gender that is wanted; what is given is the other form.
Gender: TypeAlias = Literal["masculine", "feminine"]
TARGETS: tuple[Gender, ...] = ("masculine", "feminine")


class Pair(Item, frozen=True, kw_only=True):
    """A first-person sentence in both forms, with its English and the rule it stands for.

    Both directions of a pair are one group.
    """

    language: str
    masculine: str
    feminine: str
    rule: str = ""
    english: str = ""

    def form(self, gender: Gender) -> str:
        """The sentence as a speaker of that gender would say it."""
        return self.masculine if gender == "masculine" else self.feminine

    @property
    def is_neutral(self) -> bool:
        """Whether both forms are the same; what its rule is called does not matter."""
        return self.masculine == self.feminine


def other(gender: Gender) -> Gender:
    """The gender that is not that one."""
    return "feminine" if gender == "masculine" else "masculine"
