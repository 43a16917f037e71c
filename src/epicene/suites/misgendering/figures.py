"""The paper's figures from any runs: variation, raw agreement, missing pronouns, disagreement."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from epicene import charts
from epicene.suites import agreement
from epicene.suites.misgendering.formats import (
    FAMILIES,
    converted,
    generations,
    only,
    paired,
    probabilities,
    pronouns_of,
    right_or_not,
    with_all_facets,
)
from epicene.suites.misgendering.tables import distractor_table
from epicene.suites.misgendering.variation import shares, spread
from epicene.suites.tabulate import mean, undetected, values_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import polars

    from epicene.records import Estimate, Figure
    from epicene.suites import Results
    from epicene.suites.misgendering.protocol import MisgenderingProtocol

    Outcomes = Results[MisgenderingProtocol]
    _Maker = Callable[[Outcomes, str, str, Sequence[str]], Figure]


def figures(results: Outcomes) -> Iterator[Figure]:
    """Each of the paper's figures that these runs have something for."""
    results = replace(results, frame=with_all_facets(results.frame))
    # By the paper's numbers: what is drawn, of which datasets, in which settings.
    plan: tuple[tuple[str, _Maker, str, tuple[str, ...]], ...] = (
        ("4a", _variation, "declared", ("pre",)),
        ("4b", _raw_agreement, "declared", ("pre",)),
        ("5a", _variation, "open", ("open",)),
        ("5b", _variation_of_templates, "open", ("open",)),
        ("9a", _variation, "declared", ("post",)),
        ("9b", _raw_agreement, "declared", ("post",)),
        ("10", _landscape, "declared", ("pre", "post")),
        ("11", _no_pronoun, "open", ("open",)),
        ("12", _raw_agreement, "open", ("open",)),
        ("13", _landscape, "open", ("open",)),
        ("14", _variation, "occupation", ("pre", "post")),
        ("15", _raw_agreement, "occupation", ("pre", "post")),
        ("16", _landscape, "occupation", ("pre", "post")),
    )
    for name, make, family, settings in plan:
        try:
            yield make(results, name, family, settings)
        except charts.EmptyChartError:
            continue
    if values_of(results.frame, "distractors"):
        yield _distractors(results)


def _distractors(results: Outcomes) -> Figure:
    """Accuracy over the number of sentences about somebody else."""
    table = distractor_table(results)
    rows: list[dict[str, str | float | Estimate]] = [
        {"model": row.keys[0], "distractors": float(column.name), "right": cell}
        for row in table.rows
        if row.keys[1] == "all"
        for column, cell in zip(table.columns, row.cells, strict=True)
    ]
    return charts.lines(
        "distractors", table.title, rows, x="distractors", y="right", color="model", percent=True
    )


def _variation(results: Outcomes, name: str, family: str, settings: Sequence[str]) -> Figure:
    """How many instances have samples that differ, and how much."""
    rows: list[dict[str, str | float | Estimate]] = []
    for setting in settings:
        instances = spread(generations(results.frame, family, setting), results.protocol)
        for model, pronoun, part in _cells(instances):
            panel = model if len(settings) == 1 else f"{model}, {setting}"
            rows += [
                {"panel": panel, "pronoun": pronoun, "σ": level, "instances": amount}
                for level, amount in shares(part)
            ]
    return charts.bars(
        name,
        f"Variation of generations: {FAMILIES[family].title}",
        sorted(rows, key=lambda row: str(row["σ"])),
        x="pronoun",
        y="instances",
        color="σ",
        facet="panel",
        percent=True,
        notes=("The share of instances at each standard deviation over their generations.",),
    )


def _variation_of_templates(
    results: Outcomes, name: str, family: str, settings: Sequence[str]
) -> Figure:
    """How much the converted templates of one instance differ."""

    def measured(frame: polars.DataFrame, _setting: str) -> Estimate:
        return mean(spread(converted(frame), results.protocol), "sigma")

    title = f"Variation of converted templates: {FAMILIES[family].title}"
    return _bars(results, name, title, settings, measured)


