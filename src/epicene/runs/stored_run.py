"""Read a stored run, and score its answers again. Only the run folder is needed: no model and no
data file.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from epicene import __version__
from epicene.core import registry
from epicene.core.errors import EpiceneError, InputError, RunError
from epicene.core.files import write_atomically
from epicene.runs.frames import judgement_frame, with_run
from epicene.runs.manifest import STORE_FILE, Coverage, Judged, Manifest, read_manifest
from epicene.runs.plan import Plan
from epicene.runs.store import open_store
from epicene.suites import AnsweredRequest, Answers, Protocol, RunInfo, Suite
from epicene.suites.data_origin import data_origin
from epicene.suites.probes import PROBE_FILE, load_probe
from epicene.suites.suite_files import stored_suite

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars

    from epicene.core.records import Item, Judgement
    from epicene.runs.plan import AnsweredItem
    from epicene.runs.store import AnswerStore
    from epicene.suites.data_origin import DataOrigin

JUDGEMENTS_FILE = "judgements.parquet"

# Told while a run is scored: its folder, how many of its items are scored, and how many it has.
OnScored: TypeAlias = Callable[[Path, int, int], None]
on_scored: ContextVar[OnScored] = ContextVar("on_scored", default=lambda *_: None)


@dataclass(frozen=True)
class StoredRun:
    """A run folder, read."""

    folder: Path
    manifest: Manifest
    suite: Suite[Any, Any]
    protocol: Protocol
    name: str = ""  # where it is not to go by its folder's

    @property
    def origin(self) -> DataOrigin:
        """Whether its data are the starter set, the published data or the user's own."""
        settings = self.manifest.settings
        files = ((file.name, file.sha256) for file in settings.files)
        return data_origin(self.suite, settings.data, files)

    @property
    def info(self) -> RunInfo:
        """Which run this is, for tables."""
        first = self.suite.roles[0].name
        return RunInfo(
            run=self.name or self.folder.name,
            model=self.manifest.models[first][0].label,
            protocol=self.protocol.name,
            identities=self.manifest.models,
        )


def read_run(folder: Path, suite: Suite[Any, Any] | None = None) -> StoredRun:
    """Open a run folder for reading; pass `suite` if it cannot be found by name."""
    manifest = read_manifest(folder)
    name, file = manifest.settings.suite, manifest.suite_file
    own = bool(file) or suite is not None
    if suite is None and file and (folder / PROBE_FILE).is_file():
        suite = load_probe(folder / PROBE_FILE)  # data, which are safe to read
    if suite is None:
        suite = stored_suite(name, file.path if file else "")
    elif suite.name != name:
        raise InputError(f"{folder} is a run of the suite {name}, not of {suite.name}.")
    asked = manifest.settings.suite_version
    if own and suite.version != asked:  # the suites that we ship read their earlier versions
        raise InputError(
            f"{folder} was run with version {asked} of the suite {name}, but this is version "
            f"{suite.version}, which may ask and judge differently; read it with the version that "
            "ran it."
        )
    name = manifest.settings.protocol.get("name", "")
    kind = type(suite.protocols[name]) if name in suite.protocols else None
    try:
        if kind is None:
            raise msgspec.ValidationError(f"no protocol {name!r}")
        protocol = msgspec.convert(manifest.settings.protocol, kind)
    except msgspec.ValidationError as error:
        raise InputError(
            f"The run {folder} used a protocol that this version of the suite {suite.name} does "
            f"not have ({error}); read it with the version that wrote it."
        ) from error
    suite = suite.for_protocol(protocol, manifest.models)
    for role in suite.roles:
        if not manifest.models.get(role.name):
            raise InputError(
                f"The manifest of {folder} does not name a model in the role {role.name}."
            )
    return StoredRun(folder, manifest, suite, protocol)


