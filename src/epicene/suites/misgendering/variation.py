"""How much the answers to one instance differ: σ over its generations, or over its templates.

Of five generations σ is 0, 0.40 or 0.49, as one or two of them go the other way; the paper shows
how many instances have each value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.records import Column, Row, Table
from epicene.suites.misgendering.formats import (
    MODES,
    converted,
    generations,
    pronouns_of,
    right_or_not,
)
from epicene.suites.tabulate import mean, only, share, values_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    import polars

    from epicene.records import Estimate
    from epicene.suites import Results
    from epicene.suites.misgendering.protocol import MisgenderingProtocol

    Outcomes = Results[MisgenderingProtocol]

# The setting under which the templates made of an open context's generations are shown.
TEMPLATES = "templates"


def spread(frame: polars.DataFrame, protocol: MisgenderingProtocol) -> polars.DataFrame:
    """A row per instance, with `sigma` over its judgements and everything else as its first has it.

    One judgement alone varies by nothing: it is counted under `paper` only.
    """
    import polars as pl

    fewest = 1 if protocol.name == "paper" else 2
    return (
        right_or_not(frame, protocol)
        .group_by("model", "item", maintain_order=True)
        .agg(
            pl.col("right").std(ddof=0).alias("sigma"),
            pl.len().alias("judgements"),
            pl.exclude("right").first(),
        )
        .filter(pl.col("judgements") >= fewest)
        .with_columns(pl.col("sigma").map_elements(_level, return_dtype=pl.String).alias("level"))
    )


def _level(sigma: float) -> str:
    """σ as the figures write it: 0, 0.40, 0.49."""
    return f"{sigma:.2f}" if sigma else "0"


def shares(instances: polars.DataFrame, levels: Iterable[str]) -> dict[str, Estimate]:
    """The share of instances at each of those values of σ."""
    import polars as pl

    return {level: share(instances, pl.col("level") == level) for level in levels}


def variation_table(results: Outcomes) -> Table:
    """How many instances have each σ, and the mean, by dataset, setting and pronoun."""
    parts = {
        (family, setting): spread(generations(results.frame, family, setting), results.protocol)
        for family, setting in MODES
    }
    parts["open", TEMPLATES] = spread(converted(results.frame), results.protocol)
    levels = sorted({level for part in parts.values() for level in values_of(part, "level")})
    rows = []
    for model in values_of(results.frame, "model"):
        for (family, setting), part in parts.items():
            here = only(part, model=model)
            for name in ("all", *pronouns_of(here)) if len(here) else ():
                mine = here if name == "all" else only(here, pronoun=name)
                cells = [*shares(mine, levels).values(), mean(mine, "sigma")]
                rows.append(Row(keys=(model, family, setting, name), cells=tuple(cells)))
    return Table(
        name="variation",
        title="Instances by how much their generations, or templates, differ (σ)",
        levels=("model", "family", "setting", "pronoun"),
        columns=(
            *(Column(name=f"σ = {level}") for level in levels),
            Column(name="mean σ", unit="number", decimals=3),
        ),
        rows=tuple(rows),
        notes=(
            "σ is the standard deviation of right (1) and not right (0) over the samples of an "
            "instance.",
            "A generation without a pronoun counts as right, as in the paper."
            if results.protocol.name == "paper"
            else "Generations without a pronoun are left out, and so is an instance with fewer "
            "than two that have one.",
        ),
    )
