"""Data checks: every way to break a pair or a set is found."""

from __future__ import annotations

import msgspec
import pytest

from epicene.suites.alternations.checks import check
from epicene.suites.alternations.construction import build_pairs
from epicene.suites.alternations.items import Pair
from epicene.suites.alternations.protocol import PROTOCOLS
from suites.worked_cases import Case, each_case, read_cases

PROTOCOL = PROTOCOLS["epicene"]


def findings(pairs: list[Pair]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for finding in check(pairs, PROTOCOL):
        assert finding.severity == "error"
        found.setdefault(finding.place, []).append(finding.message)
    return found


@pytest.fixture(scope="module")
def pairs() -> list[Pair]:
    return list(build_pairs(0))


def _replaced(sentence: str, words: dict[str, str]) -> str:
    """The sentence with other words, of which "" is none."""
    for word in words:
        assert word in sentence.split()
    return " ".join(words.get(word, word) for word in sentence.split()).replace("  ", " ")


@each_case("alternations", "design_checks")
def test_faults_of_designed_pairs(pairs: list[Pair], case: Case) -> None:
    (pair,) = (pair for pair in pairs if pair.id == case["pair"])
    good = _replaced(pair.good, case.get("both", {}) | case.get("good", {}))
    *prefix, gold, after = good.split()
    wrong = msgspec.structs.replace(
        pair,
        good=good,
        bad=_replaced(pair.bad, case.get("both", {}) | case.get("bad", {})),
        prefix=" ".join(prefix),
        gold=gold,
        after=after,
        columns=pair.columns | case.get("columns", {}),
    )
    assert findings([wrong if each is pair else each for each in pairs]) == case["findings"]


def test_repeated_and_missing_verbs(pairs: list[Pair]) -> None:
    again = msgspec.structs.replace(pairs[0], id="again")
    found = findings([*pairs, again])
    assert found["again"] == ["it repeats dv-nach."]
    assert "nācnā occurs 2 times." in found["DV"]
    assert findings(pairs[1:])["DV"][0] == "12 unergative verbs instead of 13."


def test_few_other_verbs(pairs: list[Pair]) -> None:
    """A verb that replaces six, ten in all."""
    few = [
        msgspec.structs.replace(pair, columns=pair.columns | {"other verb": f"verb {n % 10}"})
        for n, pair in enumerate(pairs[:56])
    ]
    found = findings(few)["DV"]
    assert "10 verbs replace others; at least 25 are needed." in found
    assert "verb 0 replaces 6 verbs; at most 3 are allowed." in found


@pytest.mark.parametrize("lacking", ["other verb", "other valency"])
def test_rows_with_fewer_columns_than_the_others(pairs: list[Pair], lacking: str) -> None:
    columns = {name: value for name, value in pairs[2].columns.items() if name != lacking}
    shorter = msgspec.structs.replace(pairs[2], columns=columns)
    assert findings([*pairs[:2], shorter, *pairs[3:]])["DV"] == [
        f"{shorter.id} and 0 more lack the column `other verb` or `other valency`: build the "
        "set again."
    ]


def test_rare_verb(pairs: list[Pair], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("epicene.suites.alternations.checks.has_frequencies", lambda _: True)
    monkeypatch.setattr(
        "epicene.suites.alternations.checks.zipf_value", lambda verb: len(verb.base) / 1
    )
    found = findings(pairs)
    assert found["sonā"] == ["its most common form has a Zipf value of 2.0, below 3.0."]
    assert "paṛhnā" not in found


def test_faults_of_any_pairs() -> None:
    cases = read_cases("alternations", "pair_checks")["cases"]
    made = [Pair(**{key: case[key] for key in case if key != "findings"}) for case in cases]
    assert findings(made) == {case["id"]: case["findings"] for case in cases if case["findings"]}
