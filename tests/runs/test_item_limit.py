"""`--limit` is even, stable and streams."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from epicene.core.records import Item
from epicene.runs.items import limit_items


def items(count: int) -> list[Item]:
    """Items of two blocks and three strata."""
    return [Item(id=f"{n % 2}-{n % 3}-{n}") for n in range(count)]


def stratum(item: Item) -> tuple[str, str]:
    """Block and stratum, from the id."""
    block, name, _ = item.id.split("-")
    return block, name


@given(st.integers(0, 200), st.integers(1, 60), st.integers(0, 5))
def test_each_block_is_spread_over_its_strata(count: int, limit: int, seed: int) -> None:
    taken = list(limit_items(items(count), stratum, limit, seed))
    there = Counter(stratum(item)[0] for item in items(count))
    for block, number in Counter(stratum(item)[0] for item in taken).items():
        assert number == min(limit, there[block])
    assert len(taken) == sum(min(limit, number) for number in there.values())
    order = {item.id: n for n, item in enumerate(items(count))}
    assert [order[item.id] for item in taken] == sorted(order[item.id] for item in taken)
    for block in there:
        full = Counter(stratum(item) for item in items(count) if stratum(item)[0] == block)
        sizes = Counter(stratum(item) for item in taken if stratum(item)[0] == block)
        # No stratum is short by more than one of another unless it is used up.
        most = max(sizes.values(), default=0)
        for name, number in full.items():
            assert sizes[name] >= min(number, most - 1)


@given(st.integers(1, 100), st.integers(0, 5))
def test_a_larger_limit_keeps_the_smaller_ones_items(limit: int, seed: int) -> None:
    small = {item.id for item in limit_items(items(150), stratum, limit, seed)}
    large = {item.id for item in limit_items(items(150), stratum, limit + 7, seed)}
    assert small <= large


def test_the_order_of_the_file_does_not_matter() -> None:
    forward = {item.id for item in limit_items(items(100), stratum, 9, 1)}
    backward = {item.id for item in limit_items(items(100)[::-1], stratum, 9, 1)}
    assert len(forward & backward) >= 2 * 9 - 4  # which stratum gets the odd one may differ
    assert {item.id for item in limit_items(items(100), stratum, 9, 2)} != forward


def test_no_limit_takes_all() -> None:
    assert list(limit_items(items(10), stratum, None, 0)) == items(10)


def test_counterparts_are_drawn_together() -> None:
    """Every stratum takes the same of what it is drawn by."""
    made = [Item(id=f"0-{name}-{n}") for name in "abc" for n in range(50)]
    taken = list(limit_items(made, stratum, 21, 3, lambda item: item.id.partition("-")[2][2:]))
    numbers = {name: {i.id[4:] for i in taken if stratum(i)[1] == name} for name in "abc"}
    assert len(numbers["a"]) == 7
    assert numbers["a"] == numbers["b"] == numbers["c"]


def test_strata_of_several_levels_alternate_in_each() -> None:
    """Though all items of a language stand together, and one has fewer strata."""
    levels = [(a, b, c) for a in "xyz" for b in "mf" for c in "12" if (a, c) != ("z", "2")]
    each = [Item(id=f"{'/'.join(name)}/{n}") for name in levels for n in range(3)]

    def of(item: Item) -> tuple[str, tuple[str, ...]]:
        return "", tuple(item.id.split("/")[:-1])

    def taken(limit: int, level: int) -> Counter[str]:
        return Counter(of(item)[1][level] for item in limit_items(each, of, limit, 0))

    assert taken(3, 0) == {"x": 1, "y": 1, "z": 1}
    assert taken(6, 0) == {"x": 2, "y": 2, "z": 2}
    assert taken(6, 1) == {"m": 3, "f": 3}
    assert taken(10, 0) == {"x": 4, "y": 4, "z": 2}
    assert len(list(limit_items(each, of, 100, 0))) == len(each)
