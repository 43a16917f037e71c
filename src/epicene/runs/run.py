"""A run from start to end: open models, plan, execute every stage, write the manifest."""

from __future__ import annotations

from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec
from filelock import FileLock, Timeout

from epicene import __version__
from epicene.core.data_files import sha256_of
from epicene.core.errors import EpiceneError, InputError, RunError
from epicene.core.files import IMAGES_FOLDER, ImageFolder, remove_temporaries, write_atomically
from epicene.core.redaction import redact, redact_all
from epicene.models import Learner, Model, Probed, open_model
from epicene.models.pricing import CostLimitError
from epicene.runs.capabilities import (
    check_installed,
    check_verbs,
    find_verbs,
    probe_models,
)
from epicene.runs.completion import answers_of_complete, mark_complete
from epicene.runs.costs import CostTracker, check_prices, read_spending
from epicene.runs.estimate import estimate_run
from epicene.runs.execute import execute_section
from epicene.runs.executors import Executor, LazyModel, open_lazily, release_model
from epicene.runs.integrity import repair_store
from epicene.runs.manifest import (
    MANIFEST_FORMAT,
    Manifest,
    RunSession,
    SuiteFile,
    Timing,
    count_sections,
    library_versions,
    run_name,
    utc_now,
    write_manifest,
)
from epicene.runs.plan import PlanReader, select_items
from epicene.runs.preflight import (
    asked_protocol,
    check_distinct_labels,
    check_no_orphaned_answers,
    check_roles,
    check_usable,
    existing_manifest,
    multi_model_roles,
    run_settings,
)
from epicene.runs.store import STORE_FILE, AnswerStore, is_complete
from epicene.runs.workload import Workload
from epicene.suites.probes import PROBE_FILE
from epicene.suites.suite_files import PROBE_SUFFIX, trust

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from epicene.core.records import Identity
    from epicene.runs.config import RunConfig
    from epicene.runs.estimate import RunEstimate
    from epicene.runs.execute import ProgressDisplay
    from epicene.runs.manifest import RunSettings
    from epicene.suites import Dataset

LOCK_FILE = ".lock"


def run(
    config: RunConfig,
    display: ProgressDisplay,
    executor: Executor = open_model,
    approve: Callable[[RunEstimate], None] | None = None,
) -> tuple[Path, Manifest]:
    """Start or resume a run; return its folder and manifest.

    `approve` is called with an estimate before any request is sent, and may raise.
    """
    whole = config.suite
    config, dataset = _prepare(replace(config, protocol=asked_protocol(config)))
    suite = config.suite
    check_installed(config, dataset)
    for note in dataset.notes:
        display.show_message(note)
    with open_models(config, dataset, executor) as models:
        check_verbs(config, dataset, models, whole)
        check_prices(suite, models, config.max_cost)
        settings = run_settings(config, dataset)
        identities = {role: tuple(m.identity for m in each) for role, each in models.items()}
        folder = config.out or config.under / run_name(
            settings, identities, multi_model_roles(suite)
        )
        check_usable(folder)
        existing = existing_manifest(folder, settings, identities, multi_model_roles(suite))
        answers = None
        if existing is not None:
            answers = answers_of_complete(folder, suite, existing, identities)
        if answers is not None:
            done = Workload(answered=answers)
            if approve:
                approve(estimate_run(config, dataset, models, folder, settings, done))
            with _session(folder, config, dataset, settings, identities) as (manifest, store):
                return folder, _run_stages(folder, config, models, manifest, store, display, None)
        items = select_items(config, dataset)
        config = replace(config, suite=find_verbs(suite, config.protocol, items))
        if config.suite is not suite:  # its verbs were not known before
            check_installed(config, dataset)
            check_verbs(config, dataset, models, whole)
            check_prices(config.suite, models, config.max_cost)
        if existing is not None:
            with lock_folder(folder):
                if repaired := repair_store(folder, existing, config, dataset):
                    display.show_message(repaired)
        probed = any(isinstance(model, Probed) for each in models.values() for model in each)
        counted = Workload(partial=True)
        if approve or probed:
            estimate = estimate_run(config, dataset, models, folder, settings)
            counted = estimate.workload
            if approve:
                approve(estimate)
            spent = config.spent_elsewhere + read_spending([folder]).known
            left = None if counted.partial else counted.parts
            probe_models(config, dataset, models, whole, left, spent)
        if existing is None:
            # The first to be asked is loaded before there is a folder: nothing is left of a run
            # whose model cannot be loaded.
            _load_first(models[suite.stages[0].role][0], display)
        with _session(folder, config, dataset, settings, identities) as (manifest, store):
            return folder, _run_stages(folder, config, models, manifest, store, display, counted)


