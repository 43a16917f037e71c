"""The judgements of each format, their pairing and variation, and the headline metrics.

The variation σ of five generations is 0, 0.40 or 0.49, as none, one or two of them differ from the
rest; the paper shows how many instances have each value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from epicene.core.records import Column, Row, Table
from epicene.stats.paired_agreement import paired_outcomes
from epicene.stats.tabulate import distinct_values, mean, rows_where, share
from epicene.suites.headline_metrics import accuracy_metric

if TYPE_CHECKING:
    from collections.abc import Iterable

    import polars

    from epicene.core.records import Estimate
    from epicene.suites import Results
    from epicene.suites.misgendering.protocol import MisgenderingProtocol


class DatasetFamily(NamedTuple):
    """Datasets of one kind: the published one and ours."""

    title: str
    datasets: tuple[str, ...]


FAMILIES = {
    "declared": DatasetFamily("declared pronouns (MISGENDERED)", ("misgendered", "templates")),
    "open": DatasetFamily("open contexts (TANGO)", ("tango", "contexts")),
    "occupation": DatasetFamily("occupations (RUFF)", ("ruff", "occupations")),
}

# Where generations are compared with probabilities: family and setting.
MODES = (
    ("declared", "pre"),
    ("declared", "post"),
    ("occupation", "pre"),
    ("occupation", "post"),
    ("open", "open"),
)


_FACETS = (
    "dataset", "pronoun", "case", "names", "antecedent", "occupation", "format", "measure",
    "setting", "sample", "wrong_later", "extraneous", "distractors", "distribution", "bound",
)  # fmt: skip


def with_all_facets(frame: polars.DataFrame) -> polars.DataFrame:
    """The frame with a column for every facet, empty where no judgement has it."""
    import polars as pl

    missing = [name for name in _FACETS if name not in frame.columns]
    return frame.with_columns(pl.lit(None, dtype=pl.Categorical).alias(name) for name in missing)


def probability_judgements(frame: polars.DataFrame) -> polars.DataFrame:
    """The judgements by probability, by the protocol's measure."""
    import polars as pl

    return frame.filter(pl.col("name") == "probability")


def conversion_judgements(frame: polars.DataFrame) -> polars.DataFrame:
    """The judgements by probability of templates made from the model's own generations."""
    import polars as pl

    return frame.filter(pl.col("format") == "converted")


def generation_judgements(
    frame: polars.DataFrame, family: str | None = None, setting: str | None = None
) -> polars.DataFrame:
    """The judgements by generation, all samples."""
    import polars as pl

    return _of_mode(frame.filter(pl.col("format") == "generation"), family, setting)


def expected_disagreements(
    frame: polars.DataFrame, family: str | None = None, setting: str | None = None
) -> polars.DataFrame:
    """The disagreements to be expected of next words, δ and δ*, under both distributions."""
    import polars as pl

    return _of_mode(frame.filter(pl.col("format") == "expected"), family, setting)


def _of_mode(frame: polars.DataFrame, family: str | None, setting: str | None) -> polars.DataFrame:
    import polars as pl

    if family is not None:
        frame = frame.filter(pl.col("dataset").cast(pl.String).is_in(FAMILIES[family].datasets))
    if setting is not None:
        frame = frame.filter(pl.col("setting") == setting)
    return frame


def with_right_column(frame: polars.DataFrame, protocol: MisgenderingProtocol) -> polars.DataFrame:
    """A column `right`; no pronoun is right under `paper` and left out otherwise."""
    import polars as pl

    outcome = pl.col("outcome").cast(pl.String)
    if protocol.name != "paper":
        frame = frame.filter(outcome != "undetected")
    return frame.with_columns((outcome != "wrong").cast(pl.Float64).alias("right"))


def paired_formats(
    frame: polars.DataFrame, family: str, setting: str, protocol: MisgenderingProtocol
) -> polars.DataFrame:
    """Right (1) or not by probability, `a`, and by the first generation, `b`."""
    import polars as pl

    first = generation_judgements(frame, family, setting).filter(pl.col("sample") == "1")
    if family == "open":
        scored = conversion_judgements(frame).filter(pl.col("sample") == "1")
    else:
        scored = probability_judgements(frame)
    # A context that could not be converted has no pronoun, so there is nothing to pair.
    as_right = protocol.name == "paper" and family != "open"
    return paired_outcomes(scored, first, undetected="right" if as_right else "left out")


def pronouns_differ() -> polars.Expr:
    """Where the two formats chose different pronouns; null where one chose none."""
    import polars as pl

    return pl.col("label").cast(pl.String) != pl.col("label_b").cast(pl.String)


def pronouns_of(frame: polars.DataFrame) -> list[str]:
    """The pronouns that were measured, the paper's four first and in its order."""
    there = set(frame["pronoun"].cast(str).drop_nulls().unique().to_list())
    first = [name for name in ("he", "she", "they", "xe") if name in there]
    return [*first, *sorted(there - set(first))]


if TYPE_CHECKING:
    Outcomes = Results[MisgenderingProtocol]

# The setting under which the templates made of an open context's generations are shown.
TEMPLATES = "templates"


def sigma_by_instance(frame: polars.DataFrame, protocol: MisgenderingProtocol) -> polars.DataFrame:
    """A row per instance, with `sigma` over its judgements and everything else as its first has it.

    One judgement alone varies by nothing: it is counted under `paper` only.
    """
    import polars as pl

    fewest = 1 if protocol.name == "paper" else 2
    return (
        with_right_column(frame, protocol)
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


def sigma_shares(instances: polars.DataFrame, levels: Iterable[str]) -> dict[str, Estimate]:
    """The share of instances at each of those values of σ."""
    import polars as pl

    return {level: share(instances, pl.col("level") == level) for level in levels}


def variation_table(results: Outcomes) -> Table:
    """How many instances have each σ, and the mean, by dataset, setting and pronoun."""
    parts = {
        (family, setting): sigma_by_instance(
            generation_judgements(results.frame, family, setting), results.protocol
        )
        for family, setting in MODES
    }
    parts["open", TEMPLATES] = sigma_by_instance(
        conversion_judgements(results.frame), results.protocol
    )
    levels = sorted({level for part in parts.values() for level in distinct_values(part, "level")})
    rows = []
    for model in distinct_values(results.frame, "model"):
        for (family, setting), part in parts.items():
            here = rows_where(part, model=model)
            for name in ("all", *pronouns_of(here)) if len(here) else ():
                mine = here if name == "all" else rows_where(here, pronoun=name)
                cells = [*sigma_shares(mine, levels).values(), mean(mine, "sigma")]
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


def _probability(results: Outcomes) -> polars.DataFrame:
    return probability_judgements(with_all_facets(results.frame))


def _generation(results: Outcomes) -> polars.DataFrame:
    return generation_judgements(with_all_facets(results.frame))


HEADLINE_METRICS = (
    accuracy_metric("right pronoun by probability", _probability),
    accuracy_metric("right pronoun by generation", _generation),
)
