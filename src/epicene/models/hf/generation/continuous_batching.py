"""Continuous batching: texts join a running batch and leave it when they are finished.

Each distinct prompt is read once, however many texts continue it. A finished text is no longer
computed, and waiting ones take its place. Each row samples with its own settings and its own noise,
so a text does not depend on what else is in the batch.

A device that works on its own gets further steps to do while the tokens of earlier ones are on
their way back (`Stepper.lag`): what it computes for a text after its end is discarded.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from epicene.models.hf.batching import TooLargeError, free_memory, is_out_of_memory
from epicene.models.hf.generation.decoding import (
    ChosenTokens,
    DecodedTokens,
    GenerationJob,
    GrowingText,
    RowFailure,
    StopStrings,
    TokenChooser,
)
from epicene.models.hf.generation.kv_cache import CacheRows

if TYPE_CHECKING:
    from collections.abc import Iterator, MutableMapping, Sequence

    from numpy.typing import NDArray

    from epicene.models.hf.generation.stepper import Stepper

JobResult: TypeAlias = tuple[GenerationJob, DecodedTokens | RowFailure]
PromptTokens: TypeAlias = tuple[int, ...]

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
    """What texts are generated with: the model, end tokens, stop strings, limits and notes."""

    stepper: Stepper
    ends: frozenset[int]
    stops: StopStrings
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
        for name in ("prompts", "prompt_tokens", "steps", "joined"):
            self._notes.setdefault(name, 0)

    def release(self) -> None:
        """Free what is held between batches."""
        self._setup.stepper.release()

    def can_hold(self, job: GenerationJob) -> bool:
        """Whether a job fits in the longest row; its last token is never read."""
        return self._limits.max_length is None or job.size - 1 <= self._limits.max_length

    def generate(self, jobs: Sequence[GenerationJob]) -> Iterator[list[JobResult]]:
        """Run all jobs; the result of each is yielded as soon as it is finished."""
        yield from self._generate(jobs)
        self._setup.stepper.rest()

    def _generate(self, jobs: Sequence[GenerationJob]) -> Iterator[list[JobResult]]:
        waiting = _ordered_by_prompt(jobs)
        running = _RunningBatch(self._setup)
        failed: list[GenerationJob] = []  # beside others, so that each is run again by itself
        retried: set[GenerationJob] = set()  # that ran out of memory by themselves
        while waiting or running.active:
            count = self._joining(waiting, running.growing) if waiting else 0
            done = self._attempt(running, waiting, count)
            if done is None:
                tried = list(dict.fromkeys([*running.jobs, *waiting[:count]]))
                running = _RunningBatch(self._setup)
                self._setup.stepper.release()
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
            yield from self._generate([job])

    def _attempt(
        self, running: _RunningBatch, waiting: Sequence[GenerationJob], count: int
    ) -> list[GrowingText] | None:
        """Let `count` jobs join, or take one step; None if memory ran out."""
        import torch

        try:
            with torch.inference_mode():
                if not count:
                    return running.step() if running.can_step else running.finish()
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
        self._counts = np.zeros(0, np.int64)  # how many tokens of each text are chosen
        self._rooms = np.zeros(0, np.int64)  # how many may be
        self._rows: Any = None
        self._newest: Any = None  # the token of each row that is chosen and not yet read
        self._chooser: TokenChooser | None = None
        self._pending: deque[ChosenTokens] = deque()
        self._kept: _ReadPrompts | None = None

    @property
    def jobs(self) -> list[GenerationJob]:
        """The jobs that are not finished, as far as is known."""
        started = {id(text): text for chosen in self._pending for text in chosen.texts}
        started |= {id(text): text for text in self._texts}
        return [text.job for text in started.values() if not text.finish]

    @property
    def active(self) -> bool:
        """Whether texts are unfinished, as far as is known."""
        return bool(self._pending) or self.can_step

    @property
    def can_step(self) -> bool:
        """Whether another token of some text is to be chosen, as far as is known."""
        return bool(self._is_growing().any())

    @property
    def growing(self) -> list[GenerationJob]:
        """The jobs of which another token is to be chosen, as far as is known."""
        return [self._texts[line].job for line in self._growing_lines()]

    def step(self) -> list[GrowingText]:
        """Choose one more token of each text; returns the texts that are known to be finished."""
        self._drop()
        assert self._rows is not None
        assert self._chooser is not None
        logits = self._stepper.step(self._rows, self._newest)
        self._notes["steps"] += 1
        chosen = self._chooser.choose(logits, self._counts.tolist())
        self._newest = chosen.tokens
        self._counts += 1
        self._pending.append(chosen)
        return self._append(self._stepper.lag)

    def finish(self) -> list[GrowingText]:
        """The texts that are finished by the tokens chosen so far."""
        return self._append(0)

    def join(self, jobs: Sequence[GenerationJob], keep: bool) -> list[GrowingText]:
        """Start jobs; returns the texts that are known to be finished.

        With `keep`, more jobs of the last prompt will follow.
        """
        self._notes["joined"] += len(jobs) if self.growing else 0
        pieces, texts, counts, newest = self._running()
        for read in self._read(list(dict.fromkeys(job.prompt for job in jobs))):
            own = [
                GrowingText(job, self._setup.ends, self._setup.stops)
                for job in jobs
                if job.prompt in read.rows
            ]
            rows = [read.rows[text.job.prompt] for text in own]
            chosen = self._new_chooser(own).choose(read.logits[rows], [0] * len(own))
            self._pending.append(chosen)
            last = keep and jobs[-1].prompt in read.rows
            self._kept = read if last else None
            going = [line for line, text in enumerate(own) if text.job.max_new_tokens > 1]
            if going:
                pieces.append(CacheRows(read.cache, [rows[line] for line in going], spent=not last))
                texts += [own[line] for line in going]
                counts += [1] * len(going)
                newest.append(chosen.tokens[going])
        # Memory may run out here: nobody has been told yet which texts are finished.
        self._arrange(pieces, texts, counts, newest)
        return self._append(self._stepper.lag)

    def _append(self, lag: int) -> list[GrowingText]:
        """Append chosen tokens, all but those of the last `lag` steps; the texts they finish."""
        finished: list[GrowingText] = []
        while len(self._pending) > lag:
            finished += self._pending.popleft().append()
        if finished:
            known = {id(text) for text in finished}
            lines = [line for line, text in enumerate(self._texts) if id(text) in known]
            self._rooms[lines] = 0
        return finished

    def _is_growing(self) -> NDArray[np.bool_]:
        """Of each text whether another token of it is to be chosen, as far as is known."""
        return self._counts < self._rooms

    def _growing_lines(self) -> list[int]:
        lines: list[int] = np.flatnonzero(self._is_growing()).tolist()
        return lines

    def _running(self) -> tuple[list[CacheRows], list[GrowingText], list[int], list[Any]]:
        """The rows that are still growing."""
        going = self._growing_lines()
        if self._rows is None or not going:
            return [], [], [], []
        texts = [self._texts[line] for line in going]
        counts = self._counts[going].tolist()
        return [CacheRows(self._rows.cache, going)], texts, counts, [self._newest[going]]

    def _drop(self) -> None:
        """Drop finished rows if they are many, or wider than the model can read."""
        running, count = int(self._is_growing().sum()), len(self._texts)
        if running < count and self._stepper.should_drop(
            self._rows, running, count, self._limits.max_length
        ):
            self._arrange(*self._running())

    def _arrange(
        self,
        pieces: Sequence[CacheRows],
        texts: list[GrowingText],
        counts: list[int],
        newest: Sequence[Any],
    ) -> None:
        """Make these the running rows."""
        import torch

        self._rows = None
        self._texts, self._counts = texts, np.array(counts, np.int64)
        self._rooms = np.array(
            [0 if text.finish else text.job.max_new_tokens for text in texts], np.int64
        )
        if pieces:
            # The newest token of each is not read yet.
            lengths = [
                len(text.job.prompt) + count - 1 for text, count in zip(texts, counts, strict=True)
            ]
            rooms = [
                text.job.max_new_tokens - count for text, count in zip(texts, counts, strict=True)
            ]
            self._newest = torch.cat(list(newest))
            self._chooser = self._new_chooser(texts)
            self._rows = self._stepper.rows(pieces, lengths, rooms)

    def _new_chooser(self, texts: Sequence[GrowingText]) -> TokenChooser:
        return TokenChooser(texts, self._ends, self._stepper.number_format, self._stepper.device)

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
