"""Causal language models: score, fill and generate.

Only the settings of a request affect a generated text: the model's own top-k, top-p and repetition
penalty are off; its temperature is used if the request does not set one. A plain prompt starts as
the tokenizer starts any text.
"""

from __future__ import annotations

import sys
from functools import cached_property, partial
from itertools import chain
from typing import TYPE_CHECKING, Any, cast

from epicene.core.records import Fill, Generate, Score, Text, verb
from epicene.models import UnanswerableError
from epicene.models.hf.batching import (
    GENERATION_TOKENS,
    PASS_TOKENS,
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
)
from epicene.models.hf.generation.decoding import (
    DecodedTokens,
    GenerationJob,
    GenerationPlan,
    SamplingDistribution,
    StopStrings,
    answer_by_jobs,
    check_decoding,
    clear_generation_config,
    decode_batch,
    end_token_ids,
    generation_jobs,
    sampling_temperature,
)
from epicene.models.hf.generation.kv_cache import (
    BatchSupport,
    check_continuous_batching,
    check_padded_batches,
)
from epicene.models.hf.generation.slots import SlotStepper, slot_obstacle
from epicene.models.hf.generation.stepper import Stepper
from epicene.models.hf.non_finite import rerun_alone
from epicene.models.hf.scoring.forward import CausalForward
from epicene.models.hf.scoring.score_and_fill import GapFiller, ScorePlanner, run_jobs
from epicene.models.hf.tokenisation import ChatTemplate, TextEncoder
from epicene.models.output_parsing import cut_at_stop, strip_thinking

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from epicene.core.records import Decoding, FirstToken
    from epicene.models import Batch, ImageStore, NumberedAnswers
    from epicene.models.hf.generation.continuous_batching import JobResult
    from epicene.models.hf.generation.decoding import RowFailure
    from epicene.models.hf.loading import LoadedModel
    from epicene.models.hf.non_finite import NonFiniteError


