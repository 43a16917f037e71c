"""How a number came about is said by types, not by names of suites."""

from __future__ import annotations

from typing import Literal

import msgspec
import pytest

from epicene.records import Estimate, FirstToken
from epicene.report.how import differing, line, method, settings, undetected, undetected_rate
from epicene.runs.summary import RunSummary
from epicene.suites import Protocol, RunInfo, find_suite


class OwnProtocol(Protocol, frozen=True, kw_only=True):
    first_token: FirstToken = "bos"
    ways: tuple[Literal["one", "two"], ...] = ("one", "two")
    samples: int = 5
    mended: bool = True
    language: str = ""


OWN = OwnProtocol(name="epicene", about="", normalisers=("nfc",))


def test_choices_of_method_go_with_every_table_and_sizes_do_not() -> None:
    assert method({"a": OWN, "b": OWN}) == (
        "protocol epicene · normalisers: nfc · first token: bos · ways: one, two"
    )
    assert settings(OWN) == "seed 0, samples 5, mended yes"


@pytest.mark.parametrize(
    ("suite", "protocol", "told"),
    [
        ("alternations", "paper", "first token: tokenizer-default"),
        ("alternations", "paper", "boundaries: tokenizer"),
        ("misgendering", "epicene", "first token: bos"),
        ("misgendering", "paper", "tokeniser: spacy"),
        ("genform", "paper", "words: whitespace"),
        ("apgc", "paper", "normalisers: alif, ya, ta-marbuta"),
        ("gramvis", "epicene", "parsing: strict"),
    ],
)
def test_what_decides_a_number_is_told_of_every_suite(suite: str, protocol: str, told: str) -> None:
    assert told in method({"model": find_suite(suite).protocols[protocol]})


def run(model: str, rate: float | None) -> RunSummary:
    info = RunInfo(run=model, model=model, protocol="epicene", identities={})
    found = Estimate(value=rate, low=0.0, high=0.2, n=40, why="" if rate is not None else "numbers")
    return RunSummary(info=info, data="starter", metrics={}, undetected=found)


def test_undetected_rates_are_named_model_by_model_or_as_a_range() -> None:
    assert undetected([run("a", None)]) == ""
    assert undetected([run("a", 0.025)]) == "undetected: 2.5 % [0.0, 20.0] of 40"
    assert undetected([run("a", 0.025), run("b", 0.5)]) == "undetected: a 2.5 %, b 50.0 %"
    many = [run(f"m{n}", n / 10) for n in range(6)]
    assert undetected(many) == "undetected: 0.0 % (m0) to 50.0 % (m5)"
    assert undetected([run(f"m{n}", 0.0) for n in range(6)]) == "undetected: 0.0 % in every run"
    assert undetected_rate(Estimate(value=None)) == ""


def test_a_line_leaves_out_what_says_nothing() -> None:
    assert line(("a", "", "b")) == "a · b"


def test_runs_that_differ_in_method_are_said_by_model() -> None:
    other = msgspec.structs.replace(OWN, first_token="none", normalisers=())
    protocols = {"a": OWN, "b": other, "c": OWN}
    assert method(protocols) == (
        "protocol epicene · normalisers: nfc (a, c), none (b) · first token: bos (a, c), none (b)"
        " · ways: one, two"
    )
    assert differing(protocols) == ["normalisers", "first token"]
    assert differing({"a": OWN, "c": msgspec.structs.replace(OWN, samples=9)}) == []
