"""`epicene sweep`: run many models on many suites from one plan."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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

    from epicene.runs.sweep_plan import SweepRun


def sweep(
    plan: Annotated[
        Path | None,
        typer.Argument(
            metavar="PLAN", help="The plan, a TOML file; --example and --paper print one."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="The folder for the runs (default: the plan's name)."),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="List the runs and what is left of each; send nothing."),
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
            "every run. Its runs are in limit-N instead of runs.",
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
        bool, typer.Option("--json", help="Print the state of every run as JSON.")
    ] = False,
    yes: Yes = False,
) -> int:
    """Run every model of a plan on every suite. Repeat the command to resume."""
    import msgspec

    from epicene.api.sweeping import states_table
    from epicene.api.sweeping import sweep as do_sweep
    from epicene.cli.output import note, print_json, print_tables
    from epicene.runs.ray_cluster import RaySettings
    from epicene.runs.sweep_plan import example_plan, paper_plan

    if example or paper:
        typer.echo(paper_plan(paper) if paper else example_plan(), nl=False)
        return 0
    if plan is None:
        raise InputError(
            "Name a plan: epicene sweep PLAN.toml. --example prints an example; --paper "
            "SUITE prints the plan for a suite's paper."
        )
    done = do_sweep(
        plan,
        out,
        limit=limit,
        max_cost=max_cost,
        threads=threads,
        on=on,
        ray=RaySettings(
            address=ray_address,
            workers=workers,
            gpus_per_worker=gpus_per_worker,
            worker_timeout=worker_timeout,
        ),
        dry_run=dry_run,
        approve=None if yes else _confirm_cost,
    )
    if as_json:
        print_json({"runs": msgspec.to_builtins(done.states)})
    else:
        print_tables([states_table(done.states)])
    for run in done.states:
        if run.why:
            note(f"{run.title}: {run.state}. {run.why}")
    if dry_run:
        return 0 if all(run.state != "failed" for run in done.states) else 1
    if not done.complete:
        note("Repeat the command to resume the runs that are not complete.")
    if done.states:
        note(f"`epicene report {Path(done.states[0].folder).parent}/*` writes one page about them.")
    return 0 if done.complete else 1


def _confirm_cost(runs: Sequence[SweepRun]) -> None:
    """Ask before a model behind a server is asked without a limit of cost."""
    from epicene.cli.estimate import confirm
    from epicene.runs.costs import may_charge

    specs = [spec for run in runs for each in run.config.models.values() for spec in each]
    if any(may_charge(spec.kind) for spec in specs):
        confirm("sweep, whose servers may charge without a limit (--max-cost sets one)")
