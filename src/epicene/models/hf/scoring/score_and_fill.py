"""Plan a causal model's score and fill requests as rows of tokens, and build the answers.

Choices for a gap are scored as texts; without choices, a beam search finds completions of one to k
tokens, and each length is ranked by itself. `with_after` scores the completion and the text after
the gap as one string. A space just before the gap belongs to the completion's first token in nearly
every tokenizer, so the beam starts before that space and its first token must bring it.
"""

from __future__ import annotations

import heapq
import math
from collections import defaultdict
from dataclasses import dataclass, field
from functools import partial
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any

from msgspec import UNSET

from epicene.core.records import (
    LOGPROB_DECIMALS,
    Answer,
    Completion,
    Completions,
    Decoding,
    Failed,
    Fill,
    Score,
    Scores,
    TextScore,
)
from epicene.languages.tokenisation import count_words
from epicene.models import UnanswerableError, check_not_empty
from epicene.models.hf.batching import TooLargeError
from epicene.models.hf.non_finite import NonFiniteError, check_scores, shorten
from epicene.models.hf.scoring.routes import ContinuationRow, ScoringRow
from epicene.models.hf.tokenisation import PARTIAL_CHARACTER, TextInContext

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from epicene.models import NumberedAnswers
    from epicene.models.hf.generation.decoding import SamplingDistribution
    from epicene.models.hf.non_finite import NumberFormat
    from epicene.models.hf.scoring.forward import CausalForward
    from epicene.models.hf.scoring.routes import RowScores
    from epicene.models.hf.tokenisation import ChatTemplate, EncodedText, TextEncoder


@dataclass(frozen=True)
class ScoringJob:
    """One request's rows, and the function that makes its answer from their log-probabilities."""

    number: int
    rows: tuple[ScoringRow, ...]
    finish: Callable[[list[RowScores]], Answer]


def run_jobs(jobs: Sequence[ScoringJob], forward: CausalForward) -> Iterator[NumberedAnswers]:
    """Run the rows of all jobs; each answer comes as soon as its last row is done.

    If the device works asynchronously, the rows are queued when this returns.
    """
    owners = defaultdict(list)
    missing = {}
    for job in jobs:
        distinct = set(job.rows)
        missing[job.number] = len(distinct)
        for row in distinct:
            owners[row].append(job)
    free = [(job.number, job.finish([])) for job in jobs if not job.rows]
    return _answers_when_scored(free, missing, owners, forward.score(owners))


def _answers_when_scored(
    free: NumberedAnswers,
    missing: dict[int, int],
    owners: Mapping[ScoringRow, Sequence[ScoringJob]],
    parts: Iterator[dict[ScoringRow, RowScores | TooLargeError]],
) -> Iterator[NumberedAnswers]:
    if free:
        yield free
    results: dict[ScoringRow, RowScores | TooLargeError] = {}
    for done in parts:
        results |= done
        answered = []
        for row in done:
            for job in owners[row]:
                missing[job.number] -= 1
                if not missing[job.number]:
                    answered.append((job.number, _finish_job(job, results)))
        if answered:
            yield answered


def _finish_job(job: ScoringJob, results: dict[ScoringRow, RowScores | TooLargeError]) -> Answer:
    scored = []
    for row in job.rows:
        result = results[row]
        if isinstance(result, TooLargeError):
            return Failed(reason=str(result))
        scored.append(result)
    try:
        return job.finish(scored)
    except NonFiniteError as error:
        return Failed(reason=str(error))


def scoring_row(
    encoded: EncodedText, distribution: SamplingDistribution | None = None
) -> ScoringRow:
    """The row that scores an encoded text."""
    return ScoringRow(encoded.ids, encoded.first + encoded.unscored, distribution)


class ScorePlanner:
    """Plans the Score requests of a batch; with `ahead`, texts are tokenised in the background."""

    def __init__(
        self,
        requests: Sequence[tuple[int, Score]],
        encoder: TextEncoder,
        chat: ChatTemplate,
        *,
        ahead: bool,
    ) -> None:
        self._failed: list[tuple[int, Answer]] = []
        self._requests: list[tuple[int, Score]] = []
        texts: list[TextInContext] = []
        for number, request in requests:
            try:
                context = chat.render(request.context)
            except UnanswerableError as error:
                self._failed.append((number, Failed(reason=str(error))))
                continue
            self._requests.append((number, request))
            texts += [
                TextInContext(context.text, text, request.first_token, context.templated)
                for text in request.texts
            ]
        self._encoded = encoder.begin(texts) if ahead else partial(encoder.encode_all, texts)

    def jobs(
        self,
        distribution_of: Callable[[Decoding], SamplingDistribution],
        number_format: NumberFormat,
    ) -> tuple[list[ScoringJob], list[tuple[int, Answer]]]:
        """The jobs for the requests, and the answers of those that fail."""
        jobs: list[ScoringJob] = []
        failed = self._failed
        encoded = iter(self._encoded())
        for number, request in self._requests:
            texts = list(islice(encoded, len(request.texts)))
            try:
                jobs.append(
                    _plan_score_request(number, request, texts, distribution_of, number_format)
                )
            except UnanswerableError as error:
                failed.append((number, Failed(reason=str(error))))
        return jobs, failed


