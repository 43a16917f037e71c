"""What is not a person's, or nobody's who is named, stays: no change, whoever is asked for."""

from __future__ import annotations

import pytest

from epicene.rewriting.persons import GENDERS, PERSONS
from rewriting.person_cases import turned
from rewriting.person_scores import starter_pairs

NEUTRAL = [
    "Der Tisch wackelt, und er ist alt.",
    "Das Haus und sein Dach sind neu.",
    "Die Firma hat ihre Preise erhöht.",
    "Die Kinder und ihre Hunde spielen.",
    "Wir fahren morgen mit dem Zug nach Berlin.",
    "Man sieht, dass es regnet.",
    "Jemand hat seinen Schirm vergessen.",
    "Die Lehrer streiken.",
    "Ein Gast fragte nach dem Weg.",
    "Sehr geehrte Damen und Herren, liebe Kolleginnen und Kollegen!",
    "Alle Student*innen und Lehrer/innen sind eingeladen.",
    "Die Deutsche Bank öffnet um neun.",
    "Die Berliner Luft ist gut.",
]


@pytest.mark.parametrize("text", NEUTRAL)
@pytest.mark.parametrize("person", [each for each in PERSONS if each != "others"])
def test_nobody_is_spoken_of(person: str, text: str) -> None:
    for gender in GENDERS:
        assert turned("de", text, person, gender) == text  # type: ignore[arg-type]


@pytest.mark.parametrize("text", [each for each in NEUTRAL if "Damen" not in each])
def test_nothing_is_somebody_elses(text: str) -> None:
    assert turned("de", text, "others", "feminine") == text


@pytest.mark.parametrize("gender", GENDERS)
def test_neutral_sentences_of_the_starter_set_stay(gender: str) -> None:
    for pair in starter_pairs("de"):
        if pair["masculine"] == pair["feminine"]:
            text = pair["masculine"]
            assert turned("de", text, "speaker", gender) == text  # type: ignore[arg-type]
