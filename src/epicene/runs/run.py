"""A run from beginning to end: plan, ask, store, and say in the manifest how it went."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from filelock import FileLock, Timeout

from epicene import __version__
from epicene.datafiles import sha256_of
from epicene.errors import EpiceneError, InputError, RunError
from epicene.models import Learner, Model, Spec, open_model
from epicene.models.purse import OverCostLimitError
from epicene.records import Failed, Identity, to_json
from epicene.runs.costs import Ledger, check_prices
from epicene.runs.files import ImageFolder
from epicene.runs.on_demand import Executor, load, on_demand, release
from epicene.runs.plan import Reader
from epicene.runs.refusals import (
    check_roles,
    check_verbs,
    many_roles,
    refuse_another,
    refuse_empty_store,
    refuse_one_label,
    refuse_orphans,
)
from epicene.runs.secrets import redact, redact_all
from epicene.runs.sections import do_section
from epicene.runs.select import limited, of_languages
from epicene.runs.settings import (
    FORMAT,
    DataFile,
    Manifest,
    SectionCount,
    Session,
    Settings,
    Timing,
    library_versions,
    now,
    read_manifest,
    run_name,
    write_manifest,
)
from epicene.runs.store import Store, is_complete
from epicene.suites import Dataset, Protocol, Source, Suite

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from epicene.runs.execute import Watcher

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
    max_cost: float | None = None  # US dollars, over all sessions of the run
    spent_elsewhere: float = 0.0  # what other runs have spent of that


def run(order: Order, watcher: Watcher, executor: Executor = open_model) -> tuple[Path, Manifest]:
    """Run, or go on with, what was ordered; the run's folder and manifest."""
    suite = order.suite.under(order.protocol, order.models)
    order = replace(order, suite=suite)
    check_roles(suite, order.models)
    dataset = suite.read(order.source, order.protocol)
    with opened(order, dataset, executor) as models:
        check_verbs(suite, models)
        check_prices(suite, models, order.max_cost)
        settings = settings_of(order, dataset)
        identities = {role: tuple(m.identity for m in each) for role, each in models.items()}
        folder = order.out or order.under / run_name(settings, identities, many_roles(suite))
        if not (folder / "manifest.json").exists():
            # The first to be asked is loaded before there is a folder: nothing is left of a run
            # whose model cannot be loaded.
            load(models[suite.stages[0].role][0])
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

    ledger = Ledger(store, models, order.max_cost, order.spent_elsewhere)
    timings: list[Timing] = []

    def record(state: str) -> Manifest:
        finished = finish(manifest, store, state, models, ledger, timings)
        write_manifest(folder, finished)
        return finished

    try:
        reader = Reader(store, order.suite, order.protocol)
        files = ImageFolder(folder / "images")
        turns = [(stage, model) for stage in order.suite.stages for model in models[stage.role]]
        for turn, (stage, model) in enumerate(turns, start=1):
            do_section(reader, store, stage, model, files, watcher, ledger, timings)
            if turn == len(turns) or turns[turn][1] is not model:
                release(model)
    except BaseException as error:
        # On a full disk the manifest cannot be written either: the first error is the one to show.
        with suppress(EpiceneError):
            record(state_after(error))
        raise
    whole = is_complete(store, order.suite, manifest.models)
    return record("complete" if whole else "incomplete")


def state_after(error: BaseException) -> str:
    """How a session ended that an error ended."""
    if isinstance(error, KeyboardInterrupt):
        return "interrupted"
    return "incomplete" if isinstance(error, OverCostLimitError) else "failed"


# --- before anything is asked --------------------------------------------------------------


@contextmanager
def opened(order: Order, dataset: Dataset, executor: Executor) -> Iterator[dict[str, list[Model]]]:
    """The models by role, closed again whatever happens."""
    models: dict[str, list[Model]] = {}
    try:
        for role, specs in order.models.items():
            models[role] = []
            for spec in specs:
                model = on_demand(spec, executor)
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


def finish(
    manifest: Manifest,
    store: Store,
    state: str,
    models: Mapping[str, Sequence[Model]],
    ledger: Ledger,
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
        ended=now(),
        state=state,
        notes=notes,
        costs=ledger.session(),
        timings=tuple(timings),
    )
    return msgspec.structs.replace(
        manifest,
        items=store.count_items(),
        counts=tuple(count_sections(store)),
        sessions=(*manifest.sessions[:-1], last),
        spent=round(ledger.total(), 6),
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
