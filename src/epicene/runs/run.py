"""A run from start to end: items into the store, every stage to its models, judgements out."""

from __future__ import annotations

from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec
from filelock import FileLock, Timeout

from epicene import __version__
from epicene.core.data_files import sha256_of
from epicene.core.errors import EpiceneError, InputError, RunError
from epicene.core.files import IMAGES_FOLDER, remove_temporaries, write_atomically
from epicene.core.redaction import redact_all
from epicene.models import Learner, open_model
from epicene.models.pricing import CostLimitError
from epicene.runs.capabilities import check_model_packages, check_models, probe_models
from epicene.runs.costs import CostTracker
from epicene.runs.estimate import estimate_run
from epicene.runs.execute import StageRun
from epicene.runs.executors import Executor, open_lazily, release_model
from epicene.runs.items import select_items
from epicene.runs.manifest import (
    STORE_FILE,
    Manifest,
    RunSession,
    SectionCount,
    SuiteFile,
    library_versions,
    run_name,
    utc_now,
    write_manifest,
)
from epicene.runs.plan import Plan
from epicene.runs.preflight import (
    check_distinct_labels,
    check_no_orphaned_answers,
    check_roles,
    check_usable,
    existing_manifest,
    multi_model_roles,
    run_settings,
)
from epicene.runs.store import AnswerStore
from epicene.runs.stored_run import RunJudgements, StoredRun
from epicene.suites.paper_material import with_paper_wording
from epicene.suites.probes import PROBE_FILE
from epicene.suites.suite_files import PROBE_SUFFIX, trust

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from epicene.core.records import Identity
    from epicene.models import Model
    from epicene.runs.config import RunConfig
    from epicene.runs.estimate import RunEstimate
    from epicene.runs.execute import ProgressDisplay
    from epicene.suites import Dataset, Suite

LOCK_FILE = ".lock"


def run(
    config: RunConfig,
    display: ProgressDisplay,
    executor: Executor = open_model,
    approve: Callable[[RunEstimate], None] | None = None,
) -> tuple[Path, Manifest]:
    """Start or resume a run; return its folder and manifest.

    `approve` is called with an estimate before any request is sent, and may raise. A new run that
    ends with an error before its first answer leaves nothing behind.
    """
    whole = config.suite
    protocol = with_paper_wording(whole, config.protocol)
    suite = whole.for_protocol(protocol, config.models)
    check_roles(suite, config.models, whole)
    config = replace(config, suite=suite, protocol=protocol)
    dataset = suite.read(config.source, protocol)
    for note in dataset.notes:
        display.show_message(note)
    with _open_models(config, dataset, executor) as models:
        identities = {role: tuple(m.identity for m in each) for role, each in models.items()}
        settings = run_settings(config, dataset)
        many = multi_model_roles(suite)
        folder = config.out or config.under / run_name(settings, identities, many)
        check_usable(folder)
        new = [each for each in (folder, *folder.parents) if not each.exists()]
        with lock_folder(folder):
            manifest = existing_manifest(folder, settings, identities, many)
            if manifest is None:
                check_no_orphaned_answers(folder)
                manifest = Manifest(epicene=__version__, settings=settings, models=identities)
            try:
                session = _Session(config, dataset, models, folder, manifest, display)
                return folder, session.run(whole, approve)
            except BaseException:
                if not manifest.sessions:
                    _discard_if_empty(folder, new)
                raise


