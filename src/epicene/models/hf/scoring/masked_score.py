"""Score texts with a masked model, all texts of a batch together.

A text of twenty tokens is twenty masked rows, so everything here is arithmetic over all tokens of
the batch. Context and text are one string; a token across their boundary is the text's. Words are
those of the text alone, so that the words masked are the words counted, and tokens of the context
stay visible even where a word runs on from them.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from epicene.core.records import LOGPROB_DECIMALS, Decoding, Failed, Scores, TextScore
from epicene.languages import tokenisation
from epicene.models import UnanswerableError, check_not_empty
from epicene.models.hf.batching import TooLargeError
from epicene.models.hf.non_finite import NonFiniteError, check_logprobs
from epicene.models.hf.scoring import masking
from epicene.models.hf.scoring.masked_forward import Lookups, RowTable
from epicene.models.hf.scoring.masking import TokenTable, check_length
from epicene.models.hf.tokenisation import in_background

if TYPE_CHECKING:
    from collections.abc import Callable, MutableMapping, Sequence

    from epicene.core.records import Answer, Score
    from epicene.models.hf.non_finite import NumberFormat
    from epicene.models.hf.scoring.masked_forward import Found, MaskedForward
    from epicene.models.hf.scoring.masking import BoolArray, IntArray


class _Text(NamedTuple):
    """One text of a request, by the number of its string (context and text) among all strings."""

    request: Score
    text: str
    string: int

    @property
    def cut(self) -> int:
        """Where the text starts in its string."""
        return len(self.request.context)


class _OwnTokens(NamedTuple):
    """The tokens of the texts, one text after another: their numbers in the table and their texts.

    `edges` are the texts' first tokens, and the end.
    """

    tokens: IntArray
    texts: IntArray
    edges: IntArray


class MaskedScores:
    """The Score requests of a batch; with `ahead`, they are tokenised in the background."""

    def __init__(
        self, requests: Sequence[tuple[int, Score]], tokenizer: Any, *, ahead: bool
    ) -> None:
        self._tokenizer = tokenizer
        self._answers: dict[int, Answer] = {}
        self._requests: list[tuple[int, list[_Text]]] = []
        strings: dict[str, int] = {}
        for number, request in requests:
            try:
                _check(request)
            except UnanswerableError as error:
                self._answers[number] = Failed(reason=str(error))
                continue
            texts = [
                _Text(request, text, strings.setdefault(f"{request.context}{text}", len(strings)))
                for text in request.texts
            ]
            self._requests.append((number, texts))
        tokenise = partial(TokenTable, tokenizer, list(strings))
        self._table = in_background(tokenise) if ahead else tokenise

    def begin(
        self, forward: MaskedForward, notes: MutableMapping[str, Any], number_format: NumberFormat
    ) -> Callable[[], dict[int, Answer]]:
        """Queue all rows on the device; the returned function waits for the answers."""
        table = self._table()
        self._refuse(table, forward.max_length)
        texts = [text for _, some in self._requests for text in some]
        if not texts:
            return lambda: self._answers
        own = _own_tokens(table, texts)
        self._note_ambiguous(table, own, notes)
        rows, wanted = _masked_rows(table, texts, own, self._tokenizer.mask_token_id)
        collect = forward.begin(rows, wanted)

        def finish() -> dict[int, Answer]:
            scored = iter(_text_scores(table, texts, own, collect(), number_format))
            for number, some in self._requests:
                self._answers[number] = _answer(some, [next(scored) for _ in some])
            return self._answers

        return finish

    def _refuse(self, table: TokenTable, max_length: int) -> None:
        """Fail the requests with a text that cannot be scored."""
        refusals = table.refusals()
        counts = iter(np.diff(_own_tokens(table, [t for _, s in self._requests for t in s]).edges))
        lengths = np.diff(table.edges).tolist()
        kept = []
        for number, texts in self._requests:
            own = [next(counts) for _ in texts]
            try:
                for text, count in zip(texts, own, strict=True):
                    if text.string in refusals:
                        raise refusals[text.string]
                    if not count:
                        raise UnanswerableError(
                            f"the tokenizer makes no token from the text {text.text!r}"
                        )
                for text in texts:
                    check_length(lengths[text.string], max_length)
            except UnanswerableError as error:
                self._answers[number] = Failed(reason=str(error))
            else:
                kept.append((number, texts))
        self._requests = kept

    def _note_ambiguous(
        self, table: TokenTable, own: _OwnTokens, notes: MutableMapping[str, Any]
    ) -> None:
        """Note what scores cannot show: unknown tokens, and texts that differ in no token."""
        unknown = int(np.count_nonzero(table.ids[own.tokens] == self._tokenizer.unk_token_id))
        alike = sum(
            len({table.ids_of(text.string) for text in texts}) < len({text.text for text in texts})
            for _, texts in self._requests
        )
        notes["unknown_tokens"] = notes.get("unknown_tokens", 0) + unknown
        notes["requests_with_texts_alike"] = notes.get("requests_with_texts_alike", 0) + alike


def _check(request: Score) -> None:
    """Raise for a request that no masked model can answer."""
    if not isinstance(request.context, str):
        raise UnanswerableError("a masked model has no chat template; pass the context as a text")
    check_not_empty(request)
    if isinstance(request.decoding, Decoding):
        raise UnanswerableError(
            "a masked model writes no text, so no text can be scored as it would be sampled; "
            "leave out the decoding"
        )
    if not all(request.texts):
        raise UnanswerableError("an empty text has no tokens to score")


def _own_tokens(table: TokenTable, texts: Sequence[_Text]) -> _OwnTokens:
    """The tokens of the texts, without special ones and those of the context."""
    strings = np.array([text.string for text in texts], np.int64)
    cuts = np.array([text.cut for text in texts], np.int64)
    firsts, counts = table.edges[strings], np.diff(table.edges)[strings]
    of_text = np.repeat(np.arange(len(texts)), counts)
    tokens = np.arange(len(of_text)) + np.repeat(firsts - np.cumsum(counts) + counts, counts)
    own = table.content[tokens] & (table.bare_ends[tokens] > cuts[of_text])
    edges = np.searchsorted(of_text[own], np.arange(len(texts) + 1))
    return _OwnTokens(tokens[own], of_text[own], edges)


def _masked_rows(
    table: TokenTable, texts: Sequence[_Text], own: _OwnTokens, mask: int
) -> tuple[RowTable, Lookups]:
    """A row for each token, masked as its request says, and where to look it up."""
    strings = np.array([text.string for text in texts], np.int64)[own.texts]
    firsts = table.edges[strings]
    lengths = np.diff(table.edges)[strings]
    positions = own.tokens - firsts
    starts, stops = _masked_positions(table, texts, own, positions)
    by_length, matrices = [], []
    for length in np.unique(lengths)[::-1].tolist():
        (mine,) = np.nonzero(lengths == length)
        columns = np.arange(length)
        matrix = table.ids[firsts[mine][:, None] + columns]
        masked = (columns >= starts[mine][:, None]) & (columns < stops[mine][:, None])
        matrix[masked] = mask
        by_length.append(mine)
        matrices.append(matrix)
    rows = RowTable(matrices)
    numbers = np.empty(len(own.tokens), np.int64)
    numbers[np.concatenate(by_length)] = np.concatenate(rows.numbers)
    return rows, Lookups(numbers, positions, table.ids[own.tokens], {})


def _masked_positions(
    table: TokenTable, texts: Sequence[_Text], own: _OwnTokens, positions: IntArray
) -> tuple[IntArray, IntArray]:
    """From where to where each token's row is masked."""
    ways = [(text.request.masking, text.request.boundaries) for text in texts]
    starts, stops = np.empty_like(positions), np.empty_like(positions)
    for way in dict.fromkeys(ways):
        masks, boundaries = way
        chosen = [number for number, each in enumerate(ways) if each == way]
        (mine,) = np.nonzero(np.isin(own.texts, chosen))
        tokens, of_text = own.tokens[mine], own.texts[mine]
        if boundaries == "tokenizer":
            joined = masking.words_by_tokenizer(table.words[tokens])
        else:
            joined = _by_our_words(table, texts, tokens, of_text)
        joined &= np.append(False, of_text[1:] == of_text[:-1])
        first, end = masking.masked_ranges(masks, joined)
        starts[mine], stops[mine] = positions[mine][first], positions[mine][end - 1] + 1
    return starts, stops


