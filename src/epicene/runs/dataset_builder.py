"""Build a dataset: the steps of a suite's construction, each done once and stored in a folder.

A folder contains `settings.json`, `NN-STEP.jsonl` for each finished step, and next to it the run
(`NN-STEP/answers.sqlite`) or study (`NN-STEP/study.toml`) that the rows came from. After an
interruption, the same command resumes; while responses are missing, it says which.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from epicene.core.data_files import read_rows, read_toml_or_json, sha256_of
from epicene.core.errors import InputError, RunError, unknown
from epicene.core.files import write_atomically
from epicene.core.records import Item, Request, to_json
from epicene.models import ModelSpec, open_model
from epicene.runs.config import RunConfig
from epicene.runs.costs import cost_sentences, spent_by_sibling_runs
from epicene.runs.run import lock_folder, run
from epicene.runs.stored_run import StoredRun, read_items
from epicene.studies.collection.adjudication import apply_adjudications
from epicene.studies.collection.folder import create_study_folder
from epicene.studies.collection.schema_drift import complete_responses
from epicene.suites import Dataset, DataSource, Protocol, Role, Stage, Suite, SuiteCard
from epicene.suites.construction import AskModels, AskPeople, Compute, ModelReply
from epicene.suites.protocol_settings import adjustable, read_setting

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from epicene.runs.estimate import RunEstimate
    from epicene.runs.execute import ProgressDisplay
    from epicene.runs.executors import Executor
    from epicene.studies.design.schema import Response, Study
    from epicene.suites import Answers
    from epicene.suites.construction import BuildSettings, Construction, Step, StepRow

SETTINGS_FILE = "settings.json"


class WaitingForPeopleError(RunError):
    """The next step needs answers that people have not given yet."""


@dataclass(frozen=True)
class BuildConfig:
    """What the user asked for."""

    suite: Suite[Any, Any]
    folder: Path
    settings: Mapping[str, Any]
    models: Mapping[str, Sequence[ModelSpec]]
    max_cost: float | None = None  # US dollars, over all steps and sessions


def build_dataset(
    config: BuildConfig, display: ProgressDisplay, executor: Executor = open_model
) -> Iterator[str]:
    """Run all steps that can be run, yielding a sentence about each; write the files at the end."""
    construction = config.suite.construction
    if construction is None:
        raise InputError(f"The suite {config.suite.name} cannot build data.")
    settings = parse_build_settings(construction, config.settings)
    folders = [
        config.folder / f"{number:02}-{step.name}"
        for number, step in enumerate(construction.steps, start=1)
    ]
    with lock_folder(config.folder):
        check_same_settings(config.folder, config.suite.name, settings)
        _check_enough_models(construction, folders, config.models)
        made: dict[str, Sequence[StepRow]] = {}
        for number, (step, folder) in enumerate(zip(construction.steps, folders, strict=True), 1):
            head = f"{number}/{len(construction.steps)} {step.name} ({step.about})"
            rows, done_before = _run_step(step, folder, made, settings, config, display, executor)
            made[step.name] = rows
            # Only now: a first step that was refused must not bind the folder to its settings.
            write_atomically(
                config.folder / SETTINGS_FILE, _settings_json(config.suite.name, settings)
            )
            yield f"{head}: {len(rows)} rows{', done before' if done_before else ''}."
        written = construction.export(made, settings, config.folder)
        for path in written:
            yield f"Written: {path}."
        yield from _check_dataset(config.suite, written[0])


def _check_enough_models(
    construction: Construction[Any],
    folders: Sequence[Path],
    models: Mapping[str, Sequence[ModelSpec]],
) -> None:
    """Raise if an unfinished step gets fewer models than it needs."""
    for step, folder in zip(construction.steps, folders, strict=True):
        if not isinstance(step, AskModels) or _rows_file(folder).exists():
            continue
        given = models.get(step.role, ())
        if given and len(given) < step.least:
            raise InputError(
                f"The step {step.name} ({step.about}) needs at least {step.least} models in the "
                f"role {step.role}, but has {len(given)}; use {_model_option(step)}."
            )


def _model_option(step: AskModels[Any]) -> str:
    return f"--model {step.role}={','.join(['SPEC'] * step.least)}"


def _rows_file(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.jsonl")


def _check_dataset(suite: Suite[Any, Any], path: Path) -> Iterator[str]:
    """The findings of the suite's own check on the data just written."""
    protocol = suite.protocols["epicene"]
    items = list(suite.read(DataSource(path=path), protocol).items)
    findings = list(suite.check(items, protocol)) if suite.check is not None else []
    for finding in findings:
        yield f"{finding.severity}: {finding.place}: {finding.message}"
    yield f"{len(items)} items, {len(findings)} findings."


