"""Every average of GramVis on counts small enough to be added up by hand."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from scipy.stats import t as student

from epicene.core.records import Estimate, Table
from epicene.show.table_formats import as_json
from epicene.stats.hypothesis_tests import holm
from epicene.suites import Results
from epicene.suites.gramvis.counts import WordCounts, count_array
from epicene.suites.gramvis.figures import WORDS_PER_FIGURE, figures, word_effects
from epicene.suites.gramvis.items import CONDITIONS, LabelCounts
from epicene.suites.gramvis.metrics import (
    Average,
    all_metrics,
    paired_test,
    ratio_terms,
    significance_stars,
)
from epicene.suites.gramvis.protocol import PROTOCOLS, GramvisProtocol
from epicene.suites.gramvis.tables import tables
from suites.gramvis.gramvis_counts import counted, results
from suites.worked_cases import Case, as_number, each_case, read_cases

QUICK = replace(PROTOCOLS["epicene"], mixed=False)

# A word with many images, one with few, one with none that shows a man or a woman.
LARGE = ((2, 8, 0), (5, 5, 0), (8, 2, 6))
SMALL = ((1, 1, 0), (0, 2, 0), (3, 1, 0))
EMPTY = ((1, 3, 0), (1, 3, 0), (0, 0, 4))


def german(category: str = "occupation") -> list[Any]:
    return [
        item
        for word, numbers in (("large", LARGE), ("small", SMALL), ("empty", EMPTY))
        for item in counted(word, numbers, category=category)
    ]


def found(outcome: Results[Any]) -> dict[str, Any]:
    return {table.name: as_json(table) for table in tables(outcome)}


def number(table: Mapping[str, Any], *keys: str) -> Any:
    branch: Any = table
    for key in keys:
        branch = branch[key]
    return branch["value"]


CELL = ("DE", "flux", "M")


WORDS = read_cases("gramvis", "metrics")["words"]


def items_of(case: Case) -> list[LabelCounts]:
    """The counts of a case's words."""
    found: list[LabelCounts] = []
    for name in case["words"]:
        fields = dict(WORDS[name])
        numbers = tuple(tuple(fields.pop(condition)) for condition in CONDITIONS)
        found += counted(name, numbers, **fields)  # type: ignore[arg-type]
    return found


@each_case("gramvis", "metrics")
def test_metrics_worked_out_by_hand(case: Case) -> None:
    outcome = results(items_of(case), QUICK if case["protocol"] == "epicene" else "paper")
    made = found(outcome)
    for name, rows in case["tables"].items():
        for keys, cells in rows.items():
            for column, expected in cells.items():
                value = number(made[name], *keys.split("/"), column)
                assert value == pytest.approx(as_number(expected)), (name, keys, column)
    metrics = all_metrics(outcome)
    for name, expected in case.get("metrics", {}).items():
        assert metrics[name].value == pytest.approx(as_number(expected)), name


def test_cells_without_a_value_say_why_and_intervals_hold_the_value() -> None:
    assert found(results(counted("a", LARGE)))["16"]["DE"]["flux"]["M"]["gendered_m_stars"]["why"]
    made = found(results(german(), QUICK))
    assert "15" not in made
    cell = made["3"]["DE"]["flux"]["M"]["gendered_m"]
    assert cell["low"] <= cell["value"] <= cell["high"]


@pytest.mark.parametrize(
    ("name", "category"),
    [
        ("15", "social_status"),
        ("16", "occupation"),
        ("17", "relationship_descriptors"),
        ("18", "power_dynamic"),
        ("19", "personal_traits"),
    ],
)
def test_each_category_has_its_table(name: str, category: str) -> None:
    names = {table.name for table in tables(results(german(category)))}
    assert names & {"15", "16", "17", "18", "19"} == {name}


