"""Batch limits, halving of batches when memory runs out, position limits, and prefetching."""

from __future__ import annotations

import gc
from collections import deque
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from epicene.core.errors import RunError
from epicene.core.garbage import rare_garbage_collection
from epicene.models import BatchLimit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, MutableMapping, Sequence

    from numpy.typing import NDArray

    from epicene.models import Batch, NumberedAnswers
    from epicene.models.hf.loading import LoadedModel

T = TypeVar("T")
R = TypeVar("R")


# A batch is what a killed run may lose, so on a CPU it is a matter of seconds.
_ON_CPU = BatchLimit(requests=16, characters=6_000)
_ON_ACCELERATOR = BatchLimit(requests=256, characters=200_000)
# A masked text is as many rows as it has tokens, so fewer keep a device busy while the next are
# planned.
_MASKED = BatchLimit(requests=64, characters=50_000)
# Tokens of one forward pass, padding counted, on a CPU and on an accelerator.
PASS_TOKENS = (4096, 65_536)
# Prompt and new tokens of a batch that is generated, padding and beams counted.
GENERATION_TOKENS = (16_384, 262_144)

# How far two ways to compute a log-probability may differ, in nats: always, and how many times the
# difference between a row alone and in a padded batch.
TOLERANCE, NOISE_FACTOR = 1e-4, 4
_LOW_PRECISION_TOLERANCE = 5e-2


def output_tolerance(model: Any) -> float:
    """How far a model's outputs for equal inputs may differ from batch to batch, by its dtype."""
    import torch

    return TOLERANCE if model.dtype == torch.float32 else _LOW_PRECISION_TOLERANCE


def outputs_agree(model: Any, some: Any, others: Any) -> bool:
    """Whether two outputs of a model are equal except for the noise of its dtype."""
    import torch

    slack = output_tolerance(model)
    same = some.shape == others.shape and torch.allclose(
        some.float(), others.float(), rtol=slack, atol=slack
    )
    return bool(same)


