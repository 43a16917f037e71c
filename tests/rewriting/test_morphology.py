"""What the languages offer for words out of context, and tables that grow as they are asked."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import metadata
from typing import Any

import pytest

from epicene.rewriting.arabic import morphology as arabic
from epicene.rewriting.dictionaries import PackageFile
from epicene.rewriting.french import morphology as french
from epicene.rewriting.morphology import FormTable, Morphology

LANGUAGES: dict[str, Morphology[Any]] = {"ar": arabic, "fr": french}


@pytest.mark.parametrize(
    ("language", "masculine", "feminine"),
    [
        ("ar", "والطبيب", "والطبيبة"),
        ("ar", "قاض", "قاضية"),
        ("ar", "للمعلمين", "للمعلمات"),
        ("ar", "يكتبون", "يكتبن"),
        ("ar", "لهم", "لهن"),
        ("ar", "وهذا", "وهذه"),
        ("ar", "أنتم", "أنتن"),
        ("fr", "Étudiants", "Étudiantes"),
        ("fr", "heureux", "heureuse"),
        ("fr", "élu", "élue"),
    ],
)
def test_the_likeliest_reading_has_both_genders(
    language: str, masculine: str, feminine: str
) -> None:
    morphology = LANGUAGES[language]
    one, other = morphology.analyse(masculine)[0], morphology.analyse(feminine)[0]
    assert (morphology.inflect(one, "feminine"), morphology.inflect(one, "masculine")) == (
        feminine,
        None,
    )
    assert (morphology.inflect(other, "masculine"), morphology.inflect(other, "feminine")) == (
        masculine,
        None,
    )


@pytest.mark.parametrize(("language", "word"), [("ar", "كتابكم"), ("ar", "في"), ("fr", "médecin")])
def test_what_shows_no_gender_stays(language: str, word: str) -> None:
    morphology = LANGUAGES[language]
    readings = morphology.analyse(word)
    assert readings
    assert morphology.inflect(readings[0], "feminine") is None


@pytest.mark.parametrize(("language", "word"), [("ar", "…"), ("fr", "xyzzy")])
def test_what_is_no_word_has_no_reading(language: str, word: str) -> None:
    assert not LANGUAGES[language].analyse(word)


def test_a_table_expands_only_what_is_asked_for() -> None:
    expanded: list[str] = []

    def forms(verb: str) -> Iterator[tuple[str, str]]:
        expanded.append(verb)
        yield from ((verb + ending, verb) for ending in ("", "s", "ed"))

    table = FormTable(
        ["walk", "talk", "wait", "walks"],
        bucket=lambda word: word[:2],
        bases=lambda w: [w],
        forms=forms,
    )
    assert table.get("zzz") == ()
    assert expanded == []
    assert table.get("walks") == ["walk", "walks"]
    assert table.get("walked") == ["walk"]
    assert table.get("wat") == ()
    assert expanded == ["walk", "wait", "walks"]


def test_a_file_of_a_package_is_found_if_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EPICENE_MORPHOLOGY", raising=False)
    file = PackageFile("pytest", "METADATA")
    path = file.find()
    assert path is not None
    assert path.read_text("utf-8")
    assert file.version() == {"pytest": metadata.version("pytest")}
    assert PackageFile("pytest", "no-such-file").find() is None
    assert PackageFile("no-such-package", "METADATA").version() == {}
    monkeypatch.setenv("EPICENE_MORPHOLOGY", "none")
    assert file.find() is None
    assert file.version() == {}
