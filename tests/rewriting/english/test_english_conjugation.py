"""The two present forms of a verb, each from the other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epicene.rewriting.english import conjugation
from epicene.rewriting.english.lexicon import lexicon


@pytest.mark.parametrize(
    ("singular", "plural"),
    [
        ("is", "are"),
        ("was", "were"),
        ("has", "have"),
        ("does", "do"),
        ("goes", "go"),
        ("undergoes", "undergo"),
        ("echoes", "echo"),
        ("vetoes", "veto"),
        ("canoes", "canoe"),
        ("tries", "try"),
        ("plays", "play"),
        ("says", "say"),
        ("obeys", "obey"),
        ("dies", "die"),
        ("lies", "lie"),
        ("unties", "untie"),
        ("uses", "use"),
        ("closes", "close"),
        ("raises", "raise"),
        ("focuses", "focus"),
        ("gasps", "gasp"),
        ("passes", "pass"),
        ("finesses", "finesse"),
        ("catches", "catch"),
        ("aches", "ache"),
        ("pushes", "push"),
        ("fixes", "fix"),
        ("axes", "axe"),
        ("realizes", "realize"),
        ("waltzes", "waltz"),
        ("buzzes", "buzz"),
        ("quizzes", "quiz"),
        ("stomachs", "stomach"),
        ("agrees", "agree"),
        ("sees", "see"),
        ("doesnt", "dont"),
    ],
)
def test_forms(singular: str, plural: str) -> None:
    assert conjugation.plural_verb(singular) == plural
    assert conjugation.singular_verb(plural) == singular


@given(st.sampled_from(sorted(lexicon().verbs - {"be"})))
def test_every_verb_we_know_comes_back(verb: str) -> None:
    singular = conjugation.singular_verb(verb)
    assert singular.endswith("s")
    assert conjugation.plural_verb(singular) == verb


def test_the_lists_agree_with_each_other() -> None:
    words = lexicon()
    assert {conjugation.plural_verb(word) for word in words.surely_verbs} <= words.verbs
    assert words.nouns_first <= words.verbs | {"shot", "saying"}
    assert words.unchanging <= words.verbs | words.irregular
    assert words.never_verbs & {conjugation.singular_verb(verb) for verb in words.verbs} == {"does"}
    assert not words.has_participles & (words.adjectives | words.is_participles)
