"""Lists of a study: a Latin square of versions, and an order for each person."""

from __future__ import annotations

from collections import Counter

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epicene.studies.design.lists import items_by_list, presentation_order
from epicene.studies.design.schema import Study, StudyItem
from study_examples import forced_choice, misgendering, three_way_choice


def rotated(groups: list[list[str]]) -> Study:
    """A study with one item for each condition that a group names."""
    items = tuple(
        StudyItem(
            id=f"{place}-{number}",
            group=str(place),
            condition=condition,
            fields={"good": "x", "bad": "y"},
        )
        for place, conditions in enumerate(groups)
        for number, condition in enumerate(conditions)
    )
    return msgspec.structs.replace(forced_choice(), items=items)


def test_a_crossed_design_becomes_a_latin_square() -> None:
    study = rotated([["B", "A", "C"], ["C", "B", "A"], ["A", "B", "C"], ["A", "C", "B"]])
    found = {
        name: [f"{item.group}{item.condition}" for item in items]
        for name, items in items_by_list(study).items()
    }
    # By hand: group g shows condition number l - g (A is 0) on list l.
    assert found == {
        "1": ["0A", "1C", "2B", "3A"],
        "2": ["0B", "1A", "2C", "3B"],
        "3": ["0C", "1B", "2A", "3C"],
    }


@given(st.lists(st.permutations("ABCD"), min_size=1, max_size=12))
def test_every_list_has_every_group_once_and_conditions_evenly(groups: list[list[str]]) -> None:
    lists = items_by_list(rotated(groups))
    assert len(lists) == 4
    for items in lists.values():
        assert sorted(item.group for item in items) == sorted(map(str, range(len(groups))))
        counts = Counter(item.condition for item in items)
        assert max(counts.values()) - min(counts[name] for name in "ABCD") <= 1


@given(st.lists(st.lists(st.sampled_from(["", "A", "B", "C"]), min_size=1, max_size=4), max_size=8))
def test_nobody_sees_two_versions_and_no_item_is_lost(groups: list[list[str]]) -> None:
    study = rotated(groups)
    lists = items_by_list(study)
    assert len(lists) == max(map(len, groups), default=1)
    found = [item.id for items in lists.values() for item in items]
    assert sorted(found) == sorted(item.id for item in study.items)
    for items in lists.values():
        assert len({item.group for item in items}) == len(items)


def test_items_without_versions_are_all_for_everybody() -> None:
    """Pairs of several phenomena that stand alone make one list, not one a phenomenon."""
    assert list(items_by_list(rotated([["A"], ["B"], ["C"]]))) == ["1"]


def test_given_lists_and_none() -> None:
    assert [item.id for item in items_by_list(three_way_choice())["A"]] == ["z"]
    assert [item.id for item in items_by_list(misgendering())[""]] == ["g1", "g2"]


# --- one person's order ------------------------------------------------------------------------


def numbered(prefix: str, number: int) -> tuple[StudyItem, ...]:
    fields = {"good": "x", "bad": "y"}
    return tuple(StudyItem(id=f"{prefix}{each}", fields=fields) for each in range(number))


def mixed(*, shuffle: bool = True) -> Study:
    return msgspec.structs.replace(
        forced_choice(),
        items=numbered("i", 60),
        fillers=numbered("f", 20),
        checks=numbered("c", 4),
        shuffle=shuffle,
    )


@pytest.mark.parametrize("person", ["ann", "bob", ""])
def test_fillers_and_checks_are_spread(person: str) -> None:
    study = mixed()
    order = [item.id for item in presentation_order(study, study.items, person)]
    assert sorted(order) == sorted(
        item.id for item in (*study.items, *study.fillers, *study.checks)
    )
    quarters = [order[start : start + 21] for start in range(0, 84, 21)]
    for quarter in quarters:
        assert 0 <= sum(name.startswith("c") for name in quarter) <= 2
        assert 3 <= sum(name.startswith("f") for name in quarter) <= 7


def test_each_person_has_an_order_of_their_own_and_keeps_it() -> None:
    study = mixed()
    ann, again, bob = (
        presentation_order(study, study.items, name) for name in ("ann", "ann", "bob")
    )
    assert ann == again
    assert ann != bob


def test_an_order_that_is_not_shuffled_stays() -> None:
    study = mixed(shuffle=False)
    order = [item.id for item in presentation_order(study, study.items, "ann")]
    assert [name for name in order if name.startswith("i")] == [item.id for item in study.items]
