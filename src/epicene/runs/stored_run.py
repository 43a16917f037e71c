"""Read a stored run, score its answers again, and match its items with other runs'.

Only the run folder is needed: no model and no data file. An item's id says nothing about its
content (another data file may use it for another sentence), so items are matched by content.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import msgspec

from epicene.core.data_files import sha256_of
from epicene.core.errors import EpiceneError, InputError, RunError, pluralise
from epicene.core.finite import find_lost_number
from epicene.core.garbage import rare_garbage_collection
from epicene.core.records import Item, Judgement, Record, digest, to_json
from epicene.runs.checked_tables import DamagedStoreError
from epicene.runs.judgement_cache import (
    FRAME_FILE,
    CacheWriter,
    cache_key,
    frame_pieces,
    read_cache,
)
from epicene.runs.judging_workers import ItemRange, JudgedRange, JudgingWorkers, item_ranges
from epicene.runs.manifest import Manifest, read_manifest
from epicene.runs.plan import PlanReader
from epicene.runs.request_ids import item_number
from epicene.runs.store import (
    STORE_FILE,
    AnswerStore,
    Section,
    is_complete,
    open_store,
)
from epicene.suites import (
    FRAME_COLUMNS,
    AnsweredRequest,
    Answers,
    Protocol,
    RunInfo,
    Stage,
    Suite,
)
from epicene.suites.data_origin import data_origin
from epicene.suites.probes import PROBE_FILE, load_probe
from epicene.suites.suite_files import stored_suite

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import polars

    from epicene.suites.data_origin import DataOrigin

_CHUNK_SIZE = 50_000  # judgements turned into columns at a time


class Coverage(Record, frozen=True, kw_only=True):
    """How much of a run its tables cover."""

    items: int
    judged: int
    requests: int
    answered: int
    failed: int
    not_begun: int = 0  # models' parts in stages, of which it is not known what they ask
    # Answers of version 0.1.0 in which a number was NaN or infinite; unset if there are none.
    not_finite: int | msgspec.UnsetType = msgspec.UNSET

    @property
    def whole(self) -> bool:
        """Whether nothing is missing."""
        return self._all_answered and self.judged == self.items and not self.not_finite

    @property
    def _all_answered(self) -> bool:
        return self.answered == self.requests and not self.not_begun

    def __str__(self) -> str:
        """The coverage in words."""
        in_part = "" if self._all_answered or self.judged < self.items else " (some only in part)"
        return (
            f"{self.judged} of {self.items} items are judged{in_part}, on {self.answered} answers "
            f"to {self.requests} requests ({self.failed} failed"
            + (f", {self.not_begun} stages have not started)" if self.not_begun else ")")
            + (
                f"; {pluralise(self.not_finite, 'answer')} from version 0.1.0 had NaN or infinite "
                "numbers, so the tables are wrong (`epicene check` lists them)"
                if self.not_finite
                else ""
            )
        )


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


class _Part(NamedTuple):
    """A part of a stage, or all of it."""

    stage: str
    name: str = ""


def _whole(_request: str) -> str:
    return ""


class RunJudgements:
    """A run's judgements, streamed from its store or its cache. Iterate over it, then read
    `coverage`.
    """

    def __init__(self, run: StoredRun) -> None:
        self._run = run
        self.coverage = Coverage(items=0, judged=0, requests=0, answered=0, failed=0)

    def __iter__(self) -> Iterator[Judgement]:
        with open_store(self._run.folder) as store:
            store.begin_snapshot()
            yield from self._judgements(store, self._cache_key(store))

    def frame(self, info: RunInfo) -> polars.DataFrame:
        """The frame of all judgements, with the evidence that the suite's tables need."""
        import polars as pl

        run = self._run
        evidence = run.suite.tabled_evidence
        with open_store(run.folder) as store:
            store.begin_snapshot()
            key = self._cache_key(store)
            if key is not None and (cached := read_cache(run.folder, key, FRAME_FILE)):
                self.coverage = msgspec.json.decode(cached.coverage, type=Coverage)
                return _about(info, pl.concat(frame_pieces(cached), how="diagonal"))
            with CacheWriter(run.folder, key, FRAME_FILE) as cache:
                pieces = []
                for piece in _frame_pieces(self._judgements(store, key), evidence):
                    cache.add_frame(piece)
                    pieces.append(piece)
                cache.save(to_json(self.coverage))
        return _about(info, pl.concat(pieces, how="diagonal"))

    def _cache_key(self, store: AnswerStore) -> bytes | None:
        return cache_key(self._run.suite, self._run.manifest, store)

    def _judgements(self, store: AnswerStore, key: bytes | None) -> Iterator[Judgement]:
        run = self._run
        if key is not None and (cached := read_cache(run.folder, key)):
            self.coverage = msgspec.json.decode(cached.coverage, type=Coverage)
            yield from cached.judgements()
            return
        with CacheWriter(run.folder, key) as cache:
            for judgement in self._judged(store):
                cache.add(judgement)
                yield judgement
            cache.save(to_json(self.coverage))

    def _judged(self, store: AnswerStore) -> Iterator[Judgement]:
        """The judgements of all items; workers make them if that takes long and all is stored."""
        run = self._run
        if not is_complete(store, run.suite, run.manifest.models):
            for item, answers in self._read(store):
                yield from _judge(run, item, answers)
            return
        reader, sections, counts = self._open(store)
        not_finite = 0
        ranges = item_ranges(reader.count)
        with JudgingWorkers(run.folder, run.suite) as workers:
            judged = workers.judge(ranges, lambda each: judge_range(run, reader, sections, each))
            for items, found in zip(ranges, judged, strict=True):
                yield from found.judgements
                not_finite += found.not_finite
                on_scored.get()(run.folder, items.end, reader.count)
        self._cover(sections, counts, reader.count, reader.count, not_finite)

    def answered(self) -> Iterator[tuple[Item, Answers]]:
        """The items that can be judged, each with its answers."""
        with open_store(self._run.folder) as store:
            store.begin_snapshot()
            yield from self._read(store)

    def lacking(self) -> Iterator[Item]:
        """The items that cannot be judged, or only in part, because an answer is missing."""
        with open_store(self._run.folder) as store:
            if is_complete(store, self._run.suite, self._run.manifest.models):
                return
            reader = PlanReader(store, self._run.suite, self._run.protocol)
            sections = store.sections()
            for first, end in reader.windows():
                missing = self._missing(reader, sections, first, end)
                yield from (item for number, item in reader.items(first, end) if number in missing)

    def _open(self, store: AnswerStore) -> tuple[PlanReader, list[Section], list[tuple[int, int]]]:
        """A reader of the items, and the sections with the numbers of answers and failures."""
        reader = PlanReader(store, self._run.suite, self._run.protocol)
        sections = store.sections()
        counts = [store.counts(section) for section in sections]
        self._check_nothing_missing(reader.count, counts)
        return reader, sections, counts

    def _read(self, store: AnswerStore) -> Iterator[tuple[Item, Answers]]:
        reader, sections, counts = self._open(store)
        whole = is_complete(store, self._run.suite, self._run.manifest.models)
        judged = not_finite = 0
        tell = on_scored.get()
        for first, end in reader.windows():
            missing = {} if whole else self._missing(reader, sections, first, end)
            for number, item, given in _answered(reader, sections, first, end):
                not_finite += _count_not_finite(given)
                kept = self._complete(given, missing[number]) if number in missing else given
                if kept or number not in missing:
                    judged += 1
                    yield item, kept
            tell(self._run.folder, end, reader.count)
        self._cover(sections, counts, reader.count, judged, not_finite)

    def _cover(
        self,
        sections: Sequence[Section],
        counts: Sequence[tuple[int, int]],
        items: int,
        judged: int,
        not_finite: int,
    ) -> None:
        """Set the coverage."""
        stages = self._run.suite.stages
        self.coverage = Coverage(
            items=items,
            judged=judged,
            requests=sum(section.total or 0 for section in sections),
            answered=sum(answered for answered, _ in counts),
            failed=sum(failed for _, failed in counts),
            not_begun=sum(len(self._run.manifest.models[stage.role]) for stage in stages)
            - sum(section.total is not None for section in sections),
            not_finite=not_finite or msgspec.UNSET,
        )

    def _check_nothing_missing(self, items: int, counts: Sequence[tuple[int, int]]) -> None:
        """Raise if the store has fewer rows than the manifest counted when it was written."""
        manifest = self._run.manifest
        counted = sum(each.answered + each.failed for each in manifest.counts)
        if items < manifest.items or sum(map(sum, counts)) < counted:
            raise DamagedStoreError(
                self._run.folder / STORE_FILE, "it has fewer rows than manifest.json counts"
            )

    def _missing(
        self, reader: PlanReader, sections: Sequence[Section], first: int, end: int
    ) -> dict[int, set[_Part]]:
        """What cannot be judged, by the numbers of a window's items.

        Stages that build on each other are judged together, if all their requests for an item, to
        every model, have an answer. If the suite's judge accepts parts, a part is lost only with
        its own requests, or with those of a stage that its stage needs.
        """
        suite = self._run.suite
        missing: dict[int, set[_Part]] = defaultdict(set)
        for group in suite.stage_groups:
            lost = {
                stage.name: list(self._unanswered(reader, sections, stage, first, end))
                for stage in group
            }
            for stage in group:
                needed = suite.dependencies_of(stage) if suite.part_of else lost.keys()
                for name, parts in lost.items():
                    if name in needed:
                        for number, _ in parts:
                            missing[number].add(_Part(stage.name))
                    elif name == stage.name:
                        for number, part in parts:
                            missing[number].add(_Part(name, part))
        return missing

    def _complete(self, given: Answers, missing: set[_Part]) -> Answers:
        """The answers without those that cannot be judged."""
        part_of = self._run.suite.part_of or _whole
        return Answers(
            each
            for each in given
            if not missing & {_Part(each.stage), _Part(each.stage, part_of(each.name))}
        )

    def _unanswered(
        self,
        reader: PlanReader,
        sections: Sequence[Section],
        stage: Stage[Any, Any],
        first: int,
        end: int,
    ) -> Iterator[tuple[int, str]]:
        """The items of a window for which a model did not answer a request of a stage, each with
        the part that the request belongs to.
        """
        part_of = self._run.suite.part_of or _whole
        begun = {each.identity.digest: each for each in sections if each.stage == stage.name}
        for identity in self._run.manifest.models[stage.role]:
            section = begun.get(identity.digest)
            if section is None:
                yield from ((number, "") for number in range(first, end))
                continue
            for planned in reader.unanswered(stage, section, first, end):
                yield item_number(planned.request_id), part_of(planned.request.name)


