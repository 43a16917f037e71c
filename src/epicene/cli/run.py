"""`epicene run`: run a suite on a model and store every answer."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from epicene.cli.options import (
    AsJson,
    Columns,
    DataPath,
    EnglishFile,
    ExecutorName,
    GpusPerWorker,
    Languages,
    Limit,
    MaxCost,
    PriceOption,
    ProtocolName,
    RayAddress,
    Seed,
    Settings,
    Split,
    SuiteName,
    TaskNames,
    Threads,
    WithItems,
    Workers,
    WorkerTimeout,
    Yes,
    key_value_pairs,
    protocol_settings,
)
from epicene.core.errors import InputError

if TYPE_CHECKING:
    from epicene.suites import Suite


def run(
    suite: SuiteName,
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            "-m",
            envvar="EPICENE_MODEL",
            metavar="[ROLE=]SPEC",
            help="The model: hf:PATH, openai:NAME, smollm2, random, copy, ngram; see "
            "`epicene models` (default: smollm2, if the suite needs one model). May be repeated "
            "for other roles.",
        ),
    ] = None,
    protocol: ProtocolName = "epicene",
    data: DataPath = None,
    column: Columns = None,
    language: Languages = None,
    limit: Limit = None,
    seed: Seed = None,
    setting: Settings = None,
    task: TaskNames = None,
    split: Split = None,
    english: EnglishFile = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            envvar="EPICENE_OUT",
            help="The run's folder (default: a new one in --runs).",
        ),
    ] = None,
    runs: Annotated[
        Path,
        typer.Option("--runs", envvar="EPICENE_RUNS", help="The folder for runs without --out."),
    ] = Path("runs"),
    label: Annotated[
        list[str] | None,
        typer.Option(
            "--label",
            metavar="NAME=VALUE",
            help="A note to store in the manifest; may be repeated.",
        ),
    ] = None,
    batch_size: Annotated[
        str,
        typer.Option(
            envvar="EPICENE_BATCH_SIZE", help="The number of requests per batch, or auto."
        ),
    ] = "auto",
    dtype: Annotated[
        str,
        typer.Option(
            envvar="EPICENE_DTYPE",
            help="The data type of the weights: auto, float32, float16 or bfloat16.",
        ),
    ] = "auto",
    device: Annotated[
        str,
        typer.Option(
            envvar="EPICENE_DEVICE",
            help="The device; auto spreads the model over all available GPUs.",
        ),
    ] = "auto",
    threads: Threads = None,
    quantize: Annotated[
        str, typer.Option(envvar="EPICENE_QUANTIZE", help="Load the weights as 4bit or 8bit.")
    ] = "",
    revision: Annotated[
        str, typer.Option(envvar="EPICENE_REVISION", help="The revision of a Hub model.")
    ] = "",
    base_url: Annotated[
        list[str] | None,
        typer.Option(
            envvar="EPICENE_BASE_URL",
            metavar="URL[*WEIGHT]",
            help="The URL of an OpenAI-compatible server; give several to share the work.",
        ),
    ] = None,
    concurrency: Annotated[
        int,
        typer.Option(min=1, envvar="EPICENE_CONCURRENCY", help="Concurrent requests per server."),
    ] = 16,
    timeout: Annotated[
        float,
        typer.Option(
            min=0.1, envvar="EPICENE_TIMEOUT", help="The timeout of a request, in seconds."
        ),
    ] = 120.0,
    max_response: Annotated[
        float,
        typer.Option(
            envvar="EPICENE_MAX_RESPONSE",
            metavar="MIB",
            help="The maximum size of a server's reply, in MiB; a request with a larger "
            "reply fails.",
        ),
    ] = 16.0,
    price: PriceOption = "",
    max_cost: MaxCost = None,
    trust_remote_code: Annotated[
        bool, typer.Option("--trust-remote-code", help="Run code that comes with a Hub model.")
    ] = False,
    on: ExecutorName = "here",
    ray_address: RayAddress = "",
    workers: Workers = None,
    gpus_per_worker: GpusPerWorker = None,
    worker_timeout: WorkerTimeout = None,
    as_json: AsJson = False,
    items: WithItems = False,
    yes: Yes = False,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Print the requests that would be sent (with --json: one per line) and the "
            "cost, without sending them.",
        ),
    ] = False,
) -> int:
    """Run a suite on a model. Repeat the command to resume a stopped run."""
    import warnings

    from epicene.api.running import failure_sentences
    from epicene.api.running import run as do_run
    from epicene.cli.estimate import NothingSentError, approval, show_plan
    from epicene.cli.output import check_judged, note, show_results
    from epicene.core.errors import EpiceneWarning
    from epicene.runs.costs import cost_sentences
    from epicene.runs.ray_cluster import RaySettings
    from epicene.suites import find_suite

    if items and not as_json:
        raise InputError("--items requires --json.")
    chosen = find_suite(suite)
    approve = (
        show_plan(default_model=not model, as_json=as_json)
        if dry_run
        else approval(default_model=not model, yes=yes)
    )
    with warnings.catch_warnings(), suppress(NothingSentError):
        warnings.simplefilter("ignore", EpiceneWarning)  # they are printed below
        done = do_run(
            chosen,
            protocol=protocol,
            data=data,
            columns=key_value_pairs(column, "--column"),
            language=language,
            limit=limit,
            seed=seed,
            out=out,
            runs=runs,
            settings=protocol_settings(
                setting, suite=chosen, tasks=task, split=split, english=english
            ),
            roles=models_by_role(chosen, model or ()),
            labels=key_value_pairs(label, "--label"),
            max_cost=max_cost,
            on=on,
            ray=RaySettings(
                address=ray_address,
                workers=workers,
                gpus_per_worker=gpus_per_worker,
                worker_timeout=worker_timeout,
            ),
            approve=approve,
            batch_size=batch_size,
            dtype=dtype,
            device=device,
            threads=threads,
            quantize=quantize,
            revision=revision,
            base_url=" ".join(base_url or ()),
            concurrency=concurrency,
            timeout=timeout,
            max_response=max_response,
            price=price,
            trust_remote_code=trust_remote_code,
        )
    if dry_run:
        return 0
    show_results(done, as_json=as_json, items=items, metrics_only=True)
    for sentence in (*failure_sentences(done), *cost_sentences(done.manifest)):
        note(sentence)
    again = shlex.join(["epicene", "tables", str(done.path)])
    note(f"The run is in {done.path}; `{again}` prints all its tables.")
    check_judged(done.summary)
    return 0 if done.manifest.state == "complete" else 1


def models_by_role(suite: Suite[Any, Any], texts: Sequence[str]) -> dict[str, list[str]]:
    """`[ROLE=]SPEC[,SPEC…]` options by role; a spec without a role goes to the first role."""
    from epicene.models import split_role

    found: dict[str, list[str]] = {}
    for text in texts:
        role, specs = split_role(text)
        found.setdefault(suite.role(role or suite.roles[0].name).name, []).extend(specs)
    return found
