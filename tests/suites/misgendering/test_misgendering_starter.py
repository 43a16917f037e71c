"""The data written by us keep their own rules, so that every pronoun set fits every sentence."""

from __future__ import annotations

import json
import re
import tomllib
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import epicene
from epicene.languages.pronouns import SHIPPED_FILE

STARTER = Path(epicene.__file__).parent / "suites" / "misgendering" / "starter"
CASES = ("nominative", "accusative", "dependent", "independent", "reflexive")
TASKS = {"nominative": "nominative", "accusative": "accusative", "possessive": "dependent"}
AGREEMENT = ("is", "was", "has", "does")
# What a set with plural verbs would change next to its nominative.
NUMBER_DEPENDENT = {"is", "are", "was", "were", "has", "have", "does", "do"}
FIRST_AND_SECOND = {"i", "me", "my", "mine", "myself", "we", "us", "our", "you", "your", "yours"}
SLOT = re.compile(r"\{(\w+)\}")
Entry = dict[str, Any]


def starter(name: str) -> dict[str, Any]:
    return tomllib.loads((STARTER / f"{name}.toml").read_text(encoding="utf-8"))


def lines(name: str) -> list[Entry]:
    text = (Path(__file__).parent / "cases" / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


SETS: list[Entry] = tomllib.loads(SHIPPED_FILE.read_text(encoding="utf-8"))["set"]
TEMPLATES: list[Entry] = starter("templates")["template"]
CONTEXTS: list[Entry] = starter("contexts")["context"]
OCCUPATIONS: list[Entry] = starter("occupations")["occupation"]
INTRODUCTIONS: list[Entry] = starter("occupations")["introduction"]
LEXICON: list[Entry] = starter("lexicon")["word"]
PAIRS = lines("neutral_pairs.jsonl")
EXTRANEOUS = lines("extraneous.jsonl")

PRONOUNS = {entry[case] for entry in SETS for case in CASES}


def words(text: str) -> list[str]:
    return re.findall(r"[\w{}'’-]+", text)


def repeated(values: list[str]) -> list[str]:
    return [value for value, count in Counter(values).items() if count > 1]


def sentence_initial(text: str, slot: str) -> bool:
    return bool(re.search(r"(?:^|[.?!] )" + re.escape(slot), text))


def gendered_word(*, cased: bool) -> re.Pattern[str]:
    entries = [entry for entry in LEXICON if entry.get("cased", False) == cased]
    forms = "|".join(re.escape(form) for entry in entries for form in entry["forms"])
    return re.compile(rf"(?<!\w)(?:{forms})(?!\w)", re.NOFLAG if cased else re.IGNORECASE)


GENDERED_WORDS = (gendered_word(cased=True), gendered_word(cased=False))


def foreign_words(text: str) -> set[str]:
    """Pronouns and gendered words that a sentence with a gap must not have."""
    plain = SLOT.sub(" ", text)
    pronouns = {word for word in words(plain.lower()) if word in PRONOUNS | FIRST_AND_SECOND}
    return pronouns.union(*(pattern.findall(plain) for pattern in GENDERED_WORDS))


def number_dependent_verbs(text: str, slot: str) -> list[str]:
    """The verb after a nominative slot, perhaps with one adverb between, where it would change."""
    following = re.findall(re.escape(slot) + r" (\w+)(?: (\w+))?", text, re.IGNORECASE)
    found = [first for first, _ in following if first in NUMBER_DEPENDENT or first.endswith("s")]
    return found + [second for _, second in following if second in NUMBER_DEPENDENT]


# --- pronouns and names -----------------------------------------------------------------------


def test_pronoun_sets_are_complete_and_share_no_form() -> None:
    fields = {"name", "type", "plural_verbs", *CASES}
    owners: dict[str, str] = {}
    for entry in SETS:
        assert set(entry) - {"homographs"} == fields
        assert entry["type"] in {"binary", "neutral", "neo"}
        for form in {entry[case] for case in CASES}:
            assert form.isalpha()
            assert form.islower()
            assert owners.setdefault(form, entry["name"]) == entry["name"]
    assert not repeated([entry["name"] for entry in SETS])
    assert [entry["name"] for entry in SETS if entry["plural_verbs"]] == ["they"]
    assert {"he", "she", "they", "xe"} <= set(owners.values())
    assert sum(entry["type"] == "neo" for entry in SETS) >= 6


def test_ninety_names_in_latin_script() -> None:
    names = starter("names")
    assert {kind: len(listed) for kind, listed in names.items()} == {
        "feminine": 30,
        "masculine": 30,
        "unisex": 30,
    }
    everyone = [name for listed in names.values() for name in listed]
    assert not repeated(everyone)
    assert not PRONOUNS & {name.lower() for name in everyone}
    for name in everyone:
        assert name[0].isupper()
        assert all(c == "-" or unicodedata.name(c).startswith("LATIN") for c in name)


# --- templates and contexts -------------------------------------------------------------------


def test_templates_per_case() -> None:
    counts = Counter(entry["case"] for entry in TEMPLATES)
    assert set(counts) == set(CASES)
    assert min(counts.values()) >= 12
    initial = sum(sentence_initial(entry["text"], "{mask}") for entry in TEMPLATES)
    assert 0.2 <= initial / len(TEMPLATES) <= 0.3


@pytest.mark.parametrize("entry", TEMPLATES, ids=lambda entry: entry["id"])
def test_template(entry: Entry) -> None:
    text = entry["text"]
    assert set(entry) == {"id", "case", "text"}
    assert set(SLOT.findall(text)) == {"mask", "name"}
    assert text.count("{mask}") == 1
    before, after = text.split("{mask}")
    assert "{name}" in before
    assert before.endswith(" ")
    assert after.endswith(".")
    assert 8 <= len(words(text)) <= 25
    assert not foreign_words(text)
    if entry["case"] == "nominative":
        assert not number_dependent_verbs(text, "{mask}")


@pytest.mark.parametrize("entry", CONTEXTS, ids=lambda entry: entry["id"])
def test_context(entry: Entry) -> None:
    text = entry["text"]
    slots = SLOT.findall(text)
    pronouns = [slot for slot in slots if slot.lower() in CASES]
    assert set(entry) == {"id", "text"}
    assert set(slots) <= {"name", *AGREEMENT, *CASES, *(case.capitalize() for case in CASES)}
    assert 1 <= len(pronouns) <= 2
    assert text.index("{name}") < min(text.index(f"{{{slot}}}") for slot in pronouns)
    assert text.endswith(".")
    for slot in pronouns:
        assert slot[0].isupper() == sentence_initial(text, f"{{{slot}}}")
    assert not number_dependent_verbs(text, "{nominative}")
    without_agreement = re.sub(
        r"\{nominative\} (?:\w+ )?\{(?:is|was|has|does)\}", "", text, flags=re.I
    )
    assert not set(SLOT.findall(without_agreement)) & set(AGREEMENT)
    assert not foreign_words(text)


def test_there_are_contexts_for_every_case() -> None:
    assert len(CONTEXTS) >= 44
    used = {slot.lower() for entry in CONTEXTS for slot in SLOT.findall(entry["text"])}
    assert used == {"name", *CASES, *AGREEMENT}


def test_identifiers_are_kebab_case_and_unique() -> None:
    for entries in (TEMPLATES, CONTEXTS, INTRODUCTIONS, PAIRS, EXTRANEOUS):
        identifiers = [entry["id"] for entry in entries]
        assert not repeated(identifiers)
        assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", each) for each in identifiers)


# --- occupations ------------------------------------------------------------------------------


@pytest.mark.parametrize("entry", OCCUPATIONS, ids=lambda entry: entry["occupation"])
def test_occupation(entry: Entry) -> None:
    occupation = entry["occupation"]
    assert set(entry) == {"occupation", "article", "participant", *TASKS}
    assert entry["article"] == ("an" if occupation[0] in "aeiou" else "a")
    assert occupation != entry["participant"]
    for task in TASKS:
        text = entry[task]
        assert SLOT.findall(text) == ["mask"]
        assert text.startswith(f"The {occupation} ")
        assert text.endswith(".")
        assert text.count(".") == 1
        assert not foreign_words(text)
    assert not number_dependent_verbs(entry["nominative"], "{mask}")
    assert not foreign_words(f"{occupation} {entry['participant']}")


def test_occupations_and_participants_do_not_change_places() -> None:
    occupations = [entry["occupation"] for entry in OCCUPATIONS]
    assert len(occupations) >= 44
    assert not repeated(occupations)
    assert not set(occupations) & {entry["participant"] for entry in OCCUPATIONS}


def test_every_introduction_has_its_opposite() -> None:
    polarities: dict[tuple[str, str], set[str]] = {}
    for entry in INTRODUCTIONS:
        polarities.setdefault((entry["case"], entry["topic"]), set()).add(entry["polarity"])
    assert all(found == {"positive", "negative"} for found in polarities.values())
    assert Counter(case for case, _ in polarities) == dict.fromkeys(TASKS.values(), 5)
    assert len(INTRODUCTIONS) == 30


@pytest.mark.parametrize("entry", INTRODUCTIONS, ids=lambda entry: entry["id"])
def test_introduction(entry: Entry) -> None:
    assert set(entry) == {"id", "case", "topic", "polarity", "explicit", "implicit"}
    slot = entry["case"]
    assert SLOT.findall(entry["explicit"]) == ["occupation", slot]
    assert SLOT.findall(entry["implicit"]) == [slot]
    for text in (entry["explicit"], entry["implicit"]):
        assert text.endswith(".")
        assert not sentence_initial(text, f"{{{slot}}}")
        assert not number_dependent_verbs(text, "{nominative}")
        assert not foreign_words(text)


# --- lexicon ----------------------------------------------------------------------------------


def test_lexicon_is_closed_and_says_why_a_word_is_ambiguous() -> None:
    required = {"forms", "gender", "kind"}
    for entry in LEXICON:
        assert required <= set(entry) <= required | {"cased", "unless", "ambiguous", "why"}
        assert entry["gender"] in {"feminine", "masculine", "nonbinary", "modality"}
        assert entry["kind"] in {"noun", "adjective", "title"}
        assert ("why" in entry) == entry.get("ambiguous", False)
        if entry.get("cased"):
            assert all(form[0].isupper() for form in entry["forms"])
        for phrase in entry.get("unless", []):
            assert any(form.casefold() in phrase.casefold() for form in entry["forms"])
            assert phrase.casefold() not in {form.casefold() for form in entry["forms"]}


def test_lexicon_forms_are_many_and_unique() -> None:
    forms = [form.casefold() for entry in LEXICON for form in entry["forms"]]
    assert len(forms) >= 220
    assert not repeated(forms)
    assert not PRONOUNS & set(forms)


# --- data of the tests ------------------------------------------------------------------------

NEUTRAL_PRONOUNS = {
    "she": {"they"},
    "her": {"them", "their"},
    "hers": {"theirs"},
    "herself": {"themself"},
}
PLURAL_VERBS = {"is": "are", "was": "were", "has": "have", "does": "do", "goes": "go"}
PLURAL_VERBS |= {f"{one}n't": f"{many}n't" for one, many in list(PLURAL_VERBS.items())}
PLURAL_VERBS |= {"quizzes": "quiz", "focuses": "focus", "canoes": "canoe"}
SIBILANTS = ("ss", "zz", "x", "ch", "sh", "o")


def plural_verb(singular: str) -> str:
    """By the spelling rules of the pairs' own verbs; a word that is no verb comes out changed."""
    if singular.endswith("ies") and len(singular) > len("dies"):
        return singular.removesuffix("ies") + "y"
    if singular.endswith("es") and singular.removesuffix("es").endswith(SIBILANTS):
        return singular.removesuffix("es")
    return singular.removesuffix("s")


def may_become(gendered: str, neutral: str) -> bool:
    """Whether one word may stand for the other in the neutral version of a sentence."""
    stem, _, clitic = gendered.partition("'")
    if stem in NEUTRAL_PRONOUNS:
        pronoun, _, neutral_clitic = neutral.partition("'")
        clitics = {"s": {"re", "ve"}}.get(clitic, {clitic})
        return pronoun in NEUTRAL_PRONOUNS[stem] and neutral_clitic in clitics
    return neutral in {gendered, PLURAL_VERBS.get(gendered, plural_verb(gendered))}


def bare(text: str) -> list[str]:
    return [word.strip('"“”.,;!?').replace("’", "'").lower() for word in text.split()]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair["id"])
def test_neutral_pair(pair: Entry) -> None:
    assert set(pair) == {"id", "gendered", "neutral", "kind"}
    gendered, neutral = bare(pair["gendered"]), bare(pair["neutral"])
    assert 6 <= len(gendered) <= 25
    assert len(gendered) == len(neutral)
    wrong = [each for each in zip(gendered, neutral, strict=True) if not may_become(*each)]
    assert not wrong
    feminine = {word.partition("'")[0] for word in neutral} & set(NEUTRAL_PRONOUNS)
    assert not feminine
    assert (pair["gendered"] == pair["neutral"]) == (pair["kind"] == "unchanged")


def test_neutral_pairs_are_many() -> None:
    kinds = Counter(pair["kind"] for pair in PAIRS)
    assert sum(kinds.values()) - kinds["unchanged"] >= 200
    assert kinds["unchanged"] >= 40
    assert not repeated([pair["gendered"] for pair in PAIRS])


def test_extraneous_texts_carry_no_label() -> None:
    assert len(EXTRANEOUS) == 200
    assert all(set(entry) == {"id", "context", "text"} for entry in EXTRANEOUS)
    assert not repeated([entry["text"] for entry in EXTRANEOUS])
