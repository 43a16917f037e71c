"""How much data a comparison needs, as tables and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from epicene.core.records import Column, Estimate, Row, Table
from epicene.show.table_formats import tables_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.runs.data_needs import DataNeeds, DataPlan

FEW_GROUPS = 100  # see docs/guides/plan.md: plans from 30 groups were off by up to half


def data_needs_tables(plan: DataPlan) -> tuple[Table, ...]:
    """What is needed, the assumptions, and what other numbers of samples would need."""
    return (
        _needs_table(plan),
        _assumptions_table(plan),
        *([_samples_table(plan)] if any(each.by_samples for each in plan.needs) else ()),
        *([components] if (components := _components_table(plan)).rows else ()),
    )


def _needs_table(plan: DataPlan) -> Table:
    given = plan.assumptions
    return Table(
        name="plan",
        title=f"{plan.suite}: data needed to find a difference of {100 * given.difference:.3g} "
        "points",
        levels=("headline",),
        columns=(
            Column(name="items needed", unit="count"),
            Column(name="groups needed", unit="count"),
            Column(name="judgements per model", unit="count"),
            Column(name="power"),
            Column(name="items at hand", unit="count"),  # words: allow
            Column(name="detectable difference"),
        ),
        rows=tuple(
            Row(
                keys=(each.pilot.headline,),
                cells=(
                    Estimate(value=each.items),
                    Estimate(value=each.groups),
                    Estimate(value=each.judgements),
                    Estimate(value=each.power),
                    Estimate(value=_items_at_hand(plan, each)),
                    each.detectable,
                ),
            )
            for each in plan.needs
        ),
        notes=tuple(_notes(plan)),
    )


def _items_at_hand(plan: DataPlan, needs: DataNeeds) -> int:
    if plan.assumptions.items is not None:
        return plan.assumptions.items
    return round(needs.given_groups * needs.pilot.items_per_group)


def _notes(plan: DataPlan) -> Iterator[str]:
    given = plan.assumptions
    over = f" over {plan.comparisons} comparisons" if plan.comparisons > 1 else ""
    yield (
        "A difference counts as found if it is significant by the paired permutation test over "
        f"groups (two-sided, {100 * given.alpha:.3g} %{over}) in {100 * given.power:.3g} % of "
        "simulated comparisons. The detectable difference is the one that the existing items "
        "would find with the same probability."
    )
    yield from plan.notes
    few = [
        f"“{each.pilot.headline}” ({each.pilot.groups})"
        for each in plan.needs
        if each.pilot.components is not None and each.pilot.groups < FEW_GROUPS
    ]
    if few:
        yield (
            f"The plan may be far off, because a pilot with fewer than {FEW_GROUPS} groups says "
            f"little about how answers vary: {', '.join(few)}."
        )


def _assumptions_table(plan: DataPlan) -> Table:
    return Table(
        name="assumptions",
        title="Assumptions of the plan",
        levels=("headline",),
        columns=(
            Column(name="first model"),
            Column(name="second model"),
            Column(name="items per group", unit="number", decimals=1),
            Column(name="judgements per item", unit="number", decimals=1),
            Column(name="samples", unit="count"),
            Column(name="correlation in a group", unit="number", decimals=2),
            Column(name="correlation of samples", unit="number", decimals=2),
        ),
        rows=tuple(
            Row(
                keys=(each.pilot.headline,),
                cells=(
                    Estimate(value=each.pilot.rate),
                    Estimate(value=each.pilot.rate + each.difference),
                    Estimate(value=each.pilot.items_per_group),
                    Estimate(value=each.pilot.judgements_per_group / each.pilot.items_per_group),
                    Estimate(value=each.pilot.clustering.per_item),
                    Estimate(value=each.pilot.clustering.icc),
                    _agreement(each),
                ),
            )
            for each in plan.needs
        ),
    )


def _agreement(needs: DataNeeds) -> Estimate:
    if needs.pilot.clustering.per_item == 1:
        return Estimate(value=None, why="there is one sample per prompt")
    return Estimate(value=needs.pilot.clustering.agreement)


def _samples_table(plan: DataPlan) -> Table:
    return Table(
        name="samples",
        title="Items needed, by number of samples per item",
        levels=("headline", "samples"),
        columns=(Column(name="items", unit="count"), Column(name="judgements", unit="count")),
        rows=tuple(
            Row(
                keys=(each.pilot.headline, str(samples)),
                cells=(Estimate(value=items), Estimate(value=judgements)),
            )
            for each in plan.needs
            for samples, items, judgements in each.by_samples
        ),
        notes=(
            "Samples are a model's answers to one prompt, or annotators' labels of one item; "
            "the correlation of labels is κ.",
        ),
    )


def _components_table(plan: DataPlan) -> Table:
    rows = []
    for each in plan.needs:
        found = each.pilot.components
        if found is None or not found.total:
            continue
        parts = {
            "group": found.group,
            "item": found.item,
            "sample": None if found.item is None else found.rest,
            "item and the rest": found.rest if found.item is None else None,
            "wording": found.wording,
        }
        rows += [
            Row(keys=(each.pilot.headline, name), cells=(Estimate(value=part / found.total),))
            for name, part in parts.items()
            if part is not None
        ]
    return Table(
        name="components",
        title="Sources of variance of a judgement",
        levels=("headline", "part"),
        columns=(Column(name="share of variance"),),
        rows=tuple(rows),
        notes=(
            "In the variance of a mean, more groups reduce every part except wording, more items "
            "per group reduce item and sample, and more samples reduce only sample. Wording "
            "is reduced only by more wordings.",
        ),
    )


def data_needs_document(plan: DataPlan) -> dict[str, Any]:
    """The plan as JSON."""
    given = plan.assumptions
    return {
        "suite": plan.suite,
        "difference": given.difference,
        "models": given.models,
        "alpha": given.alpha,
        "power": given.power,
        "comparisons": plan.comparisons,
        "tables": tables_json(data_needs_tables(plan)),
        "notes": list(plan.notes),
    }
