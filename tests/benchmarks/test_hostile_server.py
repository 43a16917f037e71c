"""The benchmark's hostile server, at a small size: nothing it does takes memory or ends a run."""

from __future__ import annotations

import sys

import pytest

import hostile_server
from hostile_server import MIB, Hostile, ask_in_process

# Memory that requests at once may take beyond what an idle client has: four large bodies of 16
# MiB, twice for a moment, and what is made of one of them.
GROWTH = 250
HONEST = "negative cost"  # an honest size, so that everything is imported
MODES = (
    "gzip bomb",
    "deflate bomb",
    "endless body",
    "endless server error",
    "15 MiB of wide text",
    "5 million lists in an error",
    "deep JSON",
    "307 elsewhere",
    "image at a private server",
)


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
def test_no_mode_takes_memory_or_ends_the_run() -> None:
    """A gzip bomb of a megabyte took 5 GB, an endless body 1.5 GB in five seconds."""
    for mode in MODES:
        # In a process of its own: what one mode leaves behind is not what the next one takes.
        with Hostile(bomb_size=64 * MIB) as hostile:
            honest, each = ask_in_process(hostile, [HONEST, mode], 10)
            assert hostile.private_requests == 0
        assert (honest.mode, honest.answered, each.mode) == (HONEST, 10, mode)
        # An image that is not fetched is recorded with the reason, and leaves the others.
        recorded = mode.startswith("image")
        assert (each.answered, each.failed) == ((10, 0) if recorded else (0, 10)), each
        assert each.reasons, each
        assert each.peak - honest.peak < GROWTH, each
        assert not any("the run ended" in reason for reason in each.reasons), each


def test_each_mode_has_an_address() -> None:
    assert len(hostile_server.MODES) >= 60
