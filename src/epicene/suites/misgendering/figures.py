"""The paper's figures: variation, raw agreement, missing pronouns, disagreement."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any

from epicene.core.records import Estimate
from epicene.show import charts
from epicene.stats import paired_agreement
from epicene.stats.tabulate import (
    NOTHING_JUDGED,
    distinct_values,
    mean_of_parts,
    rows_by,
    undetected_share_of_parts,
)
from epicene.suites.misgendering.metrics import (
    SIGMA_BOUNDS,
    beta_fits,
    conversion_judgements,
    family_title,
    generation_judgements,
    is_own,
    paired_formats,
    pronouns_of,
    sigma_by_instance,
    sigma_shares,
    with_all_facets,
)
from epicene.suites.misgendering.tables import distractor_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import polars
    from numpy.typing import NDArray

    from epicene.core.records import Figure
    from epicene.show.charts import Unit
    from epicene.stats.arrays import Ints
    from epicene.stats.tabulate import PartEstimator
    from epicene.suites.misgendering.metrics import Outcomes

    _Maker = Callable[[Outcomes, str, str, Sequence[str]], Figure]
    ChartRow = dict[str, str | float | Estimate]


def figures(results: Outcomes) -> Iterator[Figure]:
    """Each of the paper's figures that these runs have data for."""
    results = replace(results, frame=with_all_facets(results.frame))
    # By the paper's number: what is drawn, of which family of datasets, in which settings.
    plan: tuple[tuple[str, _Maker, str, tuple[str, ...]], ...] = (
        ("4a", _variation, "declared", ("pre",)),
        ("4b", _raw_agreement, "declared", ("pre",)),
        ("5a", _variation, "open", ("open",)),
        ("5b", _variation_of_templates, "open", ("open",)),
        ("9a", _variation, "declared", ("post",)),
        ("9b", _raw_agreement, "declared", ("post",)),
        ("10", _beta_landscape, "declared", ("pre", "post")),
        ("11", _no_pronoun, "open", ("open",)),
        ("12", _raw_agreement, "open", ("open",)),
        ("13", _beta_landscape, "open", ("open",)),
        ("14", _variation, "occupation", ("pre", "post")),
        ("15", _raw_agreement, "occupation", ("pre", "post")),
        ("16", _beta_landscape, "occupation", ("pre", "post")),
        # Of the user's own templates, which the paper has no figures of.
        ("variation", _variation, "own", ("pre", "post")),
        ("agreement", _raw_agreement, "own", ("pre", "post")),
    )
    for name, make, family, settings in plan:
        with suppress(charts.EmptyChartError):
            yield make(results, name, family, settings)
    if distinct_values(results.frame, "distractors"):
        yield _distractors(results)


def _distractors(results: Outcomes) -> Figure:
    """Accuracy over the number of sentences about somebody else."""
    table = distractor_table(results)
    rows: list[ChartRow] = [
        {"model": row.keys[0], "distractors": float(column.name), "share right": cell}
        for row in table.rows
        if row.keys[1] == "all"
        for column, cell in zip(table.columns, row.cells, strict=True)
    ]
    return charts.lines(
        "distractors",
        table.title,
        rows,
        x="distractors",
        y="share right",
        color="model",
        unit="share",
    )


def _variation(results: Outcomes, name: str, family: str, settings: Sequence[str]) -> Figure:
    """The share of instances by how much their samples differ."""
    parts = {
        setting: sigma_by_instance(
            generation_judgements(results.frame, family, setting), results.protocol
        )
        for setting in settings
    }
    levels = sorted({level for part in parts.values() for level in distinct_values(part, "level")})
    panel = "model" if len(settings) == 1 else "model, setting"
    rows: list[ChartRow] = [
        {
            panel: model if len(settings) == 1 else f"{model}, {setting}",
            "pronoun": pronoun,
            "σ": level,
            "share of instances": share([of[model, pronoun]])[0],
        }
        for setting, instances in parts.items()
        for of in (rows_by(instances, "model", "pronoun"),)
        for shares in (sigma_shares(instances, levels),)
        for model, pronoun in _models_and_pronouns(instances)
        for level, share in shares.items()
    ]
    return charts.bars(
        name,
        f"Variation of generations: {family_title(results.frame, family)}",
        rows,
        x="pronoun",
        y="share of instances",
        color="σ",
        facet=panel,
        unit="share",
        notes=(
            "The share of instances by standard deviation σ over their generations.",
            bars_note(results.frame, ""),
        ),
    )


def _variation_of_templates(
    results: Outcomes, name: str, family: str, settings: Sequence[str]
) -> Figure:
    """How much the converted templates of an instance differ."""
    instances = sigma_by_instance(conversion_judgements(results.frame), results.protocol)
    as_paper = results.protocol.name == "paper"
    mean = mean_of_parts(instances, "sigma", bounds=SIGMA_BOUNDS)
    if as_paper:
        mean = mean_with_spread(instances["sigma"].to_numpy(), standard_deviation)
    parts = dict.fromkeys(settings, (instances, mean))
    title = f"Variation of converted templates: {family_title(results.frame, family)}"
    bars = "one standard deviation over instances" if as_paper else ""
    notes = (bars_note(results.frame, bars),)
    return _bars(results, name, title, parts, "mean standard deviation σ", "number", notes)


def _raw_agreement(results: Outcomes, name: str, family: str, settings: Sequence[str]) -> Figure:
    as_paper = results.protocol.name == "paper"
    parts = {}
    for setting in settings:
        pairs = paired_formats(results.frame, family, setting, results.protocol)
        raw = paired_agreement.raw_of_parts(pairs, clustered=True)
        if as_paper:
            raw = mean_with_spread((pairs["a"] == pairs["b"]).to_numpy(), standard_error)
        parts[setting] = (pairs, raw)
    title = f"Raw agreement of probability and generation: {family_title(results.frame, family)}"
    notes = (bars_note(results.frame, STANDARD_ERROR if as_paper else ""),)
    return _bars(results, name, title, parts, "raw agreement", notes=notes)