def stored_answers(run: StoredRun) -> Iterator[tuple[Item, AnsweredRequest]]:
    """Every stored answer with its item, including failures, stage by stage."""
    with open_store(run.folder) as store:
        store.begin_snapshot()
        reader = PlanReader(store, run.suite, run.protocol)
        for section in store.sections():
            for first, end in reader.windows():
                answers = reader.answers([section], first, end)
                for number, item in reader.items(first, end):
                    for given in answers.get(number, ()):
                        yield item, given


def judge_range(
    run: StoredRun, reader: PlanReader, sections: Sequence[Section], items: ItemRange
) -> JudgedRange:
    """Judge a range of items of a run in which every request is answered."""
    judgements: list[Judgement] = []
    not_finite = 0
    for _, item, answers in _answered(reader, sections, *items):
        not_finite += _count_not_finite(answers)
        judgements += _judge(run, item, answers)
    return JudgedRange(judgements=judgements, not_finite=not_finite)


def _answered(
    reader: PlanReader, sections: Sequence[Section], first: int, end: int
) -> Iterator[tuple[int, Item, Answers]]:
    """Items [first, end) by number, with their answers."""
    answers = reader.answers(sections, first, end)
    for number, item in reader.items(first, end):
        yield number, item, answers.get(number, Answers())


