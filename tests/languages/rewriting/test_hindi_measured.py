"""How well Hindi is rewritten: our starter set, and the published pairs of MT-GenEval."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import pytest

from epicene.languages.rewriting.people import GENDERS, Gender, Person, other
from epicene.suites.genform.terms import reference_of, tally
from epicene.suites.genform.words import cut
from languages.rewriting.hindi_cases import turned

Pairs = list[dict[Gender, str]]
PUBLISHED = pytest.mark.published(
    "mt-geneval/dev", "https://github.com/amazon-science/machine-translation-gender-eval"
)


class Scores(NamedTuple):
    """SGA, CGA, and the share of neutral sentences left alone."""

    sga: float
    cga: float
    left_alone: float


def scores(pairs: Pairs, person: Person, target: Gender) -> Scores:
    """The paper's metrics, by our segmenter."""
    shares, right, terms, alone = [], 0, 0, []
    for pair in pairs:
        source, wanted = pair[other(target)], pair[target]
        answer = turned(source, person, target)
        reference = reference_of(*(cut(text, "hi", "epicene") for text in (wanted, source)))
        if reference.terms == 0:
            alone.append(answer == source)
            continue
        found = tally(reference, cut(answer, "hi", "epicene")).right
        shares.append(found / reference.terms)
        right, terms = right + found, terms + reference.terms
    return Scores(sum(shares) / len(shares), right / terms, sum(alone) / len(alone))


@pytest.fixture(scope="session")
def starter() -> Pairs:
    text = (files("epicene.suites.genform") / "starter" / "hi.jsonl").read_text("utf-8")
    items = [json.loads(line) for line in text.splitlines()]
    return [{"masculine": item["masculine"], "feminine": item["feminine"]} for item in items]


@pytest.mark.parametrize("target", GENDERS)
def test_the_starter_set(starter: Pairs, target: Gender) -> None:
    found = scores(starter, "speaker", target)
    assert found.sga > 0.98
    assert found.left_alone > 0.99


@PUBLISHED
@pytest.mark.parametrize("target", GENDERS)
def test_published_pairs_of_the_third_person(published_data: Path, target: Gender) -> None:
    """Both halves of the development set: only its odd lines were looked at."""
    folder = published_data / "mt-geneval" / "dev"
    sides = (
        (folder / f"geneval-sentences-{gender}-dev.en_hi.hi").read_text("utf-8").splitlines()
        for gender in GENDERS
    )
    pairs: Pairs = [dict(zip(GENDERS, line, strict=True)) for line in zip(*sides, strict=True)]
    assert len(pairs) == 1200
    for half in (pairs[0::2], pairs[1::2]):
        assert scores(half, "others", target).cga > 0.60
