"""Forms of verbs, written out by hand; their Latin letters; the tables as a whole."""

from __future__ import annotations

import unicodedata
from collections import Counter

import pytest

from epicene.suites.alternations.construction import paradigm_rows
from epicene.suites.alternations.hindi_verbs import clause_final, nouns, paradigm, verbs
from epicene.suites.alternations.transliteration import transliterate
from epicene.suites.alternations.unigrams import zipf_value
from suites.worked_cases import Case, each_case


@each_case("alternations", "paradigms")
def test_forms(case: Case) -> None:
    forms = {
        (form.gender, form.number): form.text
        for form in paradigm(verbs()[case["verb"]])
        if (form.stem_kind, form.aspect) == (case["stem"], case["aspect"])
    }
    singular, plural, feminine = case["forms"]
    assert forms == {
        ("m", "sg"): singular,
        ("m", "pl"): plural,
        ("f", "sg"): feminine,
        ("f", "pl"): feminine,  # before थीं, which shows the number
    }


@each_case("alternations", "transliterations")
def test_transliterations(case: Case) -> None:
    assert transliterate(case["hindi"]) == unicodedata.normalize("NFC", case["latin"])


def test_feminine_plural_shows_at_the_end_of_a_clause() -> None:
    assert clause_final("कटवाई", "f", "pl") == "कटवाईं"
    assert clause_final("कटवाए", "m", "pl") == "कटवाए"


def test_paradigms_can_be_read_as_a_table() -> None:
    head, *rows = paradigm_rows()
    stems = sum(2 + bool(verb.direct) for verb in verbs().values())
    assert len(rows) == stems * 8
    wanted = dict(zip(head, rows[-1], strict=True))
    assert wanted == {
        "verb": "parosnā",
        "meaning": "serve",
        "class": "ditransitive",
        "stem": "indirect causative",
        "aspect": "habitual",
        "gender": "feminine",
        "number": "plural",
        "form": "परोसवाती थीं",
        "transliteration": "parosvātī thī̃",
    }


def test_valencies_are_those_of_the_paper() -> None:
    """The classes too, but for ingestives: only eight have a causative and a tool in use."""
    classes = Counter(verb.verb_class for verb in verbs().values())
    assert classes == {
        "unergative": 13, "unaccusative": 15, "transitive": 15, "ingestive": 8, "ditransitive": 5,
    }  # fmt: skip
    valencies = Counter(verb.valency for verb in verbs().values())
    assert valencies == {"intransitive": 28, "transitive": 23, "ditransitive": 5}


def test_every_list_of_the_table_holds_known_words() -> None:
    used: set[str] = set()
    for verb in verbs().values():
        lists = (verb.causers, verb.causees, verb.instruments, verb.recipients, verb.patients)
        for words in lists:
            assert len(words) != 1, verb.id  # another seed needs a choice
            assert len(set(words)) == len(words)
            used.update(words)
        assert not set(verb.causers) & {*verb.causees, *verb.recipients}, verb.id
        assert not set(verb.causees) & {*verb.recipients, *verb.patients}, verb.id
        assert {nouns()[name].gender for name in verb.causers} == {"m", "f"}
        assert verb.id not in verb.partners
        assert {verbs()[name].valency for name in verb.partners} == {"intransitive", "transitive"}
    assert used == set(nouns())


def test_verbs_are_frequent_enough() -> None:
    pytest.importorskip("wordfreq")
    values = {verb.id: zipf_value(verb) for verb in verbs().values()}
    assert min(values.values()) >= 3.0
    # Values of the list, by hand: चखा, किए's verb by करने.
    assert values["chakh"] == 3.19
    assert values["kar"] >= 6.5
