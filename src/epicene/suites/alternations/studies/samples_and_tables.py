"""Shared by the studies: candidates and samples of verbs, tables of people and items."""

from __future__ import annotations

import statistics
from collections import defaultdict
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from epicene.core.records import Column, Estimate, Row, Table, digest
from epicene.stats import annotator_agreement
from epicene.stats.tabulate import distinct_values, parts_by, rows_where, share
from epicene.studies.design.answers import matches_expected
from epicene.studies.design.sampling import Candidate, items_from_cells, refuse_allocation
from epicene.suites.alternations.items import VARIANTS
from epicene.suites.alternations.judge import ranked_fillers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import polars

    from epicene.studies.design.sampling import DesignCell, SamplingOptions
    from epicene.studies.design.schema import Response, StudyItem
    from epicene.suites.alternations.items import Pair
    from epicene.suites.alternations.protocol import AlternationsProtocol
    from epicene.suites.studies import Material, StudyResults

    Answered = StudyResults[AlternationsProtocol]

INTERVALS_NOTE = "Intervals are clustered by verb and treat the people as fixed."


def filler_candidates(
    make_item: Callable[[Pair, str, str, str], StudyItem],
    material: Material[Pair, AlternationsProtocol],
) -> Iterator[Candidate]:
    """Each model's first completion of each gap; `make_item` takes pair, model, format, text."""
    pair, model = material.item, material.model
    for form, _, texts, main in ranked_fillers(pair, material.answers, material.protocol):
        if main and texts and texts[0]:
            yield Candidate(
                cell=(model, form, pair.phenomenon),
                unit=pair.cluster,
                name=f"{model}/{form}/{pair.id}",
                make=partial(make_item, pair, model, form, texts[0]),
            )


def sample_whole_verbs(
    candidates: Iterable[Candidate], wanted: SamplingOptions
) -> tuple[StudyItem, ...]:
    """All candidates of a random sample of verbs, of the size that the options ask for."""
    refuse_allocation(wanted, "A study of whole verbs")
    units: dict[str, dict[DesignCell, Candidate]] = {}
    for candidate in candidates:
        units.setdefault(candidate.unit, {})[candidate.cell] = candidate
    most = wanted.per_cell
    if wanted.total is not None:
        most = max(1, wanted.total // max((len(unit) for unit in units.values()), default=1))
    ranked = sorted(units, key=lambda unit: digest(wanted.seed or 0, unit))[:most]
    chance = len(ranked) / max(len(units), 1)
    return _items_by_cell([(units[unit], chance) for unit in ranked], wanted)


def sample_per_cell(
    candidates: Iterable[Candidate], numbers: dict[DesignCell, int], wanted: SamplingOptions
) -> tuple[StudyItem, ...]:
    """A random sample of the given number of candidates from each cell."""
    refuse_allocation(wanted, "The paper's study")
    cells: dict[DesignCell, dict[str, Candidate]] = {}
    for candidate in candidates:
        if candidate.cell in numbers:
            cells.setdefault(candidate.cell, {})[candidate.unit] = candidate
    drawn = []
    for cell, units in cells.items():
        ranked = sorted(units, key=lambda unit: digest(wanted.seed or 0, cell, unit))
        chosen = ranked[: numbers[cell]]
        drawn += [({cell: units[unit]}, len(chosen) / len(ranked)) for unit in chosen]
    return _items_by_cell(drawn, wanted)


def _items_by_cell(
    drawn: Iterable[tuple[dict[DesignCell, Candidate], float]], wanted: SamplingOptions
) -> tuple[StudyItem, ...]:
    """The items of some candidates, each with its probability."""
    cells: dict[DesignCell, list[Candidate]] = {}
    inclusion = {}
    for found, chance in drawn:
        for cell, candidate in found.items():
            cells.setdefault(cell, []).append(candidate)
            inclusion[candidate.name] = chance
    whole = msgspec.structs.replace(wanted, per_cell=None, total=None)
    return items_from_cells(cells, whole, inclusion)


def share_right(frame: polars.DataFrame) -> Estimate:
    """The share of right choices, clustered by verb."""
    import polars as pl

    return share(frame, pl.col("outcome") == "right")


def variants_in(frame: polars.DataFrame) -> list[str]:
    """The variants that occur, in the paper's order, then any others."""
    present = distinct_values(frame, "variant")
    return [*(name for name in VARIANTS if name in present), *sorted(set(present) - set(VARIANTS))]


def participants_table(results: Answered) -> Table:
    """Each person's accuracy on items, attention checks and fillers, and median time."""
    besides = defaultdict(list)
    for response in results.other_responses:
        besides[response.participant].append(response)
    seconds = defaultdict(list)
    for response in results.responses:
        if response.seconds is not None:
            seconds[response.participant].append(response.seconds)
    rows = []
    for (person,), choices in parts_by(results.frame, "person"):
        cells = (
            Estimate(value=len(choices), n=len(choices)),
            share_right(choices),
            _share_as_expected(besides[person], results.study.checks),
            _share_as_expected(besides[person], results.study.fillers),
            _median(seconds[person]),
        )
        rows.append(Row(keys=(person,), cells=cells))
    return Table(
        name="participants",
        title="Each person",
        levels=("person",),
        columns=(
            Column(name="items", unit="count"),
            Column(name="right"),
            Column(name="attention checks right"),
            Column(name="fillers right"),
            Column(name="seconds (median)", unit="number"),
        ),
        rows=tuple(rows),
        notes=("The owner of the study decides whom to leave out.",),
    )


def _share_as_expected(responses: Iterable[Response], items: Sequence[StudyItem]) -> Estimate:
    from epicene.stats.intervals import wilson

    expecting = {item.id: item for item in items if item.expected}
    judged = [response for response in responses if response.item in expecting]
    if not judged:
        return Estimate(value=None, why="none was answered")
    good = [matches_expected(expecting[response.item], response) for response in judged]
    return wilson(sum(good), len(good))


def _median(seconds: Sequence[float]) -> Estimate:
    if not seconds:
        return Estimate(value=None, why="no time was recorded")
    return Estimate(value=statistics.median(seconds), n=len(seconds))


def items_table(results: Answered) -> Table:
    """People's accuracy on each item; people are independent, so intervals are Wilson's."""
    from epicene.stats.intervals import wilson

    rows = []
    for variant in variants_in(results.frame):
        part = rows_where(results.frame, variant=variant)
        for (pair,), judged in parts_by(part, "pair"):
            outcomes = judged["outcome"].cast(str)
            cells = (
                Estimate(value=len(outcomes), n=len(outcomes)),
                wilson(int((outcomes == "right").sum()), len(outcomes)),
            )
            rows.append(Row(keys=(variant, pair), cells=cells))
    return Table(
        name="items",
        title="Each item",
        levels=("variant", "pair"),
        columns=(Column(name="judgements", unit="count"), Column(name="right")),
        rows=tuple(rows),
    )


def agreement_table(results: Answered) -> Table:
    """Agreement of people with each other."""
    return annotator_agreement.people_table(
        annotator_agreement.annotator_pairs(results.frame),
        ("variant",),
        (
            "Items that two or more people judged; every two of them form a pair.",
            *annotator_agreement.PAIR_NOTES,
        ),
    )
