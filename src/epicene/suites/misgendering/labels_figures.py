"""Figures 6 to 8 and 17 of the paper, from people's labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene import charts
from epicene.suites import agreement, people
from epicene.suites.misgendering.formats import pronouns_of
from epicene.suites.misgendering.labels import EXTRANEOUS, MISGENDERING, OUTCOME, OUTCOMES
from epicene.suites.misgendering.labels_tables import PUBLISHED, is_clustered, named, says
from epicene.suites.tabulate import only, share, values_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import polars

    from epicene.records import Estimate, Figure
    from epicene.suites.misgendering.protocol import MisgenderingProtocol
    from epicene.suites.studies import StudyResults

    Labelled = StudyResults[MisgenderingProtocol]
    ChartRow = dict[str, str | float | Estimate]


def figures(results: Labelled) -> Iterator[Figure]:
    """Each of the figures that there are labels for."""
    makers: tuple[Callable[[], Figure], ...] = (
        lambda: _with_automatic(results, "6", "pre"),
        lambda: _outcomes(results),
        lambda: _extraneous(results),
        lambda: _with_automatic(results, "17", "post"),
    )
    for make in makers:
        try:
            yield make()
        except charts.EmptyChartError:
            continue


def _with_automatic(results: Labelled, name: str, setting: str) -> Figure:
    """How often people and the first-pronoun rule agree; the line is people with people."""
    pairs = people.with_automatic(results.settled, results.automatic)
    pairs = only(named(pairs, MISGENDERING), setting=setting)
    clustered = is_clustered(results)
    among = agreement.raw(named(people.between_people(results.frame), OUTCOME), clustered=clustered)
    printed = f"{PUBLISHED[OUTCOME]:.0%} in the paper"
    if among.value is None:
        line, said = PUBLISHED[OUTCOME], f"{printed}; nobody labelled a text twice here"
    else:
        line, said = among.value, f"{among.value:.1%} here, {printed}"
    return charts.bars(
        name,
        f"Agreement of people with the first-pronoun rule on misgendering, {setting}",
        [*_cells(pairs, lambda part: agreement.raw(part, clustered=clustered))],
        x="model",
        y="agreement",
        color="pronoun",
        facet="dataset",
        unit="share",
        reference=line,
        notes=(f"The dashed line is the agreement of people with each other: {said}.",),
    )


def _outcomes(results: Labelled) -> Figure:
    """What people found in each model's continuations."""
    found = named(people.one_label(results.settled), OUTCOME)
    rows: list[ChartRow] = []
    for model in values_of(found, "model"):
        for setting in ("pre", "post"):
            part = only(found, model=model, setting=setting)
            for pronoun in pronouns_of(part):
                mine = only(part, pronoun=pronoun)
                rows += [
                    {
                        "model and setting": f"{model}, {setting}",
                        "pronoun": pronoun,
                        "label": label,
                        "share of continuations": share(mine, says(label)),
                    }
                    for label in OUTCOMES
                ]
    return charts.bars(
        "7",
        "Continuations as people labelled them",
        rows,
        x="pronoun",
        y="share of continuations",
        color="label",
        facet="model and setting",
        unit="share",
        notes=("All datasets together.",),
    )


def _extraneous(results: Labelled) -> Figure:
    """How many continuations bring in gendered words."""
    found = only(named(people.one_label(results.settled), EXTRANEOUS), setting="pre")
    return charts.bars(
        "8",
        "Continuations with extraneous gendered words, pre",
        [*_cells(found, lambda part: share(part, says("yes")), "share of continuations")],
        x="model",
        y="share of continuations",
        color="pronoun",
        facet="dataset",
        unit="share",
    )


def _cells(
    frame: polars.DataFrame,
    measured: Callable[[polars.DataFrame], Estimate],
    name: str = "agreement",
) -> Iterator[ChartRow]:
    for dataset in values_of(frame, "dataset"):
        for model in values_of(frame, "model"):
            for pronoun in pronouns_of(frame):
                part = only(frame, dataset=dataset, model=model, pronoun=pronoun)
                if len(part):
                    yield {
                        "dataset": dataset,
                        "model": model,
                        "pronoun": pronoun,
                        name: measured(part),
                    }