class _Session:
    """One execution of a run, in its locked folder."""

    def __init__(
        self,
        config: RunConfig,
        dataset: Dataset,
        models: Mapping[str, Sequence[Model]],
        folder: Path,
        manifest: Manifest,
        display: ProgressDisplay,
    ) -> None:
        self._config, self._dataset, self._models = config, dataset, models
        self._folder, self._display = folder, display
        self._before = manifest
        self._manifest = self._started(manifest)
        self._counts: list[SectionCount] = []

    def run(
        self, whole: Suite[Any, Any], approve: Callable[[RunEstimate], None] | None
    ) -> Manifest:
        """Send what is left of all stages, and judge the answers; returns the manifest."""
        config = self._config
        with closing(AnswerStore(self._folder / STORE_FILE, create=True)) as store:
            if store.note:
                self._display.show_message(store.note)
            estimate = None
            with store.all_or_nothing():  # a run that is refused keeps its items
                self._put_items(store)
                plan = Plan(store, config.suite, config.protocol, self._manifest.models)
                check_models(config, plan, self._models, whole)
                if approve:
                    estimate = estimate_run(config, plan, self._models, store)
                    approve(estimate)
            suite_file = _suite_file(self._folder, config)
            self._manifest = msgspec.structs.replace(self._manifest, suite_file=suite_file)
            costs = CostTracker(store, self._models, config, self._manifest, estimate)
            write_manifest(self._folder, self._manifest)
            self._run_stages(plan, store, costs, whole)
        self._judge()
        return self._manifest

    def _started(self, manifest: Manifest) -> Manifest:
        """The manifest with this session, and with the models and labels that it adds."""
        models = {role: tuple(m.identity for m in each) for role, each in self._models.items()}
        started = msgspec.structs.replace(
            manifest,
            settings=run_settings(self._config, self._dataset),
            models=_add_models(manifest.models, models),
            labels={**manifest.labels, **redact_all(dict(self._config.labels))},
            sessions=(
                *manifest.sessions,
                RunSession(started=utc_now(), versions=library_versions()),
            ),
            data_notes=self._dataset.notes,
            judged=None,
        )
        check_distinct_labels(started.models)
        return started

    def _put_items(self, store: AnswerStore) -> None:
        """Store the items, unless they are stored."""
        before = self._before
        same = before.settings.limit == self._manifest.settings.limit
        if not (same and store.has_items(before.items)):
            store.put_items(select_items(self._config, self._dataset), self._dataset.name)
        self._manifest = msgspec.structs.replace(self._manifest, items=store.end)

    def _run_stages(
        self, plan: Plan, store: AnswerStore, costs: CostTracker, whole: Suite[Any, Any]
    ) -> None:
        """Run all stages; whatever happens, the manifest records how far the run got."""
        suspects = store.suspects()
        turns = [
            (stage, model)
            for stage in self._config.suite.stages
            for model in self._models[stage.role]
        ]
        images = self._folder / IMAGES_FOLDER
        sent = 0
        try:
            probe_models(self._config, plan, self._models, store, whole)
            for turn, (stage, model) in enumerate(turns, start=1):
                part = StageRun(plan, store, stage, model, images, self._display, costs, suspects)
                try:
                    part.run()
                finally:
                    sent += part.sent
                    label = self._label_of(stage.role, model.identity)
                    self._counts.append(part.section_count(label))
                if turn == len(turns) or turns[turn][1] is not model:
                    release_model(model)
        except BaseException as error:
            # On a full disk neither can be written: the first error is the one to show.
            with suppress(EpiceneError):
                store.land()
                self._end(state_after_error(error), costs)
                write_manifest(self._folder, self._manifest)
            raise
        store.land()
        counts = _merged(self._manifest.counts, self._counts)
        whole_run = all(each.total == each.answered for each in counts)
        self._end("complete" if whole_run else "incomplete", costs)
        before = (self._before.items, self._before.models)
        if not sent and before == (self._manifest.items, self._manifest.models):
            self._manifest = msgspec.structs.replace(self._manifest, judged=self._before.judged)

    def _label_of(self, role: str, model: Identity) -> str:
        """The name that a model has in this run, which it keeps if it is renamed."""
        known = {each.digest: each.label for each in self._manifest.models[role]}
        return known[model.digest]

    def _end(self, state: str, costs: CostTracker) -> None:
        """Record how this session ended."""
        costs.save()
        notes = {
            model.identity.label: dict(model.notes())
            for each in self._models.values()
            for model in each
        }
        last = msgspec.structs.replace(
            self._manifest.sessions[-1],
            ended=utc_now(),
            state=state,
            notes=redact_all(msgspec.to_builtins(notes)),
            costs=costs.session(),
        )
        self._manifest = msgspec.structs.replace(
            self._manifest,
            counts=_merged(self._manifest.counts, self._counts),
            sessions=(*self._manifest.sessions[:-1], last),
            spent=round(costs.total(), 6),
        )

    def _judge(self) -> None:
        """Write the judgements, unless nothing was answered since they were written."""
        stored = StoredRun(self._folder, self._manifest, self._config.suite, self._config.protocol)
        judgements = RunJudgements(stored)
        if judgements.stored() is None:
            write_manifest(self._folder, self._manifest)
            self._manifest = msgspec.structs.replace(self._manifest, judged=judgements.store())
        write_manifest(self._folder, self._manifest)


def _discard_if_empty(folder: Path, new: Sequence[Path]) -> None:
    """Remove what was written of a new run that got no answer, and the folders made for it."""
    with suppress(EpiceneError, OSError):
        path = folder / STORE_FILE
        if path.exists():
            with closing(AnswerStore(path)) as store:
                if store.has_answers() or store.spent():
                    return
        for file in (STORE_FILE, "manifest.json", LOCK_FILE):
            (folder / file).unlink(missing_ok=True)
        if folder in new:
            (folder / PROBE_FILE).unlink(missing_ok=True)
        for each in new:
            each.rmdir()


def _merged(
    before: Sequence[SectionCount], now: Sequence[SectionCount]
) -> tuple[SectionCount, ...]:
    """The counts of all models, also of those that this session did not name."""
    counts = {(each.stage, each.role, each.model): each for each in (*before, *now)}
    return tuple(counts.values())


def state_after_error(error: BaseException) -> str:
    """The state of a session that ended with an error."""
    if isinstance(error, KeyboardInterrupt):
        return "interrupted"
    return "incomplete" if isinstance(error, CostLimitError) else "failed"


@contextmanager
def _open_models(
    config: RunConfig, dataset: Dataset, executor: Executor
) -> Iterator[dict[str, list[Model]]]:
    """The models by role, closed at the end whatever happens."""
    models: dict[str, list[Model]] = {}
    check_model_packages(config)
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
        for each in (folder, *(folder / IMAGES_FOLDER).glob("*/")):
            remove_temporaries(each)
        yield
    finally:
        lock.release()


def _suite_file(folder: Path, config: RunConfig) -> SuiteFile | None:
    """The file of a suite that is not installed. A probe is data and is copied into the run folder;
    any other file is added to the user's list.
    """
    file = config.suite.file
    if file is None:
        return None
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
    old: Mapping[str, tuple[Identity, ...]], new: Mapping[str, tuple[Identity, ...]]
) -> dict[str, tuple[Identity, ...]]:
    merged = dict(old)
    for role, identities in new.items():
        known = {identity.digest for identity in old.get(role, ())}
        added = tuple(identity for identity in identities if identity.digest not in known)
        merged[role] = (*old.get(role, ()), *added)
    return merged