class CausalGenerator:
    """Generates texts with one model."""

    def __init__(
        self, loaded: LoadedModel, encoder: TextEncoder, chat: ChatTemplate, notes: dict[str, Any]
    ) -> None:
        self._loaded, self._encoder, self._chat = loaded, encoder, chat
        self._notes = notes
        notes.update(written=0, tokens=0, settings="as asked; the model's own are off")
        self._ends = end_token_ids(loaded)
        self._own = clear_generation_config(loaded.model)

    def answer(self, requests: Sequence[tuple[int, Generate]]) -> Iterator[NumberedAnswers]:
        """Generate for all requests together; each is answered when its last text is done."""
        return answer_by_jobs(requests, self._plan, self._texts)

    def forget_steps(self) -> None:
        """Drop steps that were recorded with the weights at their addresses."""
        if (batching := vars(self).get("_in_slots")) is not None:
            batching.release()

    def distribution(self, decoding: Decoding) -> SamplingDistribution:
        """The distribution from which a text generated in that way samples each token."""
        return SamplingDistribution(
            temperature=sampling_temperature(decoding, self._own),
            top_k=decoding.top_k,
            top_p=decoding.top_p,
            banned=tuple(sorted(self._ends)) if decoding.exact_length else (),
        )

    def _plan(self, number: int, request: Generate) -> GenerationPlan[GenerationJob]:
        check_decoding(request)
        rendered = self._chat.render(request.prompt)
        policy: FirstToken = "tokenizer-default" if rendered.text else "bos"
        prompt = self._encoder.prompt(rendered.text, policy, templated=rendered.templated)
        decoding = request.decoding
        room = self._room(len(prompt), decoding.max_new_tokens, decoding.exact_length)
        temperature = sampling_temperature(decoding, self._own)
        jobs = generation_jobs(
            GenerationJob, number, request, prompt, room, temperature, request.samples
        )
        return GenerationPlan(jobs, request.samples, rendered.system)

    def _room(self, prompt: int, asked: int, exact: bool) -> int:
        """How many new tokens fit after the prompt; the last one is never read."""
        max_length = self._encoder.max_length
        if max_length is None or prompt + asked - 1 <= max_length:
            return asked
        if exact:
            raise UnanswerableError(
                f"a prompt of {prompt} tokens and exactly {asked} new tokens exceed the "
                f"{max_length} tokens that the model can read"
            )
        return max_length - prompt + 1

    def _texts(
        self, jobs: Sequence[GenerationJob]
    ) -> Iterator[list[tuple[GenerationJob, Text | RowFailure]]]:
        for batch in self._generate(jobs):
            yield [
                (job, self._text(job, found) if isinstance(found, DecodedTokens) else found)
                for job, found in batch
            ]

    def _generate(self, jobs: Sequence[GenerationJob]) -> Iterator[list[JobResult]]:
        """Run all jobs, in any order."""
        for way in ("_in_slots", "_continuous"):
            batching: ContinuousBatching | None = getattr(self, way) if jobs else None
            if batching:
                yield from batching.generate([job for job in jobs if batching.can_hold(job)])
                jobs = [job for job in jobs if not batching.can_hold(job)]
        for batch in self._batches(jobs):
            yield self._generate_padded(batch)

    @cached_property
    def _in_slots(self) -> ContinuousBatching | None:
        """The fastest way to generate, for models on a GPU that pass its self-test."""
        reason = slot_obstacle(self._loaded)
        if reason:
            return None
        stepper = SlotStepper(self._loaded)
        found = check_continuous_batching(self._loaded, stepper)
        stepper.release()
        if found.obstacle:
            self._notes["not_in_slots"] = found.obstacle
            return None
        self._notes["path"] = "slots"
        return self._batching(stepper, found.max_length)

    @cached_property
    def _continuous(self) -> ContinuousBatching | None:
        """The faster way to generate, if the model passes its self-test."""
        stepper = Stepper(self._loaded)
        found = check_continuous_batching(self._loaded, stepper)
        if found.obstacle:
            self._notes.setdefault("path", "padded batch")
            self._notes["because"] = found.obstacle
            return None
        self._notes.setdefault("path", "continuous batches")
        return self._batching(stepper, found.max_length)

    def _batching(self, stepper: Stepper, max_length: int | None) -> ContinuousBatching:
        ends = [limit for limit in (self._encoder.max_length, max_length) if limit is not None]
        asked = self._loaded.options.batch_size
        accelerated = self._loaded.device.type != "cpu"
        limits = CacheLimits(
            rows=sys.maxsize if asked == "auto" else asked,
            tokens=GENERATION_TOKENS[accelerated],
            read=PASS_TOKENS[accelerated],
            max_length=min(ends, default=None),
        )
        stops = StopStrings(self._encoder.decode)
        return ContinuousBatching(GenerationSetup(stepper, self._ends, stops, limits, self._notes))

    def _batches(self, jobs: Sequence[GenerationJob]) -> Iterator[list[GenerationJob]]:
        """Jobs of similar length together, the longest first so that memory fails early."""
        batch: list[GenerationJob] = []
        prompt = room = 0
        for job in sorted(jobs, key=self._order):
            alike = len(job.prompt) == prompt
            prompt, room = max(prompt, len(job.prompt)), max(room, job.max_new_tokens)
            if batch and not self._together(len(batch) + 1, prompt, room, alike):
                yield batch
                batch, prompt, room = [], len(job.prompt), job.max_new_tokens
            batch.append(job)
        if batch:
            yield batch

    def _order(self, job: GenerationJob) -> tuple[int, int]:
        """By room; by prompt first if a batch may only hold prompts of one length."""
        sizes = -job.max_new_tokens, -len(job.prompt)
        return sizes if self._batch_support == "padded" else (sizes[1], sizes[0])

    def _together(self, rows: int, prompt: int, room: int, alike: bool) -> bool:
        """Whether this many rows can be a padded batch without changing any text.

        `prompt` and `room` are the largest of them; `alike` if the last prompt is as long.
        """
        asked = self._loaded.options.batch_size
        if asked != "auto" and rows > asked:
            return False
        # Every row is read on until the last is finished, padding and all.
        read = prompt + room - 1
        ends = self._encoder.max_length, batch_independent_length(self._loaded.model.config)
        if rows * read > GENERATION_TOKENS[self._loaded.device.type != "cpu"] or any(
            end is not None and read > end for end in ends
        ):
            return False
        return self._batch_support == "padded" or (alike and self._batch_support != "one by one")

    @cached_property
    def _batch_support(self) -> BatchSupport:
        """What a batch may hold: in some families padding or other rows change a text."""
        found = check_padded_batches(self._loaded)
        self._notes["batches"] = found
        return found

    def _generate_padded(self, batch: Sequence[GenerationJob]) -> list[JobResult]:
        def decode(part: Sequence[GenerationJob]) -> list[DecodedTokens | NonFiniteError]:
            return decode_batch(self._loaded, part, self._ends, self._encoder.decode)

        def run(part: Sequence[GenerationJob]) -> list[DecodedTokens | RowFailure]:
            return [*rerun_alone(decode, part, decode(part), lambda job: len(job.prompt))]

        found = run_halving_on_oom(
            run, batch, self._notes, lambda job: job.size, lambda error: error
        )
        return list(zip(batch, found, strict=True))

    def _text(self, job: GenerationJob, decoded: DecodedTokens) -> Text:
        self._notes["written"] += 1
        self._notes["tokens"] += len(decoded.ids)
        text = self._encoder.decode(decoded.ids)
        shown, thinking = strip_thinking(cut_at_stop(text, job.stop))
        return Text(text=shown, finish=decoded.finish, tokens=len(decoded.ids), thinking=thinking)


