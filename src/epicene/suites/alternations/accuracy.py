"""How often the acceptable sentence is the likelier one; what all tables of pairs share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.records import Estimate
from epicene.suites.alternations.protocol import ACCEPTABILITY
from epicene.suites.tabulate import codes, only, values_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars

    from epicene.suites import Results
    from epicene.suites.alternations.protocol import AlternationsProtocol

    Outcomes = Results[AlternationsProtocol]

ALL = "all"
TIES = "A tie counts half."

_MASKED = ("original", "within-word", "whole-word")


def scored(results: Outcomes) -> polars.DataFrame:
    """One judgement per pair, by the protocol's own measure."""
    return only(results.frame, format=ACCEPTABILITY, main="yes")


def accuracy(frame: polars.DataFrame) -> Estimate:
    """The share of pairs whose acceptable sentence is likelier; a tie counts half.

    The interval is Wilson's, on the effective number of pairs where several are of one group.
    """
    from epicene.stats.proportions import proportion

    if not len(frame):
        return Estimate(value=None, why="nothing was judged")
    return proportion(frame["credit"].to_numpy(), groups=codes(frame))


def with_all(frame: polars.DataFrame) -> Iterator[tuple[str, polars.DataFrame]]:
    """All judgements, then those of each phenomenon."""
    yield ALL, frame
    for name in values_of(frame, "phenomenon"):
        yield name, only(frame, phenomenon=name)


def type_of(results: Outcomes, model: str) -> str:
    """Masked or causal, or what else the model's answers say made the numbers."""
    methods = values_of(only(results.frame, model=model, format=ACCEPTABILITY), "method")
    if any(method.startswith(_MASKED) for method in methods):
        return "masked"
    return methods[0] if methods else ""


def parameters_of(results: Outcomes, model: str) -> float | None:
    """How many parameters a model has, where it says so."""
    for run in results.runs:
        if run.model == model:
            for identity in (each for role in run.identities.values() for each in role):
                if size := identity.about.get("parameters"):
                    return float(size)
    return None
