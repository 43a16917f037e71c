"""The two GramVis protocols: the paper's way of judging and averaging, and Epicene's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from epicene.core.records import Positive
from epicene.core.requirements import require
from epicene.suites import Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable

    from epicene.core.records import Item

Averaging: TypeAlias = Literal["as printed", "words"]
Parsing: TypeAlias = Literal["substring", "strict"]


class GramvisProtocol(Protocol, frozen=True, kw_only=True):
    """The settings of judging and tabulating."""

    # Each table by its own average, or the mean over words in all.
    averaging: Averaging
    # How a judge's words become a label.
    parsing: Parsing
    # Whether the mixed-effects model is fitted (extra `stats`).
    mixed: bool
    # Without effect: earlier versions resampled words. Stored runs have it.
    resamples: Positive = 2000
    # Images of each prompt, and the pixels of their sides.
    shots: Positive = 4
    size: Positive = 1024
    # A file's templates (by language, then gender) instead of ours.
    templates: dict[str, dict[str, tuple[str, ...]]] = {}

    @property
    def as_printed(self) -> bool:
        """Whether each table has the paper's own average."""
        return self.averaging == "as printed"


PROTOCOLS = {
    "paper": GramvisProtocol(
        name="paper",
        about=(
            "Every table by the average that reproduces it from the published counts, p-values "
            "without correction and stars left out where the authors leave them out; a judge's "
            "words read by substring."
        ),
        averaging="as printed",
        parsing="substring",
        mixed=False,
    ),
    "epicene": GramvisProtocol(
        name="epicene",
        about=(
            "The mean over words in every table, words without a labelled image left out, with "
            "intervals over words and p-values after Holm; a judge's words read strictly."
        ),
        averaging="words",
        parsing="strict",
        mixed=True,
    ),
}


def check_packages(protocol: GramvisProtocol, _items: Iterable[Item]) -> None:
    """The mixed model is fitted with statsmodels."""
    if protocol.mixed:
        require("statsmodels", "The mixed model", "stats", "leave it out with --set mixed=false")
