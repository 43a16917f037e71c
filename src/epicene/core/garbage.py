"""Collect garbage rarely while many small objects are made that are in no cycles."""

from __future__ import annotations

import gc
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_NEW_OBJECTS = 100_000  # between two collections; 700 by default
_LOCK = threading.Lock()
_open: list[tuple[int, int, int]] = []  # the thresholds that each open block found


@contextmanager
def rare_garbage_collection() -> Iterator[None]:
    """A block in which garbage is collected rarely; one that is never collected stays so.

    Blocks may overlap: the first sets the thresholds, and the last to end puts them back.
    """
    with _LOCK:
        usual = _open[0] if _open else gc.get_threshold()
        _open.append(usual)
        if usual[0]:
            gc.set_threshold(max(usual[0], _NEW_OBJECTS), *usual[1:])
    try:
        yield
    finally:
        with _LOCK:
            _open.pop()
            if not _open:
                gc.set_threshold(*usual)
