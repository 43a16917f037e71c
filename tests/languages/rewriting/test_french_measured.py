"""How well French is rewritten: our starter set, and the published pairs of MT-GenEval."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import pytest

from epicene.languages.rewriting.french import rewrite
from epicene.languages.rewriting.people import GENDERS, Gender, Person, other
from epicene.suites.genform.terms import reference_of, tally
from epicene.suites.genform.words import cut

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
        answer = rewrite(source, {person: target}).text
        reference = reference_of(*(cut(text, "fr", "epicene") for text in (wanted, source)))
        if reference.terms == 0:
            alone.append(answer == source)
            continue
        found = tally(reference, cut(answer, "fr", "epicene")).right
        shares.append(found / reference.terms)
        right, terms = right + found, terms + reference.terms
    return Scores(sum(shares) / len(shares), right / terms, sum(alone) / max(len(alone), 1))


@pytest.mark.parametrize("target", GENDERS)
def test_the_starter_set(target: Gender) -> None:
    text = (files("epicene.suites.genform") / "starter" / "fr.jsonl").read_text("utf-8")
    found = scores([json.loads(line) for line in text.splitlines()], "speaker", target)
    assert found.sga > 0.98
    assert found.left_alone > 0.99


@PUBLISHED
@pytest.mark.parametrize("target", GENDERS)
def test_published_pairs_of_the_third_person(published_data: Path, target: Gender) -> None:
    """Each half of the development set; only the first 600 lines were looked at."""
    folder = published_data / "mt-geneval" / "dev"
    sides = (
        (folder / f"geneval-sentences-{gender}-dev.en_fr.fr").read_text("utf-8").splitlines()
        for gender in GENDERS
    )
    pairs: Pairs = [dict(zip(GENDERS, line, strict=True)) for line in zip(*sides, strict=True)]
    assert len(pairs) == 1200
    for half in (pairs[:600], pairs[600:]):
        assert scores(half, "others", target).cga > 0.85