@contextmanager
def _session(
    folder: Path,
    config: RunConfig,
    dataset: Dataset,
    settings: RunSettings,
    identities: dict[str, tuple[Identity, ...]],
) -> Iterator[tuple[Manifest, AnswerStore]]:
    """The manifest and the open store of a session that has begun, in the locked folder."""
    with lock_folder(folder):
        manifest = start_session(folder, config, settings, identities)
        if dataset.notes:
            manifest = msgspec.structs.replace(manifest, data_notes=dataset.notes)
        with closing(prepare_store(folder, config, dataset)) as store:
            manifest = msgspec.structs.replace(
                manifest, items=store.count_items(), counts=tuple(count_sections(store))
            )
            write_manifest(folder, manifest)
            yield manifest, store


def _prepare(config: RunConfig) -> tuple[RunConfig, Dataset]:
    """The configuration with the suite adapted to the protocol, and the data."""
    whole, suite = config.suite, config.suite.for_protocol(config.protocol, config.models)
    config = replace(config, suite=suite)
    check_roles(suite, config.models, whole)
    return config, suite.read(config.source, config.protocol)


def _load_first(model: Model, display: ProgressDisplay) -> None:
    """Load the model that is asked first, and show that it is loading."""
    if isinstance(model, LazyModel):
        display.start(f"loading {model.identity.label}", 0, 0)
        try:
            model.load()
        finally:
            display.finish()


def prepare_store(folder: Path, config: RunConfig, dataset: Dataset) -> AnswerStore:
    """The store with the run's items; it is removed again if they cannot be read."""
    path = folder / STORE_FILE
    store = AnswerStore(path, create=True)
    try:
        if not store.has_items():
            store.put_items(select_items(config, dataset), dataset.name)
    except BaseException:
        empty = not store.has_items() and not store.has_answers()
        store.close()
        if empty:
            path.unlink()
            (folder / LOCK_FILE).unlink(missing_ok=True)
            with suppress(OSError):  # the folder was there before, with something in it
                folder.rmdir()
        raise
    return store


def _run_stages(
    folder: Path,
    config: RunConfig,
    models: Mapping[str, Sequence[Model]],
    manifest: Manifest,
    store: AnswerStore,
    display: ProgressDisplay,
    counted: Workload | None,
) -> Manifest:
    """Run all stages; whatever happens, the manifest records how far the run got.

    `counted` is None if nothing is left.
    """
    new = {} if counted is None or counted.partial else counted.new
    costs = CostTracker(store, models, config.max_cost, config.spent_elsewhere)
    timings: list[Timing] = []

    def record(state: str) -> Manifest:
        finished = end_session(manifest, store, state, models, costs, timings)
        write_manifest(folder, finished)
        return finished

    try:
        reader = PlanReader(store, config.suite, config.protocol)
        files = ImageFolder(folder / IMAGES_FOLDER)
        turns = [(stage, model) for stage in config.suite.stages for model in models[stage.role]]
        for turn, (stage, model) in enumerate(turns if counted is not None else (), start=1):
            total = new.get((stage.name, model.identity.digest))
            execute_section(reader, store, stage, model, files, display, costs, timings, total)
            if turn == len(turns) or turns[turn][1] is not model:
                release_model(model)
    except BaseException as error:
        # On a full disk the manifest cannot be written either: the first error is the one to show.
        with suppress(EpiceneError):
            record(state_after_error(error))
        raise
    whole = is_complete(store, config.suite, manifest.models)
    recorded = record("complete" if whole else "incomplete")
    planned = {role: {each.identity.digest for each in models[role]} for role in models}
    known = {role: {each.digest for each in recorded.models[role]} for role in recorded.models}
    if whole and counted is not None and planned == known:
        mark_complete(folder, config.suite, recorded, store)
    return recorded


def state_after_error(error: BaseException) -> str:
    """The state of a session that ended with an error."""
    if isinstance(error, KeyboardInterrupt):
        return "interrupted"
    return "incomplete" if isinstance(error, CostLimitError) else "failed"


# --- before anything is asked --------------------------------------------------------------


@contextmanager
def open_models(
    config: RunConfig, dataset: Dataset, executor: Executor
) -> Iterator[dict[str, list[Model]]]:
    """The models by role, closed at the end whatever happens."""
    models: dict[str, list[Model]] = {}
    try:
        for role, specs in config.models.items():
            models[role] = []
            for spec in specs:
                model = open_lazily(spec, executor)
                models[role].append(model)
                if isinstance(model, Learner):
                    model.learn(_corpus(config, dataset))
        yield models
    finally:
        for model in (model for each in models.values() for model in each):
            model.close()


