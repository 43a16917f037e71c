"""Tokens and lines, as all languages share them."""

from __future__ import annotations

import pytest

from epicene.rewriting.text import Line, Token, match_case, tokenise


class Plain(Line[Token]):
    """A line whose sentences end in a full stop."""

    sentence_ends = frozenset({"."})


def line(text: str) -> Plain:
    return Plain(text, tokenise(text, "fr", str.lower))


def test_words_have_a_key_and_a_span() -> None:
    text = "L'Amie rit."
    found = line(text)
    assert found.keys == list(found) == ["l'", "amie", "rit", "."]
    assert all(text[token.start : token.end] == token.text for token in found.tokens)
    assert [found.is_word(at) for at in range(len(found))] == [True, True, True, False]


def test_beyond_the_ends_there_is_nothing() -> None:
    found = line("Amie.")
    assert [found[at] for at in (-1, 2)] == ["", ""]
    assert found.is_mark(-1)
    assert not found.ends_sentence(2)


@pytest.mark.parametrize(("at", "sentence"), [(0, (0, 2)), (2, (0, 2)), (3, (3, 5)), (4, (3, 5))])
def test_the_sentence_around_a_word(at: int, sentence: tuple[int, int]) -> None:
    assert line("Un deux. Trois quatre.").sentence(at) == sentence


def test_a_part_keeps_its_places() -> None:
    whole = line("Un deux trois.")
    part = whole.part(whole.tokens[1::2])
    assert isinstance(part, Plain)
    assert (part.text, part.keys) == (whole.text, ["deux", "."])
    assert part.tokens[0].start == 3


@pytest.mark.parametrize(
    ("model", "word", "cased"),
    [
        ("né", "née", "née"),
        ("Né", "née", "Née"),
        ("NÉ", "née", "NÉE"),
        ("Premier-né", "première-née", "Première-née"),
        ("Franco-Italien", "franco-italienne", "Franco-Italienne"),
        ("I", "il", "Il"),
        ("l'", "la", "la"),
        ("", "la", "la"),
    ],
)
def test_capitals_are_carried_over(model: str, word: str, cased: str) -> None:
    assert match_case(model, word) == cased
