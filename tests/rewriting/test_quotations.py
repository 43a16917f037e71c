"""Quotations, and who speaks in them, as all languages share them."""

from __future__ import annotations

import pytest

from epicene.rewriting.arabic import grammar as arabic
from epicene.rewriting.french import grammar as french
from epicene.rewriting.hindi import grammar as hindi
from epicene.rewriting.quotations import (
    UNQUOTED,
    Interlocutors,
    Introduction,
    Passage,
    split_quotations,
)
from epicene.rewriting.text import Line, Token, tokenise


class Plain(Line[Token]):
    """A line whose sentences end in a full stop."""

    sentence_ends = frozenset({"."})


def attribute(introduction: Introduction[Plain]) -> Interlocutors:
    """What is said after or before "she" is said by somebody else."""
    she = "she" in [*introduction.before, *introduction.after]
    return Interlocutors("others", "speaker") if she else UNQUOTED


def passages(text: str, **options: bool) -> list[Passage[Plain]]:
    return split_quotations(
        Plain(text, tokenise(text, "en", str.lower)),
        closes={"“": "”", '"': '"'},
        is_speech=lambda part: len(part) > 1,
        attribute=attribute,
        **options,
    )


def words(text: str, **options: bool) -> list[str]:
    return [" ".join(passage.line) for passage in passages(text, **options)]


@pytest.mark.parametrize(
    ("text", "split"),
    [
        ("She sat .", ["she sat ."]),
        ("She said “I know” twice .", ["she said “ ” twice .", "i know"]),
        ("She said “yes” .", ["she said “ yes ” ."]),  # no speech
        ("“I know .”", ["“ i know . ”"]),  # nothing but speech
        ("She said “I know .", ["she said “ i know ."]),  # never closed
        ('"I know" she said "so well"', ['" " she said " "', "i know", "so well"]),
    ],
)
def test_quoted_speech_is_read_apart(text: str, split: list[str]) -> None:
    assert words(text) == split


def test_a_stop_inside_may_end_the_sentence_outside() -> None:
    text = "She said “I know .” He sat"
    assert words(text)[0] == "she said “ ” he sat"
    assert words(text, stop_counts_outside=True)[0] == "she said “ ” . he sat"


def test_a_closing_mark_may_open_the_next() -> None:
    text = 'A: "I know" she said "so well"'
    assert words(text) == ['a : " " she said " "', "i know", "so well"]
    split = ['a : " " " "', "i know", "she said", "so well"]
    assert words(text, closing_opens=True) == split


@pytest.mark.parametrize(
    ("text", "speaks"),
    [
        ("She said “I know” .", "others"),
        ("“I know” said she .", "others"),
        ("She sat . “I know” .", "speaker"),  # another sentence
    ],
)
def test_the_sentence_around_says_who_speaks(text: str, speaks: str) -> None:
    _, quoted = passages(text)
    assert quoted.interlocutors.speaker == speaks


@pytest.mark.parametrize(
    ("grammar", "text", "word", "speaker", "listener"),
    [
        (arabic, "قال لي: «أنت كاتب جيد».", "كاتب", "others", "speaker"),
        (french, "Il m'a dit : « Tu es fou ».", "fou", "others", "speaker"),
        (french, "Je lui ai dit : « Tu es fou ».", "fou", "speaker", "others"),
        (french, "Il m'a dit : « Tu es fou ».", "il", "speaker", "listener"),
        (hindi, "उसने मुझसे कहा, “तुम अच्छे हो।”", "तुम", "others", "speaker"),
        (hindi, "मैंने तुमसे कहा, “तुम अच्छे हो।”", "तुम", "speaker", "listener"),
    ],
)
def test_each_language_says_who_speaks_at_a_word(
    grammar: object, text: str, word: str, speaker: str, listener: str
) -> None:
    found = [
        passage.interlocutors_at(passage.line.keys.index(word))
        for passage in grammar.split_quotations(grammar.read_line(text))  # type: ignore[attr-defined]
        if word in passage.line.keys
    ]
    assert found == [(speaker, listener)]
