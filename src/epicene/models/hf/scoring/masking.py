"""Group a text's tokens into words, and choose which tokens are masked to score which.

Tokens and words are matched by characters. Tokenizers differ in what a token's offsets say of the
space before it: WordPiece leaves it out; Metaspace gives it to "▁है" and to a lone "▁", or to
nobody and the lone "▁" the first letter; byte-level BPE trims it away and leaves a lone "Ġ" with no
character at all. Here a space belongs to the token after it and is ignored when tokens and words
are matched; a token that is only space goes with the token whose word it opens.

All this is arithmetic over the tokens of many texts at once, since each text is short.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from epicene.models import UnanswerableError
from epicene.models.hf.tokenisation import close_gaps

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from epicene.core.records import Masking

IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]

_SPACES = np.array([code for code in range(0x3001) if chr(code).isspace()], np.uint32)


class CharSpan(NamedTuple):
    """The characters [start, end) that a token or a word covers."""

    start: int
    end: int

    def overlaps(self, other: CharSpan) -> bool:
        """Whether the two share a character."""
        return self.start < other.end and other.start < self.end


@dataclass(frozen=True)
class MaskableText:
    """A text as a model reads it, special tokens included."""

    ids: tuple[int, ...]
    # Without leading space; for a token of space only, the next token's.
    spans_without_space: tuple[CharSpan, ...]
    content: tuple[int, ...]  # the positions that are not special tokens


class TokenTable:
    """The tokens of many texts, special ones included, one text after another.

    `starts` and `ends` are the characters of each token in its text, in which a space is part of
    the token after it; `bare_starts` and `bare_ends` are without leading space, and for a token of
    space only those of the next token.
    """

    def __init__(self, tokenizer: Any, texts: Sequence[str]) -> None:
        encodings = _backend(tokenizer).encode_batch(list(texts)) if texts else []
        self.edges = np.cumsum([0, *(len(encoding.ids) for encoding in encodings)])
        self.ids = _flat(encoding.ids for encoding in encodings)
        self.content = _flat(encoding.special_tokens_mask for encoding in encodings) == 0
        # The tokenizer's own idea of a word, -1 for none.
        self.words = _flat(
            [-1 if word is None else word for word in encoding.word_ids] for encoding in encodings
        )
        spans = _flat(chain.from_iterable(encoding.offsets) for encoding in encodings)
        self.starts, self.ends = spans[::2].copy(), spans[1::2].copy()
        owner = np.repeat(np.arange(len(encodings)), np.diff(self.edges))[self.content]
        starts = close_gaps(self.starts[self.content], self.ends[self.content], owner)
        self.starts[self.content] = starts
        self.bare_starts, self.bare_ends = self.starts.copy(), self.ends.copy()
        self.bare_starts[self.content], self.bare_ends[self.content] = _without_space(
            texts, starts, self.ends[self.content], owner
        )
        self._tokenizer = tokenizer
        self._special = sorted({*tokenizer.all_special_ids} - {tokenizer.unk_token_id})

    def refusals(self) -> dict[int, UnanswerableError]:
        """By number, the texts in which the tokenizer finds special tokens.

        Some SentencePiece vocabularies do, even though they are told not to.
        """
        held = np.flatnonzero(self.content & np.isin(self.ids, self._special))
        texts = np.searchsorted(self.edges, held, side="right") - 1
        refused: dict[int, UnanswerableError] = {}
        # The smallest of a text's special tokens is named.
        for text, token in sorted(zip(texts.tolist(), self.ids[held].tolist(), strict=True)):
            if text not in refused:
                name = self._tokenizer.convert_ids_to_tokens(token)
                refused[text] = UnanswerableError(
                    f"the text itself contains the special token {name}"
                )
        return refused

    def ids_of(self, number: int) -> tuple[int, ...]:
        """The tokens of one of the texts."""
        return tuple(self.ids[slice(*self.edges[number : number + 2])].tolist())

    def text(self, number: int) -> MaskableText:
        """One of the texts."""
        own = slice(*self.edges[number : number + 2].tolist())
        bare = zip(self.bare_starts[own].tolist(), self.bare_ends[own].tolist(), strict=True)
        return MaskableText(
            ids=self.ids_of(number),
            spans_without_space=tuple(map(CharSpan._make, bare)),
            content=tuple(np.flatnonzero(self.content[own]).tolist()),
        )


def _backend(tokenizer: Any) -> Any:
    """The tokenizer without the wrapper around it: it cuts nothing, and a text has no special
    tokens.
    """
    backend = tokenizer.backend_tokenizer
    # Only what is not so yet is set: another thread may be using it.
    if backend.truncation is not None:
        backend.no_truncation()
    if backend.padding is not None:
        backend.no_padding()
    if not backend.encode_special_tokens:
        backend.encode_special_tokens = True
    return backend


def _flat(values: Iterable[Iterable[int]]) -> IntArray:
    return np.fromiter(chain.from_iterable(values), np.int64)


def _without_space(
    texts: Sequence[str], starts: IntArray, ends: IntArray, owner: IntArray
) -> tuple[IntArray, IntArray]:
    """The spans without leading space; a token of space only has the next token's in its text."""
    if not len(starts):
        return starts, ends
    codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), np.uint32)
    letters = np.where(np.isin(codes, _SPACES), len(codes), np.arange(len(codes)))
    following = np.append(np.minimum.accumulate(letters[::-1])[::-1], len(codes))
    base = np.cumsum([0, *map(len, texts)])[owner]
    bare = following[np.minimum(starts + base, len(codes))] - base
    filled = bare < ends
    count = len(starts)
    at = np.minimum.accumulate(np.where(filled, np.arange(count), count)[::-1])[::-1]
    known = np.minimum(at, count - 1)
    alone = (at == count) | (owner[known] != owner)
    return np.where(alone, starts, bare[known]), np.where(alone, ends, ends[known])