def _corpus(config: RunConfig, dataset: Dataset) -> Iterator[tuple[str, str]]:
    """All text of the suite, or of the run's languages, as pairs of group and text."""
    texts = config.suite.corpus
    if texts is None:
        raise InputError(
            f"The suite {config.suite.name} has no text to train an n-gram model on; name a file: "
            "ngram:FILE."
        )
    wanted = config.languages if config.suite.corpus_of_languages else ()
    for item in dataset.items:
        if not wanted or item.language in wanted:
            for text in texts(item):
                yield item.cluster, text


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Hold the lock of a run folder."""
    lock = FileLock(folder / LOCK_FILE)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=0)
    except Timeout:
        raise RunError(
            f"Another process is using {folder}; wait for it to finish, or choose another --out."
        ) from None
    except OSError as error:
        raise RunError(f"Could not use the folder {folder}: {error.strerror or error}.") from error
    try:
        for each in (folder, *(folder / IMAGES_FOLDER).glob("[0-9a-f][0-9a-f]")):
            remove_temporaries(each)
        yield
    finally:
        lock.release()


def start_session(
    folder: Path, config: RunConfig, settings: RunSettings, models: dict[str, tuple[Identity, ...]]
) -> Manifest:
    """The manifest of a new run, or of a resumed one, if it is the same run."""
    session = RunSession(
        started=utc_now(), command=redact(config.command), versions=library_versions()
    )
    labels = redact_all(dict(config.labels))
    manifest = existing_manifest(folder, settings, models, multi_model_roles(config.suite))
    if manifest is not None:
        manifest = msgspec.structs.replace(
            manifest,
            models=_add_models(manifest.models, models),
            labels={**manifest.labels, **labels},
            sessions=(*manifest.sessions, session),
            suite_file=_suite_file(folder, config),
        )
    else:
        check_no_orphaned_answers(folder)
        manifest = Manifest(
            format=MANIFEST_FORMAT,
            epicene=__version__,
            settings=settings,
            models=models,
            labels=labels,
            sessions=(session,),
            suite_file=_suite_file(folder, config),
        )
    check_distinct_labels(manifest.models)
    return manifest


def _suite_file(folder: Path, config: RunConfig) -> SuiteFile | msgspec.UnsetType:
    """The file of a suite that is not installed. A probe is data and is copied into the run folder;
    any other file is added to the user's list.
    """
    file = config.suite.file
    if file is None:
        return msgspec.UNSET
    if file.suffix == PROBE_SUFFIX:
        _keep_probe(file, folder / PROBE_FILE)
    else:
        trust(file)
    return SuiteFile(path=str(file), sha256=sha256_of(file))


def _keep_probe(file: Path, copy: Path) -> None:
    """Copy a probe into its run folder; answers there are read by the probe that asked for them."""
    if not copy.exists():
        write_atomically(copy, file.read_bytes())
    elif sha256_of(copy) != sha256_of(file):
        raise InputError(
            f"{file} differs from the probe that {copy.parent} was run with ({copy}); undo the "
            "change, raise `version` in it, or use another folder with --out."
        )


def _add_models(
    old: dict[str, tuple[Identity, ...]], new: dict[str, tuple[Identity, ...]]
) -> dict[str, tuple[Identity, ...]]:
    merged = dict(old)
    for role, identities in new.items():
        known = {identity.digest for identity in old.get(role, ())}
        added = tuple(identity for identity in identities if identity.digest not in known)
        merged[role] = (*old.get(role, ()), *added)
    return merged


# --- afterwards ----------------------------------------------------------------------------


def end_session(
    manifest: Manifest,
    store: AnswerStore,
    state: str,
    models: Mapping[str, Sequence[Model]],
    costs: CostTracker,
    timings: Sequence[Timing],
) -> Manifest:
    """The manifest with what is stored now and how this session ended."""
    notes = redact_all(
        msgspec.to_builtins(
            {
                model.identity.label: dict(model.notes())
                for each in models.values()
                for model in each
            }
        )
    )
    last = msgspec.structs.replace(
        manifest.sessions[-1],
        ended=utc_now(),
        state=state,
        notes=notes,
        costs=costs.session(),
        timings=tuple(timings),
    )
    return msgspec.structs.replace(
        manifest,
        items=store.count_items(),
        counts=tuple(count_sections(store)),
        sessions=(*manifest.sessions[:-1], last),
        spent=round(costs.total(), 6),
    )
