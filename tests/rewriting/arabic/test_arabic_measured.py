"""How well Arabic is rewritten, on the Arabic Parallel Gender Corpus."""

from __future__ import annotations

from pathlib import Path

import pytest

from epicene.languages.normalisers import normalise
from epicene.rewriting.persons import Gender, Person
from epicene.suites.apgc.data import read_folder
from epicene.suites.apgc.m2 import EditCounts, count_edits, gold_edits
from epicene.suites.apgc.protocol import FOLDED
from rewriting.person_cases import turned

APGC = pytest.mark.published("apgc/v2.1", "https://github.com/CAMeL-Lab/gender-rewriting")


def _words(text: str) -> list[str]:
    """As the corpus is compared; it has no nunation, so ours goes too."""
    return normalise(text.replace("\u064b", ""), FOLDED).split()


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
    total = EditCounts(0, 0, 0)
    for sentence in (each for each in sentences if each.label in labels):
        source = _words(sentence.text)
        for gender, target in targets.items():
            wanted = gold_edits(source, _words(sentence.targets[target]))
            total += count_edits(
                source, _words(turned("ar", sentence.text, person, gender)), wanted
            )
    assert total.f_half > least