def _count_not_finite(answers: Answers) -> int:
    return sum(bool(find_lost_number(each.answer)) for each in answers)


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
            f"({type(error).__name__}: {error}); run `epicene check {run.folder}` to see whether "
            "they are damaged, and use --debug to see where the error is."
        ) from error


def judgement_frame(
    judgements: Iterable[Judgement], info: RunInfo, evidence: Sequence[str] = ()
) -> polars.DataFrame:
    """One row per judgement, one column per facet and count, built in chunks to keep only columns
    in memory.

    The columns for the named evidence are called `evidence NAME`.
    """
    import polars as pl

    return _about(info, pl.concat(_frame_pieces(judgements, evidence), how="diagonal"))


def _frame_pieces(
    judgements: Iterable[Judgement], evidence: Sequence[str]
) -> Iterator[polars.DataFrame]:
    """At least one."""
    stream = iter(judgements)
    # Judgements are in no cycles, and looking for cycles takes a fifth of the time.
    with rare_garbage_collection():
        yield _columns(list(islice(stream, _CHUNK_SIZE)), evidence)
        while chunk := list(islice(stream, _CHUNK_SIZE)):
            yield _columns(chunk, evidence)


def _columns(chunk: Sequence[Judgement], evidence: Sequence[str]) -> polars.DataFrame:
    import polars as pl

    facets = sorted({name for judgement in chunk for name in judgement.facets})
    counts = sorted({name for judgement in chunk for name in judgement.counts})
    clash = (set(facets) | set(counts)) & set(FRAME_COLUMNS) | set(facets) & set(counts)
    if clash:
        raise InputError(f"A facet or count must not be called {', '.join(sorted(clash))}.")
    items = [j.item for j in chunk]
    words: dict[str, list[str | None]] = {
        "group": [j.group or j.item for j in chunk],
        "language": [j.language for j in chunk],
        "name": [j.name for j in chunk],
        "outcome": [j.outcome for j in chunk],
        "label": [j.label for j in chunk],
        **{facet: [j.facets.get(facet) for j in chunk] for facet in facets},
        **{f"evidence {name}": [j.evidence.get(name) for j in chunk] for name in evidence},
    }
    numbers = {
        "value": [j.value for j in chunk],
        **{count: [j.counts.get(count) for j in chunk] for count in counts},
    }
    frame = pl.DataFrame(
        [
            pl.Series("item", items, dtype=pl.String),
            *(pl.Series(name, column, dtype=pl.Categorical) for name, column in words.items()),
            *(pl.Series(name, column, dtype=pl.Float64) for name, column in numbers.items()),
        ]
    )
    _check_finite(chunk, frame, numbers)
    return frame