@pytest.mark.parametrize("protocol", ["paper", QUICK])
def test_metrics_are_shares_of_1_where_the_table_has_the_paper_s_per_cent(
    protocol: str | GramvisProtocol,
) -> None:
    items = [
        *counted("a", ((4, 3, 1), (4, 4, 0), (2, 2, 4))),
        *counted("b", ((4, 4, 0), (4, 4, 0), (4, 4, 0))),
    ]
    made, printed = all_metrics(results(items, protocol)), found(results(items, protocol))["12"]
    assert made["gendered_neither"].value == pytest.approx((4 / 8 + 0) / 2)
    assert made["english_neither"].value == pytest.approx((1 / 8 + 0) / 2)
    for name in ("english_neither", "chinese_neither", "gendered_neither"):
        cell = printed["average"]["all"]["all"][f"{name}_pct"]
        for end in ("value", "low", "high"):
            share, per_cent = getattr(made[name], end), cell[end]
            assert (share is None) == (per_cent is None)
            assert share is None or 100 * share == pytest.approx(per_cent)
    assert not [name for name in made if name.endswith(("_pct", "_pp"))]


def test_the_paired_test_has_its_closed_form() -> None:
    shares = [(0.25, 0.75), (0.5, 0.5), (0.0, 0.5), (0.25, 1.0)]
    items = [
        item
        for place, (control, gendered) in enumerate(shares)
        for item in counted(
            f"w{place}",
            (
                (round(8 * control), round(8 * (1 - control)), 0),
                (4, 4, 0),
                (round(8 * gendered), round(8 * (1 - gendered)), 0),
            ),
        )
    ]
    gaps = np.array([gendered - control for control, gendered in shares])
    statistic = gaps.mean() / (gaps.std(ddof=1) / math.sqrt(4))
    p = 2 * student.sf(abs(statistic), 3)
    made = found(results(items))
    assert number(made["11"], *CELL, "english_p") == pytest.approx(p)
    assert number(made["3"], *CELL, "gendered_m_stars") == pytest.approx(p)
    assert number(made["3"], *CELL, "gendered_f_stars") is None


def test_stars_are_hidden_where_the_effect_is_reversed_and_capped_by_category() -> None:
    def strong(sign: int) -> list[Any]:
        return [
            item
            for place in range(8)
            for item in counted(
                f"w{place}",
                (
                    (50 - sign * 20 + place, 50 + sign * 20 - place, 0),
                    (50, 50, 0),
                    (50 + sign * 20, 50 - sign * 20, 0),
                ),
            )
        ]

    def marks(items: list[Any], protocol: Any = "paper") -> list[str]:
        made = found(results(items, protocol))
        return [
            made[name]["DE"]["flux"]["M"]["gendered_m_stars"].get("mark", "")
            for name in ("3", "13", "16")
        ]

    assert marks(strong(1)) == ["***", "***", "**"]
    assert marks(strong(-1)) == ["", "", ""]
    assert marks(strong(-1), QUICK) == ["***", "***", "***"]


@pytest.mark.parametrize(
    ("p", "most", "shown"),
    [
        (None, 3, ""),
        (0.05, 3, ""),
        (0.049, 3, "*"),
        (0.0099, 3, "**"),
        (0.0, 3, "***"),
        (0, 2, "**"),
    ],
)
def test_stars(p: float | None, most: int, shown: str) -> None:
    assert significance_stars(p, most) == shown


def test_holm_is_over_the_whole_table() -> None:
    items = [
        item
        for drawer in ("flux", "ideogram")
        for place, gendered in enumerate((5, 7, 6 if drawer == "flux" else 1))
        for item in counted(
            f"w{place}", ((2, 6, 0), (3, 5, 0), (gendered, 8 - gendered, 0)), drawer=drawer
        )
    ]
    made = found(results(items, QUICK))["11"]
    keys = [
        (drawer, control) for drawer in ("flux", "ideogram") for control in ("english", "chinese")
    ]
    raw = [number(made, "DE", drawer, "M", f"{control}_p") for drawer, control in keys]
    adjusted = [number(made, "DE", drawer, "M", f"{control}_p_holm") for drawer, control in keys]
    assert adjusted == pytest.approx(list(holm(raw)))
    assert adjusted != pytest.approx(raw)


