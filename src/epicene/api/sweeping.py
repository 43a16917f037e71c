"""Run many models on many suites from one plan."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from epicene.api.frames import rows_frame
from epicene.api.progress import NoProgress, progress_display
from epicene.api.results import Run, load
from epicene.api.wording import keyword_errors
from epicene.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import polars

    from epicene.api.results import PathLike
    from epicene.core.records import Table
    from epicene.runs.ray_cluster import RaySettings
    from epicene.runs.sweep import RunState
    from epicene.runs.sweep_plan import SweepRun


class Sweep:
    """The runs of a plan, and how far each is."""

    def __init__(self, states: Sequence[RunState]) -> None:
        self.states = tuple(states)

    @property
    def complete(self) -> bool:
        """Whether every run is complete that the plan does not skip."""
        return all(run.done for run in self.states)

    @property
    def runs(self) -> list[Run]:
        """The runs that have answers."""
        return [load(run.folder) for run in self.states if run.answered]

    def frame(self) -> polars.DataFrame:
        """One row per run: its title, folder, state and the reason for it, answers, cost."""
        import msgspec

        return rows_frame(msgspec.to_builtins(run) for run in self.states)

    def __repr__(self) -> str:
        """How many runs are complete."""
        done = sum(run.state == "complete" for run in self.states)
        return f"<Sweep: {done} of {len(self.states)} runs complete>"

    def _repr_html_(self) -> str:
        from epicene.report.page import table_html

        return table_html(states_table(self.states))


@keyword_errors
def sweep(
    plan: PathLike | Mapping[str, Any],
    out: PathLike | None = None,
    *,
    limit: int | None = None,
    max_cost: float | None = None,
    threads: int | None = None,
    on: str = "here",
    ray: RaySettings | None = None,
    dry_run: bool = False,
    progress: bool = True,
    approve: Callable[[Sequence[SweepRun]], None] | None = None,
) -> Sweep:
    """Run every model of a plan on every suite; call it again to resume.

    plan: a TOML file (`epicene sweep --example` prints one), or its content as a mapping.
    out: the folder for the runs (default: the plan's name); they are in `out`/runs.
    limit: for a trial, the maximum number of items from each part of the data, in every run; a
        trial is stored in `out`/limit-N.
    max_cost: the maximum cost of all requests, in US dollars; overrides the plan's own value.
    dry_run: only count what each run would ask, and send nothing.
    approve: a function that is called with the runs if there is no limit of cost; it may raise.

    >>> plan = {"models": [{"spec": "random"}], "suites": [{"name": "alternations", "limit": 1}]}
    >>> epicene.sweep(plan, "trial", progress=False).complete
    True
    """
    from epicene.runs.executors import open_executor
    from epicene.runs.ray_cluster import RaySettings
    from epicene.runs.sweep import run_sweep
    from epicene.runs.sweep_plan import expand_plan, parse_plan, read_plan

    if isinstance(plan, Mapping):
        if out is None:
            raise InputError("Name the sweep's folder with `out`.")
        path, read = Path("plan"), parse_plan(plan, Path("plan"))
    else:
        path, read = Path(plan), read_plan(Path(plan))
    folder = Path(out or path.stem)
    runs = expand_plan(read, path, folder, limit=limit, threads=threads)
    most = read.max_cost if max_cost is None else max_cost
    if approve and most is None and not dry_run:
        approve(runs)
    display = progress_display() if progress else NoProgress()
    with open_executor(on, ray or RaySettings(), display.show_message) as executor:
        return Sweep(list(run_sweep(runs, most, display, executor, dry_run=dry_run)))


def states_table(states: Sequence[RunState]) -> Table:
    """How far each run is, and what is left if that was counted."""
    from epicene.core.records import Column, Row, Table
    from epicene.models.pricing import format_dollars

    def cells(run: RunState) -> tuple[str, ...]:
        left = "" if run.left is None else f"{run.left:,}"
        cost = "unknown" if run.cost is None else format_dollars(run.cost)
        done = (f"{run.answered:,}", f"{run.failed:,}", format_dollars(run.spent))
        return (run.state, *done, *((left, cost if left else "") if counted else ()))

    counted = any(run.left is not None for run in states)
    columns = ("state", "answered", "failed", "spent")
    return Table(
        name="sweep",
        title="Runs of the sweep",
        levels=("run",),
        columns=tuple(
            Column(name=name, unit="text")
            for name in (*columns, *(("requests left", "at most") if counted else ()))
        ),
        rows=tuple(Row(keys=(run.title,), cells=cells(run)) for run in states),
    )
