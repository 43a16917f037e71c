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
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias, TypeVar

import numpy as np

from epicene.core.records import Answer, Failed, Text, Texts, digest
from epicene.models import UnanswerableError, check_not_empty
from epicene.models.hf.batching import TooLargeError
from epicene.models.hf.fused import kernels_for
from epicene.models.hf.non_finite import NonFiniteError, NumberFormat, shorten
from epicene.models.hf.tokenisation import PARTIAL_CHARACTER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from epicene.core.records import Decoding, Generate, Request, Translate
    from epicene.models import NumberedAnswers
    from epicene.models.hf.loading import LoadedModel

# Logits that are sampled from at a time: several copies of them are held meanwhile, but of a top k
# that is sought by parts of the vocabulary at most one.
_MAX_LOGITS, _MAX_LOGITS_BY_PARTS = 1 << 26, 1 << 28
# Tokens of a part of the vocabulary, where only the largest are sought.
_VOCABULARY_PART = 64
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


class NoiseSource:
    """Numbers uniformly distributed over (0, 1), the same wherever they are computed."""

    def __init__(self, rows: Iterable[SamplingParams]) -> None:
        # A copy of what is hashed already takes half the time of hashing it again.
        self._begun = [
            hashlib.blake2b(
                row.key + struct.pack("<qq", row.seed, row.sample), digest_size=4, person=b"epicene"
            )
            for row in rows
        ]

    def at(self, steps: Sequence[int]) -> NDArray[np.float64]:
        """The noise of every row, each at its own step."""
        packed = {step: struct.pack("<q", step) for step in set(steps)}
        drawn = bytearray()
        for begun, step in zip(self._begun, steps, strict=True):
            hashed = begun.copy()
            hashed.update(packed[step])
            drawn += hashed.digest()
        noises: NDArray[np.float64] = (np.frombuffer(drawn, "<u4") + 0.5) / 2**32
        return noises


def sample_tokens(logits: Any, rows: Sequence[SamplingParams], step: int | Sequence[int]) -> Any:
    """The next token of every row; -inf marks what may not be chosen.

    `step` is how many tokens came before, in all rows or in each. A sampled row takes
    the first token, in the order of the vocabulary, at which the summed probability passes its
    noise.
    """
    steps = [step] * len(rows) if isinstance(step, int) else step
    return Sampler(rows, logits.device).sample(logits, steps)


class Sampler:
    """Chooses the tokens of rows whose settings stay the same from step to step.

    Nothing waits for the device: what depends on the settings is put there once, and the noise of a
    step while earlier ones are computed.
    """

    def __init__(self, rows: Sequence[SamplingParams], device: Any) -> None:
        self._device = device
        sampled = [line for line, row in enumerate(rows) if row.temperature > 0]
        self._greedy = len(sampled) < len(rows)
        # Where all have a top k, the rest of the vocabulary need not be put in order.
        narrow = [line for line in sampled if rows[line].top_k]
        wide = [line for line in sampled if not rows[line].top_k]
        self._groups = [
            _SampledRows(lines, [rows[line] for line in lines], device)
            for lines in (narrow, wide)
            if lines
        ]

    def sample(self, logits: Any, steps: Sequence[int]) -> Any:
        """The next token of every row, after `steps` tokens each."""
        import torch

        chosen = (
            logits.argmax(-1)
            if self._greedy
            else torch.zeros(len(steps), dtype=torch.long, device=self._device)
        )
        for group in self._groups:
            count = group.max_rows(logits.shape[-1])
            noises = group.noise.at([steps[line] for line in group.lines])
            on_device = to_device(torch.from_numpy(noises), self._device)
            for first in range(0, len(group.lines), count):
                part = slice(first, first + count)
                at = group.at[part]
                own = logits if len(at) == len(logits) else logits[at]
                chosen[at] = group.sample(own, part, on_device[part, None])
        return chosen


def to_device(tensor: Any, device: Any) -> Any:
    """A copy of a tensor of the host there, for which nobody waits."""
    if device.type != "cuda":
        return tensor.to(device)
    return tensor.pin_memory().to(device, non_blocking=True)


