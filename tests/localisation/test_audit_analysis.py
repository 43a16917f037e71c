"""What one string shows: whose gender, in which words, what is wrong, and its other forms."""

from __future__ import annotations

from pathlib import Path

import pytest

import epicene
from epicene.localisation.audit.analysis import Analyser
from epicene.localisation.audit.findings import Finding, Problem, ShownWord, UndecidedWord
from epicene.localisation.audit.spellings import find_spellings
from epicene.localisation.people import PeopleRules, parse_people
from epicene.localisation.strings import LocalisedString

# A text, the gender it shows of each person, and its other forms by person and gender.
SHOWN = [
    (
        "fr",
        "Vous êtes connecté.",
        {"listener": "masculine"},
        {("listener", "feminine"): "Vous êtes connectée."},
    ),
    (
        "fr",
        "Je suis ravie de vous voir.",
        {"speaker": "feminine"},
        {("speaker", "masculine"): "Je suis ravi de vous voir."},
    ),
    (
        "fr",
        "Tu es inscrit(e) !",
        {"listener": "both"},
        {
            ("listener", "masculine"): "Tu es inscrit !",
            ("listener", "feminine"): "Tu es inscrite !",
        },
    ),
    (
        "fr",
        "Il est parti, et je suis fatiguée.",
        {"others": "masculine", "speaker": "feminine"},
        {
            ("others", "feminine"): "Elle est partie, et je suis fatiguée.",
            ("speaker", "masculine"): "Il est parti, et je suis fatigué.",
        },
    ),
    (
        "ar",
        "أنت غير متصل بالشبكة.",
        {"listener": "masculine"},
        {("listener", "feminine"): "أنت غير متصلة بالشبكة."},
    ),
    (
        "ar",
        "أنا سعيدة بلقائك.",
        {"speaker": "feminine"},
        {("speaker", "masculine"): "أنا سعيد بلقائك."},
    ),
    (
        "hi",
        "क्या आप लॉग आउट करना चाहते हैं?",
        {"listener": "masculine"},
        {("listener", "feminine"): "क्या आप लॉग आउट करना चाहती हैं?"},
    ),
    (
        "hi",
        "मैं आपकी मदद कर सकती हूँ।",
        {"speaker": "feminine"},
        {("speaker", "masculine"): "मैं आपकी मदद कर सकता हूँ।"},
    ),
    (
        "en",
        "Ask him for his password.",
        {"others": "masculine"},
        {("others", "feminine"): "Ask her for her password."},
    ),
    (
        "de",
        "Bist du ein neuer Nutzer?",
        {"listener": "masculine"},
        {("listener", "feminine"): "Bist du eine neue Nutzerin?"},
    ),
    (
        "es",
        "¿Estás seguro?",
        {"listener": "masculine"},
        {("listener", "feminine"): "¿Estás segura?"},
    ),
    ("it", "Sei pronta?", {"listener": "feminine"}, {("listener", "masculine"): "Sei pronto?"}),
    (
        "pt",
        "Você está conectado.",
        {"listener": "masculine"},
        {("listener", "feminine"): "Você está conectada."},
    ),
    (
        "ru",
        "Ты вошла в систему.",
        {"listener": "feminine"},
        {("listener", "masculine"): "Ты вошёл в систему."},
    ),
    ("ru", "Ты готов(а)?", {"listener": "both"}, {
        ("listener", "masculine"): "Ты готов?",
        ("listener", "feminine"): "Ты готова?",
    }),
]  # fmt: skip

# Strings that are wrong in themselves.
PROBLEMS = [
    ("fr", "Je suis prêt et contente.", ["mixed"]),
    ("fr", "Je suis prêt·e et content.", ["partly-inclusive"]),
    ("fr", "Vous êtes prêt(e) ou déjà parti·e ?", ["several-spellings"]),
    ("fr", "Bonjour, chère client !", ["mixed", "disagreement"]),
    ("fr", "Voici une administrateur.", ["disagreement"]),
    ("ar", "أنا سعيد ومتعبة.", ["mixed"]),
    ("ar", "عزيزي العميلة", ["disagreement"]),
    ("hi", "मैं थक गया हूँ और मैं घर जा रही हूँ।", ["mixed"]),
    ("de", "Ich bin Schüler und Lehrerin.", ["mixed"]),
    ("de", "Für alle Mitglieder*innen", ["needless-ending"]),
    ("de", "Kund:innen und Nutzer*innen", ["several-spellings"]),
    ("de", "Sie ist ein Nutzerin.", ["disagreement"]),
    ("es", "Estimado usuaria:", ["disagreement"]),
    ("it", "Cara amico,", ["disagreement"]),
    ("pt", "Prezado usuária,", ["disagreement"]),
    ("ru", "Я готов и уверена.", ["mixed"]),
    ("ru", "Дорогой подруга!", ["disagreement"]),
]

# Nothing here is about a person, or shows no gender.
NOTHING = [
    ("fr", "Le fichier a été enregistré."),
    ("fr", "Nouveau message"),
    ("ar", "تم حفظ الملف."),
    ("hi", "नया संदेश"),
    ("en", "They updated their profile."),
    ("en", "The file was saved."),
    ("de", "Die Datei wurde gespeichert."),
    ("es", "El archivo se guardó."),
    ("it", "Il file è stato salvato."),
    ("pt", "O arquivo foi salvo."),
    ("ru", "Файл открыт."),
    # Both genders are written for, by a selector.
    ("fr", "{gender, select, male {Vous êtes prêt} female {Vous êtes prête} other {Bienvenue}}"),
]


def shown(text: str, language: str) -> Finding | None:
    return next(iter(epicene.audit(text, language).findings), None)


