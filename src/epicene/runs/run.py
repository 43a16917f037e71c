"""A run from beginning to end: plan, ask, store, and say in the manifest how it went."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias
from typing import Protocol as Interface

import msgspec
from filelock import FileLock, Timeout

from epicene import __version__
from epicene.datafiles import sha256_of
from epicene.errors import EpiceneError, InputError, RunError
from epicene.models import Learner, Model, Spec, open_model
from epicene.records import Failed, Identity, to_json, verb
from epicene.runs.execute import execute
from epicene.runs.files import ImageFolder
from epicene.runs.plan import Reader, survey
from epicene.runs.secrets import redact, redact_all
from epicene.runs.select import limited, of_languages
from epicene.runs.settings import (
    FORMAT,
    DataFile,
    Manifest,
    SectionCount,
    Session,
    Settings,
    fixed_models,
    library_versions,
    now,
    read_manifest,
    run_name,
    write_manifest,
)
from epicene.runs.store import Store
from epicene.suites import Dataset, Protocol, Source, Stage, Suite

# An executor turns a spec into something that answers: a model on this machine, or a stand-in
# for many that hands the batches round. Suites, models and the store do not know which it is.
Executor: TypeAlias = Callable[[Spec], Model]

_REASONS = 5  # how many reasons of failed requests the manifest quotes per section


@dataclass(frozen=True)
class Order:
    """What the user asked for."""

    suite: Suite[Any, Any]
    protocol: Protocol
    models: Mapping[str, Sequence[Spec]]  # by role
    source: Source = Source()
    languages: tuple[str, ...] = ()
    limit: int | None = None
    out: Path | None = None
    under: Path = Path("runs")  # where a run without `out` makes its folder
    labels: Mapping[str, str] = field(default_factory=dict)
    command: str = ""


class Watcher(Interface):
    """Who is told how a run goes."""

    def begin(self, title: str, total: int, done: int) -> None:
        """A section begins."""

    def advance(self, answered: int, failed: int) -> None:
        """Some requests were answered."""

    def end(self) -> None:
        """The section ended."""


def run(order: Order, watcher: Watcher, executor: Executor = open_model) -> tuple[Path, Manifest]:
    """Run, or go on with, what was ordered; the run's folder and manifest."""
    suite = order.suite.under(order.protocol, order.models)
    order = replace(order, suite=suite)
    check_roles(suite, order.models)
    dataset = suite.read(order.source, order.protocol)
    with opened(order, dataset, executor) as models:
        check_verbs(suite, models)
        settings = settings_of(order, dataset)
        identities = {role: tuple(m.identity for m in each) for role, each in models.items()}
        folder = order.out or order.under / run_name(settings, identities, many_roles(suite))
        with locked(folder):
            manifest = begin(folder, order, settings, identities)
            store = prepared(folder, order, dataset)
            try:
                write_manifest(folder, manifest)
                return folder, _work(folder, order, models, manifest, store, watcher)
            finally:
                store.close()


def prepared(folder: Path, order: Order, dataset: Dataset) -> Store:
    """The store with the run's items in it; nothing is left of one that got no items."""
    path = folder / "answers.sqlite"
    store = Store(path, create=True)
    try:
        if not store.has_items():
            store.put_items(selected(order, dataset), dataset.name)
    except BaseException:
        empty = not store.has_items()
        store.close()
        if empty:
            path.unlink()
            (folder / ".lock").unlink(missing_ok=True)
            with suppress(OSError):  # the folder was there before, with something in it
                folder.rmdir()
        raise
    return store


def _work(
    folder: Path,
    order: Order,
    models: Mapping[str, Sequence[Model]],
    manifest: Manifest,
    store: Store,
    watcher: Watcher,
) -> Manifest:
    """Do all stages, whatever happens leaving a manifest that says how far it came."""

    def record(state: str) -> Manifest:
        finished = finish(manifest, store, state, models)
        write_manifest(folder, finished)
        return finished

    try:
        reader = Reader(store, order.suite, order.protocol)
        files = ImageFolder(folder / "images")
        for stage in order.suite.stages:
            for model in models[stage.role]:
                _do_section(reader, store, stage, model, files, watcher)
    except BaseException as error:
        # On a full disk the manifest cannot be written either: the first error is the one to show.
        with suppress(EpiceneError):
            record("interrupted" if isinstance(error, KeyboardInterrupt) else "failed")
        raise
    whole = is_complete(store, order.suite, manifest.models)
    return record("complete" if whole else "incomplete")