def parse_build_settings(
    construction: Construction[Any], given: Mapping[str, Any]
) -> BuildSettings:
    """The construction's settings, overridden by the user's."""
    kinds = adjustable(construction.settings)
    for name in given:
        if name not in kinds:
            raise unknown("setting", name, kinds, where="in this construction")
    values = {name: read_setting(name, value, kinds[name]) for name, value in given.items()}
    settings: BuildSettings = construction.settings(**values)
    return settings


def _settings_json(suite: str, settings: BuildSettings) -> bytes:
    now = {"suite": suite, **json.loads(to_json(settings))}
    for name in settings.files:
        paths = [now[name]] if isinstance(now[name], str) else now[name]
        now[name] = [
            {"name": Path(path).name, "sha256": sha256_of(Path(path))} for path in paths if path
        ]
    return json.dumps(now, ensure_ascii=False, indent=1).encode()


def check_same_settings(folder: Path, suite: str, settings: BuildSettings) -> None:
    """Raise if the folder was started with other settings."""
    path = folder / SETTINGS_FILE
    if not path.exists():
        return
    now = json.loads(_settings_json(suite, settings))
    try:
        before = read_toml_or_json(path)
    except InputError:
        raise InputError(f"{path} is damaged; restore it, or build into another folder.") from None
    other = sorted(
        name
        for name in {*before, *now}
        if _comparable(before.get(name)) != _comparable(now.get(name))
    )
    if other:
        raise InputError(
            f"{folder} was started with another {' and '.join(other)}; build into another folder."
        )


def _comparable(setting: Any) -> Any:
    """A setting; files are compared by content, not by name."""
    if not isinstance(setting, list):
        return setting
    return [each.get("sha256") if isinstance(each, dict) else each for each in setting]


def _run_step(
    step: Step,
    folder: Path,
    made: Mapping[str, Sequence[StepRow]],
    settings: BuildSettings,
    config: BuildConfig,
    display: ProgressDisplay,
    executor: Executor,
) -> tuple[list[StepRow], bool]:
    """The rows of a step, and whether they already existed."""
    path = _rows_file(folder)
    if path.exists():
        return _read_rows(path), True
    if isinstance(step, Compute):
        rows = step.make(made, settings)
    elif isinstance(step, AskModels):
        requests = list(step.ask(made, settings))
        replies = _ask_models(step, requests, folder, config, display, executor)
        rows = step.read(made, settings, replies)
    else:
        study = step.study(made, settings)
        rows = step.read(made, settings, study, _ask_people(step, study, folder))
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    write_atomically(path, "".join(f"{line}\n" for line in lines).encode())
    # Read back, so that a step sees the same whether it went on at once or after a break.
    return _read_rows(path), False


def _read_rows(path: Path) -> list[StepRow]:
    return [row.values for row in read_rows(path)]


# --- models --------------------------------------------------------------------------------


class RequestItem(Item, frozen=True, kw_only=True):
    """One request as an item of a run."""

    request: Request


_PROTOCOL = Protocol(name="epicene", about="Data under construction.")


