"""Runs put in order: paired by item and name, and what is missing helps nobody."""

from __future__ import annotations

from typing import Any

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from epicene.runs.changes import changes
from epicene.runs.ranking import Ranking, rank
from epicene.stats.ranking import Place

MODELS = ("good", "fair", "poor")


def rows(model: str, figures: dict[str, float], group: str = "") -> list[dict[str, Any]]:
    return [
        {
            "model": model,
            "item": item,
            "name": "answer",
            "group": group or item,
            "outcome": "right" if figure == 1 else "wrong",
            "figure": figure,
        }
        for item, figure in figures.items()
    ]


def items(figures: str) -> dict[str, float]:
    """`110.1` is right on the items 0, 1 and 4, wrong on 2, and has no item 3."""
    return {f"item-{n:02}": float(each) for n, each in enumerate(figures) if each != "."}


def ranked(**models: str) -> Ranking:
    frame = pl.DataFrame([row for name, each in models.items() for row in rows(name, items(each))])
    return rank(frame, list(models))


def test_a_clear_order() -> None:
    found = ranked(poor="0" * 30, fair="1" * 15 + "0" * 15, good="1" * 30)
    assert [each.model for each in found.models] == ["good", "fair", "poor"]
    assert [each.place for each in found.models] == [Place(1, 1), Place(2, 2), Place(3, 3)]
    assert [each.letters for each in found.models] == ["a", "b", "c"]
    assert found.models[0].better_than == ("fair", "poor")
    assert found.tells
    assert (found.judgements, found.shared) == (30, 30)


def test_what_is_missing_helps_nobody() -> None:
    # Right on all that it answered, it would be first; but of most items nobody knows.
    found = ranked(good="1" * 8 + "." * 22, fair="1" * 20 + "0" * 10)
    assert not found.tells
    assert [each.lacking for each in found.models] in ([22, 0], [0, 22])
    assert {each.place for each in found.models} == {Place(1, 2)}
    assert (found.judgements, found.shared) == (30, 8)
    # Had it answered them, it would have been told apart.
    assert ranked(good="1" * 30, fair="1" * 20 + "0" * 10).tells


def test_a_group_is_one_unit() -> None:
    frame = pl.DataFrame([*rows("a", items("1" * 30), "one"), *rows("b", items("0" * 30), "one")])
    assert not rank(frame, ["a", "b"]).tells


@given(st.data())
@settings(deadline=None, max_examples=25)
def test_dropping_items_never_gives_a_better_place(data: st.DataObject) -> None:
    signs = st.text("01", min_size=12, max_size=12)
    figures = {name: data.draw(signs, name) for name in MODELS}
    figures["good"] = "1" * 12
    loser = data.draw(st.sampled_from(MODELS), "who loses items")
    gone = data.draw(st.sets(st.integers(0, 11)), "which")
    kept = "".join("." if n in gone else each for n, each in enumerate(figures[loser]))
    before = {each.model: each.place.worst for each in ranked(**figures).models}
    after = {each.model: each.place.worst for each in ranked(**{**figures, loser: kept}).models}
    assert all(after[model] >= before[model] for model in MODELS)


def test_changes_by_hand() -> None:
    frame = pl.DataFrame([*rows("first", items("1100.")), *rows("second", items("10110"))])
    (change,) = changes(frame, ["first", "second"])
    assert (change.first, change.second) == ("first", "second")
    assert (change.gained, change.lost, change.shared) == (2, 1, 4)
    assert change.difference.value == (3 - 2) / 4
    # Differences −1, 1, 1 sum to 1, and no way to sign them sums to less in size.
    assert change.test.p == 1.0


def test_runs_that_share_nothing_have_no_change() -> None:
    frame = pl.DataFrame([*rows("first", items("11..")), *rows("second", items("..11"))])
    assert list(changes(frame, ["first", "second"])) == []
