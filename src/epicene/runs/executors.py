"""Where a run's models answer: on this machine, or on many."""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from epicene.errors import InputError, unknown
from epicene.models import open_model
from epicene.runs.ray.settings import LOCAL, RaySettings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from epicene.runs.on_demand import Executor

HERE, RAY = "here", "ray"


@contextmanager
def executor(on: str, settings: RaySettings, say: Callable[[str], None]) -> Iterator[Executor]:
    """What opens models where the user wants them."""
    if on == HERE:
        if settings != RaySettings():
            raise InputError(
                "--ray-address, --workers, --gpus-per-worker and --worker-timeout go with --on ray."
            )
        yield open_model
    elif on == RAY:
        from epicene.runs.ray.model import RayExecutor

        cluster = RayExecutor(_addressed(settings), say)
        try:
            yield cluster
        finally:
            cluster.close()
    else:
        raise unknown("place to run on", on, (HERE, RAY))


def _addressed(settings: RaySettings) -> RaySettings:
    """The settings with the address that Ray's own tools would take, and nothing amiss in them."""
    called = "--ray-address" if settings.address else "RAY_ADDRESS"
    address = settings.address or os.environ.get("RAY_ADDRESS", "")
    settings = replace(settings, address="" if address == LOCAL else address)
    settings.check(called)
    return settings