def _no_pronoun(results: Outcomes, name: str, family: str, settings: Sequence[str]) -> Figure:
    as_paper = results.protocol.name == "paper"
    parts = {}
    for setting in settings:
        judged = generation_judgements(results.frame, family, setting)
        share = undetected_share_of_parts(judged)
        if as_paper:
            judged = _missing_templates(results.frame, judged)
            share = mean_with_spread(judged["missing"].to_numpy(), standard_error)
        parts[setting] = (judged, share)
    title = f"Generations without a pronoun: {family_title(results.frame, family)}"
    notes = (bars_note(results.frame, f"{STANDARD_ERROR} over instances" if as_paper else ""),)
    return _bars(results, name, title, parts, "share without a pronoun", notes=notes)


def _missing_templates(frame: polars.DataFrame, judged: polars.DataFrame) -> polars.DataFrame:
    """A row per instance: the share of its generations that became no template, or, where none
    were converted, that have no pronoun."""
    import polars as pl

    converted = conversion_judgements(frame)
    missing = pl.col("outcome") == "undetected"
    if len(converted):
        keys = ["model", "item", "sample"]
        there = converted.select(*keys, pl.lit(True).alias("there"))
        judged = judged.join(there, on=keys, how="left", maintain_order="left")
        missing = pl.col("there").is_null()
    return judged.group_by("model", "item", maintain_order=True).agg(
        missing.cast(pl.Float64).mean().alias("missing"), pl.col("pronoun").first()
    )


# --- error bars ------------------------------------------------------------------------------

STANDARD_ERROR = "one standard error"


def bars_note(frame: polars.DataFrame, as_paper: str) -> str:
    """What the error bars are: 95 % intervals, or what they are in the paper."""
    if not as_paper:
        return "Error bars are 95 % intervals."
    return f"Error bars are ± {as_paper}{'' if is_own(frame) else ', as in the paper'}."


def mean_with_spread(
    values: NDArray[Any], spread: Callable[[NDArray[Any]], Estimate]
) -> PartEstimator:
    """The mean of some rows' values, with ± the spread as its error bar."""

    def estimate(rows: Ints) -> Estimate:
        found = values[rows].astype(float)
        if not len(found):
            return NOTHING_JUDGED
        mean, half = float(found.mean()), spread(found).value
        if half is None:
            return Estimate(value=mean, n=len(found))
        return Estimate(value=mean, low=mean - half, high=mean + half, n=len(found))

    return lambda parts: [estimate(rows) for rows in parts]


def standard_error(values: NDArray[Any]) -> Estimate:
    """The standard error of the mean, for independent values."""
    from epicene.stats import intervals

    return intervals.standard_error(values)


def standard_deviation(values: NDArray[Any]) -> Estimate:
    """The standard deviation, with denominator n."""
    return Estimate(value=float(values.std()), n=len(values))


# --- bars and landscapes ---------------------------------------------------------------------


def _bars(
    results: Outcomes,
    name: str,
    title: str,
    parts: Mapping[str, tuple[polars.DataFrame, PartEstimator]],
    measure: str,
    unit: Unit = "share",
    notes: Sequence[str] = (),
) -> Figure:
    """A bar per model and pronoun, a panel per setting."""
    of = {setting: rows_by(frame, "model", "pronoun") for setting, (frame, _) in parts.items()}
    rows: list[ChartRow] = [
        {
            "model": model,
            "pronoun": pronoun,
            "setting": setting,
            measure: estimate([of[setting][model, pronoun]])[0],
        }
        for model, pronoun in _models_and_pronouns(results.frame)
        for setting, (_, estimate) in parts.items()
    ]
    return charts.bars(
        name,
        title,
        rows,
        x="model",
        y=measure,
        color="pronoun",
        facet="setting" if len(parts) > 1 else None,
        unit=unit,
        notes=notes,
    )


# What draws the distribution towards 1 and towards 0.
_ALPHA = "α (weight of disagreement)"
_BETA = "β (weight of agreement)"


def _beta_landscape(results: Outcomes, name: str, family: str, settings: Sequence[str]) -> Figure:
    """Beta distributions of the probability that the two formats disagree on an instance."""
    fits = {
        setting: beta_fits(results.frame, family, setting, results.protocol) for setting in settings
    }
    rows: list[ChartRow] = [
        {
            "model": model,
            "pronoun": pronoun,
            "setting": setting,
            _ALPHA: Estimate(value=fit.alpha, why=fit.why),
            _BETA: Estimate(value=fit.beta, why=fit.why),
        }
        for model, pronoun in _models_and_pronouns(results.frame)
        for setting in settings
        for fit in (fits[setting](model, pronoun),)
    ]
    return charts.scatter(
        name,
        f"Disagreement of probability and generation: {family_title(results.frame, family)}",
        rows,
        x=_BETA,
        y=_ALPHA,
        color="model",
        shape="pronoun",
        facet="setting" if len(settings) > 1 else None,
        log_x=True,
        log_y=True,
        equal_at=1.0,
        notes=(
            "Fitted by the method of moments. Below the diagonal (α < β), agreement is more "
            "likely.",
            "The dashed lines are α = 1, β = 1 and α = β.",
        ),
    )


def _models_and_pronouns(frame: polars.DataFrame) -> Iterator[tuple[str, str]]:
    return product(distinct_values(frame, "model"), pronouns_of(frame))
