"""Nights that share one error rate: each spends an equal part of alpha, recorded in a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from epicene.core.data_files import read_text
from epicene.core.errors import InputError
from epicene.core.files import write_atomically
from epicene.core.records import Record

if TYPE_CHECKING:
    from pathlib import Path

    from epicene.runs.gate.policy import GatePolicy


class Night(Record, frozen=True, kw_only=True):
    """One decision of a series: what was compared, and the outcome."""

    run: str
    evidence: str  # a hash of the differences: the same ones again are the same night
    outcome: str


class NightSeries(Record, frozen=True, kw_only=True):
    """The content of the file."""

    alpha: float
    nights: int
    done: tuple[Night, ...] = ()

    @property
    def alpha_per_night(self) -> float:
        """What each night may spend, so that all nights together spend alpha (Bonferroni)."""
        return self.alpha / self.nights

    def number(self, evidence: str) -> int:
        """The number of this night, starting from 1."""
        seen = [night.evidence for night in self.done]
        return seen.index(evidence) + 1 if evidence in seen else len(seen) + 1

    def check_left(self, evidence: str, path: Path) -> None:
        """Raise if all nights of the series are used up."""
        if self.number(evidence) > self.nights:
            raise InputError(
                f"All {self.nights} nights of {path} are used up; start a new series with another "
                "file, preferably with a new baseline."
            )

    def with_night(self, night: Night) -> NightSeries:
        """The series with one more night, or unchanged if the same answers were already
        compared.
        """
        if any(each.evidence == night.evidence for each in self.done):
            return self
        return msgspec.structs.replace(self, done=(*self.done, night))


def read_nights(path: Path, policy: GatePolicy) -> NightSeries:
    """The series in a file, or a new one if there is no such file."""
    new = NightSeries(alpha=policy.alpha, nights=policy.nightly.nights)
    if not path.exists():
        return new
    try:
        series = msgspec.json.decode(read_text(path), type=NightSeries)
    except msgspec.DecodeError as error:
        raise InputError(f"{path} does not contain a series of nights: {error}.") from None
    if (series.alpha, series.nights) != (new.alpha, new.nights):
        raise InputError(
            f"{path} was started with alpha = {series.alpha:g} over {series.nights} nights, but "
            f"the policy has {new.alpha:g} over {new.nights}; start a new series with another "
            "file."
        )
    return series


def write_nights(path: Path, series: NightSeries) -> None:
    """Write the series to its file."""
    content = msgspec.json.format(msgspec.json.encode(series), indent=2)
    write_atomically(path, content + b"\n")