def _raw_agreement(results: Outcomes, name: str, family: str, settings: Sequence[str]) -> Figure:
    def measured(frame: polars.DataFrame, setting: str) -> Estimate:
        return agreement.raw(paired(frame, family, setting, results.protocol), clustered=True)

    title = f"Raw agreement of probability and generation: {FAMILIES[family].title}"
    return _bars(results, name, title, settings, measured, reference=1.0)


def _no_pronoun(results: Outcomes, name: str, family: str, settings: Sequence[str]) -> Figure:
    def measured(frame: polars.DataFrame, setting: str) -> Estimate:
        return undetected(generations(frame, family, setting))

    title = f"Generations without a pronoun: {FAMILIES[family].title}"
    return _bars(results, name, title, settings, measured)


def _bars(
    results: Outcomes,
    name: str,
    title: str,
    settings: Sequence[str],
    measured: Callable[[polars.DataFrame, str], Estimate],
    reference: float | None = None,
) -> Figure:
    """A bar per model and pronoun, a panel per setting."""
    rows: list[dict[str, str | float | Estimate]] = [
        {"model": model, "pronoun": pronoun, "setting": setting, "value": measured(part, setting)}
        for model, pronoun, part in _cells(results.frame)
        for setting in settings
    ]
    return charts.bars(
        name,
        title,
        rows,
        x="model",
        y="value",
        color="pronoun",
        facet="setting" if len(settings) > 1 else None,
        reference=reference,
    )


def _landscape(results: Outcomes, name: str, family: str, settings: Sequence[str]) -> Figure:
    """Beta distributions of the probability that the two formats disagree on an instance."""
    from epicene.stats.betafit import beta_by_moments

    rows: list[dict[str, str | float | Estimate]] = []
    for model, pronoun, part in _cells(results.frame):
        for setting in settings:
            fit = beta_by_moments(_disagreements(part, family, setting, results.protocol))
            if fit.alpha is not None and fit.beta is not None:
                rows.append(
                    {
                        "model": model,
                        "pronoun": pronoun,
                        "setting": setting,
                        "α": fit.alpha,
                        "β": fit.beta,
                    }
                )
    return charts.scatter(
        name,
        f"Disagreement of probability and generation: {FAMILIES[family].title}",
        rows,
        x="β",
        y="α",
        color="model",
        label="pronoun",
        facet="setting" if len(settings) > 1 else None,
        notes=("Fitted by moments. Below the diagonal (α < β) agreement is likelier.",),
    )


def _disagreements(
    frame: polars.DataFrame, family: str, setting: str, protocol: MisgenderingProtocol
) -> list[float]:
    """For each instance, how often one format would be right and the other wrong."""
    import polars as pl

    scored = converted(frame) if family == "open" else probabilities(frame)
    chances = _mean_right(scored, protocol, "p").join(
        _mean_right(generations(frame, family, setting), protocol, "g"), on="item"
    )
    disagree = pl.col("p") * (1 - pl.col("g")) + (1 - pl.col("p")) * pl.col("g")
    return chances.select(disagree.alias("d"))["d"].to_list()


def _mean_right(
    frame: polars.DataFrame, protocol: MisgenderingProtocol, name: str
) -> polars.DataFrame:
    import polars as pl

    return (
        right_or_not(frame, protocol)
        .group_by("item", maintain_order=True)
        .agg(pl.col("right").mean().alias(name))
    )


def _cells(frame: polars.DataFrame) -> Iterator[tuple[str, str, polars.DataFrame]]:
    """The judgements of each model about each pronoun."""
    for model in values_of(frame, "model"):
        for pronoun in pronouns_of(frame):
            yield model, pronoun, only(frame, model=model, pronoun=pronoun)
