"""Stratified sampling of items: equally many per design cell, some judged by two people.

The sample depends only on the seed and the candidates' names, not on their order; memory holds only
the candidates kept so far, and a number for each unit. Every item says how probable it was.
"""

from __future__ import annotations

import heapq
from collections import Counter
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


def refuse_allocation(wanted: SamplingOptions, study: str) -> None:
    """Raise if cells are to get numbers of their own, where a study samples otherwise."""
    if wanted.allocation:
        raise InputError(
            f"{study} has its own way of sampling; leave out --precision, --pilot and "
            "--uncertain-first."
        )


class SamplingOptions(Record, frozen=True, kw_only=True):
    """How many items to sample, per cell or in total, and how many of them two people judge.

    None leaves it to the kind of study. `allocation` has a number for each cell instead, computed
    for a `precision`, or by the study `pilot`. With `uncertain_first` a cell's uncertain candidates
    are a cell of their own.
    """

    per_cell: Positive | None = None
    total: Positive | None = None
    twice: Annotated[int, msgspec.Meta(ge=0)] | None = None
    seed: int | None = None
    precision: float | None = None
    pilot: str = ""
    uncertain_first: bool = False
    allocation: dict[DesignCell, int] = {}


UNCERTAIN = "uncertain"


def _never() -> bool:
    return False


class Candidate(NamedTuple):
    """A possible item, made only if it is sampled.

    Names are unique. At most one candidate of a `unit` is sampled per cell. `judged` is the run's
    judgement that people check: the item's id and the judgement's name. It is `uncertain` where
    errors are more likely than elsewhere.
    """

    cell: DesignCell
    unit: str
    name: str
    make: Callable[[], StudyItem]
    judged: tuple[str, str] | None = None
    uncertain: Callable[[], bool] = _never

    def sampling_cell(self, *, uncertain_first: bool) -> DesignCell:
        """The cell that it is sampled from."""
        return (*self.cell, UNCERTAIN) if uncertain_first and self.uncertain() else self.cell


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
        raise InputError("Give the number of items per cell or the total number, not both.")
    seed = wanted.seed or 0
    cells: dict[DesignCell, dict[str, _RankedCandidate]] = {}
    sizes: dict[DesignCell, Counter[bytes]] = {}  # candidates by unit

    def most(cell: DesignCell) -> int | None:
        if wanted.allocation:
            return wanted.allocation.get(cell, 0)
        return wanted.total or wanted.per_cell or per_cell

    for candidate in candidates:
        cell = candidate.sampling_cell(uncertain_first=wanted.uncertain_first)
        units = cells.setdefault(cell, {})
        ticket = _RankedCandidate(
            digest(seed, cell, candidate.unit), digest(seed, candidate.name), candidate
        )
        sizes.setdefault(cell, Counter())[ticket.unit] += 1
        held = units.get(candidate.unit)
        if held is None or ticket.own < held.own:
            units[candidate.unit] = ticket
        number = most(cell)
        if number is not None and len(units) > 2 * number:
            cells[cell] = {each.candidate.unit: each for each in _lowest_ranked(units, number)}
    tickets = {cell: _lowest_ranked(units, most(cell)) for cell, units in cells.items()}
    drawn = {cell: [each.candidate for each in found] for cell, found in tickets.items()}
    expected = _expected_numbers(
        {cell: min(len(units), len(tickets[cell])) for cell, units in sizes.items()}, wanted.total
    )
    inclusion = {
        ticket.candidate.name: expected[cell] / len(sizes[cell]) / sizes[cell][ticket.unit]
        for cell, found in tickets.items()
        for ticket in found
    }
    return items_from_cells(drawn, wanted, inclusion)


def _expected_numbers(
    available: Mapping[DesignCell, int], total: int | None
) -> dict[DesignCell, float]:
    """How many units of each cell are sampled, on average over the random order of the cells.

    A total is filled in rounds over the cells, and the last round reaches some of them only.
    """
    expected = dict.fromkeys(available, 0.0)
    left = sum(available.values()) if total is None else total
    rounds = 0
    while left > 0:
        there = [cell for cell, number in available.items() if number > rounds]
        if not there:
            break
        for cell in there:
            expected[cell] += min(1.0, left / len(there))
        left -= len(there)
        rounds += 1
    return expected


def _lowest_ranked(
    units: Mapping[str, _RankedCandidate], most: int | None
) -> list[_RankedCandidate]:
    tickets = units.values()
    return sorted(tickets) if most is None else heapq.nsmallest(most, tickets)


def items_from_cells(
    drawn: Mapping[DesignCell, Sequence[Candidate]],
    wanted: SamplingOptions,
    inclusion: Mapping[str, float] | None = None,
) -> tuple[StudyItem, ...]:
    """Make the sampled items, in mixed order; those for two people are spread over the cells.

    `inclusion` has the probability of each candidate, by its name, where it is known.
    """
    seed = wanted.seed or 0
    cells = sorted(drawn, key=lambda cell: digest(seed, cell))
    rounds = zip_longest(*(drawn[cell] for cell in cells))
    in_turn = (candidate for candidate in chain.from_iterable(rounds) if candidate is not None)
    chosen = list(islice(in_turn, wanted.total))
    if not chosen:
        raise InputError("There are no items to sample a study from.")
    twice = {
        each.name for each in chosen[: DEFAULT_TWICE if wanted.twice is None else wanted.twice]
    }
    mixed = sorted(chosen, key=lambda candidate: digest(seed, candidate.name))
    cell_of = {each.name: cell for cell, found in drawn.items() for each in found}

    def item(candidate: Candidate) -> StudyItem:
        made = candidate.make()
        number = 2 if candidate.name in twice else made.judgements
        probability = None if inclusion is None else inclusion[candidate.name]
        cell = cell_of[candidate.name]
        return msgspec.structs.replace(made, judgements=number, cell=cell, inclusion=probability)

    return tuple(map(item, mixed))


def item_id(*parts: object) -> str:
    """A reproducible id that reveals nothing about its parts.

    It begins with a letter that is no hexadecimal digit: a spreadsheet takes 732334654098 and 12e4
    for numbers, and feb2026 for a date.
    """
    return f"i{digest(*parts).hex()[:12]}"
