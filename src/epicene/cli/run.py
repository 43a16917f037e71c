"""`epicene run`: run a suite on a model and store every answer."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
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
    from epicene.models import ModelOptions, ModelSpec
    from epicene.suites import Suite

DEFAULT_MODEL = "smollm2"


def run(
    suite: SuiteName,
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            "-m",
            envvar="EPICENE_MODEL",
            metavar="[ROLE=]SPEC",
            help="hf:PATH, openai:NAME, smollm2, random, copy, ngram; see `epicene models`.",
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
        Path | None, typer.Option("--out", "-o", envvar="EPICENE_OUT", help="The run's folder.")
    ] = None,
    runs: Annotated[
        Path, typer.Option("--runs", envvar="EPICENE_RUNS", help="Where runs without --out go.")
    ] = Path("runs"),
    label: Annotated[
        list[str] | None,
        typer.Option("--label", metavar="NAME=VALUE", help="A remark for the manifest."),
    ] = None,
    batch_size: Annotated[
        str, typer.Option(envvar="EPICENE_BATCH_SIZE", help="auto, or requests at a time.")
    ] = "auto",
    dtype: Annotated[
        str, typer.Option(envvar="EPICENE_DTYPE", help="auto, float32, float16 or bfloat16.")
    ] = "auto",
    device: Annotated[
        str, typer.Option(envvar="EPICENE_DEVICE", help="auto spreads over the GPUs there are.")
    ] = "auto",
    threads: Threads = None,
    quantize: Annotated[str, typer.Option(envvar="EPICENE_QUANTIZE", help="4bit or 8bit.")] = "",
    revision: Annotated[
        str, typer.Option(envvar="EPICENE_REVISION", help="Which revision of a hub model.")
    ] = "",
    base_url: Annotated[
        list[str] | None,
        typer.Option(
            envvar="EPICENE_BASE_URL",
            metavar="URL[*WEIGHT]",
            help="Where an OpenAI-compatible server is; several share the work.",
        ),
    ] = None,
    concurrency: Annotated[
        int, typer.Option(min=1, envvar="EPICENE_CONCURRENCY", help="Requests to a server at once.")
    ] = 16,
    timeout: Annotated[
        float, typer.Option(min=0.1, envvar="EPICENE_TIMEOUT", help="Seconds for one request.")
    ] = 120.0,
    max_response: Annotated[
        float,
        typer.Option(
            envvar="EPICENE_MAX_RESPONSE",
            metavar="MIB",
            help="MiB that one reply of a server may have; a larger one fails its request.",
        ),
    ] = 16.0,
    price: PriceOption = "",
    max_cost: MaxCost = None,
    trust_remote_code: Annotated[
        bool, typer.Option("--trust-remote-code", help="Run code that comes with a hub model.")
    ] = False,
    on: ExecutorName = "here",
    ray_address: RayAddress = "",
    workers: Workers = None,
    gpus_per_worker: GpusPerWorker = None,
    worker_timeout: WorkerTimeout = None,
    as_json: AsJson = False,
    items: WithItems = False,
    yes: Yes = False,
) -> int:
    """Run a suite on a model. Repeat the command to resume a run that was stopped."""
    from epicene.cli.estimate import approval
    from epicene.cli.output import note, show_runs
    from epicene.cli.progress import progress_display
    from epicene.core.redaction import redacted_command
    from epicene.runs.config import RunConfig
    from epicene.runs.costs import cost_sentences
    from epicene.runs.executors import open_executor
    from epicene.runs.ray.settings import RaySettings
    from epicene.runs.run import run as do_run
    from epicene.suites import DataSource, choose_protocol, find_suite

    if items and not as_json:
        raise InputError("--items goes with --json.")
    chosen = find_suite(suite)
    options = model_options(
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
    config = RunConfig(
        suite=chosen,
        protocol=choose_protocol(
            chosen,
            protocol,
            protocol_settings(setting, suite=chosen, tasks=task, split=split, english=english),
            seed,
        ),
        models=models_by_role(chosen, model or (), options),
        source=DataSource(path=data, columns=key_value_pairs(column, "--column")),
        languages=tuple(language or ()),
        limit=limit,
        out=out,
        under=runs,
        labels=key_value_pairs(label, "--label"),
        command=redacted_command(["epicene", *sys.argv[1:]]),
        max_cost=max_cost,
    )
    spread = RaySettings(
        address=ray_address,
        workers=workers,
        gpus_per_worker=gpus_per_worker,
        worker_timeout=worker_timeout,
    )
    display = progress_display()
    with open_executor(on, spread, display.show_message) as opening:
        approve = approval(default_model=not model, yes=yes)
        folder, manifest = do_run(config, display, opening, approve)
    show_runs([folder], as_json=as_json, items=items, metrics_only=True)
    for count in manifest.counts:
        for reason in count.reasons:
            note(f"{count.model} failed in {count.stage}: {reason}")
    for sentence in cost_sentences(manifest):
        note(sentence)
    again = shlex.join(["epicene", "tables", str(folder)])
    note(f"The run is in {folder}; `{again}` prints all its tables.")
    return 0 if manifest.state == "complete" else 1


def model_options(**values: Any) -> ModelOptions:
    """The options that say how to reach a model."""
    import msgspec

    from epicene.models import ModelOptions

    try:
        return msgspec.convert(values, ModelOptions, strict=False)
    except msgspec.ValidationError as error:
        raise InputError(f"A model option does not fit: {error}.") from error


def models_by_role(
    suite: Suite[Any, Any], texts: Sequence[str], options: ModelOptions
) -> dict[str, list[ModelSpec]]:
    """`[ROLE=]SPEC[,SPEC…]` options by role; a spec without a role goes to the first role."""
    from epicene.models import parse_spec, split_role

    found: dict[str, list[ModelSpec]] = {role.name: [] for role in suite.roles}
    for text in texts:
        role, specs = split_role(text)
        name = suite.role(role or suite.roles[0].name).name
        found[name] += [parse_spec(spec, options) for spec in specs]
    needed = [role.name for role in suite.roles if not role.optional]
    if not texts and len(needed) == 1:
        found[needed[0]] = [parse_spec(DEFAULT_MODEL, options)]
    return {name: specs for name, specs in found.items() if specs}
