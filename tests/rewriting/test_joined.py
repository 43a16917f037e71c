"""Words joined by & or /, or in quotation marks: both change, or neither."""

from __future__ import annotations

import pytest

from rewriting.person_cases import turned

BOTH = [
    ("fr", "Vous êtes inscrit & abonné.", "Vous êtes inscrite & abonnée."),
    ("fr", "Vous êtes inscrit &amp; abonné.", "Vous êtes inscrite &amp; abonnée."),
    ("fr", "Vous êtes inscrit / abonné", "Vous êtes inscrite / abonnée"),
    ("fr", "Tu es « malin » et rusé.", "Tu es « maligne » et rusée."),
    ("fr", "Tu es rusé et « malin ».", "Tu es rusée et « maligne »."),
    ("fr", 'Tu es "malin" mais distrait.', 'Tu es "maligne" mais distraite.'),
    ("fr", "Tu es « malin » & « rusé ».", "Tu es « maligne » & « rusée »."),
    ("es", "Estás suscrito & registrado", "Estás suscrita & registrada"),
    ("es", "Estás dormido / sentado", "Estás dormida / sentada"),
    ("es", 'Estás sentado y "dormido".', 'Estás sentada y "dormida".'),
    ("es", "Estás «dormido» y sentado.", "Estás «dormida» y sentada."),
    ("it", "Sei iscritto & registrato", "Sei iscritta & registrata"),
    ("it", "Sei «stanco» e nervoso.", "Sei «stanca» e nervosa."),
    ("pt", "Você está inscrito & conectado", "Você está inscrita & conectada"),
    ("pt", 'Você está sentado e "calmo".', 'Você está sentada e "calma".'),
]
NEITHER = [
    ("es", "Estás dormido/a"),
    ("es", "Estás dormido/dormida"),
    ("fr", "Les mots « sot » et « fou » sont courts."),
    ("fr", "Adressez-vous à Vidal & Fils."),
    ("fr", "Vous êtes étudiant/e"),
]


@pytest.mark.parametrize(("language", "masculine", "feminine"), BOTH)
def test_both_change(language: str, masculine: str, feminine: str) -> None:
    assert turned(language, masculine, "listener", "feminine") == feminine
    assert turned(language, feminine, "listener", "masculine") == masculine


@pytest.mark.parametrize(("language", "text"), NEITHER)
def test_neither_changes(language: str, text: str) -> None:
    assert turned(language, text, "listener", "feminine") == text