def pad_right(
    rows: Sequence[Sequence[int]], filler: int = 0
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows as one matrix, and its attention mask."""
    lengths = np.fromiter(map(len, rows), np.int64, len(rows))
    mask = np.arange(lengths.max()) < lengths[:, None]
    ids = np.full(mask.shape, filler, np.int64)
    ids[mask] = np.fromiter(chain.from_iterable(rows), np.int64, int(lengths.sum()))
    return ids, mask.astype(np.int64)


def batch_limit(loaded: LoadedModel, *, masked: bool = False) -> BatchLimit:
    """How to split the plan for a model: as the user says, or by the device."""
    asked = loaded.options.batch_size
    if asked != "auto":
        return BatchLimit(requests=asked)
    if loaded.device.type == "cpu":
        return _ON_CPU
    return _MASKED if masked else _ON_ACCELERATOR


class TooLargeError(RunError):
    """A single row is too large for the machine."""

    def __init__(self) -> None:
        super().__init__(
            "a single text needs more memory than is available; use a smaller dtype or model"
        )


class NoMemoryError(RunError):
    """There is not even enough memory for a few tokens."""

    def __init__(self) -> None:
        super().__init__(
            "There is no memory left to run the model; use a smaller --dtype or model."
        )


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error means that a smaller batch would have fitted, on a GPU or not.

    Tokenizers and processors raise a different error for this.
    """
    import torch

    if isinstance(error, (MemoryError, torch.OutOfMemoryError)):
        return True
    signs = ("out of memory", "DefaultCPUAllocator", "can't allocate", "CUBLAS_STATUS_ALLOC_FAILED")
    if isinstance(error, RuntimeError) and any(sign in str(error) for sign in signs):
        return True
    first = error.__cause__ or error.__context__
    return first is not None and is_out_of_memory(first)


def run_halving_on_oom(
    run: Callable[[Sequence[T]], list[R]],
    rows: Sequence[T],
    notes: MutableMapping[str, Any],
    size: Callable[[T], int] = lambda _: 1,
    misfit: Callable[[TooLargeError], R] | None = None,
) -> list[R]:
    """Run rows as one batch; if memory runs out, halve the batch and continue.

    A row that does not fit alone raises TooLargeError, or its result is `misfit` of the row.
    """
    results: list[R] = []
    for chunk, done in run_chunks_that_fit(run, rows, notes, size):
        if not isinstance(done, TooLargeError):
            results += done
        elif misfit is None:
            raise done
        else:
            results += [misfit(done)] * len(chunk)
    return results


def run_chunks_that_fit(
    run: Callable[[Sequence[T]], R],
    rows: Sequence[T],
    notes: MutableMapping[str, Any],
    size: Callable[[T], int] = lambda _: 1,
) -> Iterator[tuple[Sequence[T], R | TooLargeError]]:
    """Parts of the rows that fit in memory with their results, or the one row that does not fit.

    The size that fitted is kept in `notes["fits"]`, in padded units: rows × the largest `size` (the
    number of tokens, say; by default 1, so rows). `notes["halvings"]` counts.
    """
    while rows:
        chunk = _rows_within(rows, notes.get("fits"), size)
        done = _attempt(run, chunk)
        if done is None:
            free_memory()
            if len(chunk) == 1:
                done = _attempt(run, chunk)  # now with all the memory there is
            else:
                half = chunk[: len(chunk) // 2]
                notes["fits"] = len(half) * max(size(row) for row in half)
                notes["halvings"] = notes.get("halvings", 0) + 1
                continue
        yield chunk, TooLargeError() if done is None else done[0]
        rows = rows[len(chunk) :]


def retry_on_oom(run: Callable[[], R]) -> R:
    """The result of something small, retried with all available memory if memory ran out."""
    done = _attempt(lambda _: run(), ())
    if done is None:
        free_memory()
        done = _attempt(lambda _: run(), ())
    if done is None:
        raise NoMemoryError
    return done[0]


def free_memory() -> None:
    """Free the memory of tensors that are no longer used."""
    import torch

    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def _attempt(run: Callable[[Sequence[T]], R], chunk: Sequence[T]) -> tuple[R] | None:
    """The result, or None if memory ran out. The frames that hold it are left on return."""
    try:
        return (run(chunk),)
    except Exception as error:
        if not is_out_of_memory(error):
            raise
        return None


def _rows_within(rows: Sequence[T], limit: int | None, size: Callable[[T], int]) -> Sequence[T]:
    """As many rows from the front as fit the limit, at least one."""
    if limit is None:
        return rows
    widest = 0
    for count, row in enumerate(rows):
        widest = max(widest, size(row))
        if count and (count + 1) * widest > limit:
            return rows[:count]
    return rows


# Rotary embeddings that change with the longest text of a batch.
_LENGTH_DEPENDENT_ROPE = frozenset({"dynamic", "longrope"})


def position_limit(model: Any) -> int | None:
    """How many tokens the model has positions for; None if it sets no limit."""
    config = model.config.get_text_config()
    limits = [getattr(config, name, None) for name in ("max_position_embeddings", "max_seq_len")]
    for name, module in model.named_modules():
        # RoBERTa and similar models count positions from behind the padding's number.
        padding = getattr(module, "padding_idx", None)
        if name.endswith("position_embeddings") and padding is not None:
            limits.append(module.num_embeddings - padding - 1)
    return min((limit for limit in limits if limit is not None), default=None)


def batch_independent_length(config: Any) -> int | None:
    """The length up to which positions do not depend on the batch; None if they never do."""
    config = config.get_text_config()
    rope = getattr(config, "rope_parameters", None) or {}
    # A family with two types of layers has one set of parameters for each.
    sets = [part for part in rope.values() if isinstance(part, dict)] or [rope]
    lengths = [
        part.get("original_max_position_embeddings") or config.max_position_embeddings
        for part in sets
        if part.get("rope_type") in _LENGTH_DEPENDENT_ROPE
    ]
    return min(lengths, default=None)


def prefetch(
    prepare: Callable[[Batch], Callable[[], Iterator[NumberedAnswers]]], batches: Iterator[Batch]
) -> Iterator[NumberedAnswers]:
    """Start each batch before the answers of the previous one are read, and prepare the next.

    Planning creates thousands of small objects, and the garbage collector would repeatedly traverse
    all the libraries' objects in the meantime; these are excluded from it, and it comes less often.
    """
    gc.freeze()  # without a collection first, which would take as long as many a batch
    begun: deque[Iterator[NumberedAnswers]] = deque()
    upcoming = map(prepare, batches)
    try:
        with rare_garbage_collection():
            start = next(upcoming, None)
            while start is not None:
                try:
                    begun.append(start())
                    start = next(upcoming, None)
                except Exception:
                    yield from chain.from_iterable(begun)  # it is computed, so it is kept
                    raise
                if len(begun) > 1:
                    yield from begun.popleft()
            yield from chain.from_iterable(begun)
    finally:
        gc.unfreeze()
