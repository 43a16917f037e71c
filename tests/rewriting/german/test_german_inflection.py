"""Determiners, adjectives and nouns for people, in both genders and every case."""

from __future__ import annotations

import pytest

from epicene.rewriting.german.inflection import (
    CASES,
    Case,
    Cell,
    adjective_ending,
    determiner,
    feminine_of,
    noun_readings,
    relative,
)


def forms(word: str, masculine: str, *, plural: bool = False) -> list[str]:
    """The forms of a determiner; `masculine` is the concord: m, f, n or p."""
    found = determiner(word)
    assert found is not None
    return [found.form("p" if plural else masculine, case) for case in CASES]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("word", "masculine", "feminine"),
    [
        ("der", ["der", "den", "dem", "des"], ["die", "die", "der", "der"]),
        ("ein", ["ein", "einen", "einem", "eines"], ["eine", "eine", "einer", "einer"]),
        ("euer", ["euer", "euren", "eurem", "eures"], ["eure", "eure", "eurer", "eurer"]),
        ("jeder", ["jeder", "jeden", "jedem", "jedes"], ["jede", "jede", "jeder", "jeder"]),
    ],
)
def test_determiners(word: str, masculine: list[str], feminine: list[str]) -> None:
    assert forms(word, "m") == masculine
    assert forms(word, "f") == feminine


def test_contractions_are_undone_where_the_feminine_has_none() -> None:
    contracted = {word: determiner(word) for word in ("zum", "vom", "beim")}
    assert {word: found and found.written("f", "dat") for word, found in contracted.items()} == {
        "zum": "zur",
        "vom": "von der",
        "beim": "bei der",
    }


@pytest.mark.parametrize(
    ("kind", "case", "masculine", "feminine"),
    [
        ("none", "nom", "er", "e"),
        ("none", "dat", "em", "er"),
        ("ein", "nom", "er", "e"),
        ("ein", "dat", "en", "en"),
        ("der", "nom", "e", "e"),
        ("der", "acc", "en", "e"),
    ],
)
def test_adjectives_after_each_kind_of_determiner(
    kind: str, case: Case, masculine: str, feminine: str
) -> None:
    found = [adjective_ending(kind, concord, case) for concord in ("m", "f")]  # type: ignore[arg-type]
    assert found == [masculine, feminine]


@pytest.mark.parametrize(
    ("masculine", "feminine"),
    [
        ("Lehrer", "Lehrerin"),
        ("Kassierer", "Kassiererin"),
        ("Zauberer", "Zauberin"),
        ("Kollege", "Kollegin"),
        ("Autor", "Autorin"),
    ],
)
def test_feminines_in_in(masculine: str, feminine: str) -> None:
    assert feminine_of(masculine) == feminine


@pytest.mark.parametrize(
    ("masculine", "feminine", "cell"),
    [
        ("Arzt", "Ärztin", Cell("nom")),
        ("Anwalts", "Anwältin", Cell("gen")),
        ("Studenten", "Studentin", Cell("acc")),
        ("Nachbarn", "Nachbarin", Cell("dat")),
        ("Herrn", "Dame", Cell("dat")),
        ("Brüdern", "Schwestern", Cell("dat", plural=True)),
        ("Deutschlehrer", "Deutschlehrerin", Cell("nom")),
        ("Hausmeisters", "Hausmeisterin", Cell("gen")),
        ("Kauffrau", "Kauffrau", Cell("nom")),
        ("Junge", "Mädchen", Cell("nom")),
        ("Krankenpfleger", "Krankenschwester", Cell("nom")),
    ],
)
def test_nouns_in_their_cells(masculine: str, feminine: str, cell: Cell) -> None:
    found = [each for each in noun_readings(masculine) if cell in each.cells]
    assert found
    assert found[0].form("feminine", cell, "none") == feminine


@pytest.mark.parametrize(
    ("kind", "masculine", "feminine"),
    [("none", "Angestellter", "Angestellte"), ("der", "Angestellte", "Angestellte")],
)
def test_adjectives_used_as_nouns(kind: str, masculine: str, feminine: str) -> None:
    reading = noun_readings("Angestellter")[0]
    cell = Cell("nom")
    assert reading.form("masculine", cell, kind) == masculine  # type: ignore[arg-type]
    assert reading.form("feminine", cell, kind) == feminine  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "word", ["Mensch", "Person", "Mitglied", "Gast", "Fan", "Computer", "Werkzeuge", "Hermann"]
)
def test_neither_things_nor_words_for_everybody_have_a_pair(word: str) -> None:
    assert noun_readings(word, guess=True) == ()


def test_unknown_words_are_guessed_only_when_asked() -> None:
    assert noun_readings("Schachboxer") != ()  # a compound of Boxer
    assert noun_readings("Grundelwimmler") == ()
    (guess,) = noun_readings("Grundelwimmler", guess=True)
    assert guess.guessed
    assert guess.form("feminine", Cell("nom"), "none") == "Grundelwimmlerin"


def test_relative_pronouns() -> None:
    assert [relative("m", case) for case in CASES] == ["der", "den", "dem", "dessen"]
    assert [relative("f", case) for case in CASES] == ["die", "die", "der", "deren"]
