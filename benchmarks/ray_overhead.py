"""What a cluster costs where there is nothing to gain: one worker on Ray, on this machine.

    python benchmarks/ray_overhead.py [REQUESTS]      (default 100)

The embedded model smollm2 scores the sentences of MISGENDERED's kind (published data; without it
the starter set), cut into a run's batches, in this process and by one worker on Ray that has all
processors. Both are loaded before and asked the same in turns; the clock runs from when the model
is asked to its last answer, and the best of the rounds counts. On a busy machine the clock also
counts what others do; the seconds that all processes of a contender worked are given beside it, and
are best read with OMP_NUM_THREADS=1. The answers must be the same bytes. On Linux.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from epicene.core.files import ImageFolder
from epicene.core.records import Answer, to_json
from epicene.models import open_model, parse_spec
from epicene.runs.execute import make_batches
from epicene.runs.plan import PlannedRequest
from epicene.runs.ray.model import RayExecutor
from epicene.runs.ray.settings import RaySettings
from scoring_speed import texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epicene.models import Batch, Model

ROUNDS = 3
MODEL = "smollm2"


class Measured(NamedTuple):
    """How long a round took, by the clock and by the processors, and what was answered."""

    seconds: float
    worked: float
    answers: bytes


def main() -> None:
    """Ask both in turns and print one line."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    published = os.environ.get("EPICENE_PUBLISHED_DATA")
    requests = texts.gather(Path(published) if published else None).misgendered[:count]
    spec = parse_spec(MODEL)
    executor = RayExecutor(RaySettings(workers=1), print)
    try:
        models = {"here": open_model(spec), "ray": executor(spec)}
        batches = _batches(requests, models["here"])
        rounds: dict[str, list[Measured]] = {place: [] for place in models}
        for _ in range(ROUNDS):
            rounds["here"].append(_measured(models["here"], batches, [os.getpid()]))
            rounds["ray"].append(_measured(models["ray"], batches, _family()))
    finally:
        executor.close()
    assert len({each.answers for every in rounds.values() for each in every}) == 1, "they differ"
    print(f"{len(requests)} requests in {len(batches)} batches, the same answers")
    for name in ("seconds", "worked"):
        here, ray = (min(getattr(each, name) for each in rounds[place]) for place in rounds)
        print(f"{name}: here {here:.1f}, one worker on Ray {ray:.1f}, {ray / here - 1:+.1%}")


def _batches(requests: Sequence[object], model: Model) -> list[Batch]:
    planned = [PlannedRequest(place, b"", request) for place, request in enumerate(requests)]  # type: ignore[arg-type]
    return [
        [(p.request_id, p.request) for p in each]
        for each in make_batches(planned, model.batch_limit)
    ]


def _measured(model: Model, batches: Sequence[Batch], processes: Sequence[int]) -> Measured:
    found: list[tuple[int, Answer]] = []
    with tempfile.TemporaryDirectory() as folder:
        began, worked = time.perf_counter(), _worked(processes)
        for answered in model.answer(iter(batches), ImageFolder(Path(folder))):
            found += answered
        ended = time.perf_counter()
    return Measured(ended - began, _worked(processes) - worked, to_json(sorted(found)))


def _family() -> list[int]:
    """This process and all that descend from it, Ray's own among them."""
    parents: dict[int, int] = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = status.read_text().rpartition(")")[2].split()
            parents[int(status.parent.name)] = int(fields[1])
    family = [os.getpid()]
    for one in family:
        family += [child for child, parent in parents.items() if parent == one]
    return family


def _worked(processes: Sequence[int]) -> float:
    """Seconds that processors worked for them."""
    ticks = 0
    for pid in processes:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
