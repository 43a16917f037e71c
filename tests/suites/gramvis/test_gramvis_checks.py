"""Our words, articles and counterparts of nouns, and what is found wrong with a list."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from epicene.suites.gramvis.articles import definite_article
from epicene.suites.gramvis.checks import check_words, counterpart
from epicene.suites.gramvis.items import CATEGORIES, GRAMMARS, LANGUAGES, Word
from epicene.suites.gramvis.word_lists import read_words
from suites.worked_cases import Case, each_case

if TYPE_CHECKING:
    from epicene.suites.gramvis.items import Grammar


def a_word(language: str, word: str, grammar: Grammar, **fields: str) -> Word:
    """A word in which nothing is wrong but what the fields make so."""
    right = {
        "article": definite_article(language, grammar, word),
        "stereotype": "male" if grammar == "F" else "female",
        "category": "occupation",
        "english": "a sentry",
        "chinese": "哨兵",
        "genitive": f"des {word}s" if grammar == "M" else f"der {word}",
        "accusative": f"{word[:-1]}у" if word.endswith("а") else word,
    }
    given = {"id": f"{language}/{word}", "language": language, "word": word, "grammar": grammar}
    return msgspec.convert(right | given | fields, Word)


def messages(*words: Word) -> list[str]:
    """What is found, but for the words that are wanting."""
    return [found.message for found in check_words(words) if "are needed" not in found.message]


@pytest.mark.parametrize("language", LANGUAGES)
def test_there_are_enough_words_of_each_gender_and_category(language: str) -> None:
    words = [word for word in read_words() if word.language == language]
    divergent = [word for word in words if not word.control]
    assert len(divergent) >= 40
    for grammar in GRAMMARS:
        assert sum(word.grammar == grammar for word in divergent) >= 16
        assert sum(word.grammar == grammar and word.control for word in words) >= 10
        for control in (False, True):
            kind = {w.category for w in words if w.grammar == grammar and w.control == control}
            assert kind == set(CATEGORIES)


def test_nothing_is_wrong_with_our_words() -> None:
    assert list(check_words(read_words())) == []


@each_case("gramvis", "articles")
def test_the_article_follows_gender_and_first_sound(case: Case) -> None:
    article = definite_article(case["language"], case["grammar"], case["noun"])
    assert article == case["article"]


@each_case("gramvis", "counterparts")
def test_counterparts(case: Case) -> None:
    word, other = a_word(case["language"], case["noun"], case["grammar"]), case["counterpart"]
    assert counterpart(word.language, word.grammar, word.word) == other
    message = (
        f"it seems to have a counterpart in the other gender ({other}), "
        "so its gender shows who is meant."
    )
    assert messages(word) == ([message] if other else [])


@each_case("gramvis", "word_checks")
def test_each_fault_of_a_word_is_found_once(case: Case) -> None:
    word = a_word(case["language"], case["noun"], case["grammar"], **case.get("fields", {}))
    (message,) = messages(word)
    assert case["message"] in message


def test_a_word_that_comes_twice_is_found() -> None:
    twice = a_word("FR", "vigie", "F")
    assert messages(twice, twice) == ["it is in the list 2 times."]


def test_too_few_words_of_a_gender_are_found() -> None:
    words = [word for word in read_words() if word.language == "FR"][:20]
    found = {(where, what) for _, where, what in check_words(words)}
    assert ("FR, M", "it has 0 divergent words; 16 are needed.") in found
    assert ("FR, F", "it has 0 control words; 10 are needed.") in found
    assert ("FR", "it has 20 divergent words; 40 are needed.") in found
    assert ("FR, F", "it has 20 divergent words; 16 are needed.") not in found
    missing = "it has no divergent word in social_status; all categories are needed."
    assert ("FR", missing) in found
