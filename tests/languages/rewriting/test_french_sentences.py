"""French sentences rewritten as a person would, both ways, for each person."""

from __future__ import annotations

from typing import get_args

import pytest

from epicene.core.errors import InputError
from epicene.rewriting import Confidence, find_rewriter
from epicene.rewriting.french import rewrite
from epicene.rewriting.persons import PERSONS, Gender, Person
from languages.rewriting.person_cases import Case, read_cases

ALL = [(person, case) for person in PERSONS for case in read_cases(f"french_{person}")]


def turned(text: str, person: Person, gender: Gender) -> str:
    return rewrite(text, {person: gender}).text


def _ids(value: object) -> str:
    return value.masculine if isinstance(value, Case) else str(value)


@pytest.mark.parametrize(("person", "case"), ALL, ids=_ids)
def test_both_ways(person: Person, case: Case) -> None:
    assert turned(case.masculine, person, "feminine") == case.feminine
    assert turned(case.feminine, person, "masculine") == case.masculine


@pytest.mark.parametrize(("person", "case"), ALL, ids=_ids)
def test_who_has_the_gender_already_is_left_alone(person: Person, case: Case) -> None:
    assert turned(case.masculine, person, "masculine") == case.masculine
    assert turned(case.feminine, person, "feminine") == case.feminine


@pytest.mark.parametrize(
    ("text", "speaker", "listener", "others"),
    [
        (
            "Je suis fatigué, tu es content et il est parti.",
            "Je suis fatiguée, tu es content et il est parti.",
            "Je suis fatigué, tu es contente et il est parti.",
            "Je suis fatigué, tu es content et elle est partie.",
        ),
        (
            "Il m'a dit : « Tu es fou, je suis perdu. »",
            "Il m'a dit : « Tu es folle, je suis perdu. »",
            "Il m'a dit : « Tu es fou, je suis perdu. »",
            "Elle m'a dit : « Tu es fou, je suis perdue. »",
        ),
        (
            "Je t'ai vu avec ton frère, il m'avait prévenu.",
            "Je t'ai vu avec ton frère, il m'avait prévenue.",
            "Je t'ai vue avec ton frère, il m'avait prévenu.",
            "Je t'ai vu avec ta sœur, elle m'avait prévenu.",
        ),
    ],
)
def test_only_who_is_named_changes(text: str, speaker: str, listener: str, others: str) -> None:
    assert [turned(text, person, "feminine") for person in PERSONS] == [speaker, listener, others]


def test_all_at_once() -> None:
    rewriting = find_rewriter("fr").open({"speaker": "f", "listener": "f", "others": "f"})
    lines = ["Je suis fatigué, tu es content et il est parti.", "", "Il pleut."]
    assert [each.text for each in rewriting(lines)] == [
        "Je suis fatiguée, tu es contente et elle est partie.",
        "",
        "Il pleut.",
    ]


def test_every_change_says_its_rule_and_how_sure_it_is() -> None:
    text = "Je suis rentré épuisé ; j'ai l'air vieux."
    changes = rewrite(text, {"speaker": "feminine"}).changes
    assert [change.after for change in changes] == ["rentrée", "épuisée", "vieille"]
    assert [change.before for change in changes] == [text[c.start : c.end] for c in changes]
    assert [change.sure for change in changes] == ["certain", "likely", "guess"]
    assert all(change.rule and change.sure in get_args(Confidence) for change in changes)


@pytest.mark.parametrize(
    ("masculine", "feminine"),
    [
        ("Je suis l'homme du moment.", "Je suis la femme du moment."),
        ("C'est moi l'acteur.", "C'est moi l'actrice."),
        ("Je suis un vieil ami.", "Je suis une vieille amie."),
        ("Je suis ce bel inconnu.", "Je suis cette belle inconnue."),
        ("Je suis cet élève.", "Je suis cette élève."),
        ("Je suis mon propre chef.", "Je suis ma propre cheffe."),
        ("Je suis ton ami.", "Je suis ton amie."),
        ("Je suis ton grand ami.", "Je suis ta grande amie."),
        ("Je suis tout heureux.", "Je suis tout heureuse."),
        ("Je suis tout petit.", "Je suis toute petite."),
        ("Je suis tout honteux.", "Je suis toute honteuse."),
        ("Je suis le héros.", "Je suis l'héroïne."),
        ("Je suis celui auquel tu penses.", "Je suis celle à laquelle tu penses."),
        ("J’étais l’aîné.", "J’étais l’aînée."),
        ("JE SUIS PRÊT.", "JE SUIS PRÊTE."),
    ],
)
def test_small_words_and_letters_follow(masculine: str, feminine: str) -> None:
    assert turned(masculine, "speaker", "feminine") == feminine
    assert turned(feminine, "speaker", "masculine") == masculine


@pytest.mark.parametrize(
    ("masculine", "feminine"),
    [
        ("La voix du roi porte.", "La voix de la reine porte."),
        ("Il parle au roi.", "Elle parle à la reine."),
        ("Je viens de chez lui.", "Je viens de chez elle."),
        ("Je parle de lui.", "Je parle d'elle."),
        ("S'il vient, je pars.", "Si elle vient, je pars."),
        ("M. Roux est arrivé.", "Mme Roux est arrivée."),
    ],
)
def test_contraction_and_elision(masculine: str, feminine: str) -> None:
    assert turned(masculine, "others", "feminine") == feminine
    assert turned(feminine, "others", "masculine") == masculine


@pytest.mark.parametrize("text", ["Je suis étudiant(e).", "Je suis prêt·e.", "Nous sommes partis."])
def test_left_alone(text: str) -> None:
    assert turned(text, "speaker", "feminine") == text
    assert turned(text, "speaker", "masculine") == text


def test_decomposed_letters_are_read() -> None:
    assert turned("Je suis fatigue\u0301.", "speaker", "feminine") == "Je suis fatiguée."


def test_somebody_must_be_named() -> None:
    with pytest.raises(InputError, match="--speaker"):
        find_rewriter("fr").open({})


def test_a_gender_must_be_known() -> None:
    with pytest.raises(InputError, match="gender for --speaker"):
        find_rewriter("fr").open({"speaker": "x"})
