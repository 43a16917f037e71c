"""People's labels: one of several, pairs of people, people and the machine."""

from __future__ import annotations

import math

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epicene.core.records import Estimate
from epicene.stats import annotator_agreement, paired_agreement
from epicene.stats.agreement import krippendorff


def frame(*rows: tuple[str, str, str | None], name: str = "outcome") -> pl.DataFrame:
    """Rows of item, person and label; items a1 and a2 are of group a."""
    return pl.DataFrame(
        {
            "item": [item for item, _, _ in rows],
            "group": [item[0] for item, _, _ in rows],
            "person": pl.Series([person for _, person, _ in rows], dtype=pl.Categorical),
            "name": pl.Series([name for _ in rows], dtype=pl.Categorical),
            "label": pl.Series([label for _, _, label in rows], dtype=pl.Categorical),
        }
    )


def labels(found: pl.DataFrame) -> dict[str, str]:
    return dict(found.select("item", "label").iter_rows())


def test_most_decide() -> None:
    found = annotator_agreement.majority_labels(
        frame(
            ("a1", "zoe", "yes"),
            ("a1", "ann", "no"),
            ("a1", "bob", "no"),
            ("a2", "ann", "yes"),
        )
    )
    assert labels(found) == {"a1": "no", "a2": "yes"}


def test_a_tie_goes_to_whoever_judged_most() -> None:
    rows = [("a1", "ann", "no"), ("a1", "zoe", "yes"), ("a2", "zoe", "no"), ("b1", "zoe", "no")]
    assert labels(annotator_agreement.majority_labels(frame(*rows)))["a1"] == "yes"
    assert labels(annotator_agreement.majority_labels(frame(*reversed(rows)))) == labels(
        annotator_agreement.majority_labels(frame(*rows))
    )


def test_a_tie_of_who_judged_as_much_goes_by_lot_and_to_no_name() -> None:
    rows = [(f"a{n}", who, label) for n in range(40) for who, label in (("ann", "y"), ("zoe", "n"))]
    found = labels(annotator_agreement.majority_labels(frame(*rows)))
    assert set(found.values()) == {"y", "n"}
    turned = [(item, {"ann": "zoe", "zoe": "ann"}[who], label) for item, who, label in rows]
    assert labels(annotator_agreement.majority_labels(frame(*turned))) == found


def test_every_two_people_are_a_pair() -> None:
    pairs = annotator_agreement.annotator_pairs(
        frame(
            ("a1", "ann", "1"),
            ("a1", "bob", "2"),
            ("a1", "cyd", "2"),
            ("a2", "ann", "1"),
            ("b1", "bob", "3"),
            ("b1", "ann", "4"),
            ("b1", "cyd", None),
        )
    )
    assert sorted(pairs.select("item", "person", "person_b", "a", "b").iter_rows()) == [
        ("a1", "ann", "bob", "1", "2"),
        ("a1", "ann", "cyd", "1", "2"),
        ("a1", "bob", "cyd", "2", "2"),
        ("b1", "ann", "bob", "4", "3"),
    ]


def test_people_beside_the_machine_are_paired_by_item_and_name() -> None:
    said = pl.concat(
        [
            frame(("a1", "ann", "yes"), ("a2", "ann", "no")),
            frame(("a1", "ann", "x"), name="other"),
        ]
    )
    ruled = frame(("a1", "", "no"), ("b1", "", "no")).drop("person")
    pairs = annotator_agreement.pairs_with_automatic(said, ruled)
    assert pairs.select("item", "name", "a", "b").rows() == [("a1", "outcome", "yes", "no")]


TWO = frame(
    *[(f"a{n}", "ann", label) for n, label in enumerate("yyyynnnnny")],
    *[(f"a{n}", "bob", label) for n, label in enumerate("yyynnnnyny")],
)


def test_the_numbers_of_two_people_by_hand() -> None:
    pairs = annotator_agreement.annotator_pairs(TWO)
    raw, error, kappa, mcc, alpha = annotator_agreement.cells(pairs, clustered=False)
    assert raw.value == 0.8
    assert error.value == pytest.approx(math.sqrt(0.8 * 0.2 / 9))
    assert kappa.value == pytest.approx((0.8 - 0.5) / 0.5)
    assert mcc.value == pytest.approx((4 * 4 - 1 * 1) / (5 * 5))
    # 20 ratings, ten of each: expected 2 × 10 × 10 / 19, observed twice two.
    assert alpha.value == pytest.approx(1 - 4 / (200 / 19))
    for each in (raw, kappa, mcc, alpha):
        assert each.low is not None
        assert each.high is not None
        assert each.value is not None
        assert each.low < each.value < each.high
        assert each.n == 10


