"""Sample tokens, and decode a padded batch in which every text has its own settings.

The noise is one number in [0, 1) per row and step, made from the request, the seed, the sample and
the step alone: what a row samples depends neither on its neighbours nor on when it is run.

The library's `generate` maintains the caches; the next token is chosen here, row by row, and passed
to it as the only possible one. `continuous_batching` is faster, for the causal models that support
it.
"""

from __future__ import annotations

import hashlib
import math
import struct
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias, TypeVar

from epicene.core.records import Answer, Failed, Text, Texts, digest
from epicene.models import UnanswerableError, check_not_empty
from epicene.models.hf.batching import TooLargeError
from epicene.models.hf.non_finite import NonFiniteError, NumberFormat, non_finite_rows, shorten

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from epicene.core.records import Decoding, Generate, Request, Translate
    from epicene.models import NumberedAnswers
    from epicene.models.hf.loading import LoadedModel

# Logits that are sampled from at a time; several copies of them are held meanwhile.
_MAX_LOGITS = 1 << 26
# Logits that are divided by less overflow.
_MIN_TEMPERATURE = 1e-30


@dataclass(frozen=True)
class SamplingDistribution:
    """The distribution that a token is sampled from: a temperature of 0 takes the likeliest."""

    temperature: float
    top_k: int | None = None
    top_p: float | None = None
    banned: tuple[int, ...] = ()  # tokens that may not be sampled


@dataclass(frozen=True)
class SamplingParams:
    """How one row chooses: a temperature of 0 takes the likeliest token."""

    key: bytes
    seed: int
    sample: int
    temperature: float
    top_k: int | None = None
    top_p: float | None = None


def uniform_noise(params: SamplingParams, step: int) -> float:
    """A number uniformly distributed over (0, 1), the same wherever it is computed."""
    counter = struct.pack("<qqq", params.seed, params.sample, step)
    drawn = hashlib.blake2b(params.key + counter, digest_size=4, person=b"epicene").digest()
    return (int.from_bytes(drawn, "little") + 0.5) / 2**32