def _plan_score_request(
    number: int,
    request: Score,
    encoded: Sequence[EncodedText | UnanswerableError],
    distribution_of: Callable[[Decoding], SamplingDistribution],
    number_format: NumberFormat,
) -> ScoringJob:
    check_not_empty(request)
    texts = []
    for one in encoded:
        if isinstance(one, UnanswerableError):
            raise one
        texts.append(one)
    _refuse_unscored(request, texts)
    distribution = (
        distribution_of(request.decoding) if isinstance(request.decoding, Decoding) else None
    )

    def finish(scored: list[RowScores]) -> Answer:
        return Scores(
            texts=tuple(
                _text_score(request, *facts, number_format)
                for facts in zip(request.texts, texts, scored, strict=True)
            ),
            method="causal",
            conditioned_on=texts[0].conditioned_on,
        )

    return ScoringJob(
        number, tuple(scoring_row(encoded, distribution) for encoded in texts), finish
    )


def _text_score(
    request: Score,
    text: str,
    encoded: EncodedText,
    scored: RowScores,
    number_format: NumberFormat,
) -> TextScore:
    _, first, starts, ends, _ = encoded
    unscored = (None,) * (first == 0)
    if not scored.finite:

        def token(index: int) -> str:
            return text[starts[len(unscored) + index] : ends[len(unscored) + index]]

        check_scores(scored, token, text, number_format)
    return TextScore(
        logprobs=(*unscored, *scored.rounded),
        starts=starts,
        ends=ends,
        words=count_words(text, request.language),
        characters=len(text),
        drawn=UNSET
        if scored.drawn is None
        else unscored
        + tuple(None if p == -math.inf else round(p, LOGPROB_DECIMALS) for p in scored.drawn),
    )


