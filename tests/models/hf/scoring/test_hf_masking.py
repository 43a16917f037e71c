"""Which tokens make a word and which are masked together, without any model."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epicene.models.hf.scoring.masking import (
    CharSpan,
    encode,
    masked_ranges,
    words_by_tokenizer,
    words_of_tokens,
)
from models.hf.tiny_masked import TOKENIZERS


def reaches(*pairs: tuple[int, int]) -> list[CharSpan]:
    return [CharSpan(*pair) for pair in pairs]


@pytest.mark.parametrize(
    ("tokens", "words", "expected"),
    [
        ([(0, 2), (2, 5), (6, 8)], [(0, 5), (6, 8)], [0, 0, 1]),
        ([(0, 2), (2, 3), (3, 4)], [(0, 2)], [0, 1, 2]),  # punctuation: each its own
        ([(0, 1), (1, 3), (3, 5)], [(0, 2), (2, 5)], [0, 0, 0]),  # l'é|… makes one of two words
        ([(0, 1), (0, 1), (1, 2)], [], [0, 0, 1]),  # two parts of one sign outside words
        ([(0, 2), (2, 4)], [(0, 2), (2, 4)], [0, 1]),  # adjacent words stay apart
        ([], [(0, 2)], []),
    ],
)
def test_tokens_find_their_words(
    tokens: list[tuple[int, int]], words: list[tuple[int, int]], expected: list[int]
) -> None:
    assert words_of_tokens(reaches(*tokens), reaches(*words)) == expected


def test_the_tokenizers_own_words() -> None:
    assert words_by_tokenizer([3, 3, 4, None, None, 5]) == [0, 0, 1, 2, 3, 4]


def test_three_ways_to_mask() -> None:
    words = [0, 0, 0, 1]
    assert [[*r] for r in masked_ranges("original", words)] == [[0], [1], [2], [3]]
    assert [[*r] for r in masked_ranges("within-word", words)] == [[0, 1, 2], [1, 2], [2], [3]]
    assert [[*r] for r in masked_ranges("whole-word", words)] == [[0, 1, 2]] * 3 + [[3]]


@given(st.lists(st.booleans(), min_size=1, max_size=12))
def test_each_way_masks_the_token_and_no_other_word(begins: list[bool]) -> None:
    words = [sum(begins[: i + 1]) for i in range(len(begins))]
    ways = [masked_ranges(way, words) for way in ("original", "within-word", "whole-word")]
    for i, (one, later, whole) in enumerate(zip(*ways, strict=True)):
        assert i in one
        assert set(one) <= set(later) <= set(whole)
        assert min(later) == i
        assert {words[j] for j in whole} == {words[i]}
        assert len(whole) == words.count(words[i])


@pytest.mark.parametrize("kind", TOKENIZERS)
def test_a_space_belongs_to_the_token_after_it_whatever_the_tokenizer(kind: str) -> None:
    """ "said" has a lone space marker in two of the three vocabularies."""
    text = "he said"
    encoded = encode(TOKENIZERS[kind](), text)
    own = [encoded.spans_without_space[i] for i in encoded.content]
    assert words_of_tokens(own, reaches((0, 2), (3, 7))) == [0] + [1] * (len(own) - 1)
    assert encoded.offsets[encoded.content[1]].start == 2
    assert encoded.offsets[encoded.content[-1]].end == len(text)
    assert all(text[reach.start] != " " for reach in own)
