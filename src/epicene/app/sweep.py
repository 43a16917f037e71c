"""Run many models on many suites from one plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from epicene.app.arguments import (
    TEXT,
    Executor,
    GpusPerWorker,
    MaxCost,
    PathLike,
    Progress,
    RayAddress,
    Threads,
    Workers,
    WorkerTimeout,
    at_least,
)
from epicene.app.frames import rows_frame, table_frame
from epicene.app.output import Output, print_json, print_tables
from epicene.app.progress import progress_display
from epicene.app.results import Run, load
from epicene.app.session import NothingSentError, confirm, note, session
from epicene.core.errors import InputError

if TYPE_CHECKING:
    import polars

    from epicene.runs.ray.settings import RaySettings
    from epicene.runs.sweep.forecast import RunForecast
    from epicene.runs.sweep.plan import PlanFile, SweepLimits
    from epicene.runs.sweep.runner import SweepState


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
        from epicene.report.page import table_html
        from epicene.report.sweep import state_table

        return table_html(state_table(self.state))

    def _print_(self, output: Output) -> int:
        """Print how each run ended, what is left, and where the report is."""
        import msgspec

        from epicene.report.sweep import state_table

        if output.json:
            print_json(msgspec.to_builtins(self.state))
        else:
            print_tables([state_table(self.state)])
        for run in self.state.unfinished:
            note(f"Incomplete: {run.title} ({run.state}). {run.why}".rstrip())
        if self.state.unfinished:
            note("Repeat the command to resume the remaining runs.")
        if self.problem:
            note(self.problem)
        elif self.report:
            note(f"The report is in {self.report}")
        else:
            note("There are no answers yet, so no report was written.")
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
    """Run every model of a plan on every suite, and write one report. Repeat the call to resume.

    Args:
        plan: The plan, a TOML file (`epicene sweep example` prints one); in Python also its content
            as a mapping.
        out: The folder for the runs and the report (default: the plan's name).
        limit: For a trial: the maximum number of items from each part of the data, in every run.
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
    from epicene.runs.estimate import is_long
    from epicene.runs.ray.settings import RaySettings
    from epicene.runs.sweep.forecast import total_forecast

    at_least(1, limit=limit, threads=threads, workers=workers)
    command = session.get().command or "epicene.sweep(…)"
    prepared = _prepare(plan, out, limit=limit, max_cost=max_cost, threads=threads, command=command)
    show = progress_display(wanted=progress).show_message
    if session.get().dry_run:
        _show_estimate(prepared.forecasts)
    else:
        _announce(prepared.forecasts, show)
    prepared.check_limits(show)
    if session.get().dry_run:
        raise NothingSentError
    total = total_forecast(prepared.forecasts)
    seconds = None if total.unknown else total.seconds
    if is_long(total.workload, seconds, prepared.limits.max_cost):
        confirm("sweep")
    ray = RaySettings(
        address=ray_address,
        workers=workers,
        gpus_per_worker=gpus_per_worker,
        worker_timeout=worker_timeout,
    )
    return prepared.run(on=on, ray=ray, progress=progress)


def sweep_plan(*, paper: str = "") -> str:
    """Print an example of a plan for a sweep, or the plan with the models of a suite's paper.

    Args:
        paper: The suite of the paper.
    """
    from epicene.runs.sweep.plan import example_plan, paper_plan

    return (paper_plan(paper) if paper else example_plan()).removesuffix("\n")


def estimate_sweep(
    plan: PathLike | Mapping[str, Any],
    *,
    out: PathLike | None = None,
    limit: int | None = None,
    max_cost: float | None = None,
) -> polars.DataFrame:
    """Estimate what each run of a plan would take: requests, tokens, images, cost, time. No
    request is sent.
    """
    from epicene.report.sweep import estimate_table

    return table_frame(
        estimate_table(_prepare(plan, out, limit=limit, max_cost=max_cost).forecasts)
    )


def _show_estimate(forecasts: Sequence[RunForecast]) -> None:
    from epicene.report.sweep import estimate_document, estimate_table

    if session.get().json:
        print_json(estimate_document(forecasts))
    else:
        print_tables([estimate_table(forecasts)])


def _announce(forecasts: Sequence[RunForecast], show: Callable[[str], None]) -> None:
    """Show which runs are skipped and why, and the estimate for the rest."""
    from epicene.report.sweep import estimate_sentence

    for each in forecasts:
        if each.why:
            show(f"{each.sweep_run.title}: {each.status}: {each.why}")
    show(estimate_sentence(forecasts))


@dataclass(frozen=True)
class PreparedSweep:
    """A plan with the forecast of each of its runs."""

    file: PlanFile
    folder: Path
    limits: SweepLimits
    forecasts: list[RunForecast]

    def check_limits(self, show: Callable[[str], None]) -> None:
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

    def run(self, *, on: str, ray: RaySettings, progress: bool) -> Sweep:
        """Execute all incomplete runs, and write the report."""
        from epicene.report.sweep import write_sweep_report
        from epicene.runs.executors import open_executor
        from epicene.runs.run import lock_folder
        from epicene.runs.sweep.runner import StateNotWrittenError, SweepConfig, run_sweep

        display = progress_display(wanted=progress)
        path = self.file.path
        with lock_folder(self.folder):
            try:
                with open_executor(on, ray, display.show_message) as executor:
                    config = SweepConfig(path.name, self.folder, self.forecasts, self.limits)
                    state = run_sweep(config, display, executor)
                return Sweep(self.folder, write_sweep_report(self.folder, state, path))
            except StateNotWrittenError as error:
                return Sweep(self.folder, error.state, str(error))


def _prepare(
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
            raise InputError("Name the sweep's folder with --out.")
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
