"""The Arabic starter set keeps the rules of the corpus, and has of every label what it promises."""

from __future__ import annotations

import unicodedata
from collections import Counter
from itertools import groupby, product

import pytest
import regex

from epicene.core.data_files import read_records
from epicene.suites.apgc.construction.selection import separate_punctuation
from epicene.suites.apgc.data import STARTER
from epicene.suites.apgc.english import english_gender
from epicene.suites.apgc.items import OTHER_GENDER, Sentence, check_forms, forms_of_group
from epicene.suites.apgc.statistics import is_reinflection

SENTENCES = list(read_records(STARTER, Sentence, {}))
GROUPS = [list(group) for _, group in groupby(SENTENCES, key=lambda each: each.group)]
ORIGINALS = [group[0] for group in GROUPS]

# Arabic letters of today's spelling and punctuation; no vowel sign, no tatweel, no other script.
PLAIN = regex.compile(r"[ء-غف-ي،؟!. ]+")


def test_sizes() -> None:
    condensed = Counter(sentence.who.condensed for sentence in ORIGINALS)
    both = sum(condensed[first + second] for first, second in product("MF", "MF"))
    assert len(GROUPS) == len({sentence.group for sentence in SENTENCES}) >= 200
    assert len(GROUPS) - condensed["BB"] >= 150
    assert both >= 30


def test_every_label() -> None:
    labels = Counter(sentence.label for sentence in SENTENCES)
    plain = {first + second for first, second in product("MFBN", "MFBN")}
    assert plain <= set(labels)
    # With marks, all combinations that can have one: nobody is not several.
    marked = {
        f"{first}{one}{second}{two}"
        for first, one, second, two in product("MFBN", ("", "!"), "MFBN", ("", "!"))
        if (one or two) and not (first == "N" and one) and not (second == "N" and two)
    }
    assert {label for label in marked if labels[label] < 2} == set()


def test_originals_are_balanced() -> None:
    for person in (0, 1):
        genders = Counter(sentence.label.replace("!", "")[person] for sentence in ORIGINALS)
        assert abs(genders["M"] - genders["F"]) <= 0.05 * (genders["M"] + genders["F"])


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group[0].group)
def test_group(group: list[Sentence]) -> None:
    original = group[0]
    assert [each.who for each in group] == list(original.who.versions)
    assert [each.original for each in group] == [True] + [False] * (len(group) - 1)
    assert [each.id for each in group] == [f"{original.group}.{n + 1}" for n in range(len(group))]
    texts = [each.text for each in group]
    forms = forms_of_group(texts, [each.who for each in group])
    for each in group:
        check_forms(each, each.id)
        assert each.targets == forms
        assert each.english == original.english
        assert (
            each.text == separate_punctuation(each.text) == unicodedata.normalize("NFC", each.text)
        )
        assert PLAIN.fullmatch(each.text), each.text
    assert len(set(texts)) == len(texts)


def test_each_person_changes_words_of_their_own() -> None:
    """What the speaker's gender changes is the same whoever listens, and the other way round."""
    for sentence in ORIGINALS:
        for person in (0, 1):
            changed = []
            for other in "MF":
                ends = [f"{g}{other}" if person == 0 else f"{other}{g}" for g in "MF"]
                one, two = (sentence.targets[end].split() for end in ends)
                changed.append(
                    [n for n, pair in enumerate(zip(one, two, strict=True)) if len(set(pair)) > 1]
                )
            shows = sentence.label.replace("!", "")[person] in OTHER_GENDER
            assert changed[0] == changed[1], sentence.id
            assert bool(changed[0]) is shows, sentence.id


def test_nothing_stands_twice() -> None:
    texts = Counter(sentence.text for sentence in SENTENCES)
    english = Counter(sentence.english for sentence in ORIGINALS)
    assert [text for text, count in (texts + english).items() if count > 1] == []


def test_other_words_and_pronouns() -> None:
    pairs = {
        pair
        for sentence in ORIGINALS
        for pair in zip(*(sentence.targets[t].split() for t in ("MM", "FF")), strict=True)
        if pair[0] != pair[1]
    }
    lexical = {pair for pair in pairs if not is_reinflection(*pair)}
    assert {("أبي", "أمي"), ("أخي", "أختي"), ("رجل", "امرأة"), ("بابا", "ماما")} <= lexical
    assert {("الذين", "اللواتي"), ("تجرؤ", "تجرئين"), ("استعدوا", "استعددن")} <= pairs - lexical
    assert sum(one.endswith("كم") and two.endswith("كن") for one, two in pairs) >= 10


def test_english_shows_gender_in_some() -> None:
    genders = Counter(english_gender(sentence.english) for sentence in ORIGINALS)
    assert genders["M"] >= 15
    assert genders["F"] >= 15
    assert 0.1 <= (genders["M"] + genders["F"]) / len(ORIGINALS) <= 0.2
