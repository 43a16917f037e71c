"""Run suites on a model."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import msgspec
from cyclopts import Parameter

from epicene.app.arguments import (
    PAIRS,
    TEXT,
    TEXTS,
    Columns,
    Data,
    Executor,
    GpusPerWorker,
    Language,
    Limit,
    MaxCost,
    ModelInput,
    Models,
    PathLike,
    Price,
    Progress,
    Protocol,
    RayAddress,
    Seed,
    Settings,
    SuiteLike,
    Task,
    Threads,
    Workers,
    WorkerTimeout,
    at_least,
    data_source,
    protocol_settings,
    texts_of,
)
from epicene.app.output import print_line
from epicene.app.progress import progress_display
from epicene.app.results import Run, load
from epicene.app.session import NothingSentError, confirm, session
from epicene.core.errors import EpiceneWarning, InputError, unknown

if TYPE_CHECKING:
    from epicene.models import ModelOptions
    from epicene.runs.estimate import RunEstimate
    from epicene.suites import Suite

DEFAULT_MODEL = "smollm2"
HIGH_COST = 1.0  # US dollars, above which a run is confirmed on a terminal

OutFolder: TypeAlias = Annotated[
    str | Path | None, TEXT, Parameter(alias="-o", env_var="EPICENE_OUT", metavar="PATH")
]
RunsFolder: TypeAlias = Annotated[
    str | Path, TEXT, Parameter(env_var="EPICENE_RUNS", metavar="PATH")
]
Labels: TypeAlias = Annotated[Mapping[str, str] | None, PAIRS, Parameter(name="--label")]
BatchSize: TypeAlias = Annotated[int | str, TEXT, Parameter(env_var="EPICENE_BATCH_SIZE")]
Dtype: TypeAlias = Annotated[str, Parameter(env_var="EPICENE_DTYPE")]
Device: TypeAlias = Annotated[str, Parameter(env_var="EPICENE_DEVICE")]
Quantize: TypeAlias = Annotated[str, Parameter(env_var="EPICENE_QUANTIZE")]
Revision: TypeAlias = Annotated[str, Parameter(env_var="EPICENE_REVISION")]
BaseUrl: TypeAlias = Annotated[
    str | Sequence[str], TEXTS, Parameter(env_var="EPICENE_BASE_URL", metavar="URL[*WEIGHT]")
]
Concurrency: TypeAlias = Annotated[int, Parameter(env_var="EPICENE_CONCURRENCY")]
Timeout: TypeAlias = Annotated[float, Parameter(env_var="EPICENE_TIMEOUT")]
MaxResponse: TypeAlias = Annotated[float, Parameter(env_var="EPICENE_MAX_RESPONSE")]


def run(
    suite: SuiteLike,
    model: Models = None,
    *,
    protocol: Protocol = "epicene",
    data: Data = None,
    columns: Columns = None,
    language: Language = None,
    limit: Limit = None,
    seed: Seed = None,
    settings: Settings = None,
    task: Task = None,
    split: str | None = None,
    english: PathLike | None = None,
    out: OutFolder = None,
    runs: RunsFolder = "runs",
    labels: Labels = None,
    max_cost: MaxCost = None,
    price: Price = "",
    batch_size: BatchSize = "auto",
    dtype: Dtype = "auto",
    device: Device = "auto",
    threads: Threads = None,
    quantize: Quantize = "",
    revision: Revision = "",
    base_url: BaseUrl = "",
    concurrency: Concurrency = 16,
    timeout: Timeout = 120.0,
    max_response: MaxResponse = 16.0,
    trust_remote_code: bool = False,
    on: Executor = "here",
    ray_address: RayAddress = "",
    workers: Workers = None,
    gpus_per_worker: GpusPerWorker = None,
    worker_timeout: WorkerTimeout = None,
    progress: Progress = True,
) -> Run:
    """Run a suite on a model and store every answer. Repeat the call to resume a stopped run.

    Args:
        suite: The suite (`epicene suites` lists them), or a file with your own: FILE.py[:NAME]. On
            the command line there may be several, each with a run of its own.
        model: The model: hf:PATH, openai:NAME, smollm2, random, copy, ngram; see `epicene models`
            (default: smollm2, if the suite needs one model). ROLE=SPEC names a model for another
            role; may be repeated. In Python also a loaded transformers model with its tokenizer, a
            model from `epicene.open_model`, or a mapping from roles to models.
        protocol: `paper` (the authors' procedure) or `epicene` (ours).
        data: Your file or folder (default: the starter set).
        columns: Read Epicene's field OURS from your column THEIRS; may be repeated.
        language: Only this language, a code such as fr; may be repeated.
        limit: The maximum number of items from each part of the data (default: all).
        seed: The random seed for sampling and for the limit (default: the protocol's).
        settings: Change a setting of the protocol (`epicene suites SUITE` lists them); may be
            repeated.
        task: Only this task or format, for suites that have several; may be repeated.
        split: The part of the data: train, dev, test …
        english: A file with the English side, if the data lack it: one sentence per line.
        out: The run's folder (default: a new one in `runs`).
        runs: The folder for runs whose own folder is not named.
        labels: A note to store in the manifest; may be repeated.
        max_cost: The maximum cost of all requests, in dollars.
        price: The price: dollars per image, dollars per million tokens as IN/OUT, or a TOML file.
        batch_size: The number of requests per batch, or auto.
        dtype: The data type of the weights: auto, float32, float16 or bfloat16.
        device: The device; auto spreads the model over all available GPUs.
        threads: Threads for a model on a CPU (default: one per CPU core that this process may use).
        quantize: Load the weights as 4bit or 8bit.
        revision: The revision of a Hub model.
        base_url: The URL of an OpenAI-compatible server; give several to share the work.
        concurrency: Concurrent requests per server.
        timeout: The timeout of a request, in seconds.
        max_response: The maximum size of a server's reply, in MiB; a request with a larger reply
            fails.
        trust_remote_code: Run code that comes with a Hub model.
        on: Where to run: here, or ray for several machines.
        ray_address: The Ray cluster (default: RAY_ADDRESS, or one started for this run).
        workers: On Ray: number of workers (default: one per GPU, or per machine without GPUs).
        gpus_per_worker: On Ray: GPUs per worker (default: 1 if there are any).
        worker_timeout: On Ray: seconds per shard before its worker is replaced.
        progress: Whether to show progress on standard error.

    Examples:
        >>> run = epicene.run("alternations", model="random", limit=2, progress=False)
        >>> run.complete
        True
    """
    from epicene.app.opening import resolve_models
    from epicene.runs.config import RunConfig
    from epicene.runs.costs import may_charge
    from epicene.runs.executors import open_executor
    from epicene.runs.ray_cluster import RaySettings
    from epicene.runs.run import run as do_run
    from epicene.suites import choose_protocol, find_suite, split_role_settings

    at_least(1, limit=limit, threads=threads, concurrency=concurrency, workers=workers)
    at_least(0, max_cost=max_cost, gpus_per_worker=gpus_per_worker)
    at_least(0.1, timeout=timeout, worker_timeout=worker_timeout)
    chosen = find_suite(suite)
    given = protocol_settings(settings, chosen, task=task, split=split, english=english)
    given, named = split_role_settings(chosen, given)
    options = model_options(
        batch_size=batch_size,
        dtype=dtype,
        device=device,
        threads=threads,
        quantize=quantize,
        revision=revision,
        base_url=" ".join(texts_of(base_url)),
        concurrency=concurrency,
        timeout=timeout,
        max_response=max_response,
        price=price,
        trust_remote_code=trust_remote_code,
    )
    roles = models_by_role(chosen, model)
    _check_used(options, [each for models in roles.values() for each in models])
    for role, spec in named.items():
        roles.setdefault(chosen.role(role).name, []).append(spec)
    specs, with_models_in_memory = resolve_models(_with_default(chosen, roles), options)
    config = RunConfig(
        suite=chosen,
        protocol=choose_protocol(chosen, protocol, given, seed),
        models=specs,
        source=data_source(data, columns),
        languages=texts_of(language),
        limit=limit,
        out=None if out is None else Path(out),
        under=Path(runs),
        labels=dict(labels or {}),
        max_cost=max_cost,
    )
    ray = RaySettings(
        address=ray_address,
        workers=workers,
        gpus_per_worker=gpus_per_worker,
        worker_timeout=worker_timeout,
    )
    display = progress_display(wanted=progress)
    kinds = {spec.kind for each in specs.values() for spec in each}
    counted = session.get().dry_run or any(map(may_charge, kinds))
    if not roles and not counted:
        display.show_message(f"The model is {DEFAULT_MODEL} (choose another with --model).")
    approve = _approval(display.show_message, default_model=not roles) if counted else None
    with open_executor(on, ray, display.show_message) as executor:
        folder, _ = do_run(config, display, with_models_in_memory(executor), approve)
    done = load(folder, suite=chosen)
    for sentence in done.failures():
        warnings.warn(sentence, EpiceneWarning, stacklevel=2)
    return done


def models_by_role(suite: Suite[Any, Any], given: Models) -> dict[str, list[ModelInput]]:
    """The models of each role: given by role, or as one or several, which take the first role
    unless a text says `ROLE=SPEC[,SPEC…]`.
    """
    from epicene.models import split_role

    found: dict[str, list[ModelInput]] = {}
    if isinstance(given, Mapping):
        for role, models in given.items():
            found.setdefault(suite.role(role).name, []).extend(as_list(models))
        return found
    for each in [] if given is None else as_list(given):
        role, models = split_role(each) if isinstance(each, str) else ("", [each])
        found.setdefault(suite.role(role or suite.roles[0].name).name, []).extend(models)
    return found


def as_list(given: ModelInput | Sequence[ModelInput]) -> list[ModelInput]:
    """The models, given as a list or as one model."""
    return list(given) if isinstance(given, list) else [given]  # type: ignore[list-item]


def _with_default(
    suite: Suite[Any, Any], roles: Mapping[str, list[ModelInput]]
) -> dict[str, list[ModelInput]]:
    """The models with the default one, if the suite needs only one."""
    needed = [role.name for role in suite.roles if not role.optional]
    if len(needed) == 1 and all(suite.role(role).optional for role in roles):
        return {**roles, needed[0]: [DEFAULT_MODEL]}
    return dict(roles)


def _check_used(options: ModelOptions, models: Sequence[ModelInput]) -> None:
    """Raise if an option is for models named by a spec, and there is none."""
    if not models or any(isinstance(each, str) for each in models):
        return
    usual = msgspec.structs.asdict(type(options)())
    for name, value in msgspec.structs.asdict(options).items():
        if value != usual[name] and name not in ("batch_size", "threads"):
            raise InputError(
                f"--{name.replace('_', '-')} applies to models named by a spec; pass it to "
                "epicene.open_model instead."
            )


def model_options(**values: Any) -> ModelOptions:
    """The options that say how to reach a model."""
    from epicene.models import ModelOptions

    for name in values:
        if name not in ModelOptions.__struct_fields__:
            raise unknown("model option", name, ModelOptions.__struct_fields__)
    try:
        return msgspec.convert(values, ModelOptions, strict=False)
    except msgspec.ValidationError as error:
        raise InputError(f"A model option is invalid: {error}.") from error


# --- before it starts ----------------------------------------------------------------------------


def _approval(show: Callable[[str], None], *, default_model: bool) -> Callable[[RunEstimate], None]:
    """A function that shows what is left to do, and asks a person if it may cost much."""

    def approve(estimate: RunEstimate) -> None:
        if session.get().dry_run:
            _show_requests(estimate)
        for sentence in estimate_sentences(estimate, default_model=default_model):
            show(sentence)
        if session.get().dry_run:
            raise NothingSentError
        if any(cost is None or cost > HIGH_COST for cost in estimate.costs.values()):
            confirm("run")

    return approve


def _show_requests(estimate: RunEstimate) -> None:
    """Print the requests that would be sent."""
    for planned in estimate.planned():
        if session.get().json:
            print_line(msgspec.json.encode(planned._asdict()).decode())
        else:
            about = filter(None, (planned.verb, planned.item, planned.name))
            print_line(f"{' '.join(about)}: {planned.text}")


def estimate_sentences(estimate: RunEstimate, *, default_model: bool) -> list[str]:
    """The models and the requests; then the cost, model by model."""
    config = estimate.config
    named = "; ".join(
        f"{role}: {', '.join(labels)}" if len(estimate.models) > 1 else ", ".join(labels)
        for role, labels in estimate.models.items()
    )
    which = " (the default; choose another with --model)" if default_model else ""
    verbs = ", ".join(f"{count:,} {name}" for name, count in sorted(estimate.requests.items()))
    kinds = f" ({verbs})" if verbs else ""
    bound = "at most " if estimate.later else ""
    done = f", {estimate.answered:,} already answered" if estimate.answered else ""
    return [
        f"{config.suite.name}, protocol {config.protocol.name}, on {named}{which}: "
        f"{bound}{estimate.left:,} requests left{kinds}{done}.",
        *estimate.cost_sentences(),
    ]
