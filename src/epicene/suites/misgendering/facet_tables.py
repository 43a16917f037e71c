"""Every measure of the paper by grammatical case, list of names, antecedent and occupation."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from epicene.records import Column, Estimate, Row, Table
from epicene.suites import agreement
from epicene.suites.misgendering.disagreement import conflict
from epicene.suites.misgendering.formats import (
    FAMILIES,
    MODES,
    converted,
    expected,
    generations,
    paired,
    probabilities,
    pronouns_of,
)
from epicene.suites.misgendering.variation import TEMPLATES, spread
from epicene.suites.tabulate import accuracy, mean, only, undetected, values_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import polars

    from epicene.suites import Results
    from epicene.suites.misgendering.protocol import MisgenderingProtocol

    Outcomes = Results[MisgenderingProtocol]
    # Judgements of one model, by dataset family and setting or format.
    _Parts = Mapping[tuple[str, str], polars.DataFrame]

FACETS = ("case", "names", "antecedent", "occupation")

_NOTHING = Estimate(value=None, why="nothing was judged")


class _Measure(NamedTuple):
    """A number, of which judgements it is taken, and how it is shown."""

    name: str
    title: str
    parts: Callable[[polars.DataFrame, MisgenderingProtocol], _Parts]
    of: Callable[[polars.DataFrame], Estimate]
    is_share: bool = True


def facet_tables(results: Outcomes) -> Iterator[Table]:
    """A table per measure: model, dataset, setting and facet by pronoun."""
    names = pronouns_of(results.frame)
    for measure in _MEASURES:
        rows = []
        for model in values_of(results.frame, "model"):
            parts = measure.parts(only(results.frame, model=model), results.protocol)
            for keys, part in parts.items():
                rows += [
                    Row(keys=(model, *keys, *which), cells=cells)
                    for which, cells in _by_facet(part, names, measure.of)
                ]
        number = {"unit": "share"} if measure.is_share else {"unit": "number", "decimals": 3}
        yield Table(
            name=f"{measure.name} by facet",
            title=f"{measure.title}, by grammatical case, list of names, antecedent and occupation",
            levels=("model", "family", "setting", "facet", "of"),
            columns=tuple(Column(name=name, **number) for name in ("all", *names)),
            rows=tuple(rows),
        )


def _by_facet(
    part: polars.DataFrame, names: list[str], measure: Callable[[polars.DataFrame], Estimate]
) -> Iterator[tuple[tuple[str, str], tuple[Estimate, ...]]]:
    """For each value of each facet the measure over all pronouns, then of each."""
    for facet in FACETS:
        for value, here in _split(part, facet).items():
            mine = _split(here, "pronoun")
            each = (measure(mine[name]) if name in mine else _NOTHING for name in names)
            yield (facet, value), (measure(here), *each)


def _split(frame: polars.DataFrame, column: str) -> dict[str, polars.DataFrame]:
    """The rows of each value of a column, by that value; those without one are left out."""
    parts = frame.partition_by(column, as_dict=True)
    known = {str(value): part for (value,), part in parts.items() if value is not None}
    return dict(sorted(known.items()))


# --- which judgements ----------------------------------------------------------------------


def _generated(frame: polars.DataFrame, _protocol: MisgenderingProtocol) -> _Parts:
    return {mode: generations(frame, *mode) for mode in MODES}


def _judged(frame: polars.DataFrame, protocol: MisgenderingProtocol) -> _Parts:
    """All that is right or wrong: by probability too."""
    import polars as pl

    scored = {
        (name, "probability"): probabilities(frame).filter(
            pl.col("dataset").cast(pl.String).is_in(family.datasets)
        )
        for name, family in FAMILIES.items()
    }
    return {**scored, ("open", TEMPLATES): converted(frame), **_generated(frame, protocol)}


def _paired(frame: polars.DataFrame, protocol: MisgenderingProtocol) -> _Parts:
    return {mode: paired(frame, *mode, protocol) for mode in MODES}


def _varying(frame: polars.DataFrame, protocol: MisgenderingProtocol) -> _Parts:
    return {mode: spread(generations(frame, *mode), protocol) for mode in MODES}


def _expected(frame: polars.DataFrame, _protocol: MisgenderingProtocol) -> _Parts:
    return {mode: only(expected(frame, *mode), distribution="full", bound="δ") for mode in MODES}


_MEASURES = (
    _Measure("accuracy", "Right pronoun", _judged, accuracy),
    _Measure("no pronoun", "Generations without a pronoun", _generated, undetected),
    _Measure("conflict", "Probability and generation conflict", _paired, conflict),
    _Measure(
        "MCC",
        "MCC of probability and generation",
        _paired,
        lambda pairs: agreement.mcc(pairs, clustered=True),
        is_share=False,
    ),
    _Measure(
        "κ",
        "κ of probability and generation",
        _paired,
        lambda pairs: agreement.kappa(pairs, clustered=True),
        is_share=False,
    ),
    _Measure(
        "variation",
        "Mean σ over the generations of an instance",
        _varying,
        lambda instances: mean(instances, "sigma"),
        is_share=False,
    ),
    _Measure("repetition", "Repetition rate", _generated, mean, is_share=False),
    _Measure("expected disagreement", "Expected disagreement δ", _expected, mean),
)
