"""Models on a fake cluster of workers, and the requests they are sent."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import two_stage
from epicene.core.files import ImageFolder
from epicene.core.records import Answer, Generate, Request
from epicene.models import Batch, Model, ModelOptions, parse_spec
from epicene.runs.ray.model import RayExecutor
from epicene.runs.ray.settings import RaySettings
from runs.ray_fake_cluster import FakeCluster


class Double(two_stage.Scripted):
    """A scripted model that does what the test says before it answers a request."""

    before: Callable[[Request], None] = staticmethod(lambda _request: None)

    def _one(self, request: Request) -> Answer:
        self.before(request)
        return super()._one(request)

    def notes(self) -> Mapping[str, object]:
        return {"path": "straight"}


def opened(
    fake_cluster: FakeCluster, said: list[str] | None = None, spec: str = "double:d", **how: object
) -> Model:
    settings = RaySettings(**how)  # type: ignore[arg-type]
    return RayExecutor(settings, (said if said is not None else []).append, fake_cluster)(
        parse_spec(spec)
    )


def plan(count: int, batch: int = 4) -> Iterator[Batch]:
    """Batches of requests at places 0, 1, 2 …"""
    for first in range(0, count, batch):
        yield [(n, asking(n)) for n in range(first, min(first + batch, count))]


def asking(number: int) -> Request:
    return Generate(item=f"item-{number}", prompt=f"{number} said", source="x")


def answers(model: Model, batches: Iterator[Batch], folder: Path) -> dict[int, Answer]:
    """All answers by place; none comes twice."""
    found: dict[int, Answer] = {}
    for answered in model.answer(batches, ImageFolder(folder)):
        for place, answer in answered:
            assert place not in found
            found[place] = answer
    return found


def expected(count: int) -> dict[int, Answer]:
    rule = two_stage.Scripted("d", ModelOptions())
    return {n: rule._one(asking(n)) for n in range(count)}


def wait_until(so: Callable[[], bool], limit: float = 60.0) -> None:
    """Until it is so, or the test has failed anyway."""
    deadline = time.monotonic() + limit
    while not so() and time.monotonic() < deadline:
        time.sleep(0.01)
