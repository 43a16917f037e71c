"""How a number came about is said by types, not by names of suites."""

from __future__ import annotations

import re
from typing import Literal

import msgspec
import pytest

from epicene.core.records import Estimate, FirstToken
from epicene.results.summary import RunSummary
from epicene.show.provenance import (
    differing_protocol_settings,
    joined_line,
    protocol_line,
    settings_line,
    undetected_line,
    undetected_line_of,
)
from epicene.suites import Protocol, RunInfo, find_suite


class OwnProtocol(Protocol, frozen=True, kw_only=True):
    first_token: FirstToken = "bos"
    ways: tuple[Literal["one", "two"], ...] = ("one", "two")
    samples: int = 5
    mended: bool = True
    language: str = ""
    prompt: dict[str, str] = {}


OWN = OwnProtocol(name="epicene", about="", normalisers=("nfc",))


def test_choices_of_method_go_with_every_table_and_sizes_do_not() -> None:
    assert protocol_line({"a": OWN, "b": OWN}) == (
        "protocol epicene · normalisers: nfc · first token: bos · ways: one, two"
    )
    assert settings_line({"a": OWN}) == "seed: 0 · samples: 5 · mended: yes"


def test_other_settings_are_those_of_every_run() -> None:
    other = msgspec.structs.replace(OWN, samples=9, language="fr", prompt={"fr": "!"})
    told = settings_line({"a": OWN, "b": other, "c": OWN})
    parts = told.split(" · ")
    assert parts[:4] == [
        "seed: 0",
        "samples: 5 (a, c), 9 (b)",
        "mended: yes",
        "language: none (a, c), fr (b)",
    ]
    assert re.fullmatch(r"prompt: none \(a, c\), from a file \([0-9a-f]{8}\) \(b\)", parts[4])


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
    assert told in protocol_line({"model": find_suite(suite).protocols[protocol]})


def run(model: str, rate: float | None) -> RunSummary:
    info = RunInfo(run=model, model=model, protocol="epicene", identities={})
    found = Estimate(value=rate, low=0.0, high=0.2, n=40, why="" if rate is not None else "numbers")
    return RunSummary(info=info, data="starter", metrics={}, undetected=found)


def test_undetected_rates_are_named_model_by_model_or_as_a_range() -> None:
    assert undetected_line([run("a", None)]) == ""
    of = "undetected of all judgements:"
    assert undetected_line([run("a", 0.025)]) == f"{of} a 2.5 % [0.0, 20.0] of 40"
    assert (
        undetected_line([run("a", 0.025), run("b", 0.5)]) == f"{of} a 2.5 % of 40, b 50.0 % of 40"
    )
    many = [run(f"m{n}", n / 10) for n in range(6)]
    assert undetected_line(many) == f"{of} 0.0 % (m0) to 50.0 % (m5)"
    alike = [run(f"m{n}", 0.0) for n in range(6)]
    assert undetected_line([*alike, run("other", None)]) == f"{of} 0.0 % in each of 6 runs"


def test_a_rate_has_its_owner_where_another_run_has_none() -> None:
    told = undetected_line([run("a", None), run("b", 0.025)])
    assert told == "undetected of all judgements: b 2.5 % [0.0, 20.0] of 40"


def test_a_rate_says_of_what_it_is() -> None:
    rates = {"a": Estimate(value=0.5, n=2), "b": Estimate(value=0.25, n=4)}
    told = undetected_line_of("these judgements", rates)
    assert told == "undetected of these judgements: a 50.0 % of 2, b 25.0 % of 4"


def test_a_line_leaves_out_what_says_nothing() -> None:
    assert joined_line(("a", "", "b")) == "a · b"


def test_runs_that_differ_in_method_are_said_by_model() -> None:
    other = msgspec.structs.replace(OWN, first_token="none", normalisers=())
    protocols = {"a": OWN, "b": other, "c": OWN}
    assert protocol_line(protocols) == (
        "protocol epicene · normalisers: nfc (a, c), none (b) · first token: bos (a, c), none (b)"
        " · ways: one, two"
    )
    assert differing_protocol_settings(protocols) == ["normalisers", "first token"]


def test_every_setting_but_the_seed_keeps_runs_from_being_compared() -> None:
    other = msgspec.structs.replace(OWN, samples=9, mended=False, prompt={"fr": "!"}, seed=3)
    assert differing_protocol_settings({"a": OWN, "b": other}) == ["samples", "mended", "prompt"]
    assert differing_protocol_settings({"a": OWN, "b": msgspec.structs.replace(OWN, seed=3)}) == []
