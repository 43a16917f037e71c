"""Collect garbage rarely while many small objects are made that are in no cycles."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_NEW_OBJECTS = 100_000  # between two collections; 700 by default


@contextmanager
def rare_garbage_collection() -> Iterator[None]:
    """A block in which garbage is collected rarely; one that is never collected stays so."""
    usual = gc.get_threshold()
    if usual[0]:
        gc.set_threshold(max(usual[0], _NEW_OBJECTS), *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)
