"""A beam of completions of one to k tokens, each length ranked by itself.

A space just before the gap belongs to the completion's first token in nearly every tokenizer;
left where it is, the model would have to begin a word without one. The beam therefore starts
before that space and its first token must bring it, as happens by itself to a choice.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from epicene.models.hf.memory import TooLargeError
from epicene.models.hf.rows import Stem
from epicene.models.hf.tokens import UnanswerableError
from epicene.records import Completion, Fill

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from epicene.models.hf.forward import Forward
    from epicene.models.hf.tokens import Encoder

# Beams kept per completion asked for: some end inside a character and cannot be shown.
_SPARE = 2
_BROKEN = "\N{REPLACEMENT CHARACTER}"


@dataclass(frozen=True)
class _Beam:
    """A completion as it grows."""

    ids: tuple[int, ...] = ()
    logprob: float = 0.0


@dataclass
class _Growth:
    """The beams of one request, and what they have shown so far."""

    request: Fill
    base: tuple[int, ...]
    spaced: bool
    beams: list[_Beam] = field(default_factory=lambda: [_Beam()])
    shown: list[Completion] = field(default_factory=list)
    error: TooLargeError | None = None

    @property
    def stems(self) -> dict[_Beam, Stem]:
        """What to run next."""
        width = self.request.top * _SPARE
        return {
            beam: Stem(self.base + beam.ids, width, self.spaced and not beam.ids)
            for beam in self.beams
        }

    def take(self, found: dict[Stem, list[tuple[int, float]] | TooLargeError]) -> None:
        """Lengthen every beam by one token and keep the best."""
        longer = []
        for beam, stem in self.stems.items():
            best = found[stem]
            if isinstance(best, TooLargeError):
                self.error = best
                self.beams = []
                return
            longer += [_Beam((*beam.ids, token), beam.logprob + p) for token, p in best]
        width = self.request.top * _SPARE
        self.beams = heapq.nsmallest(width, longer, key=lambda beam: (-beam.logprob, beam.ids))


class Beams:
    """Searches completions with one model."""

    def __init__(self, encoder: Encoder, forward: Forward) -> None:
        self._encoder = encoder
        self._forward = forward
        self._masks: dict[bool, Any] = {}

    def search(
        self, requests: Iterable[Fill]
    ) -> dict[Fill, list[Completion] | UnanswerableError | TooLargeError]:
        """For each request its completions, `top` of each length, or why there are none."""
        found: dict[Fill, list[Completion] | UnanswerableError | TooLargeError] = {}
        growths = []
        for request in requests:
            try:
                growths.append(self._seed(request))
            except UnanswerableError as error:
                found[request] = error
        self._grow(growths)
        for growth in growths:
            found[growth.request] = growth.error or growth.shown
        return found

    def _seed(self, request: Fill) -> _Growth:
        if request.max_tokens < 1 or request.top < 1:
            raise UnanswerableError("at least one completion of one token must be asked for")
        spaced = request.before.endswith(" ") and not request.before.endswith("  ")
        before = request.before[:-1] if spaced else request.before
        base = self._encoder.prompt(before, request.first_token)
        self._encoder.check(len(base) + request.max_tokens - 1)
        return _Growth(request, base, spaced)

    def _grow(self, growths: Sequence[_Growth]) -> None:
        for length in range(1, max((g.request.max_tokens for g in growths), default=0) + 1):
            growing = [g for g in growths if g.beams and g.request.max_tokens >= length]
            stems = {stem for growth in growing for stem in growth.stems.values()}
            found = self._forward.continuations(stems, self._allowed)
            for growth in growing:
                growth.take(found)
                growth.shown += self._completions(growth)

    def _completions(self, growth: _Growth) -> list[Completion]:
        """The best beams that make a text of whole characters, each text once."""
        shown: dict[str, Completion] = {}
        for beam in growth.beams:
            text = self._encoder.decode(beam.ids)
            text = text[1:] if growth.spaced else text
            if text and _BROKEN not in text and text not in shown:
                shown[text] = Completion(text=text, logprob=beam.logprob, tokens=len(beam.ids))
        return list(shown.values())[: growth.request.top]

    def _allowed(self, stem: Stem) -> Any:
        """Tokens that are text, and begin with a space where one is due."""
        import torch

        if stem.spaced not in self._masks:
            mask = torch.zeros(self._forward.vocabulary, dtype=torch.bool)
            spaced = self._encoder.spaced
            mask[: len(spaced)] = torch.tensor(spaced) if stem.spaced else True
            mask[list(self._encoder.special)] = False
            self._masks[stem.spaced] = mask
        return self._masks[stem.spaced]
