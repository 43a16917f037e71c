"""Which items a study gets: equally many of each cell of its design, some for two people.

What is drawn depends on the seed and on the candidates' names alone, not on the order they come
in; memory holds what is kept, not the candidates.
"""

from __future__ import annotations

import heapq
from itertools import chain, islice, zip_longest
from typing import TYPE_CHECKING, Annotated, NamedTuple, TypeAlias

import msgspec

from epicene.errors import InputError
from epicene.records import Positive, Record, digest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from epicene.studies import StudyItem

Cell: TypeAlias = tuple[str, ...]

TWICE = 200


class Wanted(Record, frozen=True, kw_only=True):
    """How many to draw: so many of each cell or in all, `twice` of them for two people.

    None leaves it to the kind of study.
    """

    per_cell: Positive | None = None
    total: Positive | None = None
    twice: Annotated[int, msgspec.Meta(ge=0)] | None = None
    seed: int | None = None


class Candidate(NamedTuple):
    """What may become an item, and is made into one only if it is drawn.

    No two have one `name`. In a cell, at most one candidate of a `unit` is drawn.
    """

    cell: Cell
    unit: str
    name: str
    make: Callable[[], StudyItem]


class _Ticket(NamedTuple):
    """A candidate with what decides whether it is drawn."""

    unit: bytes
    own: bytes
    candidate: Candidate


def stratified(
    candidates: Iterable[Candidate], wanted: Wanted, *, per_cell: int | None = None
) -> tuple[StudyItem, ...]:
    """Equally many units of each cell, as far as it has them, one candidate of each.

    `per_cell` is how many where the user did not say; None takes all.
    """
    if wanted.per_cell is not None and wanted.total is not None:
        raise InputError("Say how many to draw of each cell or how many in all, not both.")
    most = wanted.total or wanted.per_cell or per_cell
    seed = wanted.seed or 0
    cells: dict[Cell, dict[str, _Ticket]] = {}
    for candidate in candidates:
        units = cells.setdefault(candidate.cell, {})
        ticket = _Ticket(
            digest(seed, candidate.cell, candidate.unit), digest(seed, candidate.name), candidate
        )
        held = units.get(candidate.unit)
        if held is None or ticket.own < held.own:
            units[candidate.unit] = ticket
        if most is not None and len(units) > 2 * most:
            cells[candidate.cell] = {each.candidate.unit: each for each in _first(units, most)}
    drawn = {
        cell: [ticket.candidate for ticket in _first(units, most)] for cell, units in cells.items()
    }
    return items_of(drawn, wanted)


def _first(units: Mapping[str, _Ticket], most: int | None) -> list[_Ticket]:
    tickets = units.values()
    return sorted(tickets) if most is None else heapq.nsmallest(most, tickets)


def items_of(drawn: Mapping[Cell, Sequence[Candidate]], wanted: Wanted) -> tuple[StudyItem, ...]:
    """The items of what was drawn, those for two people spread over the cells, in mixed order."""
    seed = wanted.seed or 0
    cells = sorted(drawn, key=lambda cell: digest(seed, cell))
    rounds = zip_longest(*(drawn[cell] for cell in cells))
    in_turn = (candidate for candidate in chain.from_iterable(rounds) if candidate is not None)
    chosen = list(islice(in_turn, wanted.total))
    if not chosen:
        raise InputError("There is nothing to draw a study from.")
    twice = {each.name for each in chosen[: TWICE if wanted.twice is None else wanted.twice]}
    mixed = sorted(chosen, key=lambda candidate: digest(seed, candidate.name))
    return tuple(
        msgspec.structs.replace(each.make(), judgements=2) if each.name in twice else each.make()
        for each in mixed
    )