def sample_tokens(logits: Any, rows: Sequence[SamplingParams], step: int | Sequence[int]) -> Any:
    """The next token of every row; -inf marks what may not be chosen.

    `step` is how many tokens came before, in all rows or in each. A sampled row takes
    the first token, in the order of the vocabulary, at which the summed probability passes its
    noise.
    """
    chosen = logits.argmax(-1)
    steps = [step] * len(rows) if isinstance(step, int) else step
    sampled = [line for line, row in enumerate(rows) if row.temperature > 0]
    # Where all have a top k, the rest of the vocabulary need not be put in order.
    narrow = [line for line in sampled if rows[line].top_k]
    wide = [line for line in sampled if not rows[line].top_k]
    count = max(1, _MAX_LOGITS // logits.shape[-1])
    for group in (narrow, wide):
        for first in range(0, len(group), count):
            lines = group[first : first + count]
            noises = [uniform_noise(rows[line], steps[line]) for line in lines]
            chosen[lines] = _sample(logits[lines], [rows[line] for line in lines], noises)
    return chosen


def ban_tokens(logits: Any, lines: Sequence[int], tokens: Sequence[int]) -> None:
    """Keep some rows from choosing these tokens."""
    import torch

    if lines and tokens:
        rows, banned = (torch.tensor(each, device=logits.device) for each in (lines, tokens))
        logits[rows[:, None], banned] = -math.inf


def _sample(logits: Any, rows: Sequence[SamplingParams], noises: Sequence[float]) -> Any:
    """One token per row, chosen by its noise."""
    import torch

    heat = torch.tensor([[row.temperature] for row in rows], device=logits.device)
    scaled = logits.float() / heat
    size = scaled.shape[-1]
    most = min(size, max(row.top_k or size for row in rows))
    tokens = _top_k_tokens(scaled, most) if most < size else None
    if tokens is not None:
        scaled = scaled.gather(-1, tokens)
    summed = _apply_top_k_and_top_p(scaled, rows).double().softmax(-1).cumsum(-1)
    drawn = torch.tensor(noises, dtype=torch.float64, device=logits.device)[:, None]
    indices = torch.searchsorted(summed, drawn * summed[:, -1:], right=True)
    return (indices if tokens is None else tokens.gather(-1, indices)).squeeze(-1)


def _top_k_tokens(logits: Any, count: int) -> Any:
    """The `count` likeliest tokens of every row, in vocabulary order; of equal ones the first."""
    import torch

    least = logits.topk(count).values[:, -1:]
    above, equal = logits > least, logits == least
    wanted = count - above.sum(-1, keepdim=True)
    kept = above | (equal & (equal.cumsum(-1, dtype=torch.int32) <= wanted))
    size = logits.shape[-1]
    numbers = torch.arange(size, device=logits.device)
    return numbers.where(kept, size).topk(count, largest=False).values


def distribution_logprobs(logits: Any, rows: Sequence[SamplingDistribution]) -> Any:
    """The log-probability of every token under each row's distribution; -inf if banned."""
    import torch

    logits = logits.float().clone()
    for line, row in enumerate(rows):
        logits[line, list(row.banned)] = -math.inf
    heat = torch.tensor([[row.temperature or 1.0] for row in rows], device=logits.device)
    spread = _apply_top_k_and_top_p(logits / heat, rows).log_softmax(-1)
    for line, row in enumerate(rows):
        if row.temperature == 0:
            likeliest = logits[line].argmax()
            spread[line] = -math.inf
            spread[line, likeliest] = 0.0
    return spread


def _apply_top_k_and_top_p(
    logits: Any, rows: Sequence[SamplingParams | SamplingDistribution]
) -> Any:
    """Ban tokens outside each row's top k, then outside its top p."""
    import torch

    if not any(row.top_k or row.top_p is not None for row in rows):
        return logits
    values, order = logits.sort(dim=-1, descending=True, stable=True)
    size = logits.shape[-1]
    top_k = torch.tensor([[row.top_k or size] for row in rows], device=logits.device)
    top_p = torch.tensor(
        [[1.0 if row.top_p is None else row.top_p] for row in rows], device=logits.device
    )
    values = values.masked_fill(torch.arange(size, device=logits.device) >= top_k, -math.inf)
    probabilities = values.softmax(-1)
    before = probabilities.cumsum(-1) - probabilities
    # The likeliest token always stays; a top p of 1 bans nothing, whatever the rounding.
    outside = (before >= top_p) & (top_p < 1)
    outside[:, 0] = False
    values = values.masked_fill(outside, -math.inf)
    return torch.empty_like(logits).scatter_(-1, order, values)


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


def clear_generation_config(model: Any) -> Any:
    """The model's own generation settings, which are turned off.

    A call of `generate` would otherwise use them for whatever it leaves unset.
    """
    from transformers import GenerationConfig

    own = model.generation_config
    for part in (model, *model.children()):
        if getattr(part, "generation_config", None) is not None:
            part.generation_config = GenerationConfig()
    return own


def sampling_temperature(decoding: Decoding, own: Any) -> float:
    """The requested temperature, or else that of the model's own settings."""
    if decoding.temperature is None:
        return 1.0 if own.temperature is None else float(own.temperature)
    if decoding.temperature < 0:
        raise UnanswerableError("a temperature cannot be negative")
    if not math.isfinite(decoding.temperature) or 0 < decoding.temperature < _MIN_TEMPERATURE:
        raise UnanswerableError(
            f"nothing can be sampled at a temperature of {decoding.temperature}; 0 means greedy "
            "decoding"
        )
    return float(decoding.temperature)


@dataclass(frozen=True)
class GenerationJob:
    """One text to generate: what it continues, and how."""

    number: int  # of the request
    prompt: tuple[int, ...]
    max_new_tokens: int
    exact: bool
    stop: tuple[str, ...]
    sampling: SamplingParams

    @property
    def size(self) -> int:
        """The most tokens of prompt and text together."""
        return len(self.prompt) + self.max_new_tokens


# Why a row has no text, where the other rows of its batch have one.
RowFailure: TypeAlias = TooLargeError | NonFiniteError

JobT = TypeVar("JobT", bound=GenerationJob)
RequestT = TypeVar("RequestT", bound="Request")


@dataclass(frozen=True)
class GenerationPlan(Generic[JobT]):
    """The jobs of one request. Greedy samples are all identical, so one is generated for all."""

    jobs: tuple[JobT, ...]
    samples: int
    system: str = ""

    def answer(self, generated: Mapping[int, Text | RowFailure]) -> Answer:
        """The answer, from the text of each sample."""
        texts: list[Text] = []
        for job in self.jobs:
            text = generated[job.sampling.sample]
            if not isinstance(text, Text):
                return Failed(reason=str(text))
            texts.append(text)
        return Texts(
            texts=tuple(texts) * (self.samples // len(texts)),
            temperature=self.jobs[0].sampling.temperature,
            system=self.system,
        )


def check_decoding(request: Generate | Translate) -> None:
    """Raise `UnanswerableError` for settings that contradict each other, or ask for nothing."""
    check_not_empty(request)
    if request.decoding.exact_length and request.decoding.stop:
        raise UnanswerableError("a text of an exact length cannot end at a stop string")


def generation_jobs(
    job_type: Callable[..., JobT],
    number: int,
    request: Generate | Translate,
    prompt: tuple[int, ...],
    max_new_tokens: int,
    temperature: float,
    samples: int,
) -> tuple[JobT, ...]:
    """A job per sample that differs from the others."""
    decoding = request.decoding
    key = digest(request)
    return tuple(
        job_type(
            number=number,
            prompt=prompt,
            max_new_tokens=max_new_tokens,
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
        for sample in range(samples if temperature > 0 else 1)
    )


def answer_by_jobs(
    requests: Iterable[tuple[int, RequestT]],
    plan: Callable[[int, RequestT], GenerationPlan[JobT]],
    generate: Callable[[Sequence[JobT]], Iterator[list[tuple[JobT, Text | RowFailure]]]],
) -> Iterator[NumberedAnswers]:
    """Generate the texts of all requests together; each is answered when its last text is done."""
    plans: dict[int, GenerationPlan[JobT]] = {}
    failed: list[tuple[int, Answer]] = []
    for number, request in requests:
        try:
            plans[number] = plan(number, request)
        except UnanswerableError as error:
            failed.append((number, Failed(reason=str(error))))
    if failed:
        yield failed
    generated: dict[int, dict[int, Text | RowFailure]] = defaultdict(dict)
    for batch in generate([job for each in plans.values() for job in each.jobs]):
        for job, text in batch:
            generated[job.number][job.sampling.sample] = text
        numbers = dict.fromkeys(job.number for job, _ in batch)
        done = [n for n in numbers if len(generated[n]) == len(plans[n].jobs)]
        if done:
            yield [(number, plans[number].answer(generated.pop(number))) for number in done]


@dataclass(frozen=True)
class DecodedTokens:
    """The generated tokens, without the end token."""

    ids: tuple[int, ...]
    finish: Literal["stop", "length"]


class GrowingText:
    """One text as it grows.

    `ends` are the tokens that end it, `read` turns tokens into text, to look for stop strings. One
    that has failed cannot grow any more, and has an `error`.
    """

    def __init__(
        self, job: GenerationJob, ends: frozenset[int], read: Callable[[Sequence[int]], str]
    ) -> None:
        self.job = job
        self.ids: list[int] = []
        self.finish: Literal["stop", "length", "failed"] | None = None
        self.error: NonFiniteError | None = None
        self._ends, self._read = ends, read

    def append(self, token: int) -> None:
        """Add a token, unless the text is finished."""
        if self.finish:
            return
        if token in self._ends:
            self.finish = "stop"
            return
        self.ids.append(token)
        if self.job.stop and any(mark in self._read(self.ids) for mark in self.job.stop):
            self.finish = "stop"
        elif len(self.ids) == self.job.max_new_tokens:
            self.finish = "length"

    def fail(self, token: int, value: float, number_format: NumberFormat) -> None:
        """Record that a token, counted from 1, cannot be chosen, unless the text is finished."""
        if self.finish:
            return
        prompt = shorten(self._read(self.job.prompt), end=True)
        what = f"the logits of new token {token} for the prompt {prompt}"
        self.error = NonFiniteError(what, value, number_format)
        self.finish = "failed"

    @property
    def decoded(self) -> DecodedTokens | NonFiniteError:
        """The generated tokens; a text that nothing ended has reached its length."""
        if self.error:
            return self.error
        return DecodedTokens(tuple(self.ids), "stop" if self.finish == "stop" else "length")


def choose_tokens(
    logits: Any,
    texts: Sequence[GrowingText],
    ends: Sequence[int],
    steps: int | Sequence[int],
    number_format: NumberFormat,
) -> Any:
    """Append the next token to each text, and return these; the logits are changed in place.

    A text whose logits are not finite fails, and the others are not affected.
    """
    for line, value in non_finite_rows(logits).items():
        texts[line].fail(len(texts[line].ids) + 1, value, number_format)
        logits[line] = 0.0
    ban_tokens(logits, [line for line, text in enumerate(texts) if text.job.exact], ends)
    chosen = sample_tokens(logits, [text.job.sampling for text in texts], steps)
    for text, token in zip(texts, chosen.tolist(), strict=True):
        text.append(token)
    return chosen


def decode_batch(
    loaded: LoadedModel,
    jobs: Sequence[GenerationJob],
    ends: frozenset[int],
    read: Callable[[Sequence[int]], str],
    inputs: Mapping[str, Any] | None = None,
    **settings: Any,
) -> list[DecodedTokens | NonFiniteError]:
    """Run all jobs in one batch; `ends` and `read` are as in GrowingText.

    `inputs` are what the model reads where it is more than the jobs' prompts. `settings` are
    further ones of the library's generation, the same for all jobs.
    """
    import torch
    from transformers import GenerationConfig

    texts = [GrowingText(job, ends, read) for job in jobs]
    with torch.inference_mode():
        loaded.model.generate(
            **(inputs or pad_prompts(loaded, [job.prompt for job in jobs])),
            generation_config=GenerationConfig(
                max_new_tokens=max(job.max_new_tokens for job in jobs),
                do_sample=False,
                use_cache=True,
                **settings,
            ),
            logits_processor=[_SamplingProcessor(texts, ends, NumberFormat.of(loaded))],
            stopping_criteria=[_FinishedCriterion(texts)],
        )
    return [text.decoded for text in texts]


def pad_prompts(loaded: LoadedModel, prompts: Sequence[Sequence[int]]) -> dict[str, Any]:
    """Prompts as one batch under a mask.

    A text continues its prompt at the end, so a decoder is padded on the left. An encoder counts
    positions from its first token, so it is padded on the right, with the token by which some
    recognise the padding.
    """
    import torch

    encodes = loaded.model.config.is_encoder_decoder
    filler = loaded.tokenizer.pad_token_id or 0 if encodes else 0
    width = max(map(len, prompts))
    ids = torch.full((len(prompts), width), filler, dtype=torch.long)
    mask = torch.zeros(len(prompts), width, dtype=torch.long)
    for line, prompt in enumerate(prompts):
        columns = slice(0, len(prompt)) if encodes else slice(width - len(prompt), width)
        ids[line, columns] = torch.tensor(prompt)
        mask[line, columns] = 1
    return {"input_ids": ids.to(loaded.device), "attention_mask": mask.to(loaded.device)}


class _SamplingProcessor:
    """A logits processor that leaves each row one token."""

    def __init__(
        self, texts: Sequence[GrowingText], ends: frozenset[int], number_format: NumberFormat
    ) -> None:
        self._texts = texts
        self._ends = sorted(ends)
        self._number_format = number_format
        self._step = 0

    def __call__(self, _: Any, scores: Any) -> Any:
        import torch

        chosen = choose_tokens(scores, self._texts, self._ends, self._step, self._number_format)
        self._step += 1
        return torch.full_like(scores, -math.inf).scatter_(1, chosen[:, None], 0.0)


class _FinishedCriterion:
    """A stopping criterion: which rows are finished."""

    def __init__(self, texts: Sequence[GrowingText]) -> None:
        self._texts = texts

    def __call__(self, input_ids: Any, *_: Any, **__: Any) -> Any:
        import torch

        return torch.tensor([bool(text.finish) for text in self._texts], device=input_ids.device)
