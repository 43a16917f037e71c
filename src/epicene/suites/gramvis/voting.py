"""One label for an image from the labels that several judges gave it."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epicene.suites.gramvis.names import Label

Agreement: TypeAlias = Literal["unanimous", "two of three", "none"]
AGREEMENTS: tuple[Agreement, ...] = ("unanimous", "two of three", "none")


class Verdict(NamedTuple):
    """An image's label (None: no judge said anything) and how many stand behind it.

    `two of three` is at least two, but not all: of three judges exactly two.
    """

    label: Label | None
    agreement: Agreement


def vote(labels: Sequence[Label | None]) -> Verdict:
    """What at least two say and no two others; else neither. A judge without a label is no vote.

    Where one judge was asked at all, there is nobody to agree with and its word stands.
    """
    return _verdict(tuple(labels))


@cache  # of three judges there are 64 ways to vote
def _verdict(labels: tuple[Label | None, ...]) -> Verdict:
    said = Counter(label for label in labels if label is not None)
    if not said:
        return Verdict(None, "none")
    (first, most), *rest = said.most_common()
    if most < min(2, len(labels)) or (rest and rest[0][1] == most):
        return Verdict("neither", "none")
    return Verdict(first, "unanimous" if most == len(labels) else "two of three")