def _do_section(
    reader: Reader,
    store: Store,
    stage: Stage[Any, Any],
    model: Model,
    files: ImageFolder,
    watcher: Watcher,
) -> None:
    section = store.section(stage.name, stage.role, model.identity)
    progress = survey(reader, store, stage, section)
    if progress.done == progress.total:
        return
    watcher.begin(f"{stage.name} · {model.identity.label}", progress.total, progress.done)
    try:
        execute(reader, store, stage, section, model, files, watcher.advance)
    finally:
        watcher.end()


# --- before anything is asked --------------------------------------------------------------


def many_roles(suite: Suite[Any, Any]) -> set[str]:
    """The roles that take several models."""
    return {role.name for role in suite.roles if role.many}


def check_roles(suite: Suite[Any, Any], models: Mapping[str, Sequence[Spec]]) -> None:
    """Every role has its model, and no role has one too many."""
    for name, specs in models.items():
        role = suite.role(name)
        if len(set(specs)) < len(specs):
            raise InputError(f"The role {name} names one model twice.")
        if len(specs) > 1 and not role.many:
            raise InputError(
                f"The role {name} of the suite {suite.name} takes one model a run, not "
                f"{len(specs)}; run each by itself and give all the folders to `epicene tables`."
            )
    for role in suite.roles:
        if not models.get(role.name):
            raise InputError(
                f"The suite {suite.name} needs a model in the role {role.name} ({role.about}); "
                f"give --model {role.name}=SPEC."
            )


def check_verbs(suite: Suite[Any, Any], models: Mapping[str, Sequence[Model]]) -> None:
    """Every model knows the verbs its role needs."""
    for role, each in models.items():
        needed = {verb(kind) for kind in suite.verbs_of(role)}
        for model in each:
            lacking = sorted(needed - model.verbs)
            if lacking:
                raise InputError(
                    f"The suite {suite.name} asks its {role} to {' and '.join(lacking)}, which "
                    f"{model.identity.label} cannot (it can {', '.join(sorted(model.verbs))})."
                )


@contextmanager
def opened(order: Order, dataset: Dataset, executor: Executor) -> Iterator[dict[str, list[Model]]]:
    """The models by role, closed again whatever happens."""
    models: dict[str, list[Model]] = {}
    try:
        for role, specs in order.models.items():
            models[role] = []
            for spec in specs:
                model = executor(spec)
                models[role].append(model)
                if isinstance(model, Learner):
                    model.learn(_corpus(order, dataset))
        yield models
    finally:
        for model in (model for each in models.values() for model in each):
            model.close()


def _corpus(order: Order, dataset: Dataset) -> Iterator[tuple[str, str]]:
    """The suite's own text, all of it, with the group each piece belongs to."""
    texts = order.suite.corpus
    if texts is None:
        raise InputError(
            f"The suite {order.suite.name} has no text to train an n-gram model on; name a file: "
            "ngram:FILE."
        )
    for item in dataset.items:
        for text in texts(item):
            yield item.cluster, text


def settings_of(order: Order, dataset: Dataset) -> Settings:
    """What decides what is asked. Files count by content, wherever they lie."""
    return Settings(
        suite=order.suite.name,
        suite_version=order.suite.version,
        protocol=msgspec.json.decode(to_json(order.protocol)),
        data=dataset.name,
        files=tuple(DataFile(name=f.name, sha256=sha256_of(f)) for f in dataset.files),
        columns=dict(order.source.columns),
        languages=order.languages,
        stages=tuple(stage.name for stage in order.suite.stages),
        limit=order.limit,
        seed=order.protocol.seed,
    )


def _open(suite: Suite[Any, Any], dataset: Dataset) -> Iterator[Any]:
    """The items; raises at one whose outcome is known, of which there is nothing to ask."""
    for item in dataset.items:
        if suite.holds_outcome is not None and suite.holds_outcome(item):
            raise InputError(
                f"{dataset.name} holds outcomes, of which there is nothing to ask; tabulate it "
                f"with `epicene score {suite.name} --data FILE`."
            )
        yield item


