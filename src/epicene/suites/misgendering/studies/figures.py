"""Figures 6 to 8 and 17 of the paper, from people's labels."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from epicene.show import charts
from epicene.stats import annotator_agreement, paired_agreement
from epicene.stats.tabulate import distinct_values, estimate_all, rows_where, share
from epicene.suites.misgendering.figures import (
    STANDARD_ERROR,
    bars_note,
    mean_with_spread,
    standard_error,
)
from epicene.suites.misgendering.metrics import is_own, pronouns_of
from epicene.suites.misgendering.studies.labels import EXTRANEOUS, MISGENDERING, OUTCOME, OUTCOMES
from epicene.suites.misgendering.studies.tables import (
    PUBLISHED_AGREEMENT,
    is_clustered,
    label_is,
    of_judgement,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import polars

    from epicene.core.records import Estimate, Figure
    from epicene.suites.misgendering.studies.tables import Labelled

    ChartRow = dict[str, str | float | Estimate]
    _Measure = Callable[[polars.DataFrame], Estimate]


def figures(results: Labelled) -> Iterator[Figure]:
    """Each of the figures that there are labels for."""
    for draw in (
        partial(_with_automatic, name="6", setting="pre"),
        _outcomes,
        _extraneous,
        partial(_with_automatic, name="17", setting="post"),
    ):
        with suppress(charts.EmptyChartError):
            yield draw(results)


def _with_automatic(results: Labelled, name: str, setting: str) -> Figure:
    """Agreement of people with the first-pronoun rule; the line is people with people."""
    import polars as pl

    pairs = annotator_agreement.pairs_with_automatic(results.decided, results.automatic)
    pairs = rows_where(of_judgement(pairs, MISGENDERING), setting=setting)
    clustered = is_clustered(results)
    among = paired_agreement.raw(
        of_judgement(annotator_agreement.annotator_pairs(results.frame), OUTCOME),
        clustered=clustered,
    )
    line, notes = _reference(among.value, own=is_own(results.frame))
    measured: _Measure = partial(paired_agreement.raw, clustered=clustered)
    if not clustered:
        measured = partial(_with_standard_error, condition=pl.col("a") == pl.col("b"))
    return charts.bars(
        name,
        f"Agreement of people with the first-pronoun rule on misgendering, {setting}",
        [*_cells(pairs, measured)],
        x="model",
        y="agreement",
        color="pronoun",
        facet="dataset",
        unit="share",
        reference=line,
        notes=(*notes, _bars_note(results)),
    )


def _with_standard_error(part: polars.DataFrame, condition: polars.Expr) -> Estimate:
    """The share of rows for which the condition holds, ± its standard error."""
    flags = part.select(condition.alias("flag"))["flag"].to_numpy()
    return estimate_all(mean_with_spread(flags, standard_error), part)


def _bars_note(results: Labelled) -> str:
    return bars_note(results.frame, "" if is_clustered(results) else STANDARD_ERROR)


def _reference(among: float | None, *, own: bool) -> tuple[float | None, tuple[str, ...]]:
    """The line at which people agree with each other, and a note about it; the paper's number is
    given for the paper's texts and for ours."""
    printed = f"{PUBLISHED_AGREEMENT[OUTCOME]:.0%} in the paper"
    if among is None:
        if own:
            return None, ()
        line, note = PUBLISHED_AGREEMENT[OUTCOME], f"{printed}; here no text was labelled twice"
    else:
        line, note = among, f"{among:.1%} here" + ("" if own else f", {printed}")
    return line, (f"The dashed line is the agreement of people with each other: {note}.",)


def _outcomes(results: Labelled) -> Figure:
    """The share of each label in each model's continuations."""
    found = of_judgement(annotator_agreement.majority_labels(results.decided), OUTCOME)
    rows: list[ChartRow] = []
    for model in distinct_values(found, "model"):
        for setting in ("pre", "post"):
            part = rows_where(found, model=model, setting=setting)
            for pronoun in pronouns_of(part):
                mine = rows_where(part, pronoun=pronoun)
                rows += [
                    {
                        "model and setting": f"{model}, {setting}",
                        "pronoun": pronoun,
                        "label": label,
                        "share of continuations": share(mine, label_is(label)),
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
        notes=("All datasets together.", bars_note(results.frame, "")),
    )


def _extraneous(results: Labelled) -> Figure:
    """The share of continuations with extraneous gendered words."""
    found = rows_where(
        of_judgement(annotator_agreement.majority_labels(results.decided), EXTRANEOUS),
        setting="pre",
    )
    measure = share if is_clustered(results) else _with_standard_error
    measured: _Measure = partial(measure, condition=label_is("yes"))
    return charts.bars(
        "8",
        "Continuations with extraneous gendered words, pre",
        [*_cells(found, measured, "share of continuations")],
        x="model",
        y="share of continuations",
        color="pronoun",
        facet="dataset",
        unit="share",
        notes=(_bars_note(results),),
    )


def _cells(
    frame: polars.DataFrame,
    measured: _Measure,
    name: str = "agreement",
) -> Iterator[ChartRow]:
    for dataset in distinct_values(frame, "dataset"):
        for model in distinct_values(frame, "model"):
            for pronoun in pronouns_of(frame):
                part = rows_where(frame, dataset=dataset, model=model, pronoun=pronoun)
                if len(part):
                    yield {
                        "dataset": dataset,
                        "model": model,
                        "pronoun": pronoun,
                        name: measured(part),
                    }
