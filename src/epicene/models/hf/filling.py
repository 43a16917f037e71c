"""The verb fill, for a causal model: what may stand in a gap, given what stands before it.

Choices are scored as texts; without choices a beam finds completions. Either way `with_after`
scores the completion and the text after the gap as one string.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.models.hf.beam import Beams
from epicene.models.hf.memory import TooLargeError
from epicene.models.hf.scoring import Job, row, solve
from epicene.models.hf.tokens import UnanswerableError
from epicene.records import DECIMALS, Answer, Completion, Completions, Failed, Fill

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.models import Answered
    from epicene.models.hf.forward import Forward
    from epicene.models.hf.rows import Row, Scored
    from epicene.models.hf.tokens import Encoder


class Filler:
    """Fills gaps with one model."""

    def __init__(self, encoder: Encoder, forward: Forward) -> None:
        self._encoder = encoder
        self._forward = forward
        self._beams = Beams(encoder, forward)

    def answer(self, requests: Sequence[tuple[int, Fill]]) -> Iterator[Answered]:
        """Answer all requests together."""
        found = self._beams.search([request for _, request in requests if not request.choices])
        jobs: list[Job] = []
        failed: list[tuple[int, Answer]] = []
        for place, request in requests:
            try:
                if request.choices:
                    jobs.append(self._choices(place, request))
                else:
                    jobs.append(self._completed(place, request, found[request]))
            except (UnanswerableError, TooLargeError) as error:
                failed.append((place, Failed(reason=str(error))))
        if failed:
            yield failed
        yield from solve(jobs, self._forward)

    def _choices(self, place: int, request: Fill) -> Job:
        """Score the choices, alone and with the text after the gap. An empty one is certain."""
        alone = [self._row(request, choice) for choice in request.choices if choice]

        def finish(scored: list[Scored]) -> Answer:
            mine = iter(scored[: len(alone)])
            shown = []
            for choice in request.choices:
                tokens = next(mine).logprobs if choice else []
                shown.append(Completion(text=choice, logprob=sum(tokens), tokens=len(tokens)))
            return _ranked(request, shown, scored[len(alone) :])

        return Job(place, (*alone, *self._with_after(request, request.choices)), finish)

    def _completed(self, place: int, request: Fill, found: list[Completion] | Exception) -> Job:
        """Add the text after the gap to the completions the beam found."""
        if isinstance(found, Exception):
            raise found
        rows = self._with_after(request, [completion.text for completion in found])
        return Job(place, rows, lambda scored: _ranked(request, found, scored))

    def _with_after(self, request: Fill, texts: Sequence[str]) -> tuple[Row, ...]:
        if not request.after:
            return ()
        return tuple(self._row(request, text + request.after) for text in texts)

    def _row(self, request: Fill, text: str) -> Row:
        encoded = self._encoder.encode(request.before, text, request.first_token)
        if encoded.unscored:
            raise UnanswerableError(
                f"the first token of {text!r} has no score under the first-token policy "
                f"{request.first_token!r}, as nothing stands before it"
            )
        return row(encoded)


def _ranked(
    request: Fill, shown: Sequence[Completion], with_after: Sequence[Scored]
) -> Completions:
    """The answer: fewer tokens first, then best first. With nothing after, both scores agree."""
    sums = (
        [sum(row.logprobs) for row in with_after] if request.after else [c.logprob for c in shown]
    )
    completions = [
        Completion(
            text=completion.text,
            logprob=round(completion.logprob, DECIMALS),
            tokens=completion.tokens,
            with_after=round(total, DECIMALS),
        )
        for completion, total in zip(shown, sums, strict=True)
    ]
    completions.sort(key=lambda completion: (completion.tokens, -completion.logprob))
    return Completions(completions=tuple(completions), method="causal")