def test_the_numbers_of_three_people_by_hand() -> None:
    """Ann, Bob and Cyd say y y n of the first item, and so on; every pair counts in both orders."""
    said = {"a1": "yyn", "a2": "ynn", "b1": "yyy", "b2": "nny"}
    rows = [
        (item, who, label)
        for item, all_ in said.items()
        for who, label in zip(("ann", "bob", "cyd"), all_, strict=True)
    ]
    pairs = annotator_agreement.annotator_pairs(frame(*rows))
    for clustered in (True, False):
        raw, _, kappa, mcc, _ = annotator_agreement.cells(pairs, clustered=clustered)
        # Of 12 pairs 1 + 1 + 3 + 1 agree; of 12 labels 7 are y. Ann says y more often than Cyd.
        assert raw.value == pytest.approx(6 / 12)
        chance = (7 / 12) ** 2 + (5 / 12) ** 2
        assert kappa.value == pytest.approx((1 / 2 - chance) / (1 - chance))
        # A table with equal margins: the correlation is κ.
        assert mcc.value == pytest.approx(kappa.value)
        assert kappa.n == mcc.n == 12
        assert kappa.low is not None
        assert kappa.low < (kappa.value or 0)


Said = st.lists(
    st.tuples(
        st.sampled_from(["a1", "a2", "b1", "b2", "c1"]), st.integers(0, 3), st.integers(0, 2)
    ),
    min_size=2,
    max_size=20,
    unique_by=lambda each: each[:2],
)


@settings(max_examples=60, deadline=None)
@given(said=Said, names=st.permutations(["ann", "bob", "cyd", "dan"]), clustered=st.booleans())
def test_what_people_are_called_changes_no_figure(
    said: list[tuple[str, int, int]], names: list[str], clustered: bool
) -> None:
    def figures(called: list[str]) -> tuple[object, ...]:
        mine = frame(*((item, called[who], f"label {label}") for item, who, label in said))
        ruled = frame(*((item, "", "label 1") for item in {item for item, _, _ in said}))
        pairs = annotator_agreement.pairs_with_automatic(mine, ruled.drop("person")).sort("item")
        return (
            annotator_agreement.cells(
                annotator_agreement.annotator_pairs(mine), clustered=clustered
            ),
            annotator_agreement.cells(pairs, clustered=clustered),
        )

    assert figures(names) == figures(["ann", "bob", "cyd", "dan"])


def test_intervals_may_be_over_groups() -> None:
    spread = TWO.with_columns(pl.col("item").alias("group"))
    wide, narrow = (
        annotator_agreement.cells(annotator_agreement.annotator_pairs(each), clustered=True)[2]
        for each in (TWO.with_columns(group=pl.col("item").str.slice(1).cast(int) % 2), spread)
    )
    assert wide.value == narrow.value
    assert (wide.low, wide.high) != (narrow.low, narrow.high)


def test_alpha_is_that_of_all_who_judged() -> None:
    said = {"a1": "112", "a2": "11", "b1": "222", "b2": "12", "b3": "1"}
    rows = [(item, who, label) for item, all_ in said.items() for who, label in zip("xyz", all_)]  # noqa: B905
    found = paired_agreement.alpha(
        annotator_agreement.annotator_pairs(frame(*rows)), clustered=False
    )
    assert found.value == krippendorff([list(all_) for all_ in said.values()]).value


def test_nothing_to_compare_is_a_dash_with_a_reason() -> None:
    none = annotator_agreement.annotator_pairs(frame(("a1", "ann", "yes"), ("a2", "bob", "yes")))
    for cell in annotator_agreement.cells(none, clustered=True):
        assert cell == Estimate(value=None, why="no item was judged both ways")


def test_a_row_for_all_and_one_for_each_value() -> None:
    pairs = annotator_agreement.annotator_pairs(TWO).with_columns(kind=pl.Series(["p", "q"] * 5))
    rows = list(annotator_agreement.by_facet(pairs, ("kind",), clustered=False))
    assert [row.keys for row in rows] == [("all", "all"), ("kind", "p"), ("kind", "q")]
    counts = [cell.n for row in rows if isinstance(cell := row.cells[0], Estimate)]
    assert counts == [10, 5, 5]
