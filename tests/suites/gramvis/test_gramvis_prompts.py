"""The prompts: forms of words by hand, whole prompts, and the files that templates come from."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
import regex

from epicene.core.errors import InputError
from epicene.suites.gramvis.items import CONDITIONS, GRAMMARS, LANGUAGES, Word
from epicene.suites.gramvis.prompts import (
    default_templates,
    prompts_for,
    read_templates,
    slot_forms,
    with_default_languages,
)
from epicene.suites.gramvis.word_lists import read_words
from suites.worked_cases import Case, each_case

WORDS = {word.id: word for word in read_words()}


# Words that agree with a feminine noun in our templates, and with a masculine one.
AGREEING = {
    "FR": ("seule", "seul"),
    "ES": ("completamente sola", "completamente solo"),
    "IT": ("da sola", "da solo"),
    "DE": ("(?<=, )die(?= allein)", "(?<=, )der(?= allein)"),
    "RU": ("одна|одной", "один|одного"),
}


@each_case("gramvis", "slot_forms")
def test_forms_of_words(case: Case) -> None:
    word = WORDS[case["word"]]
    expected = {slot: form for slot, form in case.items() if slot not in ("word", "language")}
    forms = slot_forms(word, case.get("language", word.language))
    assert {slot: forms[slot] for slot in expected} == expected


@each_case("gramvis", "prompts")
def test_whole_prompts(case: Case) -> None:
    prompts = prompts_for(WORDS[case["word"]], case["condition"])
    assert prompts[case["template"] - 1] == case["prompt"]


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
        (without("DE/Kuss/M", genitive="Kusses"), "native", "include its article"),
        (without("RU/власть/F", accusative=""), "native", "has no accusative"),
        (without("FR/vigie/F", article="une"), "native", "give the definite article"),
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
        ({"English": {"f": ["[NOUN]"]}}, "it must be 'any'"),
        ({"French": {"f": "[NOUN]"}}, "not a list"),
        ({"French": {"f": ["une photo"]}}, "without a slot"),
        ({"French": {"f": ["{genitive}"]}}, "the slot 'genitive'"),
        ({"French": {"f": ["{the"]}}, "an unmatched brace"),
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
