"""The pairs that differ in gender agreement only."""

from __future__ import annotations

from collections import Counter

import msgspec
import pytest

from epicene.core.errors import InputError
from epicene.suites import DataSource
from epicene.suites.alternations.checks import check
from epicene.suites.alternations.data import STARTER, PairStream, read
from epicene.suites.alternations.items import Pair
from epicene.suites.alternations.protocol import PROTOCOLS


@pytest.fixture(scope="module")
def pairs() -> list[Pair]:
    return list(PairStream(STARTER / "agreement.jsonl", {}, ""))


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


# --- the other languages -----------------------------------------------------------------------

OTHERS = ("de", "es", "it", "pt", "ru")


def starter(language: str) -> list[Pair]:
    protocol = msgspec.structs.replace(PROTOCOLS["epicene"], language=language)
    return list(read(DataSource(), protocol).items)


@pytest.mark.parametrize("language", OTHERS)
def test_each_other_language_has_its_own_set(language: str) -> None:
    found = starter(language)
    assert {pair.language for pair in found} == {language}
    assert list(check(found, PROTOCOLS["epicene"])) == []
    assert len(found) >= 60
    kinds = Counter(pair.phenomenon.removeprefix(f"{language} ") for pair in found)
    known = {f"{kind} agreement" for kind in ("adjective", "participle", "determiner", "pronoun")}
    assert set(kinds) - {"past tense agreement"} == known
    assert min(kinds.values()) >= 8
    genders = Counter(pair.columns["controller gender"] for pair in found)
    assert genders["feminine"] == genders["masculine"] >= 29
    assert {pair.columns["distance"] for pair in found} == {"near", "distant"}
    assert {pair.columns["attractor"] for pair in found} == {"none", "same", "opposite"}
    assert len({pair.good for pair in found}) == len(found)
    assert all(pair.gloss for pair in found)
    test_one_word_differs_in_its_ending(found)


@pytest.mark.parametrize("language", ["es", "it", "pt"])
def test_the_romance_form_has_the_gender_that_is_said(language: str) -> None:
    for pair in starter(language):
        ((own, other),) = (
            both
            for both in zip(pair.good.split(), pair.bad.split(), strict=True)
            if both[0] != both[1]
        )
        feminine = pair.columns["controller gender"] == "feminine"
        assert own.rstrip(".,?").endswith("a") is feminine, pair.id
        assert other.rstrip(".,?").endswith("a") is not feminine, pair.id


def test_the_default_set_is_as_before_and_unknown_languages_are_refused() -> None:
    assert {pair.language for pair in starter("")} == {"hi", "fr", "ar"}
    assert [pair.id for pair in starter("fr")] == [pair.id for pair in starter("")]
    with pytest.raises(InputError, match="starter set for the language 'xx'"):
        starter("xx")