def token_ids(tokenizer: Any, text: str) -> tuple[int, ...]:
    """The tokens of a text, with the special ones around it; in the text itself there are none."""
    return tuple(_backend(tokenizer).encode(text).ids)


def encode(tokenizer: Any, text: str) -> MaskableText:
    """The tokens of a text, never truncated, with their character spans."""
    table = TokenTable(tokenizer, [text])
    if refused := table.refusals():
        raise refused[0]
    return table.text(0)


def check_length(tokens: int, max_length: int) -> None:
    """Raise if the model has no positions for a row."""
    if tokens > max_length:
        raise UnanswerableError(
            f"the text is {tokens} tokens long, but the model has positions for only {max_length}"
        )


def words_of_tokens(
    starts: IntArray, ends: IntArray, word_starts: IntArray, word_ends: IntArray
) -> BoolArray:
    """Which tokens are of the same word as the token before; all spans count along one text.

    Two neighbours are of one word if they share a character (parts of one letter in byte-level
    BPE) or meet the same word. So a token that covers parts of two words makes one of them:
    they cannot be masked apart. A token outside every word (punctuation) is its own.
    """
    first = np.searchsorted(word_ends, starts, side="right")
    last = np.searchsorted(word_starts, ends, side="left")  # words first … last - 1 are met
    joined = np.zeros(len(starts), np.bool_)
    joined[1:] = (starts[1:] < ends[:-1]) & (starts[:-1] < ends[1:])
    joined[1:] |= np.maximum(first[1:], first[:-1]) < np.minimum(last[1:], last[:-1])
    return joined


def words_by_tokenizer(words: IntArray) -> BoolArray:
    """Which tokens are of the same word as the token before, by the tokenizer's own words."""
    joined = np.zeros(len(words), np.bool_)
    joined[1:] = (words[1:] == words[:-1]) & (words[1:] >= 0)
    return joined


def masked_ranges(masking: Masking, joined: BoolArray) -> tuple[IntArray, IntArray]:
    """For each token, from where to where tokens are masked when it is scored, itself among them.

    `original` masks the token alone, `within-word` it and the later tokens of its word,
    `whole-word` all tokens of its word. `joined` says which tokens belong to the word before.
    """
    numbers = np.arange(len(joined))
    if masking == "original":
        return numbers, numbers + 1
    edges = np.append(np.flatnonzero(~joined), len(joined))
    lengths = np.diff(edges)
    stops = np.repeat(edges[1:], lengths)
    return (numbers if masking == "within-word" else np.repeat(edges[:-1], lengths)), stops
