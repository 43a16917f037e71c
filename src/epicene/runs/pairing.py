"""Which judgements of several runs are of the same thing, so that they can be paired.

An item's id says nothing of its content: another data file may hold another sentence under it.
The run folders hold the items themselves, and by these they are told apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from epicene.errors import RunError
from epicene.records import digest
from epicene.runs.plan import Reader
from epicene.runs.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import polars

    from epicene.records import Item, Judgement
    from epicene.runs.results import Finished

SHORT = 8  # characters of a hash that tell it apart
_NAMED = 2  # files


@dataclass(frozen=True)
class SameItems:
    """Under which name an item of each run is paired: its id, unless another run has another item
    under that id."""

    renamed: tuple[Mapping[str, str], ...]  # by run, from id to name
    unlike: int  # ids that do not mean the same item in all runs
    files: tuple[str, ...]  # by run, the data files with their hashes

    def named(self, run: int, judgements: Iterable[Judgement]) -> Iterator[Judgement]:
        """The judgements of the run with that number, by the names under which to pair them."""
        names = self.renamed[run]
        if not names:
            yield from judgements
            return
        for judgement in judgements:
            name = names.get(judgement.item, judgement.item)
            yield msgspec.structs.replace(judgement, item=name)

    def told(self, runs: Sequence[str]) -> Iterator[str]:
        """What a person must know of it, if the runs have these names."""
        if self.unlike:
            files = ", ".join(f"{run}: {file}" for run, file in zip(runs, self.files, strict=True))
            what = "1 id does" if self.unlike == 1 else f"{self.unlike} ids do"
            yield (
                f"{what} not mean the same item in all of these runs: their data "
                "differ, or how these were read (protocol, columns, version of the suite); such "
                f"items count as different ones and are not paired ({files})."
            )


def same_items(runs: Sequence[Finished]) -> SameItems:
    """Compare the content of the items that share an id."""
    files = tuple(map(data_files, runs))
    if len({_origin(run) for run in runs}) < 2:
        return SameItems(tuple({} for _ in runs), 0, files)
    first: dict[str, bytes] = {}
    unlike = set()
    for run in runs:
        for item in _items(run):
            mark = digest(item)
            if first.setdefault(item.id, mark) != mark:
                unlike.add(item.id)
    renamed = tuple(
        {
            item.id: f"{item.id} [{digest(item).hex()[:SHORT]}]"
            for item in _items(run)
            if item.id in unlike
        }
        if unlike
        else {}
        for run in runs
    )
    return SameItems(renamed, len(unlike), files)


def data_files(run: Finished) -> str:
    """The files that a run's items were read from, with their hashes; of many, one of them all."""
    files = run.manifest.settings.files
    if len(files) > _NAMED:
        return f"{len(files)} files {digest(files).hex()[:SHORT]}"
    return ", ".join(f"{file.name} {file.sha256[:SHORT]}" for file in files) or "no file"


def _origin(run: Finished) -> bytes:
    """All that items are made from: where it is the same, so are they."""
    settings = run.manifest.settings
    hashes = [file.sha256 for file in settings.files]
    return digest(settings.suite_version, settings.protocol, settings.columns, hashes)


def _items(run: Finished) -> Iterator[Item]:
    store = Store(run.folder / "answers.sqlite")
    try:
        reader = Reader(store, run.suite, run.protocol)
        for first, end in reader.windows():
            yield from (item for _, item in reader.items(first, end))
    finally:
        store.close()


def refuse_repeated(frame: polars.DataFrame, suite: str) -> None:
    """Raise if a model has two judgements of one item under one name: which would be paired?"""
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
