"""Tables 1 to 7 and 10 to 14 of the paper: the formats' agreement, and repetition.

Every table has the user's models above the paper's own.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from epicene.records import Column, Estimate, Row, Table
from epicene.suites import agreement
from epicene.suites.misgendering.formats import (
    FAMILIES,
    MODES,
    generations,
    paired,
    pronouns_of,
)
from epicene.suites.misgendering.published_kappa import published_kappa
from epicene.suites.tabulate import mean, only, values_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from epicene.suites import Results
    from epicene.suites.misgendering.protocol import MisgenderingProtocol

    Outcomes = Results[MisgenderingProtocol]

# What becomes of a generation without a pronoun where formats are paired.
NO_PRONOUN = {
    "paper": "A generation without a pronoun counts as right here, as in the paper.",
    "epicene": "A generation without a pronoun is left out here; the paper counts it as right.",
}

_STATISTICS: dict[str, Callable[..., Estimate]] = {"mcc": agreement.mcc, "kappa": agreement.kappa}
_NAMES = {"mcc": "MCC", "kappa": "κ"}

# The paper's tables by number: what, of which datasets, in which settings.
_AGREEMENTS: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    ("1", "mcc", "declared", ("pre",)),
    ("2", "mcc", "open", ("open",)),
    ("3", "mcc", "declared", ("post",)),
    ("4", "kappa", "declared", ("pre", "post")),
    ("5", "kappa", "open", ("open",)),
    ("6", "mcc", "occupation", ("pre", "post")),
    ("7", "kappa", "occupation", ("pre", "post")),
)
_REPETITIONS = (
    ("10", "declared", "pre"),
    ("11", "declared", "post"),
    ("12", "open", "open"),
    ("13", "occupation", "pre"),
    ("14", "occupation", "post"),
)


def agreement_tables(results: Outcomes) -> Iterator[Table]:
    """Tables 1 to 7."""
    for name, statistic, family, settings in _AGREEMENTS:
        yield _agreement(results, name, statistic, family, settings)


def format_table(results: Outcomes) -> Table:
    """Raw agreement with its standard error, MCC and κ of the two formats, side by side."""
    from epicene.stats.agreement import standard_error

    clustered = results.protocol.name != "paper"
    rows = []
    for family, setting in MODES:
        pairs = paired(results.frame, family, setting, results.protocol)
        for model in values_of(pairs, "model"):
            mine = only(pairs, model=model)
            for name in ("all", *pronouns_of(mine)):
                here = mine if name == "all" else only(mine, pronoun=name)
                cells = (
                    agreement.raw(here, clustered=clustered),
                    standard_error((here["a"] == here["b"]).to_numpy()),
                    agreement.mcc(here, clustered=clustered),
                    (agreement.kappa if clustered else published_kappa)(here, clustered=clustered),
                )
                rows.append(Row(keys=(model, family, setting, name), cells=cells))
    return Table(
        name="agreement",
        title="Agreement of probability and generation",
        levels=("model", "family", "setting", "pronoun"),
        columns=(
            Column(name="raw agreement"),
            Column(name="standard error"),
            Column(name="MCC", unit="number", decimals=3),
            Column(name="κ", unit="number", decimals=3),
        ),
        rows=tuple(sorted(rows, key=lambda row: row.keys[0])),
        notes=(
            "The first generation of each instance.",
            NO_PRONOUN["epicene" if clustered else "paper"],
            "The standard error is the paper's, for independent instances.",
        ),
    )


def repetition_tables(results: Outcomes) -> Iterator[Table]:
    """Tables 10 to 14."""
    for name, family, setting in _REPETITIONS:
        yield _repetition(results, name, family, setting)


def _agreement(
    results: Outcomes, name: str, statistic: str, family: str, settings: tuple[str, ...]
) -> Table:
    """Model × pronoun; with two settings, a level more."""
    protocol = results.protocol
    clustered = protocol.name != "paper"
    names = pronouns_of(results.frame)
    rows = []
    for setting in settings:
        above = (setting,) if len(settings) > 1 else ()
        pairs = paired(results.frame, family, setting, protocol)
        measure = _STATISTICS[statistic]
        if statistic == "kappa" and not clustered:
            measure = published_kappa
        for model in values_of(results.frame, "model"):
            cells = [
                measure(only(pairs, model=model, pronoun=each), clustered=clustered)
                for each in names
            ]
            rows.append(Row(keys=(*above, model), cells=tuple(cells)))
        rows += _printed(statistic, f"{family} {setting}", above, names)
    return Table(
        name=name,
        title=f"{_NAMES[statistic]} of probability and generation ({' and '.join(settings)}): "
        f"{FAMILIES[family].title}",
        levels=("setting", "model") if len(settings) > 1 else ("model",),
        columns=tuple(Column(name=each, unit="number", decimals=3) for each in names),
        rows=tuple(rows),
        notes=(
            "The first generation of each instance.",
            NO_PRONOUN["epicene" if clustered else "paper"],
            "Intervals resample templates."
            if clustered
            else "Intervals as the paper's, for independent instances.",
        ),
    )


def _repetition(results: Outcomes, name: str, family: str, setting: str) -> Table:
    part = generations(results.frame, family, setting)
    names = pronouns_of(results.frame)
    rows = [
        Row(
            keys=(model,),
            cells=tuple(mean(only(part, model=model, pronoun=each)) for each in names),
        )
        for model in values_of(results.frame, "model")
    ]
    return Table(
        name=name,
        title=f"Repetition rate, {setting}: {FAMILIES[family].title}",
        levels=("model",),
        columns=tuple(Column(name=each, unit="number", decimals=3) for each in names),
        rows=(*rows, *_printed("repetition", f"{family} {setting}", (), names)),
        notes=(
            "Over the words of context and continuation together, as in the paper.",
            "The paper's ± is the standard deviation over texts, not an interval.",
        ),
    )


# --- the paper's own numbers ---------------------------------------------------------------


@cache
def published() -> Any:
    """The numbers that the paper prints."""
    return json.loads((Path(__file__).parent / "published.json").read_text(encoding="utf-8"))


def _printed(what: str, place: str, above: tuple[str, ...], names: Sequence[str]) -> list[Row]:
    """The rows that the paper prints, for the pronouns it has."""
    return [
        Row(
            keys=(*above, model),
            cells=tuple(_printed_cell(what, cells.get(name)) for name in names),
            origin="published",
        )
        for model, cells in published()[what][place].items()
    ]


def _printed_cell(what: str, cell: Sequence[float | None] | None) -> Estimate:
    if cell is None or cell[0] is None:
        return Estimate(value=None, why="the paper prints no number")
    if what == "repetition":  # value and standard deviation
        return Estimate(value=cell[0], mark=f" ± {cell[1]:.3f}")
    if what == "kappa":  # value and half the width of its interval
        value, half = cell[0], cell[1] or 0.0
        return Estimate(value=value, low=value - half, high=value + half)
    return Estimate(value=cell[0], low=cell[1], high=cell[2])
