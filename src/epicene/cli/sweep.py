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
    from epicene.runs.sweep.runner import SweepState


def sweep(
    plan: Annotated[
        Path | None,
        typer.Argument(
            metavar="PLAN", help="The plan, a TOML file; --example and --paper print one."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="The folder for the runs and the report (default: the plan's name)."
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print an estimate and send no requests.")
    ] = False,
    example: Annotated[bool, typer.Option("--example", help="Print an example plan.")] = False,
    paper: Annotated[
        str,
        typer.Option(
            "--paper", metavar="SUITE", help="Print the plan with the models of a suite's paper."
        ),
    ] = "",
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit",
            min=1,
            metavar="N",
            help="For a trial: the maximum number of items from each part of the data, in "
            "every run.",
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
        bool, typer.Option("--json", help="Print the estimate, or the state of every run, as JSON.")
    ] = False,
    yes: Yes = False,
) -> int:
    """Run every model of a plan on every suite. Repeat the command to resume."""
    from epicene.api.sweeping import prepare_sweep
    from epicene.app.session import confirm
    from epicene.core.redaction import redacted_command
    from epicene.runs.estimate import is_long
    from epicene.runs.ray.settings import RaySettings
    from epicene.runs.sweep.forecast import total_forecast
    from epicene.runs.sweep.plan import example_plan, paper_plan

    if example or paper:
        typer.echo(paper_plan(paper) if paper else example_plan(), nl=False)
        return 0
    if plan is None:
        raise InputError(
            "Name a plan: epicene sweep PLAN.toml. --example prints an example; --paper "
            "SUITE prints the plan for a suite's paper."
        )
    command = redacted_command(["epicene", *sys.argv[1:]])
    prepared = prepare_sweep(
        plan, out, limit=limit, max_cost=max_cost, threads=threads, command=command
    )
    if dry_run:
        _show_estimate(prepared.forecasts, as_json=as_json)
    else:
        _announce(prepared.forecasts)
    prepared.check_limits()
    if dry_run:
        return 0
    total = total_forecast(prepared.forecasts)
    seconds = None if total.unknown else total.seconds
    if not yes and is_long(total.workload, seconds, prepared.limits.max_cost):
        confirm("sweep")
    spread = RaySettings(
        address=ray_address,
        workers=workers,
        gpus_per_worker=gpus_per_worker,
        worker_timeout=worker_timeout,
    )
    done = prepared.run(on=on, ray=spread)
    _show_outcome(done.state, done.problem, as_json=as_json)
    return 0 if done.complete else 1


def _show_estimate(forecasts: Sequence[RunForecast], *, as_json: bool) -> None:
    from epicene.cli.output import print_json, print_tables
    from epicene.report.sweep import estimate_document, estimate_table

    if as_json:
        print_json(estimate_document(forecasts))
    else:
        print_tables([estimate_table(forecasts)])


def _announce(forecasts: Sequence[RunForecast]) -> None:
    """Print which runs are skipped and why, and the estimate for the rest."""
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
        note(f"Incomplete: {run.title} ({run.state}). {run.why}".rstrip())
    if state.unfinished:
        note("Repeat the command to resume the remaining runs.")
    if broken:
        note(broken)
    elif state.report:
        note(f"The report is in {state.report}")
    else:
        note("There are no answers yet, so no report was written.")