def selected(order: Order, dataset: Dataset) -> Iterator[Any]:
    """The items the run takes."""
    items = _open(order.suite, dataset)
    spoken = of_languages(items, order.languages, dataset.name)
    return limited(spoken, order.suite.stratum, order.limit, order.protocol.seed)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Nobody else works in this folder meanwhile."""
    lock = FileLock(folder / ".lock")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=0)
    except Timeout:
        raise RunError(
            f"Another process is at work in {folder}; wait for it or choose another --out."
        ) from None
    except OSError as error:
        raise RunError(f"Could not use the folder {folder}: {error.strerror or error}.") from error
    try:
        yield
    finally:
        lock.release()


def begin(
    folder: Path, order: Order, settings: Settings, models: dict[str, tuple[Identity, ...]]
) -> Manifest:
    """The manifest of a new run, or of one that goes on if it is the same run."""
    session = Session(started=now(), command=redact(order.command), versions=library_versions())
    labels = redact_all(dict(order.labels))
    if (folder / "manifest.json").exists():
        manifest = read_manifest(folder)
        refuse_another(folder, manifest, settings, models, many_roles(order.suite))
        refuse_empty_store(folder, manifest)
        manifest = msgspec.structs.replace(
            manifest,
            models=_with_new(manifest.models, models),
            labels={**manifest.labels, **labels},
            sessions=(*manifest.sessions, session),
        )
    else:
        refuse_orphans(folder)
        manifest = Manifest(
            format=FORMAT,
            epicene=__version__,
            settings=settings,
            models=models,
            labels=labels,
            sessions=(session,),
        )
    refuse_one_label(manifest.models)
    return manifest


def refuse_orphans(folder: Path) -> None:
    """Raise if there are answers and no manifest; what a killed beginning left is taken away."""
    path = folder / "answers.sqlite"
    if not path.exists():
        return
    store = Store(path, create=True)
    answered = store.has_answers()
    store.close()
    if answered:
        raise RunError(
            f"{folder} holds answers but no manifest.json; put it back or choose another --out."
        )
    path.unlink()


def refuse_empty_store(folder: Path, manifest: Manifest) -> None:
    """Raise if answers that the manifest counts are gone."""
    path = folder / "answers.sqlite"
    counted = sum(count.answered for count in manifest.counts)
    if counted and (not path.exists() or path.stat().st_size == 0):
        raise RunError(
            f"{path} is empty or gone, though {counted} answers were in it; put it back, or start "
            "another folder with --out."
        )


def refuse_one_label(models: Mapping[str, Sequence[Identity]]) -> None:
    """Raise if two models of a role could not be told apart in a table."""
    for role, identities in models.items():
        labels = [identity.label for identity in identities]
        for label in labels:
            if labels.count(label) > 1:
                raise InputError(
                    f"Two models in the role {role} are called {label}; give one another name: "
                    "SPEC?label=NAME."
                )


def refuse_another(
    folder: Path,
    manifest: Manifest,
    settings: Settings,
    models: dict[str, tuple[Identity, ...]],
    many: set[str],
) -> None:
    """Raise if the folder holds a run of anything else: never another model's answers."""
    old, new = msgspec.to_builtins(manifest.settings), msgspec.to_builtins(settings)
    changed = [name for name in new if old.get(name) != new[name]]
    if fixed_models(manifest.models, many) != fixed_models(models, many):
        changed.append("model")
    if changed:
        raise InputError(
            f"{folder} holds another run (different {', '.join(changed)}); choose another --out, "
            "or leave --out away and each run gets a folder of its own."
        )


def _with_new(
    old: dict[str, tuple[Identity, ...]], new: dict[str, tuple[Identity, ...]]
) -> dict[str, tuple[Identity, ...]]:
    merged = dict(old)
    for role, identities in new.items():
        known = {identity.digest for identity in old.get(role, ())}
        added = tuple(identity for identity in identities if identity.digest not in known)
        merged[role] = (*old.get(role, ()), *added)
    return merged


# --- afterwards ----------------------------------------------------------------------------


def is_complete(
    store: Store, suite: Suite[Any, Any], models: Mapping[str, Sequence[Identity]]
) -> bool:
    """Whether every model of the run has answered every request of every stage of its role."""
    sections = {(each.stage, each.identity.digest): each for each in store.sections()}
    for stage in suite.stages:
        for identity in models[stage.role]:
            section = sections.get((stage.name, identity.digest))
            if section is None or store.counts(section) != (section.total, 0):
                return False
    return True


def finish(
    manifest: Manifest, store: Store, state: str, models: Mapping[str, Sequence[Model]]
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
    last = msgspec.structs.replace(manifest.sessions[-1], ended=now(), state=state, notes=notes)
    return msgspec.structs.replace(
        manifest,
        items=store.count_items(),
        counts=tuple(count_sections(store)),
        sessions=(*manifest.sessions[:-1], last),
    )


def count_sections(store: Store) -> Iterator[SectionCount]:
    """How far each section came, with the reasons of its first failures."""
    for section in store.sections():
        answered, failed = store.counts(section)
        reasons = dict.fromkeys(
            stored.answer.reason
            for stored in store.failures(section, 100 if failed else 0)
            if isinstance(stored.answer, Failed)
        )
        yield SectionCount(
            stage=section.stage,
            role=section.role,
            model=section.identity.label,
            total=section.total,
            answered=answered,
            failed=failed,
            reasons=tuple(reasons)[:_REASONS],
        )