def _refuse_unscored(request: Score, texts: Sequence[EncodedText]) -> None:
    """Raise for texts without a scored token, or that differ only in tokens without a score."""
    for text, encoded in zip(request.texts, texts, strict=True):
        if encoded.unscored == len(encoded.starts):
            raise UnanswerableError(
                f"the text {text!r} is a single token, which has no score under the first-token "
                f"policy {request.first_token!r}"
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


# Beams kept per completion: some end inside a character and cannot be shown.
_BEAMS_PER_COMPLETION = 2


@dataclass(frozen=True)
class _Beam:
    """A partial completion."""

    ids: tuple[int, ...] = ()
    logprob: float = 0.0


@dataclass
class _RequestBeams:
    """The beams of one request, and the completions so far."""

    request: Fill
    base: tuple[int, ...]
    spaced: bool
    beams: list[_Beam] = field(default_factory=lambda: [_Beam()])
    shown: list[Completion] = field(default_factory=list)
    error: TooLargeError | NonFiniteError | None = None

    @property
    def stems(self) -> dict[_Beam, ContinuationRow]:
        """The rows to run next."""
        width = self.request.top * _BEAMS_PER_COMPLETION
        return {
            beam: ContinuationRow(self.base + beam.ids, width, self.spaced and not beam.ids)
            for beam in self.beams
        }

    def take(
        self,
        found: dict[ContinuationRow, list[tuple[int, float]] | TooLargeError],
        number_format: NumberFormat,
    ) -> None:
        """Lengthen every beam by one token and keep the best."""
        longer = []
        for beam, stem in self.stems.items():
            best = found[stem]
            if isinstance(best, TooLargeError):
                return self._fail(best)
            if best and not math.isfinite(best[0][1]):
                place = f"token {len(beam.ids) + 1} of the gap after"
                what = f"the log-probabilities of {place} {shorten(self.request.before, end=True)}"
                return self._fail(NonFiniteError(what, best[0][1], number_format))
            longer += [_Beam((*beam.ids, token), beam.logprob + p) for token, p in best]
        width = self.request.top * _BEAMS_PER_COMPLETION
        self.beams = heapq.nsmallest(width, longer, key=lambda beam: (-beam.logprob, beam.ids))
        return None

    def _fail(self, error: TooLargeError | NonFiniteError) -> None:
        self.error = error
        self.beams = []


class BeamSearch:
    """Searches completions with one model."""

    def __init__(self, encoder: TextEncoder, forward: CausalForward) -> None:
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

    def _seed(self, request: Fill) -> _RequestBeams:
        check_not_empty(request)
        spaced = request.before.endswith(" ") and not request.before.endswith("  ")
        before = request.before[:-1] if spaced else request.before
        base = self._encoder.prompt(before, request.first_token)
        self._encoder.check(len(base) + request.max_tokens - 1)
        return _RequestBeams(request, base, spaced)

    def _grow(self, growths: Sequence[_RequestBeams]) -> None:
        for length in range(1, max((g.request.max_tokens for g in growths), default=0) + 1):
            growing = [g for g in growths if g.beams and g.request.max_tokens >= length]
            stems = {stem for growth in growing for stem in growth.stems.values()}
            found = self._forward.continuations(stems, self._allowed)
            for growth in growing:
                growth.take(found, self._forward.number_format)
                growth.shown += self._completions(growth)

    def _completions(self, growth: _RequestBeams) -> list[Completion]:
        """The best beams that make a text of whole characters, each text once."""
        shown: dict[str, Completion] = {}
        for beam in growth.beams:
            text = self._encoder.decode(beam.ids)
            text = text[1:] if growth.spaced else text
            if text and PARTIAL_CHARACTER not in text and text not in shown:
                shown[text] = Completion(text=text, logprob=beam.logprob, tokens=len(beam.ids))
        return list(shown.values())[: growth.request.top]

    def _allowed(self, stem: ContinuationRow) -> Any:
        """Tokens that are text, and begin with a space where one is due."""
        import torch

        if stem.spaced not in self._masks:
            mask = torch.zeros(self._forward.vocabulary, dtype=torch.bool)
            spaced = self._encoder.spaced
            mask[: len(spaced)] = torch.tensor(spaced) if stem.spaced else True
            mask[list(self._encoder.special)] = False
            self._masks[stem.spaced] = mask
        return self._masks[stem.spaced]


class GapFiller:
    """Fills gaps with one model."""

    def __init__(self, encoder: TextEncoder, forward: CausalForward) -> None:
        self._encoder = encoder
        self._forward = forward
        self._beams = BeamSearch(encoder, forward)

    def answer(self, requests: Sequence[tuple[int, Fill]]) -> Iterator[NumberedAnswers]:
        """Answer all requests together."""
        found = self._beams.search([request for _, request in requests if not request.choices])
        jobs: list[ScoringJob] = []
        failed: list[tuple[int, Answer]] = []
        for number, request in requests:
            try:
                if request.choices:
                    jobs.append(self._choices(number, request))
                else:
                    jobs.append(self._completed(number, request, found[request]))
            except (UnanswerableError, TooLargeError) as error:
                failed.append((number, Failed(reason=str(error))))
        if failed:
            yield failed
        yield from run_jobs(jobs, self._forward)

    def _choices(self, number: int, request: Fill) -> ScoringJob:
        """Score the choices, alone and with the text after the gap. An empty one is certain."""
        spelt = [choice for choice in request.choices if choice]
        alone = tuple(self._row(request, choice) for choice in spelt)
        after = self._with_after(request, request.choices)
        texts = [*spelt, *(choice + request.after for choice in request.choices)]

        def finish(scored: list[RowScores]) -> Answer:
            self._check_finite(texts, (*alone, *after), scored)
            mine = iter(scored[: len(alone)])
            shown = []
            for choice in request.choices:
                tokens = next(mine).logprobs if choice else []
                shown.append(Completion(text=choice, logprob=sum(tokens), tokens=len(tokens)))
            return _ranked_completions(request, shown, scored[len(alone) :])

        return ScoringJob(number, (*alone, *after), finish)

    def _completed(
        self, number: int, request: Fill, found: list[Completion] | Exception
    ) -> ScoringJob:
        """Add the text after the gap to the completions the beam found."""
        if isinstance(found, Exception):
            raise found
        rows = self._with_after(request, [completion.text for completion in found])

        def finish(scored: list[RowScores]) -> Answer:
            self._check_finite([each.text + request.after for each in found], rows, scored)
            return _ranked_completions(request, found, scored)

        return ScoringJob(number, rows, finish)

    def _check_finite(
        self, texts: Sequence[str], rows: Sequence[ScoringRow], scored: Sequence[RowScores]
    ) -> None:
        for text, row, scores in zip(texts, rows, scored, strict=False):
            own = row.ids[row.first :]

            def token(index: int, own: Sequence[int] = own) -> str:
                return self._encoder.decode(own[index : index + 1])

            check_scores(scores, token, text, self._forward.number_format)

    def _with_after(self, request: Fill, texts: Sequence[str]) -> tuple[ScoringRow, ...]:
        if not request.after:
            return ()
        return tuple(self._row(request, text + request.after) for text in texts)

    def _row(self, request: Fill, text: str) -> ScoringRow:
        encoded = self._encoder.encode(request.before, text, request.first_token)
        if encoded.unscored:
            raise UnanswerableError(
                f"the first token of {text!r} has no score under the first-token policy "
                f"{request.first_token!r}, because nothing precedes it"
            )
        return scoring_row(encoded)


def _ranked_completions(
    request: Fill, shown: Sequence[Completion], with_after: Sequence[RowScores]
) -> Completions:
    """The answer: fewer tokens first, then best first. With nothing after, both scores agree."""
    sums = (
        [sum(row.logprobs) for row in with_after] if request.after else [c.logprob for c in shown]
    )
    completions = [
        Completion(
            text=completion.text,
            logprob=round(completion.logprob, LOGPROB_DECIMALS),
            tokens=completion.tokens,
            with_after=round(total, LOGPROB_DECIMALS),
        )
        for completion, total in zip(shown, sums, strict=True)
    ]
    completions.sort(key=lambda completion: (completion.tokens, -completion.logprob))
    return Completions(completions=tuple(completions), method="causal")
