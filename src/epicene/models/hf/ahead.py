"""Keeping a device busy: the next batch is on its way before this one is waited for."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from epicene.models import Answered, Batch


def ahead(
    begin: Callable[[Batch], Iterator[Answered]], batches: Iterator[Batch]
) -> Iterator[Answered]:
    """Begin each batch before the answers of the one before it are asked for.

    Planning makes thousands of small objects, and the garbage collector would walk over all the
    libraries' objects again and again meanwhile; these are kept out of its way.
    """
    gc.freeze()  # without a collection first, which would take as long as many a batch
    try:
        begun: Iterator[Answered] = iter(())
        for batch in batches:
            waiting = begun
            try:
                begun = begin(batch)
            except Exception:
                yield from waiting  # it is computed, so it is kept
                raise
            yield from waiting
        yield from begun
    finally:
        gc.unfreeze()