def _about(info: RunInfo, frame: polars.DataFrame) -> polars.DataFrame:
    """The frame with the columns that tell its run from others."""
    import polars as pl

    return frame.select(
        pl.lit(info.run, dtype=pl.Categorical).alias("run"),
        pl.lit(info.model, dtype=pl.Categorical).alias("model"),
        pl.lit(info.protocol, dtype=pl.Categorical).alias("protocol"),
        pl.all(),
    )


def _check_finite(
    chunk: Sequence[Judgement], frame: polars.DataFrame, columns: Iterable[str]
) -> None:
    """Raise if a value or count is NaN or infinite, because no table can be computed from it."""
    for name in columns:
        finite = frame[name].is_finite()
        if not finite.all():
            row = finite.to_list().index(False)
            judgement = chunk[row]
            which = f", judgement {judgement.name!r}" if judgement.name else ""
            raise RunError(
                f"The {name} of the item {judgement.item!r}{which} is {frame[name][row]}; the "
                "suite's judge must leave out what it cannot compute."
            )


SHORT_HASH = 8  # characters of a hash that tell it apart
_MAX_NAMED_FILES = 2  # of more, one hash of them all is shown


@dataclass(frozen=True)
class ItemMatching:
    """The name by which an item of each run is paired: its id, unless another run has a
    different item with that id.
    """

    renamed: tuple[Mapping[str, str], ...]  # by run, from id to name
    mismatched: int  # ids that do not mean the same item in all runs
    files: tuple[str, ...]  # by run, the data files with their hashes

    def matched(self, run: int, judgements: Iterable[Judgement]) -> Iterator[Judgement]:
        """The judgements of a run, by its index, with the item names by which they are paired."""
        names = self.renamed[run]
        if not names:
            yield from judgements
            return
        for judgement in judgements:
            name = names.get(judgement.item, judgement.item)
            yield msgspec.structs.replace(judgement, item=name)

    def sentences(self, runs: Sequence[str]) -> Iterator[str]:
        """A note for the user about the matching; `runs` are the names to show."""
        if self.mismatched:
            files = ", ".join(f"{run}: {file}" for run, file in zip(runs, self.files, strict=True))
            what = "1 id does" if self.mismatched == 1 else f"{self.mismatched} ids do"
            yield (
                f"{what} not mean the same item in all of these runs: the data differ, or were "
                "read differently (protocol, columns, version of the suite); such items count as "
                f"different items and are not paired ({files})."
            )