class RunJudgements:
    """A run's judgements, made from its stored answers. Iterate over it, then read `coverage`."""

    def __init__(self, run: StoredRun) -> None:
        self._run = run
        self.coverage = Coverage(items=0, judged=0, requests=0, answered=0, failed=0)

    def __iter__(self) -> Iterator[Judgement]:
        for item, answers in self.answered():
            yield from _judge(self._run, item, answers)

    def frame(self, info: RunInfo) -> polars.DataFrame:
        """The frame of all judgements, with the evidence that the suite's tables need."""
        import polars as pl

        run, data = self._run, self.stored()
        if data is None:
            return judgement_frame(self, info, run.suite.tabled_evidence)
        assert run.manifest.judged is not None
        self.coverage = run.manifest.judged.coverage
        return with_run(info, pl.read_parquet(BytesIO(data)))

    def stored(self) -> bytes | None:
        """The content of `judgements.parquet`, if this version of an installed suite wrote it."""
        judged, suite = self._run.manifest.judged, self._run.suite
        if judged is None or not registry.is_installed("suites", suite.name):
            return None  # an own suite may judge differently now, whatever its version says
        if (judged.epicene, judged.suite_version) != (__version__, suite.version):
            return None
        try:
            data = (self._run.folder / JUDGEMENTS_FILE).read_bytes()
        except OSError:
            return None
        return data if sha256(data).hexdigest() == judged.sha256 else None

    def store(self) -> Judged:
        """Judge all answers and write `judgements.parquet`."""
        suite = self._run.suite
        frame = judgement_frame(self, self._run.info, suite.tabled_evidence)
        packed = BytesIO()
        frame.drop("run", "model", "protocol").write_parquet(packed)
        data = packed.getvalue()
        write_atomically(self._run.folder / JUDGEMENTS_FILE, data)
        return Judged(
            epicene=__version__,
            suite_version=suite.version,
            sha256=sha256(data).hexdigest(),
            coverage=self.coverage,
        )

    def answered(self) -> Iterator[tuple[Item, Answers]]:
        """The items that can be judged, each with its answers."""
        with open_store(self._run.folder) as store:
            store.begin_snapshot()
            plan = _plan(self._run, store)
            judged = read = 0
            tell = on_scored.get()
            for window in plan.windows():
                for each in plan.read(window):
                    kept = _judgeable(self._run.suite, each)
                    if kept or not each.missing:
                        judged += 1
                        yield each.item, kept
                read += len(window)
                tell(self._run.folder, read, plan.end)
            counts = plan.counts.values()
            self.coverage = Coverage(
                items=max(self._run.manifest.items, plan.end),
                judged=judged,
                requests=sum(count.requests for count in counts),
                answered=sum(count.answered for count in counts),
                failed=sum(count.failed for count in counts),
                not_begun=sum(count.not_begun for count in counts),
                damaged=store.damaged,
            )

    def lacking(self) -> Iterator[Item]:
        """The items that cannot be judged, or only in part, because an answer is missing."""
        for each in read_items(self._run):
            if each.missing:
                yield each.item


def _plan(run: StoredRun, store: AnswerStore) -> Plan:
    return Plan(store, run.suite, run.protocol, run.manifest.models)


def read_items(run: StoredRun) -> Iterator[AnsweredItem]:
    """The items of a run with their answers, failed ones too."""
    with open_store(run.folder) as store:
        store.begin_snapshot()
        plan = _plan(run, store)
        for window in plan.windows():
            yield from plan.read(window)


def stored_items(run: StoredRun) -> Iterator[Item]:
    """The items of a run, answered or not."""
    with open_store(run.folder) as store:
        for window in _plan(run, store).windows():
            yield from window


def stored_answers(run: StoredRun) -> Iterator[tuple[Item, AnsweredRequest]]:
    """Every stored answer with its item, including failures, item by item."""
    for each in read_items(run):
        for given in (*each.answers, *each.failed):
            yield each.item, given


def _judgeable(suite: Suite[Any, Any], given: AnsweredItem) -> Answers:
    """The answers that can be judged.

    Stages that build on each other are judged together, if all their requests for an item, to
    every model, have an answer. If the suite's judge accepts parts, a part is lost only with its
    own requests, or with those of a stage that its stage needs.
    """
    if not given.missing:
        return given.answers
    part_of = suite.part_of
    lost: set[tuple[str, str]] = set()  # stage and part; "" is all of a stage
    for group in suite.stage_groups:
        missing = {stage.name for stage in group if stage.name in given.missing}
        for stage in group:
            needed = suite.dependencies_of(stage) if part_of else missing
            if missing & needed:
                lost.add((stage.name, ""))
            elif part_of:
                lost |= {(stage.name, part_of(name)) for name in given.missing.get(stage.name, ())}
    return Answers(
        each
        for each in given.answers
        if (each.stage, "") not in lost
        and (part_of is None or (each.stage, part_of(each.name)) not in lost)
    )


def _judge(run: StoredRun, item: Item, answers: Answers) -> list[Judgement]:
    """The judgements of an item; an answer that does not match its request is not an internal
    error.
    """
    try:
        return list(run.suite.judge(item, answers, run.protocol))
    except EpiceneError:
        raise
    except Exception as error:
        raise RunError(
            f"The answers to item {item.id!r} in {run.folder / STORE_FILE} cannot be judged "
            f"({type(error).__name__}: {error}); use --debug to see where the error is."
        ) from error
