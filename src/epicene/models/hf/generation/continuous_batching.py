"""Continuous batching: texts join a running batch and leave it when they are finished.

Each distinct prompt is read once, however many texts continue it. A finished text is no longer
computed, and waiting ones take its place. Each row samples with its own settings and its own noise,
so a text does not depend on what else is in the batch.

Where several attention heads share their keys and values, the library copies these once per head
whenever there is padding: at every token the whole cache, several times over. Here the heads of a
group are passed to the kernel as several queries.
"""

from __future__ import annotations

import inspect
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from epicene.models.hf.batching import TooLargeError, free_memory, is_out_of_memory
from epicene.models.hf.generation import decoding, kv_cache
from epicene.models.hf.generation.decoding import (
    DecodedTokens,
    GenerationJob,
    GrowingText,
    RowFailure,
    pad_prompts,
)
from epicene.models.hf.generation.kv_cache import CacheRows
from epicene.models.hf.non_finite import NumberFormat

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, MutableMapping, Sequence

    from epicene.models.hf.loading import LoadedModel

_ATTENTION_NAME = "epicene_grouped"
# Further arguments of some models' attention, which are left to the library's own function.
_UNSUPPORTED_ARGUMENTS = ("position_bias", "softcap", "s_aux")


def has_grouped_heads(model: Any) -> bool:
    """Whether the model has heads that share keys, and a kernel that takes several queries."""
    config = model.config.get_text_config(decoder=True)
    shared = any(getattr(module, "num_key_value_groups", 1) > 1 for module in model.modules())
    return shared and config._attn_implementation == "sdpa"


@contextmanager
def grouped_attention(model: Any) -> Iterator[None]:
    """Use grouped attention inside this block."""
    _register_attention()
    config = model.config.get_text_config(decoder=True)
    own = config._attn_implementation
    config._attn_implementation = _ATTENTION_NAME
    try:
        yield
    finally:
        config._attn_implementation = own


@cache
def _register_attention() -> None:
    """Register the attention function with the library."""
    from transformers import AttentionInterface
    from transformers.masking_utils import AttentionMaskInterface, sdpa_mask

    AttentionInterface.register(_ATTENTION_NAME, _attention_forward)
    AttentionMaskInterface.register(_ATTENTION_NAME, sdpa_mask)


