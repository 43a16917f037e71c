"""How well Hindi is rewritten: our starter set, and the published pairs of MT-GenEval."""

from __future__ import annotations

from pathlib import Path

import pytest

from epicene.rewriting.persons import GENDERS, Gender
from languages.rewriting.person_scores import (
    MT_GENEVAL,
    mt_geneval_pairs,
    scores,
    starter_pairs,
)


@pytest.mark.parametrize("target", GENDERS)
def test_the_starter_set(target: Gender) -> None:
    found = scores("hi", starter_pairs("hi"), "speaker", target)
    assert found.sga > 0.98
    assert found.left_alone > 0.99


@MT_GENEVAL
@pytest.mark.parametrize("target", GENDERS)
def test_published_pairs_of_the_third_person(published_data: Path, target: Gender) -> None:
    """Both halves of the development set: only its first, third, fifth … lines were looked at."""
    pairs = mt_geneval_pairs(published_data, "hi")
    for half in (pairs[0::2], pairs[1::2]):
        assert scores("hi", half, "others", target).cga > 0.6
