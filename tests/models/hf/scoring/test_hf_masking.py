"""Which tokens make a word and which are masked together, without any model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epicene.models.hf.scoring.masking import (
    TokenTable,
    masked_ranges,
    words_by_tokenizer,
    words_of_tokens,
)
from models.hf.tiny_masked import TOKENIZERS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epicene.core.records import Masking
    from epicene.models.hf.scoring.masking import BoolArray


def words_of(tokens: Sequence[tuple[int, int]], words: Sequence[tuple[int, int]]) -> list[int]:
    """The number of each token's word, counted along the text."""
    spans = (np.array(each, np.int64).reshape(-1, 2).T for each in (tokens, words))
    (starts, ends), (word_starts, word_ends) = spans
    return numbered(words_of_tokens(starts, ends, word_starts, word_ends))


def numbered(joined: BoolArray) -> list[int]:
    return [int(number) for number in np.cumsum(~joined) - 1]


def masked(masking: Masking, words: Sequence[int]) -> list[list[int]]:
    """The tokens that are masked for each token of these words."""
    joined = np.diff(np.array(words), prepend=-1) == 0
    return [[*range(*each)] for each in zip(*masked_ranges(masking, joined), strict=True)]


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
    assert words_of(tokens, words) == expected


def test_the_tokenizers_own_words() -> None:
    assert numbered(words_by_tokenizer(np.array([3, 3, 4, -1, -1, 5]))) == [0, 0, 1, 2, 3, 4]


def test_three_ways_to_mask() -> None:
    words = [0, 0, 0, 1]
    assert masked("original", words) == [[0], [1], [2], [3]]
    assert masked("within-word", words) == [[0, 1, 2], [1, 2], [2], [3]]
    assert masked("whole-word", words) == [[0, 1, 2]] * 3 + [[3]]


@given(st.lists(st.booleans(), min_size=1, max_size=12))
def test_each_way_masks_the_token_and_no_other_word(begins: list[bool]) -> None:
    words = [sum(begins[: i + 1]) for i in range(len(begins))]
    every = masked("original", words), masked("within-word", words), masked("whole-word", words)
    for i, (one, later, whole) in enumerate(zip(*every, strict=True)):
        assert i in one
        assert set(one) <= set(later) <= set(whole)
        assert min(later) == i
        assert {words[j] for j in whole} == {words[i]}
        assert len(whole) == words.count(words[i])


@pytest.mark.parametrize("kind", TOKENIZERS)
def test_a_space_belongs_to_the_token_after_it_whatever_the_tokenizer(kind: str) -> None:
    """ "said" has a lone space marker in two of the three vocabularies."""
    text = "he said"
    table = TokenTable(TOKENIZERS[kind](), ["a b", text, ""])
    start, end = table.edges[1:3]
    own = start + np.flatnonzero(table.content[start:end])
    bare = list(zip(table.bare_starts[own].tolist(), table.bare_ends[own].tolist(), strict=True))
    assert words_of(bare, [(0, 2), (3, 7)]) == [0] + [1] * (len(own) - 1)
    assert table.starts[own[1]] == 2
    assert table.ends[own[-1]] == len(text)
    assert all(text[place] != " " for place, _ in bare)
