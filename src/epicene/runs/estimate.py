"""What a run will ask, how long that takes and what it costs, estimated before it starts."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

from epicene.runs.store import STORE_FILE, open_store
from epicene.runs.workload import MeasuredTimes, Workload, count_workload

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from epicene.models import Model
    from epicene.runs.config import RunConfig
    from epicene.runs.manifest import RunSettings
    from epicene.suites import Dataset

# Requests are counted for so many seconds at most: what has been counted by then is enough to know
# that the run is long.
_COUNTING_SECONDS = 10.0


@dataclass(frozen=True)
class RunEstimate:
    """What is left of a run."""

    config: RunConfig
    models: Mapping[str, Sequence[str]]  # their labels, by role
    workload: Workload
    seconds: float | None  # as measured in earlier runs in the same folder; None if not known

    @property
    def is_long(self) -> bool:
        """Whether it is long or costly, so that a person should confirm it."""
        return is_long(self.workload, self.seconds, self.config.max_cost)


# A run or sweep is long, and confirmed on a terminal, above one of these.
LONG_SECONDS = 600.0
HIGH_COST = 1.0  # US dollars, if there is no cost limit
MANY_REQUESTS = 5000  # if the time is not known


def is_long(workload: Workload, seconds: float | None, max_cost: float | None) -> bool:
    """Whether what is left takes long, or may cost much without a limit."""
    if max_cost is None and (workload.cost or 0.0) > HIGH_COST:
        return True
    if seconds is None:
        return workload.partial or workload.left > MANY_REQUESTS
    return seconds > LONG_SECONDS


def estimate_run(
    config: RunConfig,
    dataset: Dataset,
    models: Mapping[str, Sequence[Model]],
    folder: Path,
    settings: RunSettings,
) -> RunEstimate:
    """The estimate of a new run, or of what is left of the one in the folder."""
    path = folder / STORE_FILE
    begun = (folder / "manifest.json").exists() and path.exists() and path.stat().st_size
    with open_store(folder) if begun else nullcontext() as store:
        workload = count_workload(config, dataset, models, store, seconds=_COUNTING_SECONDS)
    identities = {role: tuple(m.identity for m in each) for role, each in models.items()}
    times = MeasuredTimes(folder.parent)
    return RunEstimate(
        config=config,
        models={role: [each.label for each in found] for role, found in identities.items()},
        workload=workload,
        seconds=None if workload.partial else times.seconds(settings, identities, workload.parts),
    )
