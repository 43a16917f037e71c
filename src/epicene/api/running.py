"""Run a suite on a model, from Python or from the command line."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from epicene.api.arguments import data_source, language_codes
from epicene.api.progress import NoProgress, progress_display
from epicene.api.results import Run, load
from epicene.api.wording import keyword_errors
from epicene.core.errors import EpiceneWarning, InputError, unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from epicene.api.models import ModelInput
    from epicene.api.results import PathLike
    from epicene.models import ModelOptions
    from epicene.runs.estimate import RunEstimate
    from epicene.runs.ray_cluster import RaySettings
    from epicene.suites import Suite, SuiteLike

DEFAULT_MODEL = "smollm2"


@keyword_errors
def run(
    suite: SuiteLike,
    model: ModelInput | None = None,
    *,
    protocol: str = "epicene",
    data: PathLike | None = None,
    columns: Mapping[str, str] | None = None,
    language: str | Sequence[str] | None = None,
    limit: int | None = None,
    seed: int | None = None,
    out: PathLike | None = None,
    runs: PathLike = "runs",
    settings: Mapping[str, Any] | None = None,
    roles: Mapping[str, ModelInput | Sequence[ModelInput]] | None = None,
    labels: Mapping[str, str] | None = None,
    max_cost: float | None = None,
    progress: bool = True,
    on: str = "here",
    ray: RaySettings | None = None,
    approve: Callable[[RunEstimate], None] | None = None,
    **options: Any,
) -> Run:
    """Run a suite on a model and store every answer; call it again to resume.

    >>> run = epicene.run("alternations", model="random", limit=2, progress=False)
    >>> run.complete
    True

    suite: the name of a suite, one that you defined, or its file (`my_suite.py:name`).
    model: a spec (`"hf:PATH"`, `"openai:NAME"`, `"smollm2"`), a loaded `transformers` model with
        its tokenizer, or an open model from `epicene.open_model` (default: smollm2).
    protocol: `paper` (the authors' procedure) or `epicene` (ours).
    data: your file or folder (default: the suite's starter set). `columns` maps Epicene's fields to
        your column names.
    language: only these languages.
    limit: the maximum number of items from each part of the data.
    seed: the random seed of sampling and of `limit` (default: the protocol's).
    out: the run's folder (default: a new folder with its own name in `runs`).
    runs: the folder for runs without `out`.
    settings: settings of the protocol; `epicene.suites(NAME)["settings"]` lists them.
    roles: models for the suite's other roles, such as judges.
    labels: notes to store in the manifest.
    max_cost: the maximum cost of all requests, in US dollars.
    progress: whether to show progress on standard error.
    on: `here`, or `ray` for several machines, which `ray` configures.
    approve: a function that is called with an estimate before any request is sent; it may raise an
        exception to stop the run.
    options: how to open the model: dtype, device, threads, batch_size, base_url, …; see
        `epicene.models.ModelOptions`.

    If requests fail, the run is incomplete: a warning says so, and calling `run` again retries
    them.
    """
    from epicene.api.models import resolve_models
    from epicene.runs.config import RunConfig
    from epicene.runs.executors import open_executor
    from epicene.runs.ray_cluster import RaySettings
    from epicene.runs.run import run as do_run
    from epicene.suites import choose_protocol, find_suite, split_role_settings

    chosen = find_suite(suite)
    _check_options(options)
    if options and model is not None and not isinstance(model, str):
        raise InputError(
            f"The options {', '.join(options)} apply to models named by a spec; pass them to "
            "epicene.open_model instead."
        )
    settings, named = split_role_settings(chosen, settings or {})
    specs, with_models_in_memory = resolve_models(
        _by_role(chosen, model, {**(roles or {}), **named}), model_options(**options)
    )
    config = RunConfig(
        suite=chosen,
        protocol=choose_protocol(chosen, protocol, settings, seed),
        models=specs,
        source=data_source(data, columns),
        languages=language_codes(language),
        limit=limit,
        out=None if out is None else Path(out),
        under=Path(runs),
        labels=dict(labels or {}),
        max_cost=max_cost,
    )
    display = progress_display() if progress else NoProgress()
    with open_executor(on, ray or RaySettings(), display.show_message) as executor:
        folder, _ = do_run(config, display, with_models_in_memory(executor), approve)
    done = load(folder, suite=chosen)
    for sentence in failure_sentences(done):
        warnings.warn(sentence, EpiceneWarning, stacklevel=3)
    return done


def _check_options(options: Mapping[str, Any]) -> None:
    """Raise if a keyword is neither an argument of `run` nor an option of models."""
    from inspect import signature

    from epicene.models import ModelOptions

    for name in options:
        if name not in ModelOptions.__struct_fields__:
            known = {*signature(run).parameters, *ModelOptions.__struct_fields__}
            raise unknown("argument or model option", name, known - {"options", "own"})


def failure_sentences(run: Run) -> Iterator[str]:
    """Why requests failed, one sentence per reason."""
    for count in run.manifest.counts:
        for reason in count.reasons:
            yield f"{count.model} failed in {count.stage}: {reason}"


def _by_role(
    suite: Suite[Any, Any],
    model: ModelInput | None,
    roles: Mapping[str, ModelInput | Sequence[ModelInput]] | None,
) -> dict[str, list[ModelInput]]:
    """The models of each role; `model` takes the first role, and is the default model if the
    suite needs only one.
    """
    from epicene.api.models import as_list

    found: dict[str, list[ModelInput]] = {}
    if model is not None:
        found[suite.roles[0].name] = [model]
    for role, given in (roles or {}).items():
        found.setdefault(suite.role(role).name, []).extend(as_list(given))
    needed = [role.name for role in suite.roles if not role.optional]
    if len(needed) == 1 and all(suite.role(role).optional for role in found):
        found[needed[0]] = [DEFAULT_MODEL]
    return found


def model_options(**values: Any) -> ModelOptions:
    """The options that say how to reach a model."""
    import msgspec

    from epicene.models import ModelOptions

    for name in values:
        if name not in ModelOptions.__struct_fields__:
            raise unknown("model option", name, ModelOptions.__struct_fields__)
    try:
        return msgspec.convert(values, ModelOptions, strict=False)
    except msgspec.ValidationError as error:
        raise InputError(f"A model option is invalid: {error}.") from error
