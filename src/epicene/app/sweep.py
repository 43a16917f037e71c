"""Run many models on many suites from one plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from epicene.app.arguments import (
    TEXT,
    Executor,
    GpusPerWorker,
    MaxCost,
    Progress,
    RayAddress,
    Threads,
    Workers,
    WorkerTimeout,
    at_least,
)
from epicene.app.frames import rows_frame
from epicene.app.output import Output, print_json, print_tables
from epicene.app.progress import progress_display
from epicene.app.results import Run, load
from epicene.app.session import confirm, note, session
from epicene.core.errors import InputError

if TYPE_CHECKING:
    import polars

    from epicene.core.records import Table
    from epicene.runs.sweep import RunState
    from epicene.runs.sweep_plan import SweepRun


class Sweep:
    """The runs of a plan, and how far each is."""

    def __init__(self, states: Sequence[RunState], counted: bool = False) -> None:
        self.states = tuple(states)
        self._counted = counted  # whether what is left was only counted

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
        from epicene.show.page import table_html

        return table_html(states_table(self.states))

    def _print_(self, output: Output) -> int:
        """Print how far each run is, and what to do next."""
        import msgspec

        if output.json:
            print_json({"runs": msgspec.to_builtins(self.states)})
        else:
            print_tables([states_table(self.states)])
        for run in self.states:
            if run.why:
                note(f"{run.title}: {run.state}. {run.why}")
        if self._counted:
            return 0 if all(run.state != "failed" for run in self.states) else 1
        if not self.complete:
            note("Repeat the command to resume the runs that are not complete.")
        if self.states:
            folder = Path(self.states[0].folder).parent
            note(f"`epicene report {folder}/*` writes one page about them.")
        return 0 if self.complete else 1


def sweep(
    plan: Annotated[str | Path | Mapping[str, Any], TEXT, Parameter(metavar="PLAN")],
    *,
    out: Annotated[str | Path | None, TEXT, Parameter(alias="-o", metavar="PATH")] = None,
    limit: int | None = None,
    max_cost: MaxCost = None,
    threads: Threads = None,
    on: Executor = "here",
    ray_address: RayAddress = "",
    workers: Workers = None,
    gpus_per_worker: GpusPerWorker = None,
    worker_timeout: WorkerTimeout = None,
    progress: Progress = True,
) -> Sweep:
    """Run every model of a plan on every suite. Repeat the call to resume.

    Args:
        plan: The plan, a TOML file (`epicene sweep example` prints one); in Python also its content
            as a mapping.
        out: The folder for the runs (default: the plan's name); they are in OUT/runs.
        limit: For a trial: the maximum number of items from each part of the data, in every run.
            Its runs are in OUT/limit-N.
        max_cost: The maximum cost of all requests, in dollars; overrides the plan's own.
        threads: Threads for a model on a CPU (default: one per CPU core that this process may use).
        on: Where to run: here, or ray for several machines.
        ray_address: The Ray cluster (default: RAY_ADDRESS, or one started for this sweep).
        workers: On Ray: number of workers (default: one per GPU, or per machine without GPUs).
        gpus_per_worker: On Ray: GPUs per worker (default: 1 if there are any).
        worker_timeout: On Ray: seconds per shard before its worker is replaced.
        progress: Whether to show progress on standard error.

    Examples:
        >>> suites = [{"name": "alternations", "limit": 1}]
        >>> plan = {"models": [{"spec": "random"}], "suites": suites}
        >>> epicene.sweep(plan, out="trial", progress=False).complete
        True
    """
    from epicene.runs.executors import open_executor
    from epicene.runs.ray_cluster import RaySettings
    from epicene.runs.sweep import run_sweep
    from epicene.runs.sweep_plan import expand_plan, parse_plan, read_plan

    at_least(1, limit=limit, threads=threads, workers=workers)
    if isinstance(plan, Mapping):
        if out is None:
            raise InputError("Name the sweep's folder with --out.")
        path, read = Path("plan"), parse_plan(plan, Path("plan"))
    else:
        path, read = Path(plan), read_plan(Path(plan))
    runs = expand_plan(read, path, Path(out or path.stem), limit=limit, threads=threads)
    most = read.max_cost if max_cost is None else max_cost
    dry_run = session.get().dry_run
    if most is None and not dry_run:
        _confirm_cost(runs)
    ray = RaySettings(
        address=ray_address,
        workers=workers,
        gpus_per_worker=gpus_per_worker,
        worker_timeout=worker_timeout,
    )
    display = progress_display(wanted=progress)
    with open_executor(on, ray, display.show_message) as executor:
        return Sweep(list(run_sweep(runs, most, display, executor, dry_run=dry_run)), dry_run)


def sweep_plan(*, paper: str = "") -> str:
    """Print an example of a plan for a sweep, or the plan with the models of a suite's paper.

    Args:
        paper: The suite of the paper.
    """
    from epicene.runs.sweep_plan import example_plan, paper_plan

    return (paper_plan(paper) if paper else example_plan()).removesuffix("\n")


def _confirm_cost(runs: Sequence[SweepRun]) -> None:
    """Ask before a model behind a server is asked without a limit of cost."""
    from epicene.runs.costs import may_charge

    specs = [spec for run in runs for each in run.config.models.values() for spec in each]
    if any(may_charge(spec.kind) for spec in specs):
        confirm("sweep, whose servers may charge without a limit (--max-cost sets one)")


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