def analysed(text: str, language: str) -> Finding:
    found = shown(text, language)
    assert found is not None
    parts: list[ShownWord | Problem | UndecidedWord] = [
        *found.words,
        *found.problems,
        *found.undecided,
    ]
    assert all(text[each.start : each.end] == each.text for each in parts)
    return found


@pytest.mark.parametrize(("language", "text", "people", "forms"), SHOWN)
def test_whose_gender_and_the_other_form(
    language: str, text: str, people: dict[str, str], forms: dict[tuple[str, str], str]
) -> None:
    found = analysed(text, language)
    assert found.people == people
    assert {(each.whose, each.gender): each.text for each in found.forms} == forms
    assert found.problems == ()


@pytest.mark.parametrize(("language", "text", "kinds"), PROBLEMS)
def test_what_does_not_go_together(language: str, text: str, kinds: list[str]) -> None:
    assert [problem.kind for problem in analysed(text, language).problems] == kinds


@pytest.mark.parametrize(("language", "text"), NOTHING)
def test_what_shows_no_gender_is_not_reported(language: str, text: str) -> None:
    found = shown(text, language)
    assert found is None or not (found.words or found.problems)


def test_an_inclusive_word_shows_both_and_not_a_man() -> None:
    found = analysed("Tout·e étudiant·e est le/la bienvenu·e.", "fr")
    assert {word.gender for word in found.words} == {"both"}


def test_a_person_named_in_both_genders_is_shown_with_both() -> None:
    found = analysed("Liebe Nutzerin, lieber Nutzer, hallo!", "de")
    assert (found.people, found.problems, found.forms) == ({"listener": "both"}, (), ())


def test_markup_and_placeholders_stay_in_the_other_form() -> None:
    found = analysed("{name}, vous êtes <b>connecté(e)</b> ?", "fr")
    assert [word.text for word in found.words] == ["connecté(e)"]
    assert {form.text for form in found.forms} == {
        "{name}, vous êtes <b>connecté</b> ?",
        "{name}, vous êtes <b>connectée</b> ?",
    }


def test_what_is_in_a_placeholder_or_an_address_is_not_read() -> None:
    assert shown("{student(e)} https://exemple.fr/etudiant.e.s %(e)s", "fr") is None
    assert shown("Call {he} at her@example.org", "en") is None


def test_two_people_of_two_genders_are_no_problem() -> None:
    found = analysed("He told her.", "en")
    assert found.people == {"others": "mixed"}
    assert found.problems == ()


def test_english_has_a_form_without_gender() -> None:
    assert analysed("He has changed his picture.", "en").neutral == (
        "They have changed their picture."
    )
    both = analysed("He or she can log in.", "en")
    assert (both.people, both.neutral) == ({"others": "both"}, "They can log in.")


def test_a_needless_ending_is_taken_off() -> None:
    found = analysed("Für alle Mitglieder*innen", "de")
    assert (found.neutral, found.forms) == ("Für alle Mitglieder", ())


def test_the_rewriter_knows_a_masculine_that_the_spelling_does_not_show() -> None:
    found = analysed("Die Kund*innen", "de")
    assert [form.text for form in found.forms] == ["Die Kunden", "Die Kundinnen"]


def test_a_very_long_string_takes_no_longer_than_its_parts() -> None:
    """Ten thousand spellings in one string are found, each once."""
    text = "prêt·e " * 10_000
    assert len(find_spellings(text, "fr")) == 10_000


def test_no_form_is_offered_where_nobody_knows_who_is_meant() -> None:
    """The other words that would have to change were not found, either."""
    found = analysed("Ciao tutt*", "it")
    assert (found.people, found.forms) == ({"unknown": "both"}, ())


UNDECIDED = [
    ("fr", "Rôle : administrateur", ["administrateur"]),
    ("fr", "Enregistré", ["Enregistré"]),
    ("de", "Alle Nutzer sehen diese Seite.", ["Nutzer"]),
    ("ar", "قائمة المستخدمين", ["المستخدمين"]),
    ("hi", "सहेजा गया", ["सहेजा"]),
    ("es", "Guardado", ["Guardado"]),
    ("it", "Salvato", ["Salvato"]),
    ("pt", "Todos os usuários podem ver isto.", ["usuários"]),
]


@pytest.mark.parametrize(("language", "text", "words"), UNDECIDED)
def test_what_could_not_be_decided_is_listed(language: str, text: str, words: list[str]) -> None:
    found = analysed(text, language)
    assert found.is_undecided
    assert [word.text for word in found.undecided] == words


@pytest.mark.parametrize(("language", "text"), [("fr", "Bienvenue !"), ("ar", "جارٍ التحميل…")])
def test_words_that_agree_with_nobody_are_decided(language: str, text: str) -> None:
    assert shown(text, language) is None


def with_people(text: str, notation: str) -> Finding | None:
    rules = PeopleRules(parse_people(notation, "here"))
    string = LocalisedString(index=0, key="k", text=text, line=1, language="fr")
    return next(Analyser("fr").analyse([string], Path("fr.po"), rules))


def test_a_person_whose_gender_is_settled() -> None:
    """The assistant is a woman: her own words are right, a masculine one is wrong."""
    assert with_people("Je suis ravie de vous aider.", "I=f") is None
    found = with_people("Je suis ravi de vous aider.", "I=f")
    assert found is not None
    assert [problem.kind for problem in found.problems] == ["wrong-gender"]
    assert [form.text for form in found.forms] == ["Je suis ravie de vous aider."]


def test_nothing_is_reported_of_somebody_to_be_kept() -> None:
    assert with_people("Je suis ravi de vous aider.", "I=keep") is None


def test_who_the_user_is() -> None:
    found = with_people("Je suis informé des conditions.", "I=user, you=other")
    assert found is not None
    assert found.user == ("speaker",)
