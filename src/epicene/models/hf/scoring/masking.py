"""Group a text's tokens into words, and choose which tokens are masked to score which.

Tokens and words are matched by characters. Tokenizers differ in what a token's offsets say of the
space before it: WordPiece leaves it out; Metaspace gives it to "▁है" and to a lone "▁", or to
nobody and the lone "▁" the first letter; byte-level BPE trims it away and leaves a lone "Ġ" with no
character at all. Here a space belongs to the token after it and is ignored when tokens and words
are matched; a token that is only space goes with the token whose word it opens.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from epicene.models import UnanswerableError
from epicene.models.hf.tokenisation import close_offset_gaps

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epicene.core.records import Masking


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
    offsets: tuple[CharSpan, ...]  # a space is part of the token after it
    # Without leading space; for a token of space only, the next token's.
    spans_without_space: tuple[CharSpan, ...]
    content: tuple[int, ...]  # the positions that are not special tokens
    word_ids: tuple[int | None, ...]  # the tokenizer's own idea of a word


def token_ids(tokenizer: Any, text: str) -> tuple[int, ...]:
    """The tokens of a text, with the special ones around it; in the text itself there are none."""
    return tuple(tokenizer(text, split_special_tokens=True, verbose=False)["input_ids"])


def encode(tokenizer: Any, text: str) -> MaskableText:
    """The tokens of a text, never truncated, with their character spans."""
    (encoded,) = encode_all(tokenizer, [text])
    if isinstance(encoded, UnanswerableError):
        raise encoded
    return encoded


def encode_all(tokenizer: Any, texts: Sequence[str]) -> list[MaskableText | UnanswerableError]:
    """The tokens of many texts, or why there are none; faster than one by one."""
    if not texts:
        return []
    found = tokenizer(list(texts), split_special_tokens=True, verbose=False)
    special = set(tokenizer.all_special_ids) - {tokenizer.unk_token_id}
    results: list[MaskableText | UnanswerableError] = []
    for text, encoding in zip(texts, found.encodings, strict=True):
        try:
            results.append(_encoded(tokenizer, special, text, encoding))
        except UnanswerableError as error:
            results.append(error)
    return results


def _encoded(tokenizer: Any, special: set[int], text: str, encoding: Any) -> MaskableText:
    content = tuple(i for i, mark in enumerate(encoding.special_tokens_mask) if not mark)
    ids = tuple(encoding.ids)
    # Some SentencePiece vocabularies find special tokens in plain text all the same.
    if held := special.intersection([ids[i] for i in content]):
        token = tokenizer.convert_ids_to_tokens(min(held))
        raise UnanswerableError(f"the text itself contains the special token {token}")
    spans: list[tuple[int, int]] = encoding.offsets
    for i, claimed in zip(content, close_offset_gaps([spans[i] for i in content]), strict=True):
        spans[i] = claimed
    offsets = tuple(map(CharSpan._make, spans))
    return MaskableText(
        ids=ids,
        offsets=offsets,
        spans_without_space=_spans_without_space(text, offsets, content),
        content=content,
        word_ids=tuple(encoding.word_ids),
    )


def _spans_without_space(
    text: str, offsets: Sequence[CharSpan], content: Sequence[int]
) -> tuple[CharSpan, ...]:
    reaches = list(offsets)
    follower: CharSpan | None = None
    for position in reversed(content):
        span = offsets[position]
        start, end = span
        while start < end and text[start].isspace():
            start += 1
        if start < end:
            follower = span if start == span.start else CharSpan(start, end)
        reaches[position] = follower or span
    return tuple(reaches)


def check_length(ids: Sequence[int], max_length: int) -> None:
    """Raise if the model has no positions for a row."""
    if len(ids) > max_length:
        raise UnanswerableError(
            f"the text is {len(ids)} tokens long, but the model has positions for only {max_length}"
        )


def words_of_tokens(tokens: Sequence[CharSpan], words: Sequence[CharSpan]) -> list[int]:
    """The number of each token's word, counted along the text.

    Two neighbours are of one word if they share a character (parts of one letter in byte-level
    BPE) or meet the same word. So a token that covers parts of two words makes one of them:
    they cannot be masked apart. A token outside every word (punctuation) is its own.
    """
    met = [{i for i, word in enumerate(words) if word.overlaps(token)} for token in tokens]
    numbers: list[int] = []
    for i, token in enumerate(tokens):
        joined = i > 0 and bool(token.overlaps(tokens[i - 1]) or met[i] & met[i - 1])
        numbers.append(numbers[-1] + (not joined) if numbers else 0)
    return numbers


def words_by_tokenizer(word_ids: Sequence[int | None]) -> list[int]:
    """The tokenizer's own words, counted along the text."""
    numbers: list[int] = []
    for i, word in enumerate(word_ids):
        joined = i > 0 and word is not None and word == word_ids[i - 1]
        numbers.append(numbers[-1] + (not joined) if numbers else 0)
    return numbers


def masked_ranges(masking: Masking, words: Sequence[int]) -> list[range]:
    """For each token, the tokens masked when it is scored, itself among them.

    `original` masks the token alone, `within-word` it and the later tokens of its word,
    `whole-word` all tokens of its word.
    """
    if masking == "original":
        return [range(i, i + 1) for i in range(len(words))]
    first = {word: i for i, word in reversed(list(enumerate(words)))}
    last = {word: i for i, word in enumerate(words)}
    if masking == "within-word":
        return [range(i, last[word] + 1) for i, word in enumerate(words)]
    return [range(first[word], last[word] + 1) for word in words]