def test_the_standard_error_of_a_mean_over_words_is_the_textbooks() -> None:
    shares = np.array([0.25, 0.5, 1.0, 0.75])
    counts = np.zeros((4, 3, 3))
    counts[:, 2, 0], counts[:, 2, 1] = 4 * shares, 4 * (1 - shares)
    part = WordCounts(counts, np.arange(4))
    expected = shares.std(ddof=1) / 2
    for rule in ("words", "images"):  # the same where all words have as many images
        made = Average(rule).standard_error(part, "gendered", "male")
        assert made.value == pytest.approx(expected)
    together = WordCounts(np.concatenate([counts, counts]), np.concatenate([np.arange(4)] * 2))
    again = Average("words").standard_error(together, "gendered", "male")
    assert again.value == pytest.approx(expected)  # a word drawn twice alike tells nothing new


def test_a_word_by_several_models_is_one_observation_where_asked() -> None:
    counts = count_array(
        results(
            [
                item
                for drawer in ("flux", "ideogram")
                for place in range(3)
                for item in counted(
                    f"w{place}", ((4, 4, 0), (4, 4, 0), (5 + place, 3 - place, 0)), drawer=drawer
                )
            ]
        ).frame
    )
    part = counts.select(counts.word_indices())
    assert paired_test(part, "english", "male").n == 6
    assert paired_test(part, "english", "male", by_word=True).n == 3


def test_rules_on_a_word_without_a_man_or_a_woman() -> None:
    part = WordCounts(np.array([[[0, 0, 4]] * 3], dtype=float), np.array([0]))
    assert [
        list(map(float, column)) for column in ratio_terms(part, "english", "male", "words")
    ] == [
        [0.0],
        [0.0],
    ]
    assert Average("words").share(part, "english", "male").value is None
    assert Average("words, empty as no men").share(part, "english", "female").value == 1
    assert Average("images", with_neither=True).share(part, "english", "neither").value == 1


def test_figures_4_and_5_list_the_strongest_words() -> None:
    items = [
        *counted("strong", ((0, 4, 0), (0, 4, 0), (4, 0, 0))),
        *counted("weak", ((0, 4, 0), (0, 4, 0), (1, 3, 0))),
        *counted("contrary", ((4, 0, 0), (0, 4, 0), (1, 3, 0))),
        *counted("unseen", ((4, 0, 0), (0, 4, 0), (0, 0, 4))),
    ]
    outcome = results(items)
    effects = {word: effect for word, _, effect in word_effects(count_array(outcome.frame))}
    assert effects == {"strong (DE)": 1.0, "weak (DE)": 0.25, "contrary (DE)": -0.75}
    drawn = {figure.name: figure for figure in figures(outcome)}
    assert set(drawn) == {"4", "5", "6", "7", "8", "9", "10", "11", "effects"}
    assert [row["y"] for row in drawn["4"].spec["data"]["values"]] == ["strong (DE)", "weak (DE)"]
    assert [row["y"] for row in drawn["5"].spec["data"]["values"]] == ["contrary (DE)"]
    assert not any("left out" in note for note in drawn["4"].notes)
    many = [
        each
        for n in range(WORDS_PER_FIGURE + 2)
        for each in counted(f"word {n:02}", ((0, 4, 0), (0, 4, 0), (n % 4 + 1, 3 - n % 4, 0)))
    ]
    four = next(figure for figure in figures(results(many)) if figure.name == "4")
    assert len(four.spec["data"]["values"]) == WORDS_PER_FIGURE
    assert four.notes[-1] == "2 words with a weaker effect are left out."


def test_headlines_lie_in_their_intervals() -> None:
    made = all_metrics(results(german(), QUICK))
    assert made["rep_M"].low is not None
    for estimate in made.values():
        assert isinstance(estimate, Estimate)
        assert estimate.value is not None or estimate.why


def test_every_table_says_how_it_averages() -> None:
    for protocol in ("paper", QUICK):
        for table in tables(results(german(), protocol)):
            assert isinstance(table, Table)
            assert table.notes or table.name in {"4", "5", "6", "7", "8", "9"}