def match_items(runs: Sequence[StoredRun]) -> ItemMatching:
    """Compare the content of the items that share an id."""
    files = tuple(map(describe_data_files, runs))
    if len({_data_digest(run) for run in runs}) < 2:
        return ItemMatching(tuple({} for _ in runs), 0, files)
    first: dict[str, bytes] = {}
    unlike = set()
    for run in runs:
        for item in stored_items(run):
            mark = digest(item)
            if first.setdefault(item.id, mark) != mark:
                unlike.add(item.id)
    renamed = tuple(
        {
            item.id: f"{item.id} [{digest(item).hex()[:SHORT_HASH]}]"
            for item in stored_items(run)
            if item.id in unlike
        }
        if unlike
        else {}
        for run in runs
    )
    return ItemMatching(renamed, len(unlike), files)


def describe_data_files(run: StoredRun) -> str:
    """The files that a run's items were read from, with their hashes; if there are many, with
    one combined hash.
    """
    files = run.manifest.settings.files
    if len(files) > _MAX_NAMED_FILES:
        return f"{len(files)} files {digest(files).hex()[:SHORT_HASH]}"
    return ", ".join(f"{file.name} {file.sha256[:SHORT_HASH]}" for file in files) or "no file"


def describe_suite_file(run: StoredRun) -> str:
    """The file that defined a run's suite, and the file that scores it now; "" if installed."""
    file = run.manifest.suite_file
    if not file:
        return ""
    asked = f"{Path(file.path).name} {file.sha256[:SHORT_HASH]}"
    now = "" if run.suite.file is None else sha256_of(run.suite.file)[:SHORT_HASH]
    changed = f", scored by {now}" if now and not file.sha256.startswith(now) else ""
    return f"{asked}{changed}"


def _data_digest(run: StoredRun) -> bytes:
    """A hash of everything that items are made from: runs that share it have the same items."""
    settings = run.manifest.settings
    hashes = [file.sha256 for file in settings.files]
    return digest(settings.suite_version, settings.protocol, settings.columns, hashes)


def stored_items(run: StoredRun) -> Iterator[Item]:
    """The items of a run, answered or not."""
    with open_store(run.folder) as store:
        reader = PlanReader(store, run.suite, run.protocol)
        for first, end in reader.windows():
            yield from (item for _, item in reader.items(first, end))


def check_unique_judgements(frame: polars.DataFrame, suite: str) -> None:
    """Raise if a model has two judgements of an item with the same name: it is not clear which
    to pair.
    """
    import polars as pl

    keys = ["model", "item", "name"]
    twice = frame.filter(frame.select(keys).is_duplicated()).select(pl.col(keys).cast(pl.String))
    if len(twice):
        _, item, name = twice.row(0)
        raise RunError(
            f"The suite {suite} gives two judgements of the item {item!r} the name {name!r}, so "
            "runs of it cannot be paired; its judge must give each judgement of an item its own "
            "name."
        )
