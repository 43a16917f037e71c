"""Tokens cover everything but white space, and cut where agreement needs it."""

from __future__ import annotations

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from epicene.rewriting.english.line import tokenise

PIECES = [
    "he",
    "She's",
    "n't",
    "’s",
    "(s)he",
    "s/he",
    "'em",
    "hes",
    "https://a.b/he",
    "@him",
    "#her",
]


@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=6)), max_size=12).map("".join))
def test_nothing_is_lost(text: str) -> None:
    tokens = tokenise(text)
    assert all(token.text == text[token.start : token.end] for token in tokens)
    assert "".join(token.text for token in tokens) == "".join(regex.findall(r"\S", text))


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("he's", ["he", "'s"]),
        ("She’s", ["She", "’s"]),
        ("hes shes", ["he", "s", "she", "s"]),
        ("theyre", ["they", "re"]),
        ("doesn't can’t", ["does", "n't", "ca", "n’t"]),
        ("he-man o'clock", ["he-man", "o'clock"]),
        ('picture!"He', ["picture", "!", '"', "He"]),
        ("home.He", ["home", ".", "He"]),
        ("(s)he s/he his/her", ["(s)he", "s/he", "his", "/", "her"]),
        ("_her_ *him*", ["_", "her", "_", "*", "him", "*"]),
        ("his_name #her @him", ["his_name", "#her", "@him"]),
        ("see https://x.org/she-shed.", ["see", "https://x.org/she-shed."]),
        ("her@example.org she.com", ["her@example.org", "she.com"]),
        ("Mr. He U.S. 5-year-old 18th", ["Mr.", "He", "U.S.", "5-year-old", "18th"]),
        ("wait...him—her…", ["wait", "...", "him", "—", "her", "…"]),
        ("he\u0301 hé HER2", ["he\u0301", "hé", "HER2"]),
    ],
)
def test_cuts(text: str, tokens: list[str]) -> None:
    assert [token.text for token in tokenise(text)] == tokens
