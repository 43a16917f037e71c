"""Masked language models: pseudo-log-likelihood in three forms, and gaps.

A masked model reads its opening and closing tokens always, so the first-token policy has no
meaning for it and `conditioned_on` stays empty. They are never masked nor counted.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

from epicene.errors import InputError
from epicene.languages import segment
from epicene.models.hf import gaps, masking
from epicene.models.hf.ahead import ahead
from epicene.models.hf.masking import Encoded, Reach, check_length, encode_all
from epicene.models.hf.memory import TooLargeError, batch_limit, release
from epicene.models.hf.plans import carry_out
from epicene.models.hf.reading import Ask, MaskedReader
from epicene.models.hf.tokens import UnanswerableError
from epicene.records import DECIMALS, Decoding, Failed, Fill, Score, Scores, TextScore

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from epicene.models import Answered, Batch, Files
    from epicene.models.hf.loading import Loaded
    from epicene.models.hf.plans import Plan
    from epicene.records import Answer, Request


class HfMasked:
    """A masked model that transformers can load."""

    verbs = frozenset({"score", "fill"})

    def __init__(self, loaded: Loaded) -> None:
        if loaded.tokenizer.mask_token_id is None:
            raise InputError(
                f"The tokenizer of {loaded.identity.label} has no mask token, "
                f"so nothing can be masked; name another model."
            )
        self.identity = loaded.identity
        self.batch_limit = batch_limit(loaded, masked=True)
        self._tokenizer = loaded.tokenizer
        self._notes: dict[str, Any] = {}
        self._reader = MaskedReader(loaded, self._notes)

    def answer(
        self,
        batches: Iterator[Batch],
        files: Files,  # noqa: ARG002 - a text model has none
    ) -> Iterator[Answered]:
        """Answer batch by batch; equal masked rows of a batch are computed once."""
        return (
            ahead(self._begin, batches)
            if self._reader.runs_ahead
            else chain.from_iterable(map(self._begin, batches))
        )

    def _begin(self, batch: Batch) -> Iterator[Answered]:
        """Put a batch on its way."""
        encoded = self._encoded([request for _, request in batch])
        plans = [self._guarded(request, encoded) for _, request in batch]
        finish = carry_out(plans, self._reader)

        def answers() -> Iterator[Answered]:
            yield [(place, answer) for (place, _), answer in zip(batch, finish(), strict=True)]

        return answers()

    def notes(self) -> Mapping[str, object]:
        """Rows run, what the tokenizer could not tell apart, how the head was used."""
        return dict(self._notes)

    def close(self) -> None:
        """Let go of the weights; identity and notes stay."""
        del self._reader
        release()

    def _encoded(self, requests: Sequence[Request]) -> Mapping[str, Encoded | UnanswerableError]:
        """All strings that are to be scored, in tokens."""
        strings = {
            request.context + text: None
            for request in requests
            if isinstance(request, Score) and isinstance(request.context, str)
            for text in request.texts
        }
        return dict(zip(strings, encode_all(self._tokenizer, list(strings)), strict=True))

    def _guarded(
        self, request: Request, encoded: Mapping[str, Encoded | UnanswerableError]
    ) -> Plan[Answer]:
        """The request's plan, in which what cannot be answered is a Failed."""
        try:
            if isinstance(request, Score):
                return (yield from self._score(request, encoded))
            assert isinstance(request, Fill)
            return (yield from gaps.fill(self._tokenizer, self._reader.longest, request))
        except (UnanswerableError, TooLargeError) as error:
            return Failed(reason=str(error))

    def _score(
        self, request: Score, encoded: Mapping[str, Encoded | UnanswerableError]
    ) -> Plan[Scores]:
        if not isinstance(request.context, str):
            raise UnanswerableError(
                "a masked model has no chat template; give the context as a text"
            )
        if not request.texts:
            raise UnanswerableError("there is no text to score")
        if isinstance(request.decoding, Decoding):
            raise UnanswerableError(
                "a masked model writes no text, so nothing can be scored as it would be drawn; "
                "leave the decoding away"
            )
        mask = self._tokenizer.mask_token_id
        texts = [
            _Scored(mask, request, text, encoded[request.context + text]) for text in request.texts
        ]
        for text in texts:
            check_length(text.encoded.ids, self._reader.longest)
        found = iter((yield [ask for text in texts for ask in text.asks()]))
        self._tell(request, texts)
        return Scores(
            texts=tuple(text.scored([next(found).logprobs[0] for _ in text.own]) for text in texts),
            method=f"{request.masking} ({request.boundaries} words)",
        )

    def _tell(self, request: Score, texts: Sequence[_Scored]) -> None:
        """Note what scores cannot show: unknown tokens, and texts that differ in no token."""
        unknown = self._tokenizer.unk_token_id
        count = sum(text.encoded.ids[i] == unknown for text in texts for i in text.own)
        alike = len({text.encoded.ids for text in texts}) < len(set(request.texts))
        self._notes["unknown_tokens"] = self._notes.get("unknown_tokens", 0) + count
        self._notes["requests_with_texts_alike"] = (
            self._notes.get("requests_with_texts_alike", 0) + alike
        )


class _Scored:
    """One text of a Score, in its context.

    Context and text are one string; a token astride their boundary is the text's. Words are
    those of the text alone, so that the words masked are the words counted, and tokens of the
    context stay visible even where a word runs on from them.
    """

    def __init__(
        self, mask: int, request: Score, text: str, encoded: Encoded | UnanswerableError
    ) -> None:
        assert isinstance(request.context, str)
        if not text:
            raise UnanswerableError("an empty text has no tokens to score")
        if isinstance(encoded, UnanswerableError):
            raise encoded
        self._mask = mask
        self._request = request
        self._text = text
        self._cut = len(request.context)
        self.encoded = encoded
        self.own = [i for i in self.encoded.content if self.encoded.reaches[i].end > self._cut]
        if not self.own:
            raise UnanswerableError(f"the tokenizer makes no token of the text {text!r}")

    def asks(self) -> Iterator[Ask]:
        """One ask per token of the text, in a row masked for it."""
        ids, first = self.encoded.ids, self.own[0]  # the text's tokens stand side by side
        together = masking.masked_with(self._request.masking, self._words())
        for i, some in zip(self.own, together, strict=True):
            hidden = (self._mask,) * len(some)
            row = ids[: first + some.start] + hidden + ids[first + some.stop :]
            yield Ask(row, i, tokens=(ids[i],))

    def _words(self) -> list[int]:
        if self._request.boundaries == "tokenizer":
            return masking.words_by_tokenizer([self.encoded.word_ids[i] for i in self.own])
        words = [
            Reach(span.start + self._cut, span.end + self._cut)
            for span in segment.words(self._text, self._request.language)
        ]
        return masking.words_of_tokens([self.encoded.reaches[i] for i in self.own], words)

    def scored(self, logprobs: Sequence[float]) -> TextScore:
        """The answer for this text."""
        spans = [self.encoded.offsets[i] for i in self.own]
        return TextScore(
            logprobs=tuple(round(logprob, DECIMALS) for logprob in logprobs),
            starts=tuple(max(0, span.start - self._cut) for span in spans),
            ends=tuple(max(0, span.end - self._cut) for span in spans),
            words=segment.count_words(self._text, self._request.language),
            characters=len(self._text),
        )
