"""Runs put in order: paired by item and name, and what is missing helps nobody."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from epicene.core.errors import RunError
from epicene.results.model_ranking import Ranking, rank
from epicene.results.paired_differences import pairwise_differences
from epicene.stats.ranking import RankRange

MODELS = ("good", "fair", "poor")


def rows(model: str, figures: dict[str, float], group: str = "") -> list[dict[str, Any]]:
    return [
        {
            "model": model,
            "item": item,
            "name": "answer",
            "group": group or item,
            "outcome": "right" if figure == 1 else "wrong",
            "score": figure,
        }
        for item, figure in figures.items()
    ]


def items(figures: str) -> dict[str, float]:
    """`110.1` is right on the items 0, 1 and 4, wrong on 2, and has no item 3."""
    return {f"item-{n:02}": float(each) for n, each in enumerate(figures) if each != "."}


def frame_of(models: dict[str, str]) -> pl.DataFrame:
    schema = {"score": pl.Float64}
    made = [row for name, each in models.items() for row in rows(name, items(each))]
    return pl.DataFrame(made or rows("nobody", {"item-00": 0.0}), schema_overrides=schema).filter(
        pl.col("model") != "nobody"
    )


def ranked(**models: str) -> Ranking:
    return rank(frame_of(models), list(models), suite="some")


def test_a_clear_order() -> None:
    found = ranked(poor="0" * 30, fair="1" * 15 + "0" * 15, good="1" * 30)
    assert [each.model for each in found.models] == ["good", "fair", "poor"]
    assert [each.rank for each in found.models] == [
        RankRange(1, 1),
        RankRange(2, 2),
        RankRange(3, 3),
    ]
    assert [each.letters for each in found.models] == ["a", "b", "c"]
    assert found.models[0].better_than == ("fair", "poor")
    assert found.any_significant
    assert (found.judgements, found.shared) == (30, 30)


def test_what_is_missing_helps_nobody() -> None:
    # Right on all that it answered, it would be first; but of most items nobody knows.
    found = ranked(good="1" * 8 + "." * 22, fair="1" * 20 + "0" * 10)
    assert not found.any_significant
    assert [each.lacking for each in found.models] in ([22, 0], [0, 22])
    assert {each.rank for each in found.models} == {RankRange(1, 2)}
    assert (found.judgements, found.shared) == (30, 8)
    # Had it answered them, it would have been told apart.
    assert ranked(good="1" * 30, fair="1" * 20 + "0" * 10).any_significant


def test_a_group_is_one_unit() -> None:
    frame = pl.DataFrame([*rows("a", items("1" * 30), "one"), *rows("b", items("0" * 30), "one")])
    assert not rank(frame, ["a", "b"], suite="some").any_significant


@given(st.data())
@settings(deadline=None, max_examples=25)
def test_dropping_items_never_gives_a_better_place(data: st.DataObject) -> None:
    signs = st.text("01", min_size=12, max_size=12)
    figures = {name: data.draw(signs, name) for name in MODELS}
    figures["good"] = "1" * 12
    loser = data.draw(st.sampled_from(MODELS), "who loses items")
    gone = data.draw(st.sets(st.integers(0, 11)), "which")
    kept = "".join("." if n in gone else each for n, each in enumerate(figures[loser]))
    before = {each.model: each.rank.worst for each in ranked(**figures).models}
    after = {each.model: each.rank.worst for each in ranked(**{**figures, loser: kept}).models}
    assert all(after[model] >= before[model] for model in MODELS)


def test_what_is_missing_everywhere_helps_nobody() -> None:
    # On what is left the one is right and the other wrong; of as many items again nobody knows.
    left = {"good": "1" * 8 + "." * 8, "poor": "0" * 8 + "." * 8}
    assert rank(frame_of(left), list(left), suite="some").any_significant
    found = rank(frame_of({**left, "": "0" * 16}), list(left), suite="some")
    assert not found.any_significant
    assert [each.lacking for each in found.models] == [8, 8]
    assert (found.judgements, found.shared) == (16, 8)


@given(st.data())
@settings(deadline=None, max_examples=60)
def test_a_place_never_improves_with_less_data(data: st.DataObject) -> None:
    """Whatever is lost, by some runs or by all of them."""
    size = 12
    signs = st.text("01", min_size=size, max_size=size)
    figures = {"good": "1" * size, **{name: data.draw(signs, name) for name in MODELS[1:]}}
    asked = "0" * size
    everywhere = data.draw(st.sets(st.integers(0, size - 1)), "lost by all")
    kept = {}
    for name, each in figures.items():
        gone = everywhere | data.draw(st.sets(st.integers(0, size - 1), max_size=3), f"by {name}")
        kept[name] = "".join("." if n in gone else sign for n, sign in enumerate(each))
    before, after = (
        {each.model: each for each in rank(frame_of(f), MODELS, suite="some").models}
        for f in (figures, {**kept, "": asked})
    )
    for name in MODELS:
        assert after[name].rank.worst >= before[name].rank.worst
        assert after[name].rank.best <= before[name].rank.best
        assert set(after[name].better_than) <= set(before[name].better_than)


def test_two_judgements_of_one_name_are_refused_with_their_name() -> None:
    frame = pl.DataFrame([*rows("a", items("11")), *rows("a", items("1")), *rows("b", items("11"))])
    message = r"The suite some gives two judgements of the item 'item-00' the name 'answer'"
    with pytest.raises(RunError, match=message):
        rank(frame, ["a", "b"], suite="some")
    with pytest.raises(RunError, match=message):
        list(pairwise_differences(frame, ["a", "b"], suite="some"))


def test_changes_by_hand() -> None:
    frame = pl.DataFrame([*rows("first", items("1100.")), *rows("second", items("10110"))])
    (change,) = pairwise_differences(frame, ["first", "second"], suite="some")
    assert change.keys == ("first", "second")
    assert (change.gained, change.lost, change.shared) == (2, 1, 4)
    assert change.difference.value == (3 - 2) / 4
    # With a gained and a lost one added, −1, 0, 1, 1, 1, −1 sum to 1: a mean of 1/6, whose
    # variance is (5 − 6/36)/(5 × 6).
    t = (1 / 6) / ((5 - 6 / 36) / 30) ** 0.5
    assert change.test.statistic == pytest.approx(t)
    assert change.test.p == pytest.approx(2 * stats.t(5).sf(t))


def test_changes_say_what_is_undetected_in_both() -> None:
    frame = pl.DataFrame([*rows("first", items("1100")), *rows("second", items("1011"))])
    unclear = pl.when((pl.col("model") == "second") & (pl.col("score") == 0))
    frame = frame.with_columns(
        unclear.then(pl.lit("undetected")).otherwise("outcome").alias("outcome")
    )
    (change,) = pairwise_differences(frame, ["first", "second"], suite="some")
    assert [rate.value for rate in change.undetected] == [0, 1 / 4]


def test_runs_that_share_nothing_have_no_change() -> None:
    frame = pl.DataFrame([*rows("first", items("11..")), *rows("second", items("..11"))])
    assert list(pairwise_differences(frame, ["first", "second"], suite="some")) == []
