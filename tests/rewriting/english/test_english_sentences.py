"""Sentences neutralised as a person would, by both routes."""

from __future__ import annotations

import pytest

from epicene.languages.pronouns import find_pronoun_set
from epicene.rewriting.english import neutralise, rewrite
from epicene.rewriting.english.routes import Route
from rewriting.person_cases import read_cases

CASES = read_cases("en")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(row["text"], row["they"], id=f"{about}: {row['text']}")
        for about, rows in CASES["to they"].items()
        for row in rows
    ],
)
def test_neutralised(before: str, after: str, route: Route) -> None:
    assert neutralise(before, route=route).text == after


@pytest.mark.parametrize(
    ("before", "after"), [(row["text"], row["she"]) for row in CASES["from they to she"]]
)
def test_from_they(before: str, after: str, route: Route) -> None:
    assert rewrite(before, find_pronoun_set("she"), route=route).text == after


def test_sets_that_english_uses_for_something_else_must_be_named(route: Route) -> None:
    text = "Thon says thons dog likes thon, and thon was glad."
    assert neutralise(text, route=route).text == text
    named = neutralise(text, sources=[find_pronoun_set("thon")], route=route)
    assert named.text == "They say their dog likes them, and they were glad."


@pytest.mark.parametrize(("name", "text"), CASES["one sentence in every set"].items())
def test_every_set_to_every_set(name: str, text: str, route: Route) -> None:
    neutral = CASES["one sentence in every set"]["they"]
    assert neutralise(text, sources=[find_pronoun_set(name)], route=route).text == neutral
    assert rewrite(neutral, find_pronoun_set(name), route=route).text == text


def test_they_beside_another_person_is_left(route: Route) -> None:
    assert rewrite("She told them.", find_pronoun_set("he"), route=route).text == "He told them."
    assert rewrite("They told them.", find_pronoun_set("he"), route=route).text == "He told him."


def test_changes_say_where_by_which_rule_and_how_surely(route: Route) -> None:
    text = "Well, she's gone."
    changes = neutralise(text, route=route).changes
    assert [(text[each.start : each.end], each.after) for each in changes] == [
        ("she", "they"),
        ("'s", "'re"),
    ]
    assert all(each.before == text[each.start : each.end] and each.rule for each in changes)
    assert {each.whose for each in changes} == {"she"}
    assert changes[0].sure == "certain"
    assert changes[1].sure == "guess"
