"""What the user asked a run to do."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from epicene.suites import DataSource

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from epicene.models import ModelSpec
    from epicene.suites import Protocol, Suite


@dataclass(frozen=True)
class RunConfig:
    """What the user asked for."""

    suite: Suite[Any, Any]
    protocol: Protocol
    models: Mapping[str, Sequence[ModelSpec]]  # by role
    source: DataSource = DataSource()
    languages: tuple[str, ...] = ()
    limit: int | None = None
    out: Path | None = None
    under: Path = Path("runs")  # where a run without `out` makes its folder
    labels: Mapping[str, str] = field(default_factory=dict)
    max_cost: float | None = None  # US dollars, over all sessions of the run
    spent_elsewhere: float = 0.0  # what other runs have spent of that
