"""Constructions in which a verb or "her" belongs to somebody else, by both routes."""

from __future__ import annotations

import pytest

from epicene.languages.pronouns import find_pronoun_set
from epicene.rewriting.english import read_frame, rewrite
from epicene.rewriting.english.routes import FirstRulesRoute, Route
from rewriting.person_cases import read_cases

CASES = read_cases("en_constructions")


@pytest.mark.parametrize(
    ("pronouns", "text", "rewritten"),
    [
        pytest.param(
            about.removeprefix("to ") if about.startswith("to ") else "they",
            row["text"],
            row["rewritten"],
            id=f"{about}: {row['text']}",
        )
        for about, rows in CASES.items()
        for row in rows
    ],
)
def test_rewritten(pronouns: str, text: str, rewritten: str, route: Route) -> None:
    assert rewrite(text, find_pronoun_set(pronouns), route=route).text == rewritten


@pytest.mark.parametrize(
    ("text", "they"),
    [
        ("It was she who called.", "It were they who called."),
        ("I like her cooking.", "I like them cooking."),
        ("I wish her luck.", "I wish their luck."),
        ("The house, she says, needs a roof.", "The house, they say, need a roof."),
    ],
)
def test_stored_runs_keep_the_first_rules(text: str, they: str) -> None:
    """Requests of a suite are made again by these rules when a run is resumed."""
    frame = read_frame(text, [find_pronoun_set("she")], route=FirstRulesRoute())
    assert frame.fill(find_pronoun_set("they")) == they