def _by_our_words(
    table: TokenTable, texts: Sequence[_Text], tokens: IntArray, of_text: IntArray
) -> BoolArray:
    """Which tokens are of the same word as the token before, by our own segmenter."""
    chosen = set(of_text.tolist())
    # The characters of all texts are counted along one line.
    offsets = np.cumsum([0, *(len(text.text) + 1 for text in texts)])
    spans = [
        (offset + word.start, offset + word.end)
        for number, offset in enumerate(offsets.tolist())
        if number in chosen
        for word in tokenisation.words(texts[number].text, texts[number].request.language)
    ]
    words = np.array(spans, np.int64).reshape(-1, 2)
    shift = offsets[of_text] - np.array([text.cut for text in texts], np.int64)[of_text]
    starts = np.maximum(table.bare_starts[tokens] + shift, offsets[of_text])
    return masking.words_of_tokens(
        starts, table.bare_ends[tokens] + shift, words[:, 0], words[:, 1]
    )


def _text_scores(
    table: TokenTable,
    texts: Sequence[_Text],
    own: _OwnTokens,
    found: Found,
    number_format: NumberFormat,
) -> list[TextScore | TooLargeError | NonFiniteError]:
    """The score of each text, or why there is none."""
    cuts = np.array([text.cut for text in texts], np.int64)[own.texts]
    starts = np.maximum(table.starts[own.tokens] - cuts, 0).tolist()
    ends = np.maximum(table.ends[own.tokens] - cuts, 0).tolist()
    values = found.logprobs.tolist()
    rounded = found.logprobs.round(LOGPROB_DECIMALS).tolist()
    edges = own.edges.tolist()
    too_large = set(own.texts[found.too_large].tolist())
    broken = set(own.texts[~np.isfinite(found.logprobs)].tolist())
    results: list[TextScore | TooLargeError | NonFiniteError] = []
    for number, (text, (start, end)) in enumerate(zip(texts, pairwise(edges), strict=True)):
        if number in too_large:
            results.append(TooLargeError())
        elif number in broken:
            spans = list(zip(starts[start:end], ends[start:end], strict=True))
            results.append(_first_error(values[start:end], spans, text.text, number_format))
        else:
            results.append(
                TextScore(
                    logprobs=tuple(rounded[start:end]),
                    starts=tuple(starts[start:end]),
                    ends=tuple(ends[start:end]),
                    words=tokenisation.count_words(text.text, text.request.language),
                    characters=len(text.text),
                )
            )
    return results


def _first_error(
    logprobs: Sequence[float],
    spans: Sequence[tuple[int, int]],
    text: str,
    number_format: NumberFormat,
) -> NonFiniteError:
    """What to say of the first log-probability that is not finite."""
    try:
        check_logprobs(logprobs, lambda token: text[slice(*spans[token])], text, number_format)
    except NonFiniteError as error:
        return error
    raise AssertionError(logprobs)


def _answer(
    texts: Sequence[_Text], scored: Sequence[TextScore | TooLargeError | NonFiniteError]
) -> Answer:
    """The scores of a request's texts; one that is too large counts before all others."""
    for kind in (TooLargeError, NonFiniteError):
        for score in scored:
            if isinstance(score, kind):
                return Failed(reason=str(score))
    request = texts[0].request
    return Scores(
        texts=tuple(score for score in scored if isinstance(score, TextScore)),
        method=f"{request.masking} ({request.boundaries} words)",
    )
