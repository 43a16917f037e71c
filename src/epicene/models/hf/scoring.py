"""The verb score, for a causal model: what to run for a request, and its answer from that."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import TYPE_CHECKING

from msgspec import UNSET

from epicene.languages.segment import count_words
from epicene.models.hf.memory import TooLargeError
from epicene.models.hf.rows import Row
from epicene.models.hf.tokens import UnanswerableError, Wanted
from epicene.records import DECIMALS, Answer, Decoding, Failed, Score, Scores, TextScore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from epicene.models import Answered
    from epicene.models.hf.chat import Chat, Rendered
    from epicene.models.hf.forward import Forward
    from epicene.models.hf.rows import Scored
    from epicene.models.hf.sampling import Drawing
    from epicene.models.hf.tokens import Encoded, Encoder


@dataclass(frozen=True)
class Job:
    """One request's rows, and what makes its answer of their log-probabilities."""

    place: int
    rows: tuple[Row, ...]
    finish: Callable[[list[Scored]], Answer]


def solve(jobs: Sequence[Job], forward: Forward) -> Iterator[Answered]:
    """Hand all jobs' rows to the model; each answer comes as soon as its last row is done.

    The rows are on their way when this returns, where the device works by itself.
    """
    owners = defaultdict(list)
    missing = {}
    for job in jobs:
        distinct = set(job.rows)
        missing[job.place] = len(distinct)
        for row in distinct:
            owners[row].append(job)
    free = [(job.place, job.finish([])) for job in jobs if not job.rows]
    return _answers(free, missing, owners, forward.score(owners))


def _answers(
    free: Answered,
    missing: dict[int, int],
    owners: Mapping[Row, Sequence[Job]],
    parts: Iterator[dict[Row, Scored | TooLargeError]],
) -> Iterator[Answered]:
    if free:
        yield free
    results: dict[Row, Scored | TooLargeError] = {}
    for done in parts:
        results |= done
        answered = []
        for row in done:
            for job in owners[row]:
                missing[job.place] -= 1
                if not missing[job.place]:
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


def plan_all(
    requests: Sequence[tuple[int, Score]],
    encoder: Encoder,
    chat: Chat,
    drawing_of: Callable[[Decoding], Drawing],
) -> tuple[list[Job], list[tuple[int, Answer]]]:
    """What to run for Score requests, and those that have no answer."""
    jobs: list[Job] = []
    failed: list[tuple[int, Answer]] = []
    contexts: dict[int, Rendered] = {}
    for place, request in requests:
        try:
            contexts[place] = chat.render(request.context)
        except UnanswerableError as error:
            failed.append((place, Failed(reason=str(error))))
    answerable = [(place, request) for place, request in requests if place in contexts]
    encoded = iter(
        encoder.encode_all(
            [
                Wanted(contexts[place].text, text, request.first_token, contexts[place].templated)
                for place, request in answerable
                for text in request.texts
            ]
        )
    )
    for place, request in answerable:
        texts = list(islice(encoded, len(request.texts)))
        try:
            jobs.append(_plan(place, request, texts, drawing_of))
        except UnanswerableError as error:
            failed.append((place, Failed(reason=str(error))))
    return jobs, failed


def _plan(
    place: int,
    request: Score,
    encoded: Sequence[Encoded | UnanswerableError],
    drawing_of: Callable[[Decoding], Drawing],
) -> Job:
    if not encoded:
        raise UnanswerableError("there is no text to score")
    texts = []
    for one in encoded:
        if isinstance(one, UnanswerableError):
            raise one
        texts.append(one)
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
        logprobs=(*unscored, *scored.rounded),
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
