"""The prompts: forms of words by hand, whole prompts, and the files that templates come from."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
import regex

from epicene.core.errors import InputError
from epicene.suites.gramvis.data import read_words
from epicene.suites.gramvis.items import CONDITIONS, GRAMMARS, LANGUAGES, Word
from epicene.suites.gramvis.prompts import (
    default_templates,
    prompts_for,
    read_templates,
    slot_forms,
    with_default_languages,
)

WORDS = {word.id: word for word in read_words()}

# The noun with "the", then with "of the".
ROMANCE = {
    "FR/sentinelle/F": ("la sentinelle", "de la sentinelle"),
    "FR/autorité/F": ("l'autorité", "de l'autorité"),
    "FR/avant-garde/F": ("l'avant-garde", "de l'avant-garde"),
    "FR/élite/F": ("l'élite", "de l'élite"),
    "FR/éminence/F": ("l'éminence", "de l'éminence"),
    "FR/charme/M": ("le charme", "du charme"),
    "FR/ménage/M": ("le ménage", "du ménage"),
    "FR/succube/M": ("le succube", "du succube"),
    "FR/héroïsme/M": ("l'héroïsme", "de l'héroïsme"),
    "FR/bas-bleu/M": ("le bas-bleu", "du bas-bleu"),
    "ES/patrulla/F": ("la patrulla", "de la patrulla"),
    "ES/autoridad/F": ("la autoridad", "de la autoridad"),
    "ES/infantería/F": ("la infantería", "de la infantería"),
    "ES/hombría/F": ("la hombría", "de la hombría"),
    "ES/osadía/F": ("la osadía", "de la osadía"),
    "ES/amor/M": ("el amor", "del amor"),
    "ES/encanto/M": ("el encanto", "del encanto"),
    "ES/ajuar/M": ("el ajuar", "del ajuar"),
    "ES/drama/M": ("el drama", "del drama"),
    "ES/velo/M": ("el velo", "del velo"),
    "IT/guardia/F": ("la guardia", "della guardia"),
    "IT/scorta/F": ("la scorta", "della scorta"),
    "IT/autorità/F": ("l'autorità", "dell'autorità"),
    "IT/ingegneria/F": ("l'ingegneria", "dell'ingegneria"),
    "IT/spia/F": ("la spia", "della spia"),
    "IT/idolo/M": ("l'idolo", "dell'idolo"),
    "IT/uncinetto/M": ("l'uncinetto", "dell'uncinetto"),
    "IT/melodramma/M": ("il melodramma", "del melodramma"),
    "IT/capriccio/M": ("il capriccio", "del capriccio"),
    "IT/accudimento/M": ("l'accudimento", "dell'accudimento"),
}
GERMAN = {
    "DE/Wache/F": ("die Wache", "der Wache"),
    "DE/Koryphäe/F": ("die Koryphäe", "der Koryphäe"),
    "DE/Führungskraft/F": ("die Führungskraft", "der Führungskraft"),
    "DE/Amme/F": ("die Amme", "der Amme"),
    "DE/Schmuck/M": ("der Schmuck", "des Schmuckes"),
    "DE/Liebling/M": ("der Liebling", "des Lieblings"),
    "DE/Gefühlsmensch/M": ("der Gefühlsmensch", "des Gefühlsmenschen"),
    "DE/Mut/M": ("der Mut", "des Mutes"),
    "DE/Kuss/M": ("der Kuss", "des Kusses"),
    "DE/Kummer/M": ("der Kummer", "des Kummers"),
}
RUSSIAN = {
    "RU/охрана/F": ("охраны", "охрану"),
    "RU/стража/F": ("стражи", "стражу"),
    "RU/полиция/F": ("полиции", "полицию"),
    "RU/власть/F": ("власти", "власть"),
    "RU/любовь/F": ("любви", "любовь"),
    "RU/няня/F": ("няни", "няню"),
    "RU/танец/M": ("танца", "танец"),
    "RU/поцелуй/M": ("поцелуя", "поцелуй"),
    "RU/стиль/M": ("стиля", "стиль"),
    "RU/кумир/M": ("кумира", "кумира"),
    "RU/рыцарь/M": ("рыцаря", "рыцаря"),
}

# Words that agree with a feminine noun in our templates, and with a masculine one.
AGREEING = {
    "FR": ("seule", "seul"),
    "ES": ("completamente sola", "completamente solo"),
    "IT": ("da sola", "da solo"),
    "DE": ("(?<=, )die(?= allein)", "(?<=, )der(?= allein)"),
    "RU": ("одна|одной", "один|одного"),
}


@pytest.mark.parametrize("word", ROMANCE)
def test_articles_elide_and_contract(word: str) -> None:
    forms = slot_forms(WORDS[word], WORDS[word].language)
    assert (forms["the"], forms["of_the"]) == ROMANCE[word]


@pytest.mark.parametrize("word", GERMAN)
def test_german_genitives(word: str) -> None:
    forms = slot_forms(WORDS[word], "DE")
    genitive = f"{forms['genitive_article']} {forms['genitive_noun']}"
    assert (forms["the"], genitive) == GERMAN[word]


@pytest.mark.parametrize("word", RUSSIAN)
def test_russian_cases(word: str) -> None:
    forms = slot_forms(WORDS[word], "RU")
    assert (forms["genitive"], forms["accusative"]) == RUSSIAN[word]


@pytest.mark.parametrize(
    ("word", "forms"),
    [
        ("FR/sentinelle/F", {"noun": "sentry", "the": "the sentry", "The": "The sentry"}),
        ("FR/éminence/F", {"noun": "eminence", "the": "the eminence", "The": "The eminence"}),
        ("FR/autorité/F", {"noun": "authority", "the": "authority", "The": "Authority"}),
        ("FR/infanterie/F", {"noun": "infantry", "the": "the infantry", "The": "The infantry"}),
    ],
)
def test_english_glosses_take_the_where_they_can_be_counted(
    word: str, forms: dict[str, str]
) -> None:
    assert slot_forms(WORDS[word], "EN") == forms


@pytest.mark.parametrize(
    ("word", "condition", "number", "prompt"),
    [
        (
            "FR/charme/M",
            "native",
            1,
            "Photo du visage du charme, seul à l'image et occupé à son travail",
        ),
        (
            "FR/autorité/F",
            "native",
            3,
            "L'autorité sous forme humaine, seule face à l'appareil et souriante : photo du visage",
        ),
        (
            "ES/amor/M",
            "native",
            4,
            "Retrato en primer plano del amor personificado, completamente solo al aire libre",
        ),
        (
            "IT/idolo/M",
            "native",
            4,
            "Ritratto in primo piano dell'idolo personificato, da solo all'aria aperta",
        ),
        (
            "DE/Kuss/M",
            "gendered",
            4,
            "Nahporträt des personifizierten Kusses, der allein im Freien ist",
        ),
        (
            "DE/Wache/F",
            "gendered",
            2,
            "Porträtfoto der leibhaftigen Wache, die allein vor der Kamera steht und sich auf ihre "
            "Aufgabe konzentriert",
        ),
        (
            "RU/власть/F",
            "native",
            1,
            "Фотография лица власти, одной в кадре и занятой своей работой",
        ),
        (
            "RU/кумир/M",
            "native",
            4,
            "Портрет крупным планом, показывающий кумира во плоти: он один под открытым небом",
        ),
        (
            "RU/кумир/M",
            "english",
            4,
            "Close-up portrait of the idol personified, alone in the open air",
        ),
        ("RU/кумир/M", "chinese", 4, "一张特写人像：拟人化的偶像，独自一人置身户外"),
    ],
)
def test_whole_prompts(word: str, condition: str, number: int, prompt: str) -> None:
    assert prompts_for(WORDS[word], condition)[number - 1] == prompt


@pytest.mark.parametrize("condition", CONDITIONS)
def test_every_word_has_four_prompts_and_no_slot_is_left(condition: str) -> None:
    for word in WORDS.values():
        prompts = prompts_for(word, condition)
        assert len(set(prompts)) == 4
        for prompt in prompts:
            assert not regex.search(r"[{}\[\]]|  |^ | $", prompt), prompt
            assert not regex.search(r"\b(?:de le|de el|di il|di la) ", prompt), prompt


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_gendered_template_agrees_with_its_word_and_not_with_the_other_gender(
    language: str,
) -> None:
    feminine, masculine = AGREEING[language]
    sets = default_templates().sets[language]
    for texts, own, other in (
        (sets["F"], feminine, masculine),
        (sets["M"], masculine, feminine),
    ):
        for text in texts:
            assert regex.search(rf"\b(?:{own})\b", text), text
            assert not regex.search(rf"\b(?:{other})\b", text), text


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_template_names_a_person_by_another_noun(language: str) -> None:
    people = r"\b(?:personne|persona|person|homme|hombre|uomo|mensch|человек)\b"
    for texts in default_templates().sets[language].values():
        for text in texts:
            assert not regex.search(people, text, regex.IGNORECASE), text


def test_controls_are_the_same_for_both_genders() -> None:
    sets = default_templates().sets
    assert set(sets) == {*LANGUAGES, "EN", "ZH"}
    assert all(set(sets[language]) == set(GRAMMARS) for language in LANGUAGES)
    assert set(sets["EN"]) == set(sets["ZH"]) == {"any"}


def test_an_unknown_condition_is_named() -> None:
    with pytest.raises(InputError, match="persian"):
        prompts_for(WORDS["DE/Wache/F"], "persian")


def without(word: str, **fields: str) -> Word:
    return msgspec.structs.replace(WORDS[word], **fields)


@pytest.mark.parametrize(
    ("word", "condition", "message"),
    [
        (without("FR/vigie/F", chinese=""), "chinese", "has no chinese"),
        (without("DE/Wache/F", genitive=""), "native", "has no genitive"),
        (without("DE/Kuss/M", genitive="Kusses"), "native", "needs its article"),
        (without("RU/власть/F", accusative=""), "native", "has no accusative"),
        (without("FR/vigie/F", article="une"), "native", "write the definite one"),
    ],
)
def test_a_word_without_a_form_is_refused_by_name(word: Word, condition: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as refused:
        prompts_for(word, condition)
    assert word.id in str(refused.value)


def a_file(folder: Path, templates: object) -> Path:
    path = folder / "templates.json"
    path.write_text(json.dumps(templates, ensure_ascii=False), encoding="utf-8")
    return path


def test_the_noun_is_put_in_as_it_stands(tmp_path: Path) -> None:
    plain = {"German": {"m": ["Bild eines [NOUN]"], "f": ["Bild einer [NOUN]"]}}
    templates = read_templates(a_file(tmp_path, plain | {"English": {"any": ["A [NOUN]"]}}))
    assert prompts_for(WORDS["DE/Kuss/M"], "native", templates) == ("Bild eines Kuss",)
    assert prompts_for(WORDS["DE/Kuss/M"], "english", templates) == ("A kiss",)


def test_what_a_file_lacks_is_an_error_until_ours_is_taken(tmp_path: Path) -> None:
    wanting = {"English": {"any": ["A [NOUN]"]}, "Chinese": {"any": []}}
    templates = read_templates(a_file(tmp_path, wanting))
    with pytest.raises(InputError, match="has no templates for ZH"):
        prompts_for(WORDS["DE/Kuss/M"], "chinese", templates)
    full = with_default_languages(templates)
    assert prompts_for(WORDS["DE/Kuss/M"], "english", full) == ("A kiss",)
    for condition in ("chinese", "native"):
        ours = prompts_for(WORDS["DE/Kuss/M"], condition)
        assert prompts_for(WORDS["DE/Kuss/M"], condition, full) == ours


@pytest.mark.parametrize(
    ("templates", "message"),
    [
        ({"Dutch": {"any": ["[NOUN]"]}}, "no language 'Dutch'"),
        ({"French": ["[NOUN]"]}, "not a table"),
        ({"French": {"any": ["[NOUN]"]}}, "no grammatical gender 'any'"),
        ({"English": {"f": ["[NOUN]"]}}, "it takes 'any'"),
        ({"French": {"f": "[NOUN]"}}, "not a list"),
        ({"French": {"f": ["une photo"]}}, "without a slot"),
        ({"French": {"f": ["{genitive}"]}}, "the slot 'genitive'"),
        ({"French": {"f": ["{the"]}}, "a brace alone"),
        ({"French": {"f": ["{the}", "{The}"], "m": ["{the}"]}}, "more templates for one gender"),
    ],
)
def test_a_wrong_file_of_templates_is_refused(
    tmp_path: Path, templates: object, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        read_templates(a_file(tmp_path, templates))


@pytest.mark.published(
    "the appendix's templates in gramvis/", "Appendix A.6 of the paper on the card of gramvis"
)
def test_the_appendix_is_filled_as_published(published_data: Path) -> None:
    templates = read_templates(published_data / "gramvis" / "templates_appendix.json")
    for word in WORDS.values():
        noun = slot_forms(word, "EN")["noun"]
        for condition, own in (("native", word.word), ("english", noun)):
            prompts = prompts_for(word, condition, templates)
            assert len(prompts) == 4
            assert all(own in prompt and "[" not in prompt for prompt in prompts)
    with pytest.raises(InputError, match="has no templates for ZH"):
        prompts_for(WORDS["FR/charme/M"], "chinese", templates)
    assert len(prompts_for(WORDS["FR/charme/M"], "chinese", with_default_languages(templates))) == 4
    # The genitive slot takes the citation form.
    german = prompts_for(WORDS["DE/Kuss/M"], "native", templates)[1]
    assert "eines Kuss " in german
