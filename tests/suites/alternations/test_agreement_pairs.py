"""The pairs that differ in gender agreement only."""

from __future__ import annotations

from collections import Counter

import pytest

from epicene.suites.alternations.checks import check
from epicene.suites.alternations.data import STARTER, read_pairs
from epicene.suites.alternations.items import Pair
from epicene.suites.alternations.protocol import PROTOCOLS


@pytest.fixture(scope="module")
def pairs() -> list[Pair]:
    return list(read_pairs(STARTER / "agreement.jsonl", {}, ""))


def test_nothing_is_wrong_with_them(pairs: list[Pair]) -> None:
    assert list(check(pairs, PROTOCOLS["epicene"])) == []


def test_numbers(pairs: list[Pair]) -> None:
    assert Counter(pair.language for pair in pairs) == {"hi": 66, "fr": 66, "ar": 66}
    genders = Counter((pair.language, pair.columns["controller gender"]) for pair in pairs)
    assert set(genders.values()) == {33}
    phenomena = Counter(pair.phenomenon for pair in pairs)
    assert phenomena == {
        "hi subject agreement": 40, "hi object agreement": 18, "hi object with ko": 8,
        "fr adjective agreement": 32, "fr participle agreement": 34,
        "ar adjective agreement": 34, "ar participle agreement": 32,
    }  # fmt: skip
    for language in ("hi", "fr", "ar"):
        own = [pair.columns for pair in pairs if pair.language == language]
        assert {columns["distance"] for columns in own} == {"near", "distant"}
        assert {columns["attractor"] for columns in own} == {"none", "same", "opposite"}


def test_one_word_differs_in_its_ending(pairs: list[Pair]) -> None:
    for pair in pairs:
        good, bad = pair.good.split(), pair.bad.split()
        assert len(good) == len(bad), pair.id
        ((own, other),) = ((g, b) for g, b in zip(good, bad, strict=True) if g != b)
        assert own[0] == other[0], pair.id
        assert abs(len(own) - len(other)) <= 2, pair.id


# The last letters of the acceptable form, where they tell the gender by themselves.
ENDINGS = {
    "hi": {"feminine": ("ी", "ई"), "masculine": ("ा",)},
    "ar": {"feminine": ("ة",), "masculine": ()},
}


def test_the_form_has_the_gender_that_is_said(pairs: list[Pair]) -> None:
    for pair in pairs:
        good, bad = pair.good.split(), pair.bad.split()
        ((own, other),) = ((g, b) for g, b in zip(good, bad, strict=True) if g != b)
        feminine = pair.columns["controller gender"] == "feminine"
        if pair.language == "fr":
            longer = own if len(own.strip(".")) > len(other.strip(".")) else other
            assert (longer == own) is feminine, pair.id
        else:
            ends = ENDINGS[pair.language]["feminine"]
            assert own.endswith(ends) is feminine, pair.id
            assert other.endswith(ends) is not feminine, pair.id
        if pair.language == "hi" and not feminine:
            assert own.endswith(ENDINGS["hi"]["masculine"]), pair.id


def test_ko_stops_agreement(pairs: list[Pair]) -> None:
    blocked = [pair for pair in pairs if pair.phenomenon == "hi object with ko"]
    for pair in blocked:
        assert " ने " in pair.good
        assert " को " in pair.good
        assert pair.good.endswith("ा")
