"""Words that show both genders are recognised, with the forms that they stand for."""

from __future__ import annotations

import pytest

from epicene.localisation.audit.findings import SPELLING_STYLES
from epicene.localisation.audit.spellings import _LANGUAGES, find_spellings

# A text, and each spelling in it: as written, its style, the masculine and the feminine.
SPELLINGS = {
    "fr": [
        ("Je suis prêt·e.", [("prêt·e", "dot", "prêt", "prête")]),
        ("Vous êtes inscrit(e).", [("inscrit(e)", "brackets", "inscrit", "inscrite")]),
        ("les étudiant·e·s", [("étudiant·e·s", "dot", "étudiants", "étudiantes")]),
        ("un acteur·rice", [("acteur·rice", "dot", "acteur", "actrice")]),
        ("ouvrier.e.s", [("ouvrier.e.s", "dot", "ouvriers", "ouvrières")]),
        ("des étudiant-e-s", [("étudiant-e-s", "hyphen", "étudiants", "étudiantes")]),
        ("directeur/trice", [("directeur/trice", "slash", "directeur", "directrice")]),
        ("heureux·se", [("heureux·se", "dot", "heureux", "heureuse")]),
        ("les musicien(ne)s", [("musicien(ne)s", "brackets", "musiciens", "musiciennes")]),
        ("Bonjour à tou·te·s", [("tou·te·s", "dot", "tous", "toutes")]),
        ("iel arrive", [("iel", "new word", "il", "elle")]),
        ("à toutes et à tous", [("toutes et à tous", "both words", "tous", "toutes")]),
        ("il ou elle", [("il ou elle", "both words", "il", "elle")]),
        (
            "Étudiantes et étudiants",
            [("Étudiantes et étudiants", "both words", "Étudiants", "Étudiantes")],
        ),
    ],
    "de": [
        ("alle Nutzer*innen", [("Nutzer*innen", "star", "Nutzer", "Nutzerinnen")]),
        ("jede*r", [("jede*r", "star", "jeder", "jede")]),
        ("Teilnehmer:in", [("Teilnehmer:in", "colon", "Teilnehmer", "Teilnehmerin")]),
        ("LehrerInnen", [("LehrerInnen", "capital", "Lehrer", "Lehrerinnen")]),
        ("Kund(inn)en", [("Kund(inn)en", "brackets", "Kunden", "Kundinnen")]),
        (
            "ein/e Kunde/in",
            [("ein/e", "slash", "ein", "eine"), ("Kunde/in", "slash", "Kunde", "Kundin")],
        ),
        ("er oder sie", [("er oder sie", "both words", "er", "sie")]),
        (
            "Kundinnen und Kunden",
            [("Kundinnen und Kunden", "both words", "Kunden", "Kundinnen")],
        ),
    ],
    "es": [
        ("Bienvenid@s", [("Bienvenid@s", "at", "Bienvenidos", "Bienvenidas")]),
        ("hola a todxs", [("todxs", "x", "todos", "todas")]),
        ("seguro/a", [("seguro/a", "slash", "seguro", "segura")]),
        ("profesor(a)", [("profesor(a)", "brackets", "profesor", "profesora")]),
        ("los doctores/as", [("doctores/as", "slash", "doctores", "doctoras")]),
        ("amigos y amigas", [("amigos y amigas", "both words", "amigos", "amigas")]),
        ("bienvenides", [("bienvenides", "new word", "bienvenidos", "bienvenidas")]),
    ],
    "it": [
        ("Sei sicuro/a?", [("sicuro/a", "slash", "sicuro", "sicura")]),
        ("uno studente/ssa", [("studente/ssa", "slash", "studente", "studentessa")]),
        ("ciao tutt*", [("tutt*", "star", "", "")]),
        ("tuttə", [("tuttə", "schwa", "", "")]),
    ],
    "pt": [
        ("Bem-vindo(a)!", [("Bem-vindo(a)", "brackets", "Bem-vindo", "Bem-vinda")]),
        ("obrigado/a", [("obrigado/a", "slash", "obrigado", "obrigada")]),
        ("amig@s", [("amig@s", "at", "amigos", "amigas")]),
    ],
    "ru": [
        ("Ты готов(а)?", [("готов(а)", "brackets", "готов", "готова")]),
        ("Ты вошёл(ла)", [("вошёл(ла)", "brackets", "вошёл", "вошла")]),
        ("сделал/а", [("сделал/а", "slash", "сделал", "сделала")]),
        ("вернулся(ась)", [("вернулся(ась)", "brackets", "вернулся", "вернулась")]),
        ("Он(а) здесь", [("Он(а)", "brackets", "Он", "Она")]),
        ("он или она", [("он или она", "both words", "он", "она")]),
    ],
    "ar": [
        ("طالب/ة", [("طالب/ة", "slash", "طالب", "طالبة")]),
        ("أنت مدعو(ة)", [("مدعو(ة)", "brackets", "مدعو", "مدعوة")]),
        ("عزيزي/تي", [("عزيزي/تي", "slash", "عزيزي", "عزيزتي")]),
        ("المستخدمين/ات", [("المستخدمين/ات", "slash", "المستخدمين", "المستخدمات")]),
        ("هو أو هي", [("هو أو هي", "both words", "هو", "هي")]),
    ],
    "hi": [
        ("आप जा सकते/सकती हैं", [("सकते/सकती", "both words", "सकते", "सकती")]),
        ("वह पढ़ता/ती है", [("पढ़ता/ती", "slash", "पढ़ता", "पढ़ती")]),
        ("मैं करूँगा/गी", [("करूँगा/गी", "slash", "करूँगा", "करूँगी")]),
    ],
}

