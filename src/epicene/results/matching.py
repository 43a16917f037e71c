"""Match the items of runs: an item's id says nothing about its content, so content decides."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from epicene.core.data_files import sha256_of
from epicene.core.records import digest
from epicene.runs.stored_run import stored_items

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from epicene.core.records import Judgement
    from epicene.runs.stored_run import StoredRun

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
