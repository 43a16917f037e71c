"""The published sample of Hindi pairs: read as it is, and scored as it is."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest

from epicene.core.records import Fill, Score
from epicene.models import parse_spec
from epicene.runs.config import RunConfig
from epicene.runs.run import run
from epicene.runs.stored_run import RunJudgements, read_run
from epicene.suites import Answers, DataSource, choose_protocol
from epicene.suites.alternations import suite
from epicene.suites.alternations.ask import ask_gap, ask_scores
from epicene.suites.alternations.data import read
from epicene.suites.alternations.hindi_analyser import INDIRECT, agrees_with_pair, analyse_verb
from epicene.suites.alternations.items import VARIANTS, Pair
from epicene.suites.alternations.protocol import PROTOCOLS
from runs.conftest import Silent

pytestmark = pytest.mark.published(
    "the sample of Hindi pairs in alternations/", "the repository on the card of alternations"
)

FILES = {"DV": "dv", "SV": "sv", "No Case(E)": "no_er", "No Case(I)": "no_inst"}


@pytest.fixture(scope="module")
def folder(published_data: Path) -> Path:
    return published_data / "alternations"


@pytest.fixture(scope="module")
def pairs(folder: Path) -> list[Pair]:
    return list(read(DataSource(path=folder), PROTOCOLS["paper"]).items)


def test_four_pairs_of_each_variant_byte_for_byte(folder: Path, pairs: list[Pair]) -> None:
    assert len(pairs) == 16
    for variant in VARIANTS:
        raw = json.loads((folder / f"{FILES[variant]}.json").read_text("utf-8"))
        mine = [pair for pair in pairs if pair.phenomenon == variant]
        assert [(pair.good, pair.bad) for pair in mine] == [
            (row["sentence_good"], row["sentence_bad"]) for row in raw
        ]
    assert {pair.language for pair in pairs} == {"hi"}
    assert {pair.group for pair in pairs} == {"0", "1", "2", "3"}


def test_a_letter_that_normalisation_would_change_reaches_the_model(pairs: list[Pair]) -> None:
    held = [pair for pair in pairs if "\u095c" in pair.good]
    assert held
    for pair in held:
        assert unicodedata.normalize("NFC", pair.good) != pair.good
        (scored,) = ask_scores(pair, Answers(), PROTOCOLS["paper"])
        assert isinstance(scored, Score)
        assert scored.texts == (pair.good, pair.bad)


def test_the_field_names_differ_from_file_to_file(pairs: list[Pair]) -> None:
    names = {pair.phenomenon: set(pair.columns) for pair in pairs}
    assert names["DV"] == {"sentence_length_good", "sentence_length_bad", "phenomena_type"}
    assert names["No Case(E)"] == {"sentence_good_length", "sentence_bad_length"}


def test_the_gaps_are_those_of_the_sentences(pairs: list[Pair]) -> None:
    for pair in pairs:
        assert f"{pair.prefix} {pair.gold} {pair.after}" == pair.good
        assert pair.bad.startswith(f"{pair.prefix} ")
        assert pair.bad.endswith(f" {pair.after}")
        assert analyse_verb(pair.gold).kind == INDIRECT
        assert agrees_with_pair(analyse_verb(pair.gold), pair)
    asked = [request for pair in pairs for request in ask_gap(pair, Answers(), PROTOCOLS["paper"])]
    assert len(asked) == 12
    assert all(isinstance(request, Fill) and request.before.endswith(" ") for request in asked)


@pytest.mark.parametrize("protocol", ["paper", "epicene"])
def test_the_sample_is_scored(folder: Path, tmp_path: Path, protocol: str) -> None:
    order = RunConfig(
        suite=suite,
        protocol=choose_protocol(suite, protocol, {}, None),
        models={"model": [parse_spec("ngram")]},
        source=DataSource(path=folder),
        under=tmp_path,
    )
    place, manifest = run(order, Silent())
    assert manifest.state == "complete"
    judged = list(RunJudgements(read_run(place)))
    main = [judgement for judgement in judged if judgement.name == "acceptability"]
    assert len(main) == 16
    assert all(judgement.outcome is not None for judgement in main)
    assert sum(judgement.name == "cloze" for judgement in judged) == 12
