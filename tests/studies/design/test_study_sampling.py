"""Which items a study gets."""

from __future__ import annotations

import re
from collections import Counter

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epicene.core.errors import InputError
from epicene.core.records import digest
from epicene.studies.design.sampling import (
    UNCERTAIN,
    Candidate,
    SamplingOptions,
    item_id,
    stratified_sample,
)
from epicene.studies.design.schema import StudyItem


def candidate(cell: str, unit: int, sample: int) -> Candidate:
    name = f"{cell}/{unit}/{sample}"
    return Candidate((cell,), str(unit), name, lambda: StudyItem(id=name, fields={}))


def grid(**units: int) -> list[Candidate]:
    """So many units in each cell, three candidates of each."""
    return [
        candidate(cell, unit, sample)
        for cell, count in units.items()
        for unit in range(count)
        for sample in range(3)
    ]


def cells_of(items: tuple[StudyItem, ...]) -> Counter[str]:
    return Counter(item.id.split("/")[0] for item in items)


def test_equally_many_distinct_units_of_each_cell() -> None:
    items = stratified_sample(grid(a=40, b=40, c=3), SamplingOptions(per_cell=7, seed=1))
    assert cells_of(items) == {"a": 7, "b": 7, "c": 3}
    units = Counter(item.id.rsplit("/", 1)[0] for item in items)
    assert set(units.values()) == {1}
    # The samples of a unit are drawn too: not always the first.
    assert len({item.id.rsplit("/", 1)[1] for item in items}) == 3


@given(st.permutations(grid(a=9, b=4)), st.integers(0, 3), st.integers(1, 6))
def test_what_is_drawn_does_not_depend_on_the_order(
    shuffled: list[Candidate], seed: int, per_cell: int
) -> None:
    wanted = SamplingOptions(per_cell=per_cell, seed=seed)
    assert stratified_sample(shuffled, wanted) == stratified_sample(grid(a=9, b=4), wanted)


@given(st.integers(0, 50), st.integers(1, 12))
def test_the_units_of_smallest_hash_are_drawn(seed: int, per_cell: int) -> None:
    """Whatever is thrown away on the way: against the whole list sorted."""
    items = stratified_sample(grid(a=30), SamplingOptions(per_cell=per_cell, seed=seed))
    units = sorted(range(30), key=lambda unit: digest(seed, ("a",), str(unit)))[:per_cell]
    samples = {
        unit: min((digest(seed, f"a/{unit}/{sample}"), sample) for sample in range(3))[1]
        for unit in units
    }
    assert {item.id for item in items} == {f"a/{unit}/{samples[unit]}" for unit in units}


def test_another_seed_draws_others_in_another_order() -> None:
    first, second = (
        stratified_sample(grid(a=90), SamplingOptions(per_cell=9, seed=seed)) for seed in (1, 2)
    )
    assert {item.id for item in first} != {item.id for item in second}
    assert [item.id for item in first] != sorted(item.id for item in first)


def test_a_number_in_all_is_spread_over_the_cells() -> None:
    items = stratified_sample(grid(a=40, b=40, c=2), SamplingOptions(total=20))
    assert cells_of(items) == {"a": 9, "b": 9, "c": 2}
    assert len(stratified_sample(grid(a=40, b=40, c=40), SamplingOptions(total=4))) == 4


def test_those_for_two_people_are_spread_over_the_cells() -> None:
    items = stratified_sample(grid(a=40, b=40, c=40), SamplingOptions(per_cell=20, twice=12))
    twice = tuple(item for item in items if item.judgements == 2)
    assert cells_of(twice) == {"a": 4, "b": 4, "c": 4}
    assert {item.judgements for item in items} == {2, None}


def test_two_hundred_are_for_two_people_unless_said() -> None:
    items = stratified_sample(grid(a=300), SamplingOptions())
    assert len(items) == 300
    assert sum(item.judgements == 2 for item in items) == 200
    few = stratified_sample(grid(a=30), SamplingOptions())
    assert sum(item.judgements == 2 for item in few) == 30
    assert all(
        item.judgements is None for item in stratified_sample(grid(a=3), SamplingOptions(twice=0))
    )


def test_only_what_is_drawn_is_made() -> None:
    made: list[str] = []

    def make(name: str) -> StudyItem:
        made.append(name)
        return StudyItem(id=name, fields={})

    many = [
        Candidate(("a",), str(unit), str(unit), lambda unit=unit: make(str(unit)))  # type: ignore[misc]
        for unit in range(500)
    ]
    items = stratified_sample(many, SamplingOptions(per_cell=5))
    assert sorted(made) == sorted(item.id for item in items)


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(InputError, match="not both"):
        stratified_sample(grid(a=3), SamplingOptions(per_cell=1, total=1))
    with pytest.raises(InputError, match="no items to sample"):
        stratified_sample([], SamplingOptions())


@given(st.text(), st.integers())
def test_a_letter_that_no_number_or_date_has_comes_first(text: str, number: int) -> None:
    made = item_id(text, number)
    assert re.fullmatch("i[0-9a-f]{12}", made)
    assert made == item_id(text, number)
    assert made != item_id(text, number + 1)


def test_ids_stay_as_they_are_from_one_version_to_the_next() -> None:
    assert item_id("meaning", "a sentry") == "i7c9b19143288"


@pytest.mark.parametrize(
    "wanted",
    [
        SamplingOptions(per_cell=2),
        SamplingOptions(total=1),  # one cell of three, at random
        SamplingOptions(total=7),  # two rounds, the second over all, the third over one cell
        SamplingOptions(allocation={("a",): 4, ("b",): 1, ("c",): 1}),
    ],
)
def test_every_item_says_how_probable_it_was(wanted: SamplingOptions) -> None:
    """Weighted by one over it, samples count as many items as there are, on average."""
    sizes = {"a": 8, "b": 3, "c": 2}
    counts: Counter[str] = Counter()
    seeds = 400
    for seed in range(seeds):
        for item in stratified_sample(grid(**sizes), msgspec.structs.replace(wanted, seed=seed)):
            assert item.inclusion is not None
            assert item.cell == (item.id[0],)
            counts[item.id[0]] += 1 / item.inclusion  # type: ignore[assignment]
    for cell, units in sizes.items():
        assert counts[cell] / seeds == pytest.approx(3 * units, rel=0.2)


def test_uncertain_candidates_are_cells_of_their_own() -> None:
    unsure = [each._replace(uncertain=lambda: True) for each in grid(a=3)]
    sure = [
        each._replace(unit=f"sure {each.unit}", name=f"sure {each.name}") for each in grid(a=30)
    ]
    wanted = SamplingOptions(allocation={("a",): 4, ("a", UNCERTAIN): 2}, uncertain_first=True)
    items = stratified_sample([*unsure, *sure], wanted)
    assert Counter(item.cell for item in items) == {("a",): 4, ("a", UNCERTAIN): 2}
    chances = {item.cell: item.inclusion for item in items}
    assert chances[("a",)] == pytest.approx(4 / 90)
    assert chances["a", UNCERTAIN] == pytest.approx(2 / 9)
    # Without the option they are one cell.
    together = stratified_sample([*unsure, *sure], SamplingOptions(per_cell=5))
    assert {item.cell for item in together} == {("a",)}