# What only looks like one: numbers of things, addresses, other words.
NOTHING = {
    "fr": ["Fichier(s)", "amazon.es", "Que vas-tu leur dire ?", "et/ou", "mot de passe/code"],
    "de": ["Seite(n)", "Datei(en)", "auf/in", "und/oder", "Termin: Innenstadt"],
    "es": ["y/o", "el caso o la casa", "Linux", "el Bronx", "libro(s)", "yo@ejemplo.es"],
    "it": ["e/o", "il conto e la conta", "2 * 3"],
    "pt": ["e/ou", "arquivo(s)", "o caso e a casa"],
    "ru": ["3 файл(а)", "в/на", "и/или"],
    "ar": ["و/أو", "صفحة (١)"],
    "hi": ["या/और", "हाँ/नहीं"],
}

WRONG = [
    ("de", "Liebe Mitglieder*innen", "Mitglieder*innen", "Mitglieder"),
    ("de", "Studierende:innen", "Studierende:innen", "Studierende"),
    ("fr", "un·e élève·e", "élève·e", "élève"),
    ("es", "muchas person@s", "person@s", "personas"),
    ("pt", "todas as pesso@s", "pesso@s", "pessoas"),
]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [(language, *case) for language, cases in SPELLINGS.items() for case in cases],
)
def test_a_spelling_for_both_is_read(
    language: str, text: str, expected: list[tuple[str, str, str, str]]
) -> None:
    found = find_spellings(text, language)
    assert [(each.text, each.style, each.masculine, each.feminine) for each in found] == expected
    assert all(text[each.start : each.end] == each.text for each in found)


@pytest.mark.parametrize(
    ("language", "text"),
    [(language, text) for language, texts in NOTHING.items() for text in texts],
)
def test_other_marks_are_left_alone(language: str, text: str) -> None:
    assert find_spellings(text, language) == []


@pytest.mark.parametrize(("language", "text", "wrong", "right"), WRONG)
def test_an_ending_on_a_word_for_everybody_is_wrong(
    language: str, text: str, wrong: str, right: str
) -> None:
    """The form without the ending is given as both, so that it can be proposed."""
    (found,) = (each for each in find_spellings(text, language) if each.wrong)
    assert (found.text, found.masculine, found.feminine) == (wrong, right, right)


def test_every_style_can_be_named_in_a_rule() -> None:
    assert {each.style for made in _LANGUAGES.values() for each in made()} == {*SPELLING_STYLES}
