"""Filling a gap with a masked model: lengths apart, each token given those before it.

A completion's tokens are filled from left to right while the rest of the gap is still masked;
its log-probability is the sum. `before + text + after` is always the filled text: a completion
holds a leading space only where `before` does not end in one.

An open gap gives the texts whose tokens, in place, are the ones the model chose; other token
sequences spell a text that has a number of tokens of its own, and would be ranked with it. This
also settles the space, which every kind of tokenizer keeps elsewhere: after "का " WordPiece's
"##ता" fits no text, nor does SentencePiece's "ता" without its "▁". Tokens around an open gap stay
what they are with the gap empty, so a completion that would melt into its neighbours ("un" +
"happy" where "unhappy" is one token) is only reached as a choice.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from epicene.models.hf.masking import Reach, check_length, encode, token_ids
from epicene.models.hf.plans import together
from epicene.models.hf.reading import Ask
from epicene.models.hf.tokens import UnanswerableError
from epicene.records import DECIMALS, Completion, Completions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from epicene.models.hf.plans import Plan
    from epicene.records import Fill

# Token sequences kept after each step, and how many tokens each is tried with at the next.
BEAM = 20
_SHORTLIST = 512

# Stands in the gap to see how the text after it is tokenised; one that leaves its neighbour
# alone is taken. The snowman is in hardly any vocabulary, so nothing joins it.
_STAND_INS = ("x", "a", "0", "☃")

_PART_OF_A_CHARACTER = "\N{REPLACEMENT CHARACTER}"


def fill(tokenizer: Any, longest: int, request: Fill) -> Plan[Completions]:
    """The plan that answers a Fill."""
    if request.choices:
        lists = yield from together(
            [_choice(tokenizer, longest, request, choice) for choice in request.choices]
        )
        return Completions(completions=_ranked(lists), method="masked, left to right")
    if request.max_tokens < 1 or request.top < 1:
        raise UnanswerableError("at least one completion of one token must be asked for")
    gap = _Gap.between(tokenizer, request.before, request.after)
    width = max(BEAM, request.top)
    lengths = range(1, request.max_tokens + 1)
    lists = yield from together(
        [_of_length(gap, length, width, request.top, longest) for length in lengths]
    )
    return Completions(completions=_ranked(lists), method=f"masked, left to right (beam {width})")


def _ranked(lists: Iterable[Sequence[Completion]]) -> tuple[Completion, ...]:
    """Fewer tokens first, then best first; of equals the first asked stays first."""
    every = [completion for some in lists for completion in some]
    return tuple(sorted(every, key=lambda completion: (completion.tokens, -completion.logprob)))


def _choice(tokenizer: Any, longest: int, request: Fill, choice: str) -> Plan[list[Completion]]:
    """Score one choice, tokenised in place; an empty one is certain.

    A token that also covers characters beside the gap belongs to the choice.
    """
    encoded = encode(tokenizer, request.before + choice + request.after)
    check_length(encoded.ids, longest)
    start = len(request.before)
    gap = Reach(start, start + len(choice))
    inside = [i for i in encoded.content if gap.meets(encoded.reaches[i])]
    if choice and not inside:
        raise UnanswerableError(f"the tokenizer makes no token of the choice {choice!r}")
    asks = []
    for i in inside:
        row = list(encoded.ids)
        for later in inside:
            if later >= i:
                row[later] = tokenizer.mask_token_id
        asks.append(Ask(tuple(row), i, tokens=(encoded.ids[i],)))
    found = yield asks
    total = round(sum(one.logprobs[0] for one in found), DECIMALS)
    return [Completion(text=choice, logprob=total, tokens=len(inside))]


def _of_length(
    gap: _Gap, length: int, width: int, top: int, longest: int
) -> Plan[list[Completion]]:
    """The best completions of exactly `length` tokens."""
    check_length(gap.row((), length), longest)
    beam = [_Candidate(0.0, ())]
    for step in range(length - 1):
        grown = yield from _grown(gap, beam, length, width)
        beam = list(islice((c for c in grown if step or gap.can_begin(c.tokens[0])), width))
    grown = yield from _grown(gap, beam, length, width)
    return list(islice(gap.completions(grown), top))


def _grown(
    gap: _Gap, beam: Sequence[_Candidate], length: int, width: int
) -> Plan[list[_Candidate]]:
    """Each candidate with one token more, best first."""
    found = yield [
        Ask(
            gap.row(candidate.tokens, length),
            len(gap.head) + len(candidate.tokens),
            top=max(_SHORTLIST, 4 * width),
        )
        for candidate in beam
    ]
    grown = [
        _Candidate(candidate.total + logprob, (*candidate.tokens, token))
        for candidate, more in zip(beam, found, strict=True)
        for token, logprob in zip(more.tokens, more.logprobs, strict=True)
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

    @classmethod
    def between(cls, tokenizer: Any, before: str, after: str) -> _Gap:
        return cls(tokenizer, before, after, _head(tokenizer, before), _tail(tokenizer, after))

    def row(self, tokens: Sequence[int], length: int) -> tuple[int, ...]:
        """The gap with its first tokens filled and the others masked."""
        masks = [self.tokenizer.mask_token_id] * (length - len(tokens))
        return (*self.head, *tokens, *masks, *self.tail)

    def completions(self, candidates: Iterable[_Candidate]) -> Iterator[Completion]:
        """The candidates that are the tokens of a text, as that text."""
        for total, tokens in candidates:
            wanted = self.row(tokens, len(tokens))
            for text in self._spellings(tokens):
                if _PART_OF_A_CHARACTER in text:
                    break
                if token_ids(self.tokenizer, self.before + text + self.after) == wanted:
                    logprob = round(total, DECIMALS)
                    yield Completion(text=text, logprob=logprob, tokens=len(tokens))
                    break

    def can_begin(self, token: int) -> bool:
        """Whether a longer completion may open with the token, as far as can be told.

        A lone space marker and a part of a character cannot be judged before more is there.
        """
        spellings = self._spellings((token,))
        if not spellings or _PART_OF_A_CHARACTER in spellings[0]:
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


def _head(tokenizer: Any, before: str) -> tuple[int, ...]:
    """The tokens before the gap. A space at its edge is part of the token that follows."""
    encoded = encode(tokenizer, before[:-1] if before[-1:].isspace() else before)
    if encoded.content:
        return encoded.ids[: encoded.content[-1] + 1]
    stand_in = encode(tokenizer, _STAND_INS[0])
    return stand_in.ids[: stand_in.content[0]]


def _tail(tokenizer: Any, after: str) -> tuple[int, ...]:
    """The tokens after the gap, as they are behind a word."""
    for stand_in in _STAND_INS:
        encoded = encode(tokenizer, stand_in + after)
        ends = [encoded.reaches[i].end for i in encoded.content if encoded.reaches[i].start == 0]
        if ends and max(ends) <= len(stand_in):
            return encoded.ids[encoded.content[len(ends) - 1] + 1 :]
    raise UnanswerableError(
        f"the text after the gap, {after[:20]!r}, has no token of its own; ask with choices"
    )
