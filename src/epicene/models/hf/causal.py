"""Causal language models: score, fill and generate.

Only what a request asks for shapes a generated text: the model's own top-k, top-p and repetition
penalty are off; its temperature is used where the request leaves it open. A plain prompt begins as
the tokenizer begins any text.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, cast

from epicene.core.records import Answer, Failed, Fill, Generate, Score, Text, digest, verb
from epicene.models.hf.batching import (
    TooLargeError,
    batch_independent_length,
    batch_limit,
    free_memory,
    position_limit,
    prefetch,
    run_halving_on_oom,
)
from epicene.models.hf.generation.continuous_batching import (
    CacheLimits,
    ContinuousBatching,
    GenerationSetup,
    Stepper,
)
from epicene.models.hf.generation.decoding import (
    DecodedTokens,
    GenerationJob,
    SamplingDistribution,
    SamplingParams,
    decode_batch,
    texts_answer,
)
from epicene.models.hf.generation.kv_cache import (
    BatchSupport,
    check_continuous_batching,
    check_padded_batches,
)
from epicene.models.hf.scoring.forward import CausalForward
from epicene.models.hf.scoring.routes import PASS_TOKENS
from epicene.models.hf.scoring.score_and_fill import GapFiller, plan_score_requests, run_jobs
from epicene.models.hf.tokenisation import ChatTemplate, TextEncoder, UnanswerableError
from epicene.models.output_parsing import strip_thinking

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from epicene.core.records import Decoding, FirstToken
    from epicene.models import Batch, ImageStore, NumberedAnswers
    from epicene.models.hf.generation.continuous_batching import JobResult
    from epicene.models.hf.loading import LoadedModel

# Prompt and new tokens held at once, padding counted: on a CPU, on an accelerator.
_BATCH_TOKENS = (16_384, 262_144)


@dataclass(frozen=True)
class _GenerationPlan:
    """What one request asks to be written. Greedy samples are alike: one is written for all."""

    request: Generate
    jobs: tuple[GenerationJob, ...]
    temperature: float
    system: str

    def answer(self, written: Mapping[int, Text | TooLargeError]) -> Answer:
        texts = [written[job.sampling.sample] for job in self.jobs]
        return texts_answer(texts, self.request.samples, self.temperature, self.system)


class CausalGenerator:
    """Writes texts with one model."""

    def __init__(
        self, loaded: LoadedModel, encoder: TextEncoder, chat: ChatTemplate, notes: dict[str, Any]
    ) -> None:
        from transformers import GenerationConfig

        self._loaded, self._encoder, self._chat = loaded, encoder, chat
        self._notes = notes
        notes.update(written=0, tokens=0, settings="as asked; the model's own are off")
        own = loaded.model.generation_config
        self._temperature = 1.0 if own.temperature is None else float(own.temperature)
        self._ends = end_token_ids(loaded)
        # A call takes from here whatever it leaves unset, so here everything is unset.
        loaded.model.generation_config = GenerationConfig()

    def answer(self, requests: Sequence[tuple[int, Generate]]) -> Iterator[NumberedAnswers]:
        """Write for all requests together; an answer comes as soon as its last text is done."""
        plans: dict[int, _GenerationPlan] = {}
        failed: list[tuple[int, Answer]] = []
        for place, request in requests:
            try:
                plans[place] = self._plan(place, request)
            except UnanswerableError as error:
                failed.append((place, Failed(reason=str(error))))
        if failed:
            yield failed
        written: dict[int, dict[int, Text | TooLargeError]] = defaultdict(dict)
        for batch in self._write([job for plan in plans.values() for job in plan.jobs]):
            for job, found in batch:
                text = found if isinstance(found, TooLargeError) else self._text(job, found)
                written[job.place][job.sampling.sample] = text
            places = dict.fromkeys(job.place for job, _ in batch)
            done = [p for p in places if len(written[p]) == len(plans[p].jobs)]
            if done:
                yield [(place, plans[place].answer(written.pop(place))) for place in done]

    def distribution(self, decoding: Decoding) -> SamplingDistribution:
        """The distribution from which a text generated in that way samples each token."""
        return SamplingDistribution(
            temperature=self._temperature_of(decoding),
            top_k=decoding.top_k,
            top_p=decoding.top_p,
            barred=tuple(sorted(self._ends)) if decoding.exact_length else (),
        )

    def _temperature_of(self, decoding: Decoding) -> float:
        if decoding.temperature is None:
            return self._temperature
        if decoding.temperature < 0:
            raise UnanswerableError("a temperature cannot be negative")
        return float(decoding.temperature)

    def _plan(self, place: int, request: Generate) -> _GenerationPlan:
        decoding = request.decoding
        _check_request(request)
        rendered = self._chat.render(request.prompt)
        policy: FirstToken = "tokenizer-default" if rendered.text else "bos"
        prompt = self._encoder.prompt(rendered.text, policy, templated=rendered.templated)
        room = self._room(len(prompt), decoding.max_new_tokens, decoding.exact_length)
        temperature = self._temperature_of(decoding)
        key = digest(request)
        jobs = tuple(
            GenerationJob(
                place=place,
                prompt=prompt,
                room=room,
                exact=decoding.exact_length,
                stop=decoding.stop,
                sampling=SamplingParams(
                    key=key,
                    seed=decoding.seed,
                    sample=sample,
                    temperature=temperature,
                    top_k=decoding.top_k,
                    top_p=decoding.top_p,
                ),
            )
            for sample in range(request.samples if temperature > 0 else 1)
        )
        return _GenerationPlan(request, jobs, temperature, rendered.system)

    def _room(self, prompt: int, asked: int, exact: bool) -> int:
        """How many new tokens fit after the prompt; the last one is never read."""
        longest = self._encoder.longest
        if longest is None or prompt + asked - 1 <= longest:
            return asked
        if exact:
            raise UnanswerableError(
                f"a prompt of {prompt} tokens and exactly {asked} new ones are more than the "
                f"{longest} the model can read"
            )
        return longest - prompt + 1

    def _write(self, jobs: Sequence[GenerationJob]) -> Iterator[list[JobResult]]:
        """Write all jobs, in whatever order."""
        plain = jobs
        if continuous := self._continuous:
            plain = [job for job in jobs if not continuous.can_hold(job)]
            yield from continuous.write([job for job in jobs if continuous.can_hold(job)])
        for batch in self._batches(plain):
            yield self._write_padded(batch)

    @cached_property
    def _continuous(self) -> ContinuousBatching | None:
        """The faster way to write, for a model that is found fit for it."""
        stepper = Stepper(self._loaded)
        proof = check_continuous_batching(self._loaded, stepper)
        if proof.obstacle:
            self._notes.update(path="padded batch", because=proof.obstacle)
            return None
        self._notes["path"] = "continuous batches"
        ends = [limit for limit in (self._encoder.longest, proof.longest) if limit is not None]
        asked = self._loaded.options.batch_size
        accelerated = self._loaded.device.type != "cpu"
        limits = CacheLimits(
            rows=sys.maxsize if asked == "auto" else asked,
            tokens=_BATCH_TOKENS[accelerated],
            read=PASS_TOKENS[accelerated],
            longest=min(ends, default=None),
        )
        setup = GenerationSetup(stepper, self._ends, self._encoder.decode, limits, self._notes)
        return ContinuousBatching(setup)

    def _batches(self, jobs: Sequence[GenerationJob]) -> Iterator[list[GenerationJob]]:
        """Drafts of similar length together, the longest first so that memory fails early."""
        batch: list[GenerationJob] = []
        prompt = room = 0
        for job in sorted(jobs, key=self._order):
            alike = len(job.prompt) == prompt
            prompt, room = max(prompt, len(job.prompt)), max(room, job.room)
            if batch and not self._together(len(batch) + 1, prompt, room, alike):
                yield batch
                batch, prompt, room = [], len(job.prompt), job.room
            batch.append(job)
        if batch:
            yield batch

    def _order(self, job: GenerationJob) -> tuple[int, int]:
        """By room; by prompt first where only prompts of one length may be together."""
        sizes = -job.room, -len(job.prompt)
        return sizes if self._batch_support == "padded" else (sizes[1], sizes[0])

    def _together(self, rows: int, prompt: int, room: int, alike: bool) -> bool:
        """Whether so many rows can be a padded batch and every text stay what it is alone.

        `prompt` and `room` are the largest of them; `alike` if the last has a prompt as long.
        """
        asked = self._loaded.options.batch_size
        if asked != "auto" and rows > asked:
            return False
        # Every row is read on until the last is finished, padding and all.
        read = prompt + room - 1
        ends = self._encoder.longest, batch_independent_length(self._loaded.model.config)
        if rows * read > _BATCH_TOKENS[self._loaded.device.type != "cpu"] or any(
            end is not None and read > end for end in ends
        ):
            return False
        return self._batch_support == "padded" or (alike and self._batch_support != "one by one")

    @cached_property
    def _batch_support(self) -> BatchSupport:
        """What a batch may hold: some families look at padding, or mix up their rows."""
        found = check_padded_batches(self._loaded)
        self._notes["batches"] = found
        return found

    def _write_padded(self, batch: Sequence[GenerationJob]) -> list[JobResult]:
        def run(part: Sequence[GenerationJob]) -> list[DecodedTokens | TooLargeError]:
            return [*decode_batch(self._loaded, part, self._ends, self._encoder.decode)]

        found = run_halving_on_oom(
            run, batch, self._notes, lambda job: job.size, lambda error: error
        )
        return list(zip(batch, found, strict=True))

    def _text(self, job: GenerationJob, decoded: DecodedTokens) -> Text:
        self._notes["written"] += 1
        self._notes["tokens"] += len(decoded.ids)
        text = self._encoder.decode(decoded.ids)
        cuts = [text.index(mark) for mark in job.stop if mark in text]
        shown, thinking = strip_thinking(text[: min(cuts)] if cuts else text)
        return Text(text=shown, finish=decoded.finish, tokens=len(decoded.ids), thinking=thinking)


def _check_request(request: Generate) -> None:
    """Refuse what cannot be meant."""
    decoding = request.decoding
    if request.samples < 1 or decoding.max_new_tokens < 1:
        raise UnanswerableError("at least one sample of at least one token must be asked for")
    if decoding.exact_length and decoding.stop:
        raise UnanswerableError("a text of an exact length cannot end at a stop string")


def end_token_ids(loaded: LoadedModel) -> frozenset[int]:
    """Every token that ends a text: a chat model often has several."""
    ends: set[int] = set()
    for named in (
        loaded.model.generation_config.eos_token_id,
        loaded.model.config.get_text_config().eos_token_id,
        loaded.tokenizer.eos_token_id,
    ):
        ends.update([named] if isinstance(named, int) else named or ())
    return frozenset(ends)


class HfCausal:
    """Answers by next-token probabilities."""

    verbs = frozenset({"score", "fill", "generate"})

    def __init__(self, loaded: LoadedModel) -> None:
        self.identity = loaded.identity
        self.batch_limit = batch_limit(loaded)
        embeddings = loaded.model.get_input_embeddings().weight.shape[0]
        self._encoder = TextEncoder(
            loaded.tokenizer,
            vocabulary=embeddings,
            longest=position_limit(loaded.model),
        )
        self._chat = ChatTemplate(loaded.tokenizer)
        self._passes: dict[str, object] = {}
        self._texts: dict[str, object] = {}
        self._forward = CausalForward(loaded, self._passes)
        self._filler = GapFiller(self._encoder, self._forward)
        self._generator = CausalGenerator(loaded, self._encoder, self._chat, self._texts)

    def answer(
        self,
        batches: Iterator[Batch],
        files: ImageStore,  # noqa: ARG002 - a text model has none
    ) -> Iterator[NumberedAnswers]:
        """Answer batch by batch, in several parts each.

        Where the device works by itself, the next batch is planned and handed to it before the
        answers of this one are waited for.
        """
        return (
            prefetch(self._begin, batches)
            if self._forward.runs_ahead
            else chain.from_iterable(map(self._begin, batches))
        )

    def notes(self) -> Mapping[str, object]:
        """The way the answers were reached."""
        return {
            "passes": dict(self._passes),
            "texts": dict(self._texts),
            "chat": self._chat.facts if self._chat.used else {},
        }

    def close(self) -> None:
        """Let go of the weights; identity and notes stay."""
        del self._forward, self._filler, self._generator
        free_memory()

    def _begin(self, batch: Batch) -> Iterator[NumberedAnswers]:
        asked = verb(batch[0][1])
        if asked == "score":
            return self._score(cast("Sequence[tuple[int, Score]]", batch))
        if asked == "fill":
            return self._filler.answer(cast("Sequence[tuple[int, Fill]]", batch))
        return self._generator.answer(cast("Sequence[tuple[int, Generate]]", batch))

    def _score(self, requests: Sequence[tuple[int, Score]]) -> Iterator[NumberedAnswers]:
        jobs, failed = plan_score_requests(
            requests, self._encoder, self._chat, self._generator.distribution
        )
        return chain([failed] if failed else [], run_jobs(jobs, self._forward))
