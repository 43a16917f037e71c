"""Hindi pairs by seed: the design, the starter set, and the build command."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from epicene.runs.dataset_builder import BuildConfig, build_dataset
from epicene.suites import DataSource
from epicene.suites.alternations import suite
from epicene.suites.alternations.checks import check
from epicene.suites.alternations.construction import build_pairs, pair_row
from epicene.suites.alternations.data import STARTER, PairStream
from epicene.suites.alternations.items import Pair
from epicene.suites.alternations.protocol import PROTOCOLS
from runs.conftest import Silent

PROTOCOL = PROTOCOLS["epicene"]


@pytest.fixture(scope="module")
def pairs() -> list[Pair]:
    return list(build_pairs(0))


@pytest.mark.parametrize("seed", range(8))
def test_every_seed_keeps_to_the_design(seed: int) -> None:
    assert not list(check(list(build_pairs(seed)), PROTOCOL))


def test_another_seed_is_another_set() -> None:
    first, second = ({pair.good for pair in build_pairs(seed)} for seed in (0, 1))
    assert len(first & second) < len(first) / 4
    assert [pair.good for pair in build_pairs(1)] == [pair.good for pair in build_pairs(1)]


def test_numbers(pairs: list[Pair]) -> None:
    assert len(pairs) == 56 * 4
    assert Counter(pair.phenomenon for pair in pairs) == dict.fromkeys(
        ("DV", "SV", "No Case(E)", "No Case(I)"), 56
    )
    lengths = {
        variant: {len(pair.good.split()) for pair in pairs if pair.phenomenon == variant}
        for variant in ("DV", "SV", "No Case(E)", "No Case(I)")
    }
    assert lengths == {
        "DV": {9, 10, 11}, "SV": {9, 10, 11}, "No Case(E)": {8, 9, 10}, "No Case(I)": {7, 8, 9},
    }  # fmt: skip


@pytest.mark.parametrize("seed", range(20))
def test_other_verbs_are_by_halves_intransitive_and_many(seed: int) -> None:
    """As in the paper's Table 1 and its sample: कटवाई / जली, ने with an intransitive verb."""
    different = [pair for pair in build_pairs(seed) if pair.phenomenon == "DV"]
    by_valency = Counter(
        (pair.columns["valency"] == "intransitive", pair.columns["other valency"])
        for pair in different
    )
    assert set(by_valency.values()) == {14}
    verbs = Counter(pair.columns["other verb"] for pair in different)
    assert len(verbs) >= 25
    assert max(verbs.values()) <= 3
    for pair in different:
        assert pair.columns["other verb"] != pair.columns["verb"]


def test_the_starter_set_is_the_first_seed(pairs: list[Pair]) -> None:
    lines = (STARTER / "hindi.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == [pair_row(pair) for pair in pairs]


def test_a_file_gives_back_the_same_pairs(pairs: list[Pair]) -> None:
    assert list(PairStream(STARTER / "hindi.jsonl", {}, "")) == pairs


def test_one_verb_in_all_variants(pairs: list[Pair]) -> None:
    """What the frame of a verb becomes, checked against the table by hand for its shape."""
    dv, sv, e, i = (pair for pair in pairs if pair.group == "kat")
    causer, ne, causee, se, tool, se_too, patient, gold, aux = sv.good.split()
    assert (ne, se, se_too) == ("ने", "से", "से")
    assert sv.bad == f"{sv.prefix} {gold.replace('वाई', 'ी').replace('वाया', 'ा')} {aux}"
    assert dv.good == sv.good
    assert dv.bad.split()[:-2] == sv.bad.split()[:-2]
    assert i.good == f"{causer} ने {causee} से {patient} {gold} {aux}"
    ending, was = ("ता", "था") if e.columns["causer gender"] == "masculine" else ("ती", "थी")
    assert e.good == f"{causer} {causee} से {tool} से {patient} कटवा{ending} {was}"
    assert e.bad == f"{causer} {causee} से {tool} से {patient} कट{ending} {was}"


def test_build_command(tmp_path: Path) -> None:
    order = BuildConfig(suite=suite, folder=tmp_path, settings={"seed": "3"}, models={})
    said = list(build_dataset(order, Silent()))
    assert said[-1] == "224 items, 0 findings."
    read = suite.read(DataSource(path=tmp_path / "pairs.jsonl"), PROTOCOL)
    assert list(read.items) == list(build_pairs(3))
    # The folder itself is data, though other files are in it.
    assert list(suite.read(DataSource(path=tmp_path), PROTOCOL).items) == list(read.items)
    assert (tmp_path / "paradigms.csv").read_text(encoding="utf-8").count("\n") > 1000
