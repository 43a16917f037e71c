"""From texts to the tokens a causal model reads, and from tokens back to text.

Context and text are tokenised as one string, since tokens form across the boundary between
them. A character that a tokenizer's offsets leave to no token (some count the space before a
word as the word's, some count it as nobody's) belongs to the token after it, so a span means
the same whatever the tokenizer.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from epicene.errors import EpiceneError
from epicene.models.thinking import CLOSE, OPEN

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.records import FirstToken


class UnanswerableError(EpiceneError):
    """This request has no answer from this model, and why; it becomes Failed."""


@dataclass(frozen=True)
class Encoded:
    """What the model reads for one text, and where the text's own tokens lie in it."""

    ids: tuple[int, ...]
    first: int  # index of the text's first token; 0 means that nothing stands before it
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    conditioned_on: str = ""

    @property
    def unscored(self) -> int:
        """How many of the text's tokens have nothing to be predicted from: one or none."""
        return int(self.first == 0)


class Encoder:
    """A tokenizer with the limits of the model it feeds."""

    def __init__(self, tokenizer: Any, *, vocabulary: int, longest: int | None) -> None:
        self._tokenizer = tokenizer
        # Ten times as fast as the wrapper around it; a file may have cutting and padding set.
        self._backend = tokenizer.backend_tokenizer
        self._backend.no_truncation()
        self._backend.no_padding()
        self._vocabulary = vocabulary
        self._ready: dict[str, Any] = {}
        self.longest = longest

    @contextmanager
    def tokenised(self, texts: Sequence[str]) -> Iterator[None]:
        """Tokenise texts that are soon to be encoded, all at once and on all cores."""
        distinct = list(dict.fromkeys(texts))
        encodings = self._backend.encode_batch(distinct, add_special_tokens=False)
        self._ready = dict(zip(distinct, encodings, strict=True))
        try:
            yield
        finally:
            self._ready = {}

    def encode(
        self, context: str, text: str, policy: FirstToken, *, templated: bool = False
    ) -> Encoded:
        """The tokens of a text after its context.

        Nothing is put before a context that a chat template made (`templated`).
        """
        if not text:
            raise UnanswerableError("an empty text has no tokens to score")
        ids, spans = self._tokenise(context + text)
        boundary = len(context)
        first = next((i for i, (_, end) in enumerate(spans) if end > boundary), None)
        if first is None:
            raise UnanswerableError(f"the tokenizer makes no token of the text {text!r}")
        if not context:
            first = 0  # with no context even a token of no characters is the text's
        opening = () if templated else self._opening(policy, ids)
        own = spans[first:]
        # The last token is predicted, never read.
        self.check(len(opening) + len(ids) - 1)
        return Encoded(
            ids=(*opening, *ids),
            first=len(opening) + first,
            starts=tuple(max(0, start - boundary) for start, _ in own),
            ends=tuple(max(0, end - boundary) for _, end in own),
            conditioned_on="".join(self._tokenizer.convert_ids_to_tokens(list(opening))),
        )

    def prompt(self, text: str, policy: FirstToken, *, templated: bool = False) -> tuple[int, ...]:
        """The tokens of a text that is to be continued."""
        ids: Sequence[int] = self._tokenise(text)[0] if text else ()
        opening = () if templated else self._opening(policy, ids)
        if not opening and not ids:
            raise UnanswerableError("there is no token to begin from: the prompt is empty")
        self.check(len(opening) + len(ids))
        return (*opening, *ids)

    def check(self, read: int) -> None:
        """Refuse more tokens than the model can read."""
        if self.longest is not None and read > self.longest:
            raise UnanswerableError(
                f"{read} tokens are more than the {self.longest} the model can read at once"
            )

    def decode(self, ids: Sequence[int]) -> str:
        """The text of tokens that continue a text: a leading space stays, special tokens go."""
        return self._after_anchor([token for token in ids if token not in self.special])

    @cached_property
    def special(self) -> frozenset[int]:
        """Tokens that are no text. Those around thinking are kept, so that it can be found."""
        marked = {
            token for token, what in self._tokenizer.added_tokens_decoder.items() if what.special
        }
        thinking = {self._tokenizer.convert_tokens_to_ids(mark) for mark in (OPEN, CLOSE)}
        return frozenset(marked.union(self._tokenizer.all_special_ids) - thinking)

    @cached_property
    def spaced(self) -> list[bool]:
        """For each token of the vocabulary, whether its text begins with a space."""
        return [self._after_anchor([token])[:1] == " " for token in range(len(self._tokenizer))]

    @cached_property
    def default_opening(self) -> tuple[int, ...]:
        """What the tokenizer puts before a text by itself."""
        bare, _ = self._tokenise("a")
        dressed = self._backend.encode("a").ids
        for cut in range(len(dressed) - len(bare) + 1):
            if dressed[cut : cut + len(bare)] == bare:
                return tuple(dressed[:cut])
        raise UnanswerableError("the tokenizer changes a text when it adds its special tokens")

    @cached_property
    def _anchor(self) -> tuple[list[int], str]:
        """Tokens to decode after, since many decoders drop the space at the very beginning."""
        ids, _ = self._tokenise("a")
        return ids, self._tokenizer.decode(ids, clean_up_tokenization_spaces=False)

    def _after_anchor(self, ids: list[int]) -> str:
        anchor, text = self._anchor
        whole = self._tokenizer.decode(anchor + ids, clean_up_tokenization_spaces=False)
        return str(whole).removeprefix(text)

    def _tokenise(self, text: str) -> tuple[list[int], list[tuple[int, int]]]:
        encoding = self._ready.get(text) or self._backend.encode(text, add_special_tokens=False)
        ids: list[int] = encoding.ids
        if ids and max(ids) >= self._vocabulary:
            raise UnanswerableError(
                f"the tokenizer gives token {max(ids)}, and the model knows {self._vocabulary}"
            )
        return ids, without_gaps(encoding.offsets)

    def _opening(self, policy: FirstToken, ids: Sequence[int]) -> tuple[int, ...]:
        """The tokens to put first, unless the text brings them itself."""
        if policy == "none":
            return ()
        opening = self.default_opening if policy == "tokenizer-default" else (self._beginning,)
        return () if tuple(ids[: len(opening)]) == opening else opening

    @property
    def _beginning(self) -> int:
        for token in (self._tokenizer.bos_token_id, self._tokenizer.eos_token_id):
            if token is not None:
                return int(token)
        raise UnanswerableError(
            "the tokenizer has neither a beginning nor an end token to put before the text; "
            "ask with the first-token policy tokenizer-default or none"
        )


def without_gaps(offsets: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans in which each token takes the unclaimed characters before it."""
    spans = []
    reached = 0
    for start, end in offsets:
        spans.append((min(start, reached), end))
        reached = max(reached, end)
    return spans
