"""Stratified sampling of items: equally many per design cell, some judged by two people.

The sample depends only on the seed and the candidates' names, not on their order; memory holds only
the candidates kept so far.
"""

from __future__ import annotations

import heapq
from itertools import chain, islice, zip_longest
from typing import TYPE_CHECKING, Annotated, NamedTuple, TypeAlias

import msgspec

from epicene.core.errors import InputError
from epicene.core.records import Positive, Record, digest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from epicene.studies.design.schema import StudyItem

DesignCell: TypeAlias = tuple[str, ...]

DEFAULT_TWICE = 200


class SamplingOptions(Record, frozen=True, kw_only=True):
    """How many items to sample, per cell or in total, and how many of them two people judge.

    None leaves it to the kind of study.
    """

    per_cell: Positive | None = None
    total: Positive | None = None
    twice: Annotated[int, msgspec.Meta(ge=0)] | None = None
    seed: int | None = None


class Candidate(NamedTuple):
    """A possible item, made only if it is sampled.

    Names are unique. At most one candidate of a `unit` is sampled per cell.
    """

    cell: DesignCell
    unit: str
    name: str
    make: Callable[[], StudyItem]


class _RankedCandidate(NamedTuple):
    """A candidate with the digests that decide whether it is sampled."""

    unit: bytes
    own: bytes
    candidate: Candidate


def stratified_sample(
    candidates: Iterable[Candidate], wanted: SamplingOptions, *, per_cell: int | None = None
) -> tuple[StudyItem, ...]:
    """Sample equally many units of each cell, as far as it has them, one candidate of each.

    `per_cell` is the number if the user gives none; None takes all.
    """
    if wanted.per_cell is not None and wanted.total is not None:
        raise InputError("Say how many to draw of each cell or how many in all, not both.")
    most = wanted.total or wanted.per_cell or per_cell
    seed = wanted.seed or 0
    cells: dict[DesignCell, dict[str, _RankedCandidate]] = {}
    for candidate in candidates:
        units = cells.setdefault(candidate.cell, {})
        ticket = _RankedCandidate(
            digest(seed, candidate.cell, candidate.unit), digest(seed, candidate.name), candidate
        )
        held = units.get(candidate.unit)
        if held is None or ticket.own < held.own:
            units[candidate.unit] = ticket
        if most is not None and len(units) > 2 * most:
            cells[candidate.cell] = {
                each.candidate.unit: each for each in _lowest_ranked(units, most)
            }
    drawn = {
        cell: [ticket.candidate for ticket in _lowest_ranked(units, most)]
        for cell, units in cells.items()
    }
    return items_from_cells(drawn, wanted)


def _lowest_ranked(
    units: Mapping[str, _RankedCandidate], most: int | None
) -> list[_RankedCandidate]:
    tickets = units.values()
    return sorted(tickets) if most is None else heapq.nsmallest(most, tickets)


def items_from_cells(
    drawn: Mapping[DesignCell, Sequence[Candidate]], wanted: SamplingOptions
) -> tuple[StudyItem, ...]:
    """Make the sampled items, in mixed order; those for two people are spread over the cells."""
    seed = wanted.seed or 0
    cells = sorted(drawn, key=lambda cell: digest(seed, cell))
    rounds = zip_longest(*(drawn[cell] for cell in cells))
    in_turn = (candidate for candidate in chain.from_iterable(rounds) if candidate is not None)
    chosen = list(islice(in_turn, wanted.total))
    if not chosen:
        raise InputError("There is nothing to draw a study from.")
    twice = {
        each.name for each in chosen[: DEFAULT_TWICE if wanted.twice is None else wanted.twice]
    }
    mixed = sorted(chosen, key=lambda candidate: digest(seed, candidate.name))
    return tuple(
        msgspec.structs.replace(each.make(), judgements=2) if each.name in twice else each.make()
        for each in mixed
    )


def item_id(*parts: object) -> str:
    """A reproducible id that reveals nothing about its parts.

    It begins with a letter that is no hexadecimal digit: a spreadsheet takes 732334654098 and 12e4
    for numbers, and feb2026 for a date.
    """
    return f"i{digest(*parts).hex()[:12]}"
