"""Which verbs a study gets: whole verbs, with all their variants, so that lists can rotate."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import msgspec

from epicene.records import digest
from epicene.studies.drawing import items_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from epicene.studies import StudyItem
    from epicene.studies.drawing import Candidate, Cell, Wanted


def whole_verbs(candidates: Iterable[Candidate], wanted: Wanted) -> tuple[StudyItem, ...]:
    """All candidates of so many units: as many as each cell shall have, or as make up a total."""
    units: dict[str, dict[Cell, Candidate]] = {}
    for candidate in candidates:
        units.setdefault(candidate.unit, {})[candidate.cell] = candidate
    most = wanted.per_cell
    if wanted.total is not None:
        most = max(1, wanted.total // max((len(unit) for unit in units.values()), default=1))
    ranked = sorted(units, key=lambda unit: digest(wanted.seed or 0, unit))[:most]
    return _in_cells((units[unit] for unit in ranked), wanted)


def so_many_of_each(
    candidates: Iterable[Candidate], numbers: dict[Cell, int], wanted: Wanted
) -> tuple[StudyItem, ...]:
    """As many of each cell as is said for it."""
    cells: dict[Cell, dict[str, Candidate]] = {}
    for candidate in candidates:
        if candidate.cell in numbers:
            cells.setdefault(candidate.cell, {})[candidate.unit] = candidate
    drawn = []
    for cell, units in cells.items():
        ranked = sorted(units, key=lambda unit: digest(wanted.seed or 0, cell, unit))
        drawn += [{cell: units[unit]} for unit in ranked[: numbers[cell]]]
    return _in_cells(drawn, wanted)


def _in_cells(drawn: Iterable[dict[Cell, Candidate]], wanted: Wanted) -> tuple[StudyItem, ...]:
    cells: dict[Cell, list[Candidate]] = {}
    for cell, candidate in chain.from_iterable(each.items() for each in drawn):
        cells.setdefault(cell, []).append(candidate)
    return items_of(cells, msgspec.structs.replace(wanted, per_cell=None, total=None))
