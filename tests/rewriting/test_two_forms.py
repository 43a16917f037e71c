"""Pairs joined by a slash show both genders already, and stay in every language."""

from __future__ import annotations

import pytest

from epicene import rewrite

PAIRS = {
    "fr": ("Je suis prêt/prête et étudiant / étudiante.", "speaker"),
    "es": ("El/la profesor/profesora está cansado/cansada.", "others"),
    "pt": ("Estou cansado/cansada.", "speaker"),
    "it": ("Sono uno studente/una studentessa e sono stanco/stanca.", "speaker"),
    "de": ("Der/die Lehrer/Lehrerin hat seine/ihre Tasche.", "others"),
    "ru": ("Я устал/устала и готов/готова.", "speaker"),
    "ar": ("أنا طالب/طالبة.", "speaker"),
    "hi": ("मैं गया/गई था/थी।", "speaker"),
}


@pytest.mark.parametrize("language", PAIRS)
@pytest.mark.parametrize("gender", ["m", "f"])
def test_a_pair_joined_by_a_slash_stays(language: str, gender: str) -> None:
    text, person = PAIRS[language]
    assert rewrite(text, language, **{person: gender}) == text  # type: ignore[call-overload]


def test_two_different_words_joined_by_a_slash_are_rewritten() -> None:
    assert rewrite("il suo amico/assistente", "it", others="f") == "la sua amica/assistente"


def test_husbands_and_watchmen_are_not_stressed_on_their_ending() -> None:
    assert rewrite("Она стала его женой.", "ru", others="m") == "Он стал его мужем."
    assert rewrite("Она работает сторожихой.", "ru", others="m") == "Он работает сторожем."
