"""Verify a run folder against its checksums, and rebuild a damaged store for a resumed run."""

from __future__ import annotations

import shutil
from collections import Counter
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from epicene.core.errors import EpiceneError, RunError, pluralise
from epicene.core.files import IMAGES_FOLDER, ImageFolder
from epicene.core.finite import find_lost_number
from epicene.core.records import Images
from epicene.core.sqlite import LockedError
from epicene.runs.checked_tables import TABLES
from epicene.runs.costs import stored_costs
from epicene.runs.manifest import count_sections, read_manifest, write_manifest
from epicene.runs.plan import PlanReader, select_items
from epicene.runs.request_ids import item_number, split_request_id
from epicene.runs.store import (
    ITEMS_COMPLETE,
    STORE_FILE,
    AnswerStore,
    decode_answer,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from epicene.runs.config import RunConfig
    from epicene.runs.manifest import Manifest
    from epicene.suites import Dataset, Protocol, Suite


_DAMAGED_RECORD = "damaged record"  # the payee of what the manifest says was spent and no row does


class Damage(NamedTuple):
    """Something in a run folder that is no longer as it was written."""

    file: str
    where: str  # the table and the row, if it is in the store
    problem: str

    def __str__(self) -> str:
        """The damage in words."""
        where = f"{self.file}, {self.where}" if self.where else self.file
        return f"{where}: {self.problem}"


class Verification(NamedTuple):
    """What was verified in a run folder, and what is damaged."""

    items: int
    answers: int
    images: int
    has_checksums: bool  # whether the store's rows have any; those of earlier versions have none
    damage: tuple[Damage, ...]


def verify_run(folder: Path) -> Verification:
    """Verify the manifest, every row of the store, and every image of a run."""
    try:
        manifest = read_manifest(folder)
    except RunError as error:
        return Verification(0, 0, 0, True, (Damage("manifest.json", "", str(error)),))
    try:
        store = AnswerStore(folder / STORE_FILE)
    except LockedError:
        raise
    except RunError as error:
        return Verification(0, 0, 0, True, (Damage(STORE_FILE, "", str(error)),))
    with closing(store):
        rows = _read_rows(store, folder, manifest)
        damage = [*rows.damage, *_structural_damage(store), *_missing_rows(rows, manifest)]
    counts = (rows.sound["items"], rows.sound["answers"], rows.images)
    return Verification(*counts, store.tables.has_checksums, tuple(damage))


class _Rows(NamedTuple):
    """The rows of a store: how many are intact, by table, and what is damaged."""

    sound: Counter[str]
    images: int
    damage: list[Damage]
    unusable: set[int]  # the ids of requests whose answers cannot be read, or lack an image
    all_items: bool  # whether no item is damaged or missing


def _read_rows(store: AnswerStore, folder: Path, manifest: Manifest) -> _Rows:
    """Read all rows once, keeping only what is damaged."""
    sound: Counter[str] = Counter()
    damage: list[Damage] = []
    unusable: set[int] = set()
    images = _ImageCheck(folder / IMAGES_FOLDER)
    last_item, complete = -1, False
    for table in TABLES:
        for row, problem in store.tables.read_damaged(table):
            if problem:
                damage.append(Damage(STORE_FILE, _location(table, row), problem))
            elif table == "answers" and (broken := list(images.damage_of(row))):
                damage += broken
                unusable.add(row[0])
            else:
                sound[table] += 1
                last_item = row[0] if table == "items" else last_item
                complete |= row[0] == ITEMS_COMPLETE
    complete &= sound["items"] == last_item + 1 and sound["items"] >= manifest.items
    return _Rows(sound, len(images.verified), damage, unusable, complete)


def _location(table: str, row: tuple[Any, ...]) -> str:
    if not row:
        return f"table {table}"
    if table != "answers":
        return f"table {table}, row {row[0]}"
    section, item, request = split_request_id(row[0])
    return f"table answers, section {section}, item {item}, request {request}"


class _ImageCheck:
    """Verify that answers can be read, and the images that they name, each file once."""

    def __init__(self, folder: Path) -> None:
        self._files = ImageFolder(folder)
        self.verified: dict[str, str] = {}  # what is wrong with each image, "" if nothing is

    def damage_of(self, row: tuple[Any, ...]) -> Iterator[Damage]:
        """What is wrong with an answer and its images; stores of format 1 have no checksums."""
        try:
            decoded = decode_answer(row[4])
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            yield Damage(STORE_FILE, _location("answers", row), f"cannot be read ({error})")
            return
        if lost := find_lost_number(decoded):
            problem = f"{lost} is null, which version 0.1.0 stored for NaN and infinite numbers"
            yield Damage(STORE_FILE, _location("answers", row), problem)
        for image in decoded.images if isinstance(decoded, Images) else ():
            if image.sha256 and (problem := self._problem(image.sha256)):
                yield Damage(f"{IMAGES_FOLDER}/{image.sha256[:2]}/{image.sha256}", "", problem)

    def _problem(self, sha256: str) -> str:
        if sha256 not in self.verified:
            try:
                self._files.read(sha256)
                self.verified[sha256] = ""
            except EpiceneError as error:
                self.verified[sha256] = str(error).rstrip(".")
        return self.verified[sha256]


def _structural_damage(store: AnswerStore) -> Iterator[Damage]:
    try:
        for text in store.tables.structural_damage():
            yield Damage(STORE_FILE, "", text)
    except EpiceneError as error:
        yield Damage(STORE_FILE, "", str(error))


def _missing_rows(rows: _Rows, manifest: Manifest) -> Iterator[Damage]:
    """Rows that the manifest counts but the store does not have."""
    counted = sum(count.answered + count.failed for count in manifest.counts)
    for table, expected in (("items", manifest.items), ("answers", counted)):
        if rows.sound[table] < expected:
            problem = f"{rows.sound[table]} of {expected} rows are intact"
            yield Damage(STORE_FILE, f"table {table}", problem)


def repair_store(folder: Path, manifest: Manifest, config: RunConfig, dataset: Dataset) -> str:
    """Rebuild a damaged store from its intact rows; return a description of the damage, "" if none.

    The damaged file is kept next to it. Damaged items are read from the data again; requests whose
    answers are lost are sent again when the run is resumed.
    """
    path = folder / STORE_FILE
    if not path.exists() or path.stat().st_size == 0:
        return ""
    rebuilt = path.with_name(f".{path.name}.rebuilt")
    with closing(AnswerStore(path, create=True)) as store:
        rows = _read_rows(store, folder, manifest)
        damage = rows.damage or list(_missing_rows(rows, manifest))
        if not damage:
            return ""
        _remove_database(rebuilt)
        with closing(AnswerStore(rebuilt, create=True)) as copy:
            _copy_sound_rows(store, copy, rows)
            if not copy.has_items():
                copy.put_items(select_items(config, dataset), dataset.name)
            unknown = manifest.spent - sum(stored_costs(copy).values())
            if unknown > 0:
                copy.set_spent(_DAMAGED_RECORD, unknown)
            drop_answers_built_on_missing_ones(copy, config.suite, config.protocol)
            counted = msgspec.structs.replace(
                manifest, items=copy.count_items(), counts=tuple(count_sections(copy))
            )
    kept = _keep_copy(path)
    _remove_database(path, log_only=True)  # what it holds was read through the store
    rebuilt.replace(path)
    write_manifest(folder, counted)
    more = f" and {pluralise(len(damage) - 1, 'other place')}" if len(damage) > 1 else ""
    return (
        f"The run in {folder} was damaged ({damage[0]}{more}). It has been repaired; requests "
        f"whose answers are lost are sent again. The damaged database is kept as {kept.name}."
    )


def _keep_copy(path: Path) -> Path:
    """Keep a database and its log under the first of NAME.damaged-1, NAME.damaged-2 … ."""
    number = 1
    while (kept := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    for suffix in ("-wal", ""):
        if (source := path.with_name(path.name + suffix)).exists():
            shutil.copyfile(source, kept.with_name(kept.name + suffix))
    return kept


def _copy_sound_rows(store: AnswerStore, copy: AnswerStore, rows: _Rows) -> None:
    """Copy what is intact. Either all items are copied or none: they can be read from the data
    again.
    """
    sections: set[int] = set()

    def wanted(table: str, key: Any) -> bool:
        if table == "sections":
            sections.add(key)
        if table == "answers":
            return split_request_id(key)[0] in sections and key not in rows.unusable
        return rows.all_items or (table != "items" and key != ITEMS_COMPLETE)

    for table in TABLES:
        sound = (row for row, problem in store.tables.read_damaged(table) if not problem)
        copy.tables.put(table, (row for row in sound if wanted(table, row[0])))


def drop_answers_built_on_missing_ones(
    store: AnswerStore, suite: Suite[Any, Any], protocol: Protocol
) -> None:
    """Delete the answers of stages that need an answer that is now missing.

    If the request is sent again, its answer may differ, and so may the requests of later stages.
    """
    reader = PlanReader(store, suite, protocol)
    stages = {stage.name: stage for stage in suite.stages}
    sections = store.sections()
    for name, stage in stages.items():
        own = [section for section in sections if section.stage == name]
        needed = suite.dependencies_of(stage)
        earlier = [section for section in sections if section.stage in needed]
        for first, end in reader.windows() if own and needed else ():
            missing = {
                item_number(planned.request_id)
                for section in earlier
                for planned in reader.unanswered(stages[section.stage], section, first, end)
            }
            if {section.stage for section in earlier} != needed:
                missing = set(range(first, end))
            for section in own:
                store.delete_answers(section, missing)


def _remove_database(path: Path, *, log_only: bool = False) -> None:
    for suffix in ("-wal", "-shm", *(() if log_only else ("",))):
        with suppress(FileNotFoundError):
            path.with_name(path.name + suffix).unlink()