class HfCausal:
    """A causal language model that transformers can load."""

    verbs = frozenset({"score", "fill", "generate"})

    def __init__(self, loaded: LoadedModel) -> None:
        self.identity = loaded.identity
        self.batch_limit = batch_limit(loaded)
        embeddings = loaded.model.get_input_embeddings().weight.shape[0]
        self._encoder = TextEncoder(
            loaded.tokenizer,
            vocabulary=embeddings,
            max_length=position_limit(loaded.model),
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

        If the device works asynchronously, the next batch is planned and queued before waiting for
        the answers of this one.
        """
        return (
            prefetch(self._prepare, batches)
            if self._forward.can_prefetch
            else chain.from_iterable(self._prepare(batch)() for batch in batches)
        )

    def forget_prefixes(self) -> None:
        """Drop cached prefixes and recorded steps: the model's weights may have changed."""
        self._forward.forget_prefixes()
        self._generator.forget_steps()

    def notes(self) -> Mapping[str, object]:
        """How the answers were computed, for the manifest."""
        return {
            "passes": dict(self._passes),
            "texts": dict(self._texts),
            "chat": self._chat.facts if self._chat.used else {},
        }

    def close(self) -> None:
        """Free the weights; identity and notes remain available."""
        del self._forward, self._filler, self._generator
        free_memory()

    def _prepare(self, batch: Batch) -> Callable[[], Iterator[NumberedAnswers]]:
        """What starts a batch; on a GPU the texts of scores are tokenised from now on."""
        asked = verb(batch[0][1])
        if asked == "score":
            requests = cast("Sequence[tuple[int, Score]]", batch)
            ahead = self._forward.can_prefetch
            planner = ScorePlanner(requests, self._encoder, self._chat, ahead=ahead)
            return partial(self._score, planner)
        if asked == "fill":
            return partial(self._filler.answer, cast("Sequence[tuple[int, Fill]]", batch))
        return partial(self._generator.answer, cast("Sequence[tuple[int, Generate]]", batch))

    def _score(self, planner: ScorePlanner) -> Iterator[NumberedAnswers]:
        jobs, failed = planner.jobs(self._generator.distribution, self._forward.number_format)
        return chain([failed] if failed else [], run_jobs(jobs, self._forward))
