"""The tables of Arabic forms, which grow as words are looked up, against all forms at once."""

from __future__ import annotations

import sys
from collections import defaultdict
from types import FrameType

from epicene.rewriting.arabic import conjugation, grammar, inflection, lexicon
from epicene.rewriting.arabic.lexicon import NounForm, VerbForm, before_suffix
from epicene.rewriting.arabic.spelling import fold_letters


def test_every_verb_form_is_found() -> None:
    wanted: dict[str, list[VerbForm]] = defaultdict(list)
    for verb in lexicon.all_verbs():
        for letters, cell in conjugation.verb_forms(verb):
            wanted[fold_letters(letters)].append(VerbForm(verb, cell, letters))
    table = lexicon.verb_table()
    assert len(wanted) > 70_000
    assert "" not in wanted
    assert {key: table.get(key) for key in wanted} == wanted


def test_every_noun_form_is_found() -> None:
    wanted: dict[str, list[NounForm]] = defaultdict(list)
    for lemma in lexicon.all_lemmas():
        for letters, form in inflection.noun_forms(lemma):
            wanted[fold_letters(letters)].append(NounForm(lemma, form, letters))
            if form.bound is not False:
                bound = form._replace(bound=True)
                for spelling in inflection.with_clitic(letters):
                    wanted[before_suffix(spelling)].append(NounForm(lemma, bound, spelling))
    table = lexicon.noun_table()
    assert len(wanted) > 35_000
    assert {key: table.get(key) for key in wanted} == wanted


def test_words_of_no_entry_are_found_nowhere() -> None:
    assert not lexicon.verb_table().get("ققققق")
    assert not lexicon.noun_table().get("طبيبان" + "طبيبان")
    assert not lexicon.noun_table().get("")


def test_one_sentence_builds_few_forms() -> None:
    """All forms would take 900,000 calls."""
    lexicon.verb_table.cache_clear()
    lexicon.noun_table.cache_clear()
    calls = 0

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    previous = sys.getprofile()
    sys.setprofile(count)
    try:
        (change, *_) = grammar.find_changes(
            "أنا طباخ متردد وأعمل في المطعم.", {"speaker": "feminine"}
        )
    finally:
        sys.setprofile(previous)
    assert change.after == "طباخة"
    assert calls < 130_000
