"""Starter set, published data or the user's own: what a card may say of each."""

from __future__ import annotations

import pytest

from epicene.suites import find_suite
from epicene.suites.alternations.data import PUBLISHED_SHA256 as PUBLISHED_PAIRS
from epicene.suites.data_origin import card_for, data_origin
from epicene.suites.gramvis.data import PUBLISHED_SHA256
from epicene.suites.misgendering.sources import SHA256

PUBLISHED_DEV = "f165fc946865cf9b3a0afd0c5e31fee5855dd5ca7521cd6a11a4c4c873966903"
NAMES = ("alternations", "apgc", "genform", "gramvis", "misgendering")


@pytest.mark.parametrize("name", NAMES)
def test_a_file_of_ones_own_is_not_the_published_data(name: str) -> None:
    suite = find_suite(name)
    assert data_origin(suite, "mine.jsonl", [("mine.jsonl", "0" * 64)]) == "own"
    assert data_origin(suite, "starter", [("templates.toml", "0" * 64)]) == "starter"
    card = card_for(suite, "own")
    assert card.faults == ()
    assert (card.source, card.data_licence, card.published_data) == ("", "", "")
    assert card.about
    assert card_for(suite, "published") is card_for(suite, "starter") is suite.card


@pytest.mark.parametrize(
    ("name", "file", "sha256"),
    [
        ("alternations", "dv.json", PUBLISHED_PAIRS["dv.json"]),
        ("apgc", "dev.arin.tokens", PUBLISHED_DEV),
        ("apgc", "test.arin.tokens", "0" * 64),
        ("apgc", "D-set-test.arin", "0" * 64),
        ("genform", "MORPHOGEN-fr.jsonl", "0" * 64),
        ("gramvis", "counts.csv", PUBLISHED_SHA256),
        ("misgendering", "pronouns.csv", SHA256["misgendered/pronouns.csv"]),
    ],
)
def test_the_published_data_are_known(name: str, file: str, sha256: str) -> None:
    assert data_origin(find_suite(name), "data", [(file, sha256)]) == "published"


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("alternations", ["dv.json"]),  # other pairs in a file of that name
        ("apgc", ["dev.arin.tokens", "dev.ar.MM.tokens"]),  # as `data build` writes them
        ("apgc", ["mine.jsonl", "mine.arin"]),
        ("genform", ["morphogen-fr.jsonl", "mine.jsonl"]),
        ("misgendering", ["task.tsv"]),  # a file of templates
        ("misgendering", ["eo_task.tsv", "pronouns.csv"]),
        ("misgendering", ["task.tsv", "context.tsv", "pronouns.csv"]),
    ],
)
def test_files_that_are_only_called_like_published_ones(name: str, files: list[str]) -> None:
    found = [(file, "0" * 64) for file in files]
    assert data_origin(find_suite(name), "data", found) == "own"


def test_the_full_tables_of_ruff_are_known_by_their_names() -> None:
    found = [("task.tsv", "0" * 64), ("context.tsv", "1" * 64)]
    assert data_origin(find_suite("misgendering"), "ruff", found) == "published"
    both = [("pronouns.csv", SHA256[f"{each}/pronouns.csv"]) for each in ("misgendered", "ruff")]
    assert data_origin(find_suite("misgendering"), "misgendered+ruff", found + both) == "published"


def test_english_beside_the_published_corpus_may_be_ones_own() -> None:
    found = [("dev.arin.tokens", PUBLISHED_DEV), ("subtitles.txt", "0" * 64)]
    assert data_origin(find_suite("apgc"), "data", found) == "published"