class _SampledRows:
    """Rows that sample, with their settings on the device; all of them have a top k, or none."""

    def __init__(self, lines: list[int], rows: list[SamplingParams], device: Any) -> None:
        import torch

        self.lines, self.noise = lines, NoiseSource(rows)
        self.at = to_device(torch.tensor(lines), device)
        self._heat = to_device(torch.tensor([[row.temperature] for row in rows]), device)
        self._limits = _Limits.of(rows, device)

    def max_rows(self, vocabulary: int) -> int:
        """How many rows are sampled at a time."""
        by_parts = _sought_by_parts(self._limits.largest, vocabulary)
        return max(1, (_MAX_LOGITS_BY_PARTS if by_parts else _MAX_LOGITS) // vocabulary)

    def sample(self, logits: Any, part: slice, noises: Any) -> Any:
        """One token for each row of a part, chosen by its noise."""
        import torch

        limits = self._limits.part(part)
        size = logits.shape[-1]
        tokens = _top_k_tokens(logits, limits.largest) if 0 < limits.largest < size else None
        if tokens is not None:
            logits = logits.gather(-1, tokens)
        scaled = limits.apply(logits.float() / self._heat[part])
        summed = scaled.double().softmax(-1).cumsum(-1)
        indices = torch.searchsorted(summed, noises * summed[:, -1:], right=True)
        # Only a row that is not finite, and fails, passes the end.
        indices = indices.clamp(max=summed.shape[-1] - 1)
        return (indices if tokens is None else tokens.gather(-1, indices)).squeeze(-1)


def _top_k_tokens(logits: Any, count: int) -> Any:
    """The `count` likeliest tokens of every row, in vocabulary order; of equal ones the first.

    They are in the `count` parts of the vocabulary that hold the largest numbers.
    """
    import torch

    size = logits.shape[-1]
    if not _sought_by_parts(count, size):
        return _first_largest(logits, count)
    rest = -size % _VOCABULARY_PART
    if rest:
        logits = torch.nn.functional.pad(logits, (0, rest), value=-math.inf)
    if (kernels := kernels_for(logits)) is not None:
        maxima = kernels.part_maxima(logits, _VOCABULARY_PART)
    else:
        maxima = logits.unflatten(-1, (-1, _VOCABULARY_PART)).amax(-1)
    best = _first_largest(maxima, count)
    numbers = torch.arange(_VOCABULARY_PART, device=logits.device)
    tokens = (best[..., None] * _VOCABULARY_PART + numbers).flatten(-2)
    return tokens.gather(-1, _first_largest(logits.gather(-1, tokens), count))


def _sought_by_parts(count: int, vocabulary: int) -> bool:
    """Whether the `count` likeliest tokens are sought in parts of the vocabulary."""
    return 0 < 4 * count * _VOCABULARY_PART <= vocabulary


def _first_largest(numbers: Any, count: int) -> Any:
    """Where the `count` largest of every row are, from left to right; of equal ones the first."""
    import torch

    # As whole numbers in the same order; 0.0 and -0.0 are equal.
    bits = (numbers.float() + 0.0).view(torch.int32)
    order = (bits ^ ((bits >> 31) & 0x7FFFFFFF)).long()
    size = numbers.shape[-1]
    keys = order * size - torch.arange(size, device=numbers.device)
    return keys.topk(count, sorted=False).indices.sort(-1).values


def distribution_logprobs(logits: Any, distribution: SamplingDistribution) -> Any:
    """The log-probability of every token of all rows under a distribution; -inf if banned."""
    import torch

    logits = logits.float().clone()
    if distribution.banned:
        logits[:, torch.tensor(distribution.banned, device=logits.device)] = -math.inf
    if distribution.temperature == 0:
        spread = torch.full_like(logits, -math.inf)
        return spread.scatter_(-1, logits.argmax(-1, keepdim=True), 0.0)
    heat = torch.tensor([[distribution.temperature]], device=logits.device)
    return _Limits.of([distribution], logits.device).apply(logits / heat).log_softmax(-1)


@dataclass(frozen=True)
class _Limits:
    """Top k and top p of rows, as columns on the device."""

    top_k: Any  # 0 for none
    top_p: Any  # 1 for none
    largest: int  # the largest top k; 0 if a row has none
    limited: bool

    @classmethod
    def of(cls, rows: Sequence[SamplingParams | SamplingDistribution], device: Any) -> _Limits:
        import torch

        top_k = [row.top_k or 0 for row in rows]
        top_p = [1.0 if row.top_p is None else row.top_p for row in rows]
        return cls(
            to_device(torch.tensor(top_k)[:, None], device),
            to_device(torch.tensor(top_p)[:, None], device),
            largest=max(top_k) if all(top_k) else 0,
            limited=any(top_k) or any(row.top_p is not None for row in rows),
        )

    def part(self, rows: slice) -> _Limits:
        """The limits of some of the rows."""
        return replace(self, top_k=self.top_k[rows], top_p=self.top_p[rows])

    def apply(self, logits: Any) -> Any:
        """Ban tokens outside each row's top k, then outside its top p."""
        import torch

        if not self.limited:
            return logits
        values, order = logits.sort(dim=-1, descending=True, stable=True)
        size = logits.shape[-1]
        places = torch.arange(size, device=logits.device)
        values = values.masked_fill((places >= self.top_k) & (self.top_k > 0), -math.inf)
        probabilities = values.softmax(-1)
        before = probabilities.cumsum(-1) - probabilities
        # The likeliest token always stays; a top p of 1 bans nothing, whatever the rounding.
        outside = (before >= self.top_p) & (self.top_p < 1)
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


class StopStrings:
    """Finds stop strings in growing texts.

    `read` turns tokens into text. A text is read only when its newest token can complete a stop
    string: one whose own text has the last character of a stop string, or a part of a character.
    White space may belong to either of two tokens, so a stop string that ends in it is always
    looked for.
    """

    def __init__(self, read: Callable[[Sequence[int]], str]) -> None:
        self.read = read
        self._texts: dict[int, str] = {}  # of single tokens

    def found(self, ids: Sequence[int], stop: Sequence[str]) -> bool:
        """Whether tokens hold a stop string that they did not hold without the last."""
        if (token := ids[-1]) not in self._texts:
            self._texts[token] = self.read([token])
        text = self._texts[token]
        ends = [mark[-1:] for mark in stop]
        if PARTIAL_CHARACTER not in text and not any(end.isspace() or end in text for end in ends):
            return False
        whole = self.read(ids)
        return any(mark in whole for mark in stop)


class GrowingText:
    """One text as it grows.

    `ends` are the tokens that end it. One that has failed cannot grow any more, and has an `error`.
    """

    def __init__(self, job: GenerationJob, ends: frozenset[int], stops: StopStrings) -> None:
        self.job = job
        self.ids: list[int] = []
        self.finish: Literal["stop", "length", "failed"] | None = None
        self.error: NonFiniteError | None = None
        self._ends, self._stops = ends, stops
        self._stop, self._room = job.stop, job.max_new_tokens

    def append(self, token: int) -> None:
        """Add a token to a text that is not finished."""
        if token in self._ends:
            self.finish = "stop"
            return
        self.ids.append(token)
        if self._stop and self._stops.found(self.ids, self._stop):
            self.finish = "stop"
        elif len(self.ids) == self._room:
            self.finish = "length"

    def fail(self, token: int, value: float, number_format: NumberFormat) -> None:
        """Record that a token, counted from 1, cannot be chosen, unless the text is finished."""
        if self.finish:
            return
        prompt = shorten(self._stops.read(self.job.prompt), end=True)
        what = f"the logits of new token {token} for the prompt {prompt}"
        self.error = NonFiniteError(what, value, number_format)
        self.finish = "failed"

    @property
    def decoded(self) -> DecodedTokens | NonFiniteError:
        """The generated tokens; a text that nothing ended has reached its length."""
        if self.error:
            return self.error
        return DecodedTokens(tuple(self.ids), "stop" if self.finish == "stop" else "length")


class TokenChooser:
    """Chooses the next tokens of texts that stay together."""

    def __init__(
        self,
        texts: Sequence[GrowingText],
        ends: Sequence[int],
        number_format: NumberFormat,
        device: Any,
    ) -> None:
        import torch

        self._texts, self._number_format = texts, number_format
        self._sampler = Sampler([text.job.sampling for text in texts], device)
        exact = [text.job.exact for text in texts]
        self._banned = None
        if any(exact) and ends:
            rows_and_ends = torch.tensor(exact)[:, None], torch.tensor(ends)
            self._banned = tuple(to_device(each, device) for each in rows_and_ends)

    def choose(self, logits: Any, steps: Sequence[int]) -> ChosenTokens:
        """The next token of each text after `steps` tokens; the logits are changed in place."""
        best = logits.amax(-1)
        if self._banned is not None:
            rows, ends = self._banned
            # Not by assignment to an index, which waits for the device.
            logits.index_copy_(1, ends, logits.index_select(1, ends).masked_fill(rows, -math.inf))
        tokens = self._sampler.sample(logits, steps)
        return ChosenTokens(self._texts, tokens, best, self._number_format)


class ChosenTokens:
    """Tokens that are chosen on the device, and not yet appended to their texts."""

    def __init__(
        self, texts: Sequence[GrowingText], tokens: Any, best: Any, number_format: NumberFormat
    ) -> None:
        import torch

        self.texts, self.tokens, self._number_format = texts, tokens, number_format
        self._host = [each.to("cpu", non_blocking=True) for each in (tokens, best.float())]
        self._event = None
        if tokens.is_cuda:
            self._event = torch.cuda.Event()
            self._event.record(torch.cuda.current_stream(tokens.device))

    def append(self) -> list[GrowingText]:
        """Append each token to its text, unless that is finished; the texts it finishes.

        A text whose logits are not finite fails, and the others are not affected.
        """
        if self._event is not None:
            self._event.synchronize()
        growing = [text for text in self.texts if not text.finish]
        tokens, values = (each.tolist() for each in self._host)
        for text, token, value in zip(self.texts, tokens, values, strict=True):
            if text.finish:
                continue
            if math.isfinite(value):
                text.append(token)
            else:
                text.fail(len(text.ids) + 1, value, self._number_format)
        return [text for text in growing if text.finish]


def decode_batch(
    loaded: LoadedModel,
    jobs: Sequence[GenerationJob],
    ends: frozenset[int],
    read: Callable[[Sequence[int]], str],
    inputs: Mapping[str, Any] | None = None,
    **settings: Any,
) -> list[DecodedTokens | NonFiniteError]:
    """Run all jobs in one batch; `ends` end a text, `read` turns tokens into text.

    `inputs` are what the model reads where it is more than the jobs' prompts. `settings` are
    further ones of the library's generation, the same for all jobs.
    """
    import torch
    from transformers import GenerationConfig

    stops = StopStrings(read)
    texts = [GrowingText(job, ends, stops) for job in jobs]
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
        self._choosing = sorted(ends), number_format
        self._chooser: TokenChooser | None = None
        self._step = 0

    def __call__(self, _: Any, scores: Any) -> Any:
        import torch

        self._chooser = self._chooser or TokenChooser(self._texts, *self._choosing, scores.device)
        chosen = self._chooser.choose(scores, [self._step] * len(self._texts))
        chosen.append()
        self._step += 1
        return torch.full_like(scores, -math.inf).scatter_(1, chosen.tokens[:, None], 0.0)


class _FinishedCriterion:
    """A stopping criterion: which rows are finished."""

    def __init__(self, texts: Sequence[GrowingText]) -> None:
        self._texts = texts

    def __call__(self, input_ids: Any, *_: Any, **__: Any) -> Any:
        import torch

        return torch.tensor([bool(text.finish) for text in self._texts], device=input_ids.device)
