"""Batches that shrink until they fit in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from epicene.errors import RunError
from epicene.models import BatchLimit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, MutableMapping, Sequence

    from epicene.models.hf.loading import Loaded

T = TypeVar("T")
R = TypeVar("R")


# A batch is what a killed run may lose, so on a CPU it is a matter of seconds.
_ON_CPU = BatchLimit(requests=16, characters=6_000)
_ON_ACCELERATOR = BatchLimit(requests=256, characters=200_000)
# A masked text is as many rows as it has tokens, so fewer keep a device busy while the next are
# planned.
_MASKED = BatchLimit(requests=64, characters=50_000)


def batch_limit(loaded: Loaded, *, masked: bool = False) -> BatchLimit:
    """How the plan is cut for a model: as the user says, or fit for where it runs."""
    asked = loaded.options.batch_size
    if asked != "auto":
        return BatchLimit(requests=asked)
    if loaded.device.type == "cpu":
        return _ON_CPU
    return _MASKED if masked else _ON_ACCELERATOR


class TooLargeError(RunError):
    """One row alone is too much for the machine."""

    def __init__(self) -> None:
        super().__init__(
            "one text alone needs more memory than there is; use a smaller dtype or model"
        )


def out_of_memory(error: BaseException) -> bool:
    """Whether an error means that a smaller batch would have fitted, on a GPU or not."""
    import torch

    if isinstance(error, (MemoryError, torch.OutOfMemoryError)):
        return True
    signs = ("out of memory", "DefaultCPUAllocator", "can't allocate", "CUBLAS_STATUS_ALLOC_FAILED")
    return isinstance(error, RuntimeError) and any(sign in str(error) for sign in signs)


def halving(
    run: Callable[[Sequence[T]], list[R]],
    rows: Sequence[T],
    notes: MutableMapping[str, Any],
    size: Callable[[T], int] = lambda _: 1,
    misfit: Callable[[TooLargeError], R] | None = None,
) -> list[R]:
    """Run rows as one batch; where memory runs out, halve it and go on.

    A row that does not fit alone raises TooLargeError, or has `misfit` of it for its result.
    """
    results: list[R] = []
    for chunk, done in fitting(run, rows, notes, size):
        if not isinstance(done, TooLargeError):
            results += done
        elif misfit is None:
            raise done
        else:
            results += [misfit(done)] * len(chunk)
    return results


def fitting(
    run: Callable[[Sequence[T]], R],
    rows: Sequence[T],
    notes: MutableMapping[str, Any],
    size: Callable[[T], int] = lambda _: 1,
) -> Iterator[tuple[Sequence[T], R | TooLargeError]]:
    """Parts of the rows that fit in memory with what came of them, or the one row that does not.

    What fitted is remembered in `notes["fits"]`, in padded units: rows × the largest `size` (the
    number of tokens, say; by default 1, so rows). `notes["halvings"]` counts.
    """
    while rows:
        chunk = _within(rows, notes.get("fits"), size)
        done = _attempt(run, chunk)
        if done is None:
            release()
            if len(chunk) > 1:
                half = chunk[: len(chunk) // 2]
                notes["fits"] = len(half) * max(size(row) for row in half)
                notes["halvings"] = notes.get("halvings", 0) + 1
                continue
            yield chunk, TooLargeError()
        else:
            yield chunk, done[0]
        rows = rows[len(chunk) :]


def release() -> None:
    """Give back what is held for tensors that are gone."""
    import gc

    import torch

    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def _attempt(run: Callable[[Sequence[T]], R], chunk: Sequence[T]) -> tuple[R] | None:
    """The result, or None where memory ran out. The frames that hold it are left on return."""
    try:
        return (run(chunk),)
    except (RuntimeError, MemoryError) as error:
        if not out_of_memory(error):
            raise
        return None


def _within(rows: Sequence[T], limit: int | None, size: Callable[[T], int]) -> Sequence[T]:
    """As many rows from the front as fit the limit, one at least."""
    if limit is None:
        return rows
    widest = 0
    for count, row in enumerate(rows):
        widest = max(widest, size(row))
        if count and (count + 1) * widest > limit:
            return rows[:count]
    return rows
