"""The verb score, for a causal model: what to run for a request, and its answer from that."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from msgspec import UNSET

from epicene.languages.segment import count_words
from epicene.models.hf.forward import Row
from epicene.models.hf.memory import TooLargeError
from epicene.models.hf.tokens import UnanswerableError
from epicene.records import DECIMALS, Answer, Decoding, Failed, Score, Scores, TextScore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from epicene.models import Answered
    from epicene.models.hf.chat import Chat
    from epicene.models.hf.forward import Forward, Scored
    from epicene.models.hf.sampling import Drawing
    from epicene.models.hf.tokens import Encoded, Encoder


@dataclass(frozen=True)
class Job:
    """One request's rows, and what makes its answer of their log-probabilities."""

    place: int
    rows: tuple[Row, ...]
    finish: Callable[[list[Scored]], Answer]


def solve(jobs: Sequence[Job], forward: Forward) -> Iterator[Answered]:
    """Run all jobs' rows together; each answer comes as soon as its last row is done."""
    waiting = {job.place: set(job.rows) for job in jobs}
    owners = defaultdict(list)
    for job in jobs:
        for row in set(job.rows):
            owners[row].append(job)
    if free := [(job.place, job.finish([])) for job in jobs if not job.rows]:
        yield free
    results: dict[Row, Scored | TooLargeError] = {}
    for done in forward.score(owners):
        results |= done
        answered = []
        for row in done:
            for job in owners[row]:
                waiting[job.place].discard(row)
                if not waiting[job.place]:
                    answered.append((job.place, _finish(job, results)))
        if answered:
            yield answered


def _finish(job: Job, results: dict[Row, Scored | TooLargeError]) -> Answer:
    scored = []
    for row in job.rows:
        result = results[row]
        if isinstance(result, TooLargeError):
            return Failed(reason=str(result))
        scored.append(result)
    return job.finish(scored)


def row(encoded: Encoded, drawing: Drawing | None = None) -> Row:
    """The row that scores an encoded text."""
    return Row(encoded.ids, encoded.first + encoded.unscored, drawing)


def plan(
    place: int,
    request: Score,
    encoder: Encoder,
    chat: Chat,
    drawing_of: Callable[[Decoding], Drawing],
) -> Job:
    """What to run for a Score request."""
    if not request.texts:
        raise UnanswerableError("there is no text to score")
    context = chat.render(request.context)
    texts = [
        encoder.encode(context.text, text, request.first_token, templated=context.templated)
        for text in request.texts
    ]
    _refuse_unscored(request, texts)
    drawing = drawing_of(request.decoding) if isinstance(request.decoding, Decoding) else None

    def finish(scored: list[Scored]) -> Answer:
        return Scores(
            texts=tuple(
                _text_score(request, *facts)
                for facts in zip(request.texts, texts, scored, strict=True)
            ),
            method="causal",
            conditioned_on=texts[0].conditioned_on,
        )

    return Job(place, tuple(row(encoded, drawing) for encoded in texts), finish)


def _text_score(request: Score, text: str, encoded: Encoded, scored: Scored) -> TextScore:
    unscored = (None,) * encoded.unscored
    return TextScore(
        logprobs=unscored + tuple(round(p, DECIMALS) for p in scored.logprobs),
        starts=encoded.starts,
        ends=encoded.ends,
        words=count_words(text, request.language),
        characters=len(text),
        drawn=UNSET
        if scored.drawn is None
        else unscored + tuple(None if p == -math.inf else round(p, DECIMALS) for p in scored.drawn),
    )


def _refuse_unscored(request: Score, texts: Sequence[Encoded]) -> None:
    """Refuse texts of which nothing is scored, or that differ only in what is not."""
    for text, encoded in zip(request.texts, texts, strict=True):
        if encoded.unscored == len(encoded.starts):
            raise UnanswerableError(
                f"the text {text!r} is one token, which has no score under the first-token policy "
                f"{request.first_token!r}"
            )
    firsts = sorted(
        (e.ids[1:], e.ids[0], t) for e, t in zip(texts, request.texts, strict=True) if e.unscored
    )
    for (rest, first, text), (other_rest, other_first, other) in pairwise(firsts):
        if rest == other_rest and first != other_first:
            raise UnanswerableError(
                f"the texts {text!r} and {other!r} differ only in their first token, which has no "
                f"score under the first-token policy {request.first_token!r}"
            )
