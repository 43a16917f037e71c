"""Starter set, published data or the user's own: what a card may say of each."""

from __future__ import annotations

import pytest

from epicene.suites import find_suite
from epicene.suites.data_origin import card_for, data_origin
from epicene.suites.gramvis.data import PUBLISHED_SHA256
from epicene.suites.misgendering.sources import SHA256

NAMES = ("alternations", "apgc", "genform", "gramvis", "misgendering")


@pytest.mark.parametrize("name", NAMES)
def test_a_file_of_ones_own_is_not_the_published_data(name: str) -> None:
    suite = find_suite(name)
    assert data_origin(suite, "mine.jsonl", [("mine.jsonl", "0" * 64)]) == "own"
    assert data_origin(suite, "starter", [("templates.toml", "0" * 64)]) == "starter"
    card = card_for(suite, "own")
    assert (card.faults, card.source, card.published_data) == ((), "", "")
    assert card.about
    assert card_for(suite, "published") is card_for(suite, "starter") is suite.card


@pytest.mark.parametrize(
    ("name", "file", "sha256"),
    [
        ("alternations", "dv.json", "0" * 64),
        ("apgc", "dev.arin.tokens", "0" * 64),
        ("genform", "MORPHOGEN-fr.jsonl", "0" * 64),
        ("gramvis", "counts.csv", PUBLISHED_SHA256),
        ("misgendering", "pronouns.csv", SHA256["misgendered/pronouns.csv"]),
    ],
)
def test_the_published_data_are_known(name: str, file: str, sha256: str) -> None:
    assert data_origin(find_suite(name), "data", [(file, sha256)]) == "published"
