"""Masked language models: pseudo-log-likelihoods in three forms, and gap filling.

A masked model always reads its opening and closing tokens, so the first-token policy does not apply
and `conditioned_on` stays empty. These tokens are never masked or counted.

A gap's completions are ranked by length in tokens. The tokens are filled from left to right while
the rest of the gap is still masked; the log-probability is the sum. `before + text + after` is
always the filled text: a completion has a leading space only where `before` does not end in one.

An open gap gives the texts whose tokens, in place, are those the model chose. Other token sequences
spell a text that has a number of tokens of its own, and would be ranked with it. This also settles
the space, which each kind of tokenizer stores elsewhere: after "का " WordPiece's "##ता" fits no
text, nor does SentencePiece's "ता" without its "▁". Tokens around an open gap are those of the text
with the gap empty, so a completion that would merge with its neighbours ("un" + "happy" where
"unhappy" is one token) is only reached as a choice.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple

from epicene.core.errors import InputError
from epicene.core.records import (
    LOGPROB_DECIMALS,
    Completion,
    Completions,
    Failed,
    Fill,
    Score,
)
from epicene.models import UnanswerableError, check_not_empty
from epicene.models.hf.batching import TooLargeError, batch_limit, free_memory, prefetch
from epicene.models.hf.non_finite import NonFiniteError, NumberFormat, check_logprobs, shorten
from epicene.models.hf.scoring.masked_forward import (
    MaskedForward,
    PositionQuery,
    run_side_by_side,
    start_plans,
)
from epicene.models.hf.scoring.masked_score import MaskedScores
from epicene.models.hf.scoring.masking import CharSpan, check_length, encode, token_ids
from epicene.models.hf.tokenisation import PARTIAL_CHARACTER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from epicene.core.records import Answer
    from epicene.models import Batch, ImageStore, NumberedAnswers
    from epicene.models.hf.loading import LoadedModel
    from epicene.models.hf.scoring.masked_forward import QueryPlan

# Token sequences kept after each step, and how many tokens each is tried with at the next.
BEAM_WIDTH = 20
_SHORTLIST = 512

# Put in the gap to see how the text after it is tokenised; one that leaves its neighbour
# alone is taken. The snowman is in hardly any vocabulary, so nothing joins it.
_PLACEHOLDERS = ("x", "a", "0", "☃")


def fill_gap(
    tokenizer: Any, max_length: int, request: Fill, number_format: NumberFormat
) -> QueryPlan[Completions]:
    """The plan that answers a Fill."""
    if request.choices:
        lists = yield from run_side_by_side(
            [
                _score_choice(tokenizer, max_length, request, choice, number_format)
                for choice in request.choices
            ]
        )
        return Completions(completions=_ranked_completions(lists), method="masked, left to right")
    check_not_empty(request)
    gap = _Gap.between(tokenizer, request.before, request.after, number_format)
    width = max(BEAM_WIDTH, request.top)
    lengths = range(1, request.max_tokens + 1)
    lists = yield from run_side_by_side(
        [_completions_of_length(gap, length, width, request.top, max_length) for length in lengths]
    )
    return Completions(
        completions=_ranked_completions(lists), method=f"masked, left to right (beam {width})"
    )


def _ranked_completions(lists: Iterable[Sequence[Completion]]) -> tuple[Completion, ...]:
    """Fewer tokens first, then best first; of equals the first asked stays first."""
    every = [completion for some in lists for completion in some]
    return tuple(sorted(every, key=lambda completion: (completion.tokens, -completion.logprob)))


def _score_choice(
    tokenizer: Any, max_length: int, request: Fill, choice: str, number_format: NumberFormat
) -> QueryPlan[list[Completion]]:
    """Score one choice, tokenised in place; an empty one is certain.

    A token that also covers characters beside the gap belongs to the choice.
    """
    encoded = encode(tokenizer, request.before + choice + request.after)
    check_length(len(encoded.ids), max_length)
    start = len(request.before)
    gap = CharSpan(start, start + len(choice))
    inside = [i for i in encoded.content if gap.overlaps(encoded.spans_without_space[i])]
    if choice and not inside:
        raise UnanswerableError(f"the tokenizer makes no token from the choice {choice!r}")
    queries = []
    for i in inside:
        row = list(encoded.ids)
        for later in inside:
            if later >= i:
                row[later] = tokenizer.mask_token_id
        queries.append(PositionQuery(tuple(row), i, encoded.ids[i]))
    found = yield queries
    logprobs = [one.logprobs[0] for one in found]
    check_logprobs(
        logprobs, lambda i: tokenizer.decode([encoded.ids[inside[i]]]), choice, number_format
    )
    total = round(sum(logprobs), LOGPROB_DECIMALS)
    return [Completion(text=choice, logprob=total, tokens=len(inside))]


def _completions_of_length(
    gap: _Gap, length: int, width: int, top: int, max_length: int
) -> QueryPlan[list[Completion]]:
    """The best completions of exactly `length` tokens."""
    check_length(len(gap.row((), length)), max_length)
    beam = [_Candidate(0.0, ())]
    for step in range(length - 1):
        grown = yield from _extend_candidates(gap, beam, length, width)
        beam = list(islice((c for c in grown if step or gap.can_begin(c.tokens[0])), width))
    grown = yield from _extend_candidates(gap, beam, length, width)
    return list(islice(gap.completions(grown), top))


def _extend_candidates(
    gap: _Gap, beam: Sequence[_Candidate], length: int, width: int
) -> QueryPlan[list[_Candidate]]:
    """Each candidate with one token more, best first."""
    found = yield [
        PositionQuery(
            gap.row(candidate.tokens, length),
            len(gap.head) + len(candidate.tokens),
            top=max(_SHORTLIST, 4 * width),
        )
        for candidate in beam
    ]
    for candidate, more in zip(beam, found, strict=True):
        if more.logprobs and not more.logprobs[0] > -math.inf:
            place = f"token {len(candidate.tokens) + 1} of the gap after"
            what = f"the log-probabilities of {place} {shorten(gap.before, end=True)}"
            raise NonFiniteError(what, more.logprobs[0], gap.number_format)
    grown = [
        _Candidate(candidate.total + logprob, (*candidate.tokens, token))
        for candidate, more in zip(beam, found, strict=True)
        for token, logprob in zip(more.tokens, more.logprobs, strict=True)
        if logprob > -math.inf  # a token without any probability completes nothing
    ]
    return sorted(grown, key=lambda candidate: (-candidate.total, candidate.tokens))


class _Candidate(NamedTuple):
    """The first tokens of a completion and their log-probability."""

    total: float
    tokens: tuple[int, ...]


@dataclass(frozen=True)
class _Gap:
    """An open gap and the tokens on both sides of it, special ones included."""

    tokenizer: Any
    before: str
    after: str
    head: tuple[int, ...]
    tail: tuple[int, ...]
    number_format: NumberFormat  # of the model, for messages

    @classmethod
    def between(cls, tokenizer: Any, before: str, after: str, number_format: NumberFormat) -> _Gap:
        return cls(
            tokenizer,
            before,
            after,
            _tokens_before(tokenizer, before),
            _tokens_after(tokenizer, after),
            number_format,
        )

    def row(self, tokens: Sequence[int], length: int) -> tuple[int, ...]:
        """The gap with its first tokens filled and the others masked."""
        masks = [self.tokenizer.mask_token_id] * (length - len(tokens))
        return (*self.head, *tokens, *masks, *self.tail)

    def completions(self, candidates: Iterable[_Candidate]) -> Iterator[Completion]:
        """The candidates that are the tokens of a text, as that text."""
        for total, tokens in candidates:
            wanted = self.row(tokens, len(tokens))
            for text in self._spellings(tokens):
                if PARTIAL_CHARACTER in text:
                    break
                if token_ids(self.tokenizer, self.before + text + self.after) == wanted:
                    logprob = round(total, LOGPROB_DECIMALS)
                    yield Completion(text=text, logprob=logprob, tokens=len(tokens))
                    break

    def can_begin(self, token: int) -> bool:
        """Whether a longer completion may begin with the token, as far as is known.

        A lone space marker and a part of a character cannot be judged before more is there.
        """
        spellings = self._spellings((token,))
        if not spellings or PARTIAL_CHARACTER in spellings[0]:
            return True
        wanted = (*self.head, token)
        return any(
            token_ids(self.tokenizer, self.before + text)[: len(wanted)] == wanted
            for text in spellings
        )

    def _spellings(self, tokens: Sequence[int]) -> tuple[str, ...]:
        """The tokens as text, without and with a space before it.

        There is none where nothing is left, or where the last token is a space, which belongs
        to what follows. They are decoded behind the token before the gap, because a decoder
        treats the first token of all differently.
        """
        anchor = self.head[-1:]
        alone = self.tokenizer.decode(anchor, clean_up_tokenization_spaces=False)
        joined = self.tokenizer.decode((*anchor, *tokens), clean_up_tokenization_spaces=False)
        text = joined.removeprefix(alone).lstrip()
        return (text, f" {text}") if text and not text[-1].isspace() else ()


def _tokens_before(tokenizer: Any, before: str) -> tuple[int, ...]:
    """The tokens before the gap. A space at its edge is part of the token that follows."""
    encoded = encode(tokenizer, before[:-1] if before[-1:].isspace() else before)
    if encoded.content:
        return encoded.ids[: encoded.content[-1] + 1]
    stand_in = encode(tokenizer, _PLACEHOLDERS[0])
    return stand_in.ids[: stand_in.content[0]]


def _tokens_after(tokenizer: Any, after: str) -> tuple[int, ...]:
    """The tokens after the gap, as they are behind a word."""
    for stand_in in _PLACEHOLDERS:
        encoded = encode(tokenizer, stand_in + after)
        ends = [
            encoded.spans_without_space[i].end
            for i in encoded.content
            if encoded.spans_without_space[i].start == 0
        ]
        if ends and max(ends) <= len(stand_in):
            return encoded.ids[encoded.content[len(ends) - 1] + 1 :]
    raise UnanswerableError(
        f"the text after the gap, {after[:20]!r}, has no token of its own; use choices instead"
    )


class HfMasked:
    """A masked model that transformers can load."""

    verbs = frozenset({"score", "fill"})

    def __init__(self, loaded: LoadedModel) -> None:
        if loaded.tokenizer.mask_token_id is None:
            raise InputError(
                f"The tokenizer of {loaded.identity.label} has no mask token, so nothing can be "
                "masked; use another model."
            )
        self.identity = loaded.identity
        self.batch_limit = batch_limit(loaded, masked=True)
        self._tokenizer = loaded.tokenizer
        self._notes: dict[str, Any] = {}
        self._forward = MaskedForward(loaded, self._notes)
        self._number_format = NumberFormat.of(loaded)

    def answer(
        self,
        batches: Iterator[Batch],
        files: ImageStore,  # noqa: ARG002 - a text model has none
    ) -> Iterator[NumberedAnswers]:
        """Answer batch by batch; equal masked rows of a batch are computed once."""
        return (
            prefetch(self._prepare, batches)
            if self._forward.can_prefetch
            else chain.from_iterable(self._prepare(batch)() for batch in batches)
        )

    def _prepare(self, batch: Batch) -> Callable[[], Iterator[NumberedAnswers]]:
        """What starts a batch; on a GPU the texts of scores are tokenised from now on."""
        requests = [(number, each) for number, each in batch if isinstance(each, Score)]
        scores = MaskedScores(requests, self._tokenizer, ahead=self._forward.can_prefetch)
        return partial(self._begin, scores, batch)

    def _begin(self, scores: MaskedScores, batch: Batch) -> Iterator[NumberedAnswers]:
        """Start a batch."""
        finish_scores = scores.begin(self._forward, self._notes, self._number_format)
        gaps = [(number, each) for number, each in batch if isinstance(each, Fill)]
        plans = [self._fill_or_fail(request) for _, request in gaps]
        finish_gaps = start_plans(plans, self._forward)

        def answers() -> Iterator[NumberedAnswers]:
            found = finish_scores()
            found.update(zip([number for number, _ in gaps], finish_gaps(), strict=True))
            yield [(number, found[number]) for number, _ in batch]

        return answers()

    def notes(self) -> Mapping[str, object]:
        """Rows run, texts the tokenizer cannot distinguish, how the head was used."""
        return dict(self._notes)

    def close(self) -> None:
        """Free the weights; identity and notes remain available."""
        del self._forward
        free_memory()

    def _fill_or_fail(self, request: Fill) -> QueryPlan[Answer]:
        """The request's plan, which returns `Failed` if it cannot be answered."""
        try:
            return (
                yield from fill_gap(
                    self._tokenizer, self._forward.max_length, request, self._number_format
                )
            )
        except (UnanswerableError, TooLargeError) as error:
            return Failed(reason=str(error))
