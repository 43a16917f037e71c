"""`epicene sweep`: run many models on many suites from one plan, with one report."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from epicene.cli.options import (
    ExecutorName,
    GpusPerWorker,
    MaxCost,
    RayAddress,
    Threads,
    Workers,
    WorkerTimeout,
    Yes,
)
from epicene.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epicene.runs.sweep.forecast import RunForecast
    from epicene.runs.sweep.plan import PlanFile, SweepLimits
    from epicene.runs.sweep.runner import SweepState


def sweep(
    plan: Annotated[
        Path | None, typer.Argument(metavar="PLAN", help="A TOML file; --example prints one.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="The folder for runs and report (default: the plan's name)."
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print an estimate and send no requests.")
    ] = False,
    example: Annotated[bool, typer.Option("--example", help="Print an example plan.")] = False,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit",
            min=1,
            metavar="N",
            help="For a trial: items from each part of the data, in every run.",
        ),
    ] = None,
    max_cost: MaxCost = None,
    threads: Threads = None,
    on: ExecutorName = "here",
    ray_address: RayAddress = "",
    workers: Workers = None,
    gpus_per_worker: GpusPerWorker = None,
    worker_timeout: WorkerTimeout = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="The estimate, or the state of every run, as JSON.")
    ] = False,
    yes: Yes = False,
) -> int:
    """Run every model of a plan on every suite. Repeat the command to resume."""
    from epicene.cli.estimate import confirm
    from epicene.cli.progress import sweep_progress_display
    from epicene.report.sweep import write_sweep_report
    from epicene.runs.estimate import is_long
    from epicene.runs.executors import open_executor
    from epicene.runs.ray.settings import RaySettings
    from epicene.runs.run import lock_folder
    from epicene.runs.sweep.forecast import total_forecast
    from epicene.runs.sweep.plan import example_plan, read_plan
    from epicene.runs.sweep.runner import StateNotWrittenError, SweepConfig
    from epicene.runs.sweep.runner import run_sweep as do_sweep

    if example:
        typer.echo(example_plan(), nl=False)
        return 0
    if plan is None:
        raise InputError("Name a plan: epicene sweep PLAN.toml; --example prints one.")
    file = read_plan(plan)
    folder = out or Path(plan.stem)
    limits = _limits(file, max_cost)
    forecasts = _estimate_runs(file, folder, limits, limit, threads)
    if dry_run:
        _show_estimate(forecasts, as_json=as_json)
    else:
        _announce(forecasts)
    _check_limits(limits, forecasts, folder)
    if dry_run:
        return 0
    total = total_forecast(forecasts)
    if not yes and is_long(
        total.workload, None if total.unknown else total.seconds, limits.max_cost
    ):
        confirm("sweep")
    spread = RaySettings(
        address=ray_address,
        workers=workers,
        gpus_per_worker=gpus_per_worker,
        worker_timeout=worker_timeout,
    )
    broken = ""  # why the sweep ended early; its state is shown nevertheless
    with lock_folder(folder):
        try:
            with (
                sweep_progress_display(total.workload) as display,
                open_executor(on, spread, display.show_message) as opening,
            ):
                state = do_sweep(
                    SweepConfig(plan.name, folder, forecasts, limits), display, opening
                )
            state = write_sweep_report(folder, state, plan)
        except StateNotWrittenError as error:
            state, broken = error.state, str(error)
    _show_outcome(state, broken, as_json=as_json)
    return 1 if state.unfinished or broken else 0


def _limits(file: PlanFile, max_cost: float | None) -> SweepLimits:
    import msgspec

    limits = file.plan.limits
    return limits if max_cost is None else msgspec.structs.replace(limits, max_cost=max_cost)


def _estimate_runs(
    file: PlanFile, folder: Path, limits: SweepLimits, limit: int | None, threads: int | None
) -> list[RunForecast]:
    """The forecast of every run of the plan."""
    from epicene.core.redaction import redacted_command
    from epicene.runs.sweep.forecast import Forecaster
    from epicene.runs.sweep.matrix import expand_plan

    runs = folder / "runs"
    command = redacted_command(["epicene", *sys.argv[1:]])
    forecaster = Forecaster(runs, limits.max_cost, strict=file.plan.strict)
    expanded = expand_plan(file, runs, limit, command, threads)
    return [forecaster.forecast(sweep_run) for sweep_run in expanded]


def _check_limits(limits: SweepLimits, forecasts: Sequence[RunForecast], folder: Path) -> None:
    from epicene.cli.output import note
    from epicene.runs.costs import read_spending
    from epicene.runs.sweep.forecast import check_limits, total_forecast, unknown_spending_message

    total = total_forecast(forecasts)
    if limits.max_hours is not None and total.unknown:
        note(
            f"How long {total.unknown} runs take is not known, so max_hours is not checked "
            "for them; no run begins after it."
        )
    if limits.max_cost is None:
        return check_limits(limits, total, 0.0)
    spending = read_spending(sorted((folder / "runs").glob("*")))
    if spending.unknown:
        note(f"No run that may cost money will start: {unknown_spending_message(spending)}.")
    return check_limits(limits, total, spending.known)


def _show_estimate(forecasts: Sequence[RunForecast], *, as_json: bool) -> None:
    from epicene.cli.output import print_json, print_tables
    from epicene.report.sweep import estimate_document, estimate_table

    if as_json:
        print_json(estimate_document(forecasts))
    else:
        print_tables([estimate_table(forecasts)])


def _announce(forecasts: Sequence[RunForecast]) -> None:
    """Note which runs are left out and why, and the estimate for the rest."""
    from epicene.cli.output import note
    from epicene.report.sweep import estimate_sentence

    for each in forecasts:
        if each.why:
            note(f"{each.sweep_run.title}: {each.status}: {each.why}")
    note(estimate_sentence(forecasts))


def _show_outcome(state: SweepState, broken: str, *, as_json: bool) -> None:
    from epicene.cli.output import note, print_json, print_tables
    from epicene.report.sweep import state_table

    if as_json:
        import msgspec

        document: dict[str, Any] = msgspec.to_builtins(state)
        print_json(document)
    else:
        print_tables([state_table(state)])
    for run in state.unfinished:
        note(f"Not complete: {run.title} ({run.state}). {run.why}".rstrip())
    if state.unfinished:
        note("Repeat the command to resume with what is left.")
    if broken:
        note(broken)
    elif state.report:
        note(f"The report is in {state.report}")
    else:
        note("Nothing was answered: no report.")