def _ask_models(
    step: AskModels[Any],
    requests: Sequence[Request],
    folder: Path,
    config: BuildConfig,
    display: ProgressDisplay,
    executor: Executor,
) -> Iterator[ModelReply]:
    """Send every request in an ordinary run, which stores answers and can be resumed."""
    for name, times in Counter(request.item for request in requests).items():
        if times > 1:
            raise ValueError(f"{step.name} asks {times} requests with the id {name!r}")
    if not requests:
        return iter(())
    if not config.models.get(step.role):
        raise InputError(
            f"The step {step.name} ({step.about}) needs a model in the role {step.role}; use "
            f"{_model_option(step)}."
        )

    def announce(estimate: RunEstimate) -> None:
        for sentence in estimate.cost_sentences():
            display.show_message(sentence)

    asking = _step_suite(step, requests, f"{config.suite.name}-{step.name}")
    _, manifest = run(
        RunConfig(
            suite=asking,
            protocol=_PROTOCOL,
            models={step.role: config.models[step.role]},
            out=folder,
            max_cost=config.max_cost,
            spent_elsewhere=spent_by_sibling_runs(folder),
        ),
        display,
        executor,
        announce,
    )
    for sentence in cost_sentences(manifest):
        display.show_message(sentence)
    if manifest.state != "complete":
        failed = sum(count.failed for count in manifest.counts)
        reasons = [reason for count in manifest.counts for reason in count.reasons]
        raise RunError(
            f"{failed} requests of the step {step.name} failed ({'; '.join(reasons)}); run the "
            "same command again to retry them."
        )
    return _replies(StoredRun(folder, manifest, asking, _PROTOCOL), requests)


def _step_suite(step: AskModels[Any], requests: Sequence[Request], name: str) -> Suite[Any, Any]:
    """A suite with one stage that sends exactly these requests."""
    items = [RequestItem(id=request.item, request=request) for request in requests]

    def ask(item: RequestItem, _answers: Answers, _protocol: Protocol) -> Iterable[Request]:
        return (item.request,)

    return Suite(
        name=name,
        version="1",
        card=SuiteCard(
            title=step.name, about=step.about, languages=(), source="", data_licence="", chance="",
            tables=(),
        ),
        item=RequestItem,
        protocols={"epicene": _PROTOCOL},
        roles=(Role(name=step.role, about=step.about, many=step.many),),
        stages=(Stage(name=step.name, role=step.role, verbs=step.verbs, ask=ask),),
        read=lambda _source, _protocol: Dataset(name=step.name, files=(), items=items),
        judge=lambda _item, _answers, _protocol: (),
        metrics=lambda _results: {},
        tables=lambda _results: (),
    )  # fmt: skip


def _replies(run: StoredRun, requests: Sequence[Request]) -> Iterator[ModelReply]:
    """Each request with its answers, in the order asked."""
    (models,) = run.manifest.models.values()
    identities = {identity.label: identity for identity in models}
    answered = list(read_items(run))
    stored = [each.item.request for each in answered if isinstance(each.item, RequestItem)]
    if stored != list(requests):
        raise InputError(
            f"{run.folder} contains answers to requests that this step no longer sends; build "
            "into another folder."
        )
    for request, each in zip(stored, answered, strict=True):
        for given in each.answers:
            yield ModelReply(request, identities[given.model], given.answer)


# --- people --------------------------------------------------------------------------------


def _ask_people(step: AskPeople[Any], study: Study, folder: Path) -> list[Response]:
    """People's responses; raises while any are missing."""
    if not study.items:
        return []
    fitting = create_study_folder(folder, study).valid_responses()
    responses = complete_responses(study, fitting.responses)
    answered = Counter(response.item for response in responses)
    missing = sum(
        max(0, (item.judgements or study.judgements) - answered[item.id]) for item in study.items
    )
    if missing:
        raise WaitingForPeopleError(
            f"The step {step.name} ({step.about}) is waiting for people: {missing} of "
            f"{sum(item.judgements or study.judgements for item in study.items)} answers are "
            f"missing in {folder}. Collect them with `epicene annotate`, then run the same "
            "command again."
        )
    return apply_adjudications(study, responses, fitting.adjudications)
