"""Run many models on many suites from one plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from epicene.api.frames import rows_frame, table_frame
from epicene.api.progress import NoProgress, note, sweep_progress_display
from epicene.api.results import Run, load
from epicene.api.wording import keyword_errors
from epicene.core.errors import InputError

if TYPE_CHECKING:
    import polars

    from epicene.api.results import PathLike
    from epicene.runs.ray.settings import RaySettings
    from epicene.runs.sweep.forecast import RunForecast
    from epicene.runs.sweep.plan import PlanFile, SweepLimits
    from epicene.runs.sweep.runner import RunState, SweepState


class Sweep:
    """The runs of a plan, how each ended, and their report."""

    def __init__(self, path: Path, state: SweepState, problem: str = "") -> None:
        self.path = path
        self.state = state
        self.problem = problem  # why it ended early, if it did

    @property
    def complete(self) -> bool:
        """Whether every possible run is complete."""
        return not (self.state.unfinished or self.problem)

    @property
    def report(self) -> Path | None:
        """The report, if anything was answered."""
        return Path(self.state.report) if self.state.report else None

    @property
    def runs(self) -> list[Run]:
        """The runs that have answers."""
        return [load(run.folder) for run in self.state.runs if run.answered]

    def states(self) -> polars.DataFrame:
        """One row per run: its title, suite, model, state and the reason for it, requests,
        answers, cost.
        """
        import msgspec

        return rows_frame(msgspec.to_builtins(run) for run in self.state.runs)

    def __repr__(self) -> str:
        """The folder and how many runs are complete."""
        done = sum(run.state == "complete" for run in self.state.runs)
        return f"<Sweep in {self.path}: {done} of {len(self.state.runs)} runs complete>"

    def _repr_html_(self) -> str:
        from epicene.report.sweep import state_table
        from epicene.show.page import table_html

        return table_html(state_table(self.state))


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
    progress: bool = True,
) -> Sweep:
    """Run every model of a plan on every suite, and write one report; call it again to resume.

    plan: a TOML file (`epicene sweep --example` prints one), or its content as a mapping.
    out: the folder for the runs and the report (default: the plan's name).
    limit: for a trial, the maximum number of items from each part of the data, in every run.
    max_cost: the maximum cost of all requests, in US dollars; overrides the plan's own value.

    >>> plan = {"models": [{"spec": "random"}], "suites": [{"name": "alternations", "limit": 1}]}
    >>> epicene.sweep(plan, "trial", progress=False).complete
    True
    """
    prepared = prepare_sweep(plan, out, limit=limit, max_cost=max_cost, threads=threads)
    prepared.check_limits()
    return prepared.run(on=on, ray=ray, progress=progress)


@keyword_errors
def estimate_sweep(
    plan: PathLike | Mapping[str, Any],
    out: PathLike | None = None,
    *,
    limit: int | None = None,
    max_cost: float | None = None,
) -> polars.DataFrame:
    """Estimate what each run of a plan would take: requests, tokens, images, cost, time. No
    request is sent.
    """
    from epicene.report.sweep import estimate_table

    prepared = prepare_sweep(plan, out, limit=limit, max_cost=max_cost)
    return table_frame(estimate_table(prepared.forecasts))


@dataclass(frozen=True)
class PreparedSweep:
    """A plan with the forecast of each of its runs."""

    file: PlanFile
    folder: Path
    limits: SweepLimits
    forecasts: list[RunForecast]

    def check_limits(self, show: Callable[[str], None] = note) -> None:
        """Raise if the sweep would exceed its limits."""
        from epicene.runs.costs import read_spending
        from epicene.runs.sweep.forecast import (
            check_limits,
            total_forecast,
            unknown_spending_message,
        )

        total = total_forecast(self.forecasts)
        if self.limits.max_hours is not None and total.unknown:
            show(
                f"There is no time estimate for {total.unknown} runs, so max_hours is not checked "
                "for them in advance; no run starts after max_hours."
            )
        spent = 0.0
        if self.limits.max_cost is not None:
            spending = read_spending(sorted((self.folder / "runs").glob("*")))
            spent = spending.known
            if spending.unknown:
                why = unknown_spending_message(spending)
                show(f"No run that may cost money will start: {why}.")
        check_limits(self.limits, total, spent)

    def run(
        self, *, on: str = "here", ray: RaySettings | None = None, progress: bool = True
    ) -> Sweep:
        """Execute all incomplete runs, and write the report."""
        from contextlib import nullcontext

        from epicene.report.sweep import write_sweep_report
        from epicene.runs.executors import open_executor
        from epicene.runs.ray.settings import RaySettings
        from epicene.runs.run import lock_folder
        from epicene.runs.sweep.forecast import total_forecast
        from epicene.runs.sweep.runner import StateNotWrittenError, SweepConfig, run_sweep

        workload = total_forecast(self.forecasts).workload
        shown = sweep_progress_display(workload) if progress else nullcontext(_NoSweepProgress())
        path = self.file.path
        with lock_folder(self.folder):
            try:
                with (
                    shown as display,
                    open_executor(on, ray or RaySettings(), display.show_message) as executor,
                ):
                    config = SweepConfig(path.name, self.folder, self.forecasts, self.limits)
                    state = run_sweep(config, display, executor)
                return Sweep(self.folder, write_sweep_report(self.folder, state, path))
            except StateNotWrittenError as error:
                return Sweep(self.folder, error.state, str(error))


class _NoSweepProgress(NoProgress):
    """Shows nothing."""

    def start_run(self, title: str, number: int, runs: int, requests: int) -> None:
        """Show nothing."""

    def finish_run(self, state: RunState) -> None:
        """Show nothing."""


def prepare_sweep(
    plan: PathLike | Mapping[str, Any],
    out: PathLike | None = None,
    *,
    limit: int | None = None,
    max_cost: float | None = None,
    threads: int | None = None,
    command: str = "epicene.sweep(…)",
) -> PreparedSweep:
    """Read a plan and forecast its runs."""
    import msgspec

    from epicene.runs.sweep.forecast import Forecaster
    from epicene.runs.sweep.matrix import expand_plan
    from epicene.runs.sweep.plan import parse_plan, read_plan

    if isinstance(plan, Mapping):
        if out is None:
            raise InputError("Name the sweep's folder with `out`.")
        file, folder = parse_plan(plan, Path("plan")), Path(out)
    else:
        file = read_plan(Path(plan))
        folder = Path(out) if out else Path(Path(plan).stem)
    limits = file.plan.limits
    if max_cost is not None:
        limits = msgspec.structs.replace(limits, max_cost=max_cost)
    forecaster = Forecaster(folder / "runs", limits.max_cost, strict=file.plan.strict)
    expanded = expand_plan(file, folder / "runs", limit, command, threads)
    return PreparedSweep(file, folder, limits, [forecaster.forecast(each) for each in expanded])