def _attention_forward(
    module: Any,
    query: Any,
    key: Any,
    value: Any,
    attention_mask: Any,
    dropout: float = 0.0,
    scaling: float | None = None,
    **others: Any,
) -> tuple[Any, None]:
    """Grouped attention for single tokens; the library's own function in all other cases."""
    from torch.nn.functional import scaled_dot_product_attention
    from transformers.integrations.sdpa_attention import sdpa_attention_forward

    groups = getattr(module, "num_key_value_groups", 1)
    rows, heads, count, size = query.shape
    besides = any(others.get(name) is not None for name in _UNSUPPORTED_ARGUMENTS)
    if groups == 1 or count > 1 or besides:
        done: tuple[Any, None] = sdpa_attention_forward(
            module, query, key, value, attention_mask, dropout, scaling, **others
        )
        return done
    if attention_mask is not None:
        attention_mask = attention_mask.expand(rows, 1, groups, -1)
    found = scaled_dot_product_attention(
        query.reshape(rows, heads // groups, groups, size),
        key,
        value,
        attn_mask=attention_mask,
        scale=scaling,
    )
    return found.reshape(rows, 1, heads, value.shape[-1]), None


# Columns by which a cache is widened: a copy per this many tokens costs next to nothing.
_SPARE_COLUMNS = 64


@dataclass
class CachedBatch:
    """The cache of running rows, right-aligned."""

    cache: Any
    width: int
    padding: Any  # a tensor: how many columns of padding each row has on the left


class Stepper:
    """Runs one model. Call it within `torch.inference_mode`."""

    def __init__(self, loaded: LoadedModel) -> None:
        self._loaded, self._model = loaded, loaded.model
        self.number_format = NumberFormat.of(loaded)
        known = inspect.signature(loaded.model.forward).parameters
        self._positions = "position_ids" in known
        # The prompts' own logits would be as large as the vocabulary times their tokens.
        self._kept = {"logits_to_keep": 1} if "logits_to_keep" in known else {}
        self._groups = has_grouped_heads(loaded.model)

    def read(self, prompts: Sequence[Sequence[int]]) -> tuple[Any, Any]:
        """Read prompts; their cache as the library fills it, and the next logits of each."""
        inputs = pad_prompts(self._loaded, prompts)
        cache = kv_cache.new_cache(self._model)
        depth = inputs["attention_mask"].cumsum(-1) - 1
        return cache, self._run(cache, depth.clamp(min=0), **inputs)

    def rows(
        self, pieces: Sequence[CacheRows], lengths: Sequence[int], room: int, width: int = 0
    ) -> CachedBatch:
        """Pieces as running rows, with the number of tokens each has read.

        `room` is the most tokens that any of them may still read. They are as wide as the longest,
        or `width` where that is more.
        """
        import torch

        width = max(width, *lengths)
        cache = kv_cache.join_cache_rows(pieces, width, min(room, _SPARE_COLUMNS))
        padding = torch.tensor([width - length for length in lengths], device=self._loaded.device)
        return CachedBatch(cache, width, padding)

    def step(self, rows: CachedBatch, tokens: Any) -> Any:
        """Read one token per row; the next logits of each."""
        import torch

        rows.width += 1
        columns = torch.arange(rows.width, device=self._loaded.device)
        mask = (columns >= rows.padding[:, None]).long()
        depth = (rows.width - 1 - rows.padding)[:, None]
        with grouped_attention(self._model) if self._groups else nullcontext():
            return self._run(rows.cache, depth, input_ids=tokens[:, None], attention_mask=mask)

    def _run(self, cache: Any, depth: Any, **inputs: Any) -> Any:
        """The logits of the last column, in float32."""
        if self._positions:
            inputs["position_ids"] = depth
        out = self._model(past_key_values=cache, use_cache=True, **inputs, **self._kept)
        return out.logits[:, -1].float()


JobResult: TypeAlias = tuple[GenerationJob, DecodedTokens | RowFailure]
PromptTokens: TypeAlias = tuple[int, ...]

# Rows that are finished are dropped when they are this part of all: a drop copies the cache.
_DROP_SHARE = 1 / 8
# Those that wait join when they make up this part of the rows: a join reads prompts besides.
_JOIN_SHARE = 1 / 4
# Prompts are read together if the shortest is this part of the longest: the rest is padding.
_SIMILAR_LENGTH = 1 / 2


class CacheLimits(NamedTuple):
    """How many rows and tokens may be held at a time."""

    rows: int
    tokens: int  # of all rows, padding and tokens to come counted
    read: int  # of the prompts read in one pass, padding counted
    max_length: int | None


@dataclass(frozen=True)
class GenerationSetup:
    """What texts are generated with: the model, end tokens, decoder, limits and notes."""

    stepper: Stepper
    ends: frozenset[int]
    read: Callable[[Sequence[int]], str]
    limits: CacheLimits
    notes: MutableMapping[str, Any]


@dataclass(frozen=True)
class _ReadPrompts:
    """Prompts that have been read: their rows in the cache, and the next logits of each."""

    rows: dict[PromptTokens, int]
    cache: Any
    logits: Any


class ContinuousBatching:
    """Runs generation jobs with one model."""

    def __init__(self, setup: GenerationSetup) -> None:
        self._setup = setup
        self._limits, self._notes = setup.limits, setup.notes
        self._notes.update(prompts=0, prompt_tokens=0, steps=0, joined=0)

    def can_hold(self, job: GenerationJob) -> bool:
        """Whether a job fits in the longest row; its last token is never read."""
        return self._limits.max_length is None or job.size - 1 <= self._limits.max_length

    def generate(self, jobs: Sequence[GenerationJob]) -> Iterator[list[JobResult]]:
        """Run all jobs; the result of each is yielded as soon as it is finished."""
        waiting = _ordered_by_prompt(jobs)
        running = _RunningBatch(self._setup)
        failed: list[GenerationJob] = []  # beside others, so that each is run again by itself
        retried: set[GenerationJob] = set()  # that ran out of memory by themselves
        while waiting or running.jobs:
            count = self._joining(waiting, running.jobs)
            done = self._attempt(running, waiting, count)
            if done is None:
                tried = [*running.jobs, *waiting[:count]]
                running = _RunningBatch(self._setup)
                free_memory()
                if len(tried) > 1 or tried[0] not in retried:
                    # They start again and come out the same: only time is lost.
                    self._halve(tried, retried)
                    waiting = _ordered_by_prompt([*tried, *waiting[count:]])
                    continue
                yield [(tried[0], TooLargeError())]
            else:
                failed += [text.job for text in done if text.error and len(jobs) > 1]
                if finished := [text for text in done if text.job not in failed]:
                    yield [(text.job, text.decoded) for text in finished]
            del waiting[:count]
        for job in failed:
            yield from self.generate([job])

    def _attempt(
        self, running: _RunningBatch, waiting: Sequence[GenerationJob], count: int
    ) -> list[GrowingText] | None:
        """Let `count` jobs join, or take one step; None if memory ran out."""
        import torch

        try:
            with torch.inference_mode():
                if not count:
                    return running.step()
                more = count < len(waiting) and waiting[count].prompt == waiting[count - 1].prompt
                return running.join(waiting[:count], keep=more)
        except (RuntimeError, MemoryError) as error:
            if not is_out_of_memory(error):
                raise
            return None

    def _halve(self, tried: Sequence[GenerationJob], retried: set[GenerationJob]) -> None:
        """Record that these were too many, or that one was tried by itself."""
        if len(tried) == 1:
            retried.update(tried)
            return
        rows = len(tried) // 2
        self._notes["fits"] = rows * max(job.size for job in tried)
        self._notes["halvings"] = self._notes.get("halvings", 0) + 1

    def _joining(self, waiting: Sequence[GenerationJob], live: Sequence[GenerationJob]) -> int:
        """How many waiting jobs join now: enough to be worthwhile, or none."""
        count = _at_prompt_boundary(waiting, self._fitting(waiting, live))
        worth = count == len(waiting) or count >= _JOIN_SHARE * (len(live) + count)
        return count if worth else 0

    def _fitting(self, waiting: Sequence[GenerationJob], live: Sequence[GenerationJob]) -> int:
        """How many waiting jobs fit beside the running ones; at least one if none is running."""
        tokens = min(self._limits.tokens, self._notes.get("fits", self._limits.tokens))
        widest = max((job.size for job in live), default=0)
        for count, job in enumerate(waiting):
            rows = len(live) + count + 1
            widest = max(widest, job.size)
            if rows > 1 and (rows > self._limits.rows or rows * widest > tokens):
                return count
        return len(waiting)


class _RunningBatch:
    """The running rows, and finished ones that are not yet dropped."""

    def __init__(self, setup: GenerationSetup) -> None:
        self._setup = setup
        self._stepper, self._limits, self._notes = setup.stepper, setup.limits, setup.notes
        self._ends = sorted(setup.ends)
        self._texts: list[GrowingText] = []
        self._rows: CachedBatch | None = None
        self._newest: Any = None  # the token of each row that is chosen and not yet read
        self._kept: _ReadPrompts | None = None

    @property
    def jobs(self) -> list[GenerationJob]:
        """The jobs that are not finished."""
        return [text.job for text in self._texts if not text.finish]

    def step(self) -> list[GrowingText]:
        """Generate one more token of each text; returns the texts it finished."""
        self._drop()
        assert self._rows is not None
        logits = self._stepper.step(self._rows, self._newest)
        self._notes["steps"] += 1
        going = [text for text in self._texts if not text.finish]
        self._newest = self._choose(logits, self._texts)
        return [text for text in going if text.finish]

    def join(self, jobs: Sequence[GenerationJob], keep: bool) -> list[GrowingText]:
        """Start jobs; returns the texts that their first token finished.

        With `keep`, more jobs of the last prompt will follow.
        """
        self._notes["joined"] += len(jobs) if self.jobs else 0
        pieces, texts, newest = self._live()
        begun: list[GrowingText] = []
        for read in self._read(list(dict.fromkeys(job.prompt for job in jobs))):
            own = [
                GrowingText(job, self._setup.ends, self._setup.read)
                for job in jobs
                if job.prompt in read.rows
            ]
            rows = [read.rows[text.job.prompt] for text in own]
            chosen = self._choose(read.logits[rows], own)
            going = [line for line, text in enumerate(own) if not text.finish]
            last = keep and jobs[-1].prompt in read.rows
            self._kept = read if last else None
            if going:
                pieces.append(CacheRows(read.cache, [rows[line] for line in going], spent=not last))
                texts += [own[line] for line in going]
                newest.append(chosen[going])
            begun += own
        self._arrange(pieces, texts, newest)
        return [text for text in begun if text.finish]

    def _live(self) -> tuple[list[CacheRows], list[GrowingText], list[Any]]:
        """The rows that are not finished."""
        going = [line for line, text in enumerate(self._texts) if not text.finish]
        if self._rows is None or not going:
            return [], [], []
        texts = [self._texts[line] for line in going]
        return [CacheRows(self._rows.cache, going)], texts, [self._newest[going]]

    def _drop(self) -> None:
        """Drop finished rows if they are many, or wider than the model can read."""
        finished = sum(bool(text.finish) for text in self._texts)
        max_length = self._limits.max_length
        full = max_length is not None and self._rows is not None and self._rows.width >= max_length
        if finished and (full or finished >= _DROP_SHARE * len(self._texts)):
            self._arrange(*self._live())

    def _arrange(
        self, pieces: Sequence[CacheRows], texts: list[GrowingText], newest: Sequence[Any]
    ) -> None:
        """Make these the running rows."""
        import torch

        self._rows = None
        self._texts = texts
        if pieces:
            # The newest token of each is not read yet.
            lengths = [len(text.job.prompt) + len(text.ids) - 1 for text in texts]
            room = max(text.job.max_new_tokens - len(text.ids) for text in texts)
            self._newest = torch.cat(list(newest))
            self._rows = self._stepper.rows(pieces, lengths, room)

    def _read(self, prompts: Sequence[PromptTokens]) -> Iterator[_ReadPrompts]:
        """Read prompts, those of similar length together; the kept one is not read again."""
        kept = self._kept
        if kept is not None:
            yield kept
            prompts = [prompt for prompt in prompts if prompt not in kept.rows]
        rest = sorted(prompts, key=len, reverse=True)
        while rest:
            count = max(1, self._limits.read // len(rest[0]))
            batch = [
                prompt for prompt in rest[:count] if len(prompt) >= _SIMILAR_LENGTH * len(rest[0])
            ]
            rest = rest[len(batch) :]
            cache, logits = self._stepper.read(batch)
            self._notes["prompts"] += len(batch)
            self._notes["prompt_tokens"] += sum(map(len, batch))
            yield _ReadPrompts({prompt: row for row, prompt in enumerate(batch)}, cache, logits)

    def _choose(self, logits: Any, texts: Sequence[GrowingText]) -> Any:
        """The next token of each text, which is appended to it; the logits are changed in place."""
        steps = [len(text.ids) for text in texts]
        return decoding.choose_tokens(logits, texts, self._ends, steps, self._stepper.number_format)


def _ordered_by_prompt(jobs: Sequence[GenerationJob]) -> list[GenerationJob]:
    """Jobs of one prompt together; the longest first, so that memory fails early."""
    groups = [
        list(group)
        for _, group in groupby(
            sorted(jobs, key=lambda job: job.prompt), key=lambda job: job.prompt
        )
    ]
    for group in groups:
        group.sort(key=lambda job: (-job.max_new_tokens, job.number, job.sampling.sample))
    groups.sort(key=lambda group: (-group[0].max_new_tokens, -len(group[0].prompt)))
    return [job for group in groups for job in group]


def _at_prompt_boundary(waiting: Sequence[GenerationJob], count: int) -> int:
    """At most `count`, such that only the first prompt may have jobs left in the queue."""
    if not 0 < count < len(waiting):
        return count
    left = waiting[count].prompt
    first = next(index for index, job in enumerate(waiting) if job.prompt == left)
    return first if 0 < first < count else count
