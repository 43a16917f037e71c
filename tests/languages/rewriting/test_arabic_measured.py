"""How well Arabic is rewritten: our starter set, MT-GenEval, and the parallel gender corpus."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import pytest

from epicene.languages.normalise import normalise
from epicene.languages.rewriting.people import GENDERS, Gender, Person, other
from epicene.suites.apgc.m2 import Counts, count, gold_edits
from epicene.suites.apgc.sources.folder import read_folder
from epicene.suites.genform.terms import reference_of, tally
from epicene.suites.genform.words import cut
from languages.rewriting.arabic_cases import turned

Pairs = list[dict[Gender, str]]
MT_GENEVAL = pytest.mark.published(
    "mt-geneval/dev", "https://github.com/amazon-science/machine-translation-gender-eval"
)
APGC = pytest.mark.published("apgc/v2.1", "https://github.com/CAMeL-Lab/gender-rewriting")


class Scores(NamedTuple):
    """SGA, CGA, and the share of neutral sentences left alone (1 if there are none)."""

    sga: float
    cga: float
    left_alone: float


def scores(pairs: Pairs, person: Person, target: Gender) -> Scores:
    """The paper's metrics, by our segmenter."""
    shares, right, terms, alone = [], 0, 0, []
    for pair in pairs:
        source, wanted = pair[other(target)], pair[target]
        answer = turned(source, person, target)
        reference = reference_of(*(cut(text, "ar", "epicene") for text in (wanted, source)))
        if reference.terms == 0:
            alone.append(answer == source)
            continue
        found = tally(reference, cut(answer, "ar", "epicene")).right
        shares.append(found / reference.terms)
        right, terms = right + found, terms + reference.terms
    return Scores(
        sum(shares) / len(shares), right / terms, sum(alone) / len(alone) if alone else 1.0
    )


@pytest.fixture(scope="session")
def starter() -> Pairs:
    text = (files("epicene.suites.genform") / "starter" / "ar.jsonl").read_text("utf-8")
    items = [json.loads(line) for line in text.splitlines()]
    return [{"masculine": item["masculine"], "feminine": item["feminine"]} for item in items]


@pytest.mark.parametrize("target", GENDERS)
def test_the_starter_set(starter: Pairs, target: Gender) -> None:
    found = scores(starter, "speaker", target)
    assert found.sga > 0.93
    assert found.left_alone > 0.99


@MT_GENEVAL
@pytest.mark.parametrize("target", GENDERS)
def test_published_pairs_of_the_third_person(published_data: Path, target: Gender) -> None:
    """Both halves of the development set: only its even lines were looked at."""
    folder = published_data / "mt-geneval" / "dev"
    sides = (
        (folder / f"geneval-sentences-{gender}-dev.en_ar.ar").read_text("utf-8").splitlines()
        for gender in GENDERS
    )
    pairs: Pairs = [dict(zip(GENDERS, line, strict=True)) for line in zip(*sides, strict=True)]
    assert len(pairs) == 1200
    for half in (pairs[0::2], pairs[1::2]):
        assert scores(half, "others", target).cga > 0.70


def _words(text: str) -> list[str]:
    """As the corpus is compared; it has no nunation, so ours goes too."""
    return normalise(text.replace("\u064b", ""), ("alif", "ya", "ta-marbuta")).split()


@APGC
@pytest.mark.parametrize(
    ("person", "labels", "targets", "least"),
    [
        ("speaker", {"MB", "FB"}, {"masculine": "MM", "feminine": "FM"}, 0.86),
        ("listener", {"BM", "BF"}, {"masculine": "MM", "feminine": "MF"}, 0.80),
    ],
)
def test_the_parallel_gender_corpus(
    published_data: Path,
    person: Person,
    labels: set[str],
    targets: dict[Gender, str],
    least: float,
) -> None:
    """Groups in which one person alone shows gender, of the development split."""
    sentences, _ = read_folder(published_data / "apgc" / "v2.1", "dev")
    total = Counts(0, 0, 0)
    for sentence in (each for each in sentences if each.label in labels):
        source = _words(sentence.text)
        for gender, target in targets.items():
            wanted = gold_edits(source, _words(sentence.targets[target]))
            total += count(source, _words(turned(sentence.text, person, gender)), wanted)
    assert total.f_half > least
