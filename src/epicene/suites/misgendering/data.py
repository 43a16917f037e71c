"""The instances of a run: the starter set, the published datasets, or a user's own templates."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from epicene.core.errors import InputError, unknown
from epicene.suites import Dataset
from epicene.suites.data_origin import user_data_name
from epicene.suites.misgendering.sources import (
    ORIGINS,
    is_published_hash,
    misgendered,
    own,
    ruff,
    starter,
    tango,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from epicene.suites import DataSource
    from epicene.suites.misgendering.items import Instance
    from epicene.suites.misgendering.protocol import MisgenderingProtocol


_FULL_RUFF = ("task.tsv", "context.tsv")


class SourceReader(NamedTuple):
    """Files, and a function that reads instances from them."""

    files: list[Path]
    instances: Callable[[], Iterator[Instance]]


class InstanceStream:
    """Instances that can be iterated more than once and are never all in memory."""

    def __init__(self, readers: list[SourceReader], protocol: MisgenderingProtocol) -> None:
        self._readers = readers
        self._wanted = frozenset(protocol.pronouns)

    def __iter__(self) -> Iterator[Instance]:
        for reader in self._readers:
            for instance in reader.instances():
                if not self._wanted or instance.pronoun in self._wanted:
                    yield instance


def read(source: DataSource, protocol: MisgenderingProtocol) -> Dataset:
    """The starter set; a folder with some of misgendered/, tango/ and ruff/; a file of templates;
    or a folder with templates, names and pronouns."""
    dataset = _read(source, protocol)
    if protocol.wordings > 1 and not any(map(starter.declares_pronouns, dataset.items)):
        raise InputError(
            f"{dataset.name} has no templates that declare pronouns as the starter set does, "
            "and only such templates have several wordings; do not use --set wordings."
        )
    return dataset


def _read(source: DataSource, protocol: MisgenderingProtocol) -> Dataset:
    sets = Path(protocol.pronoun_file) if protocol.pronoun_file else None
    if source.path is None:
        reader = SourceReader(
            starter.files(sets), lambda: starter.instances(sets, protocol.pronouns)
        )
        return Dataset("starter", reader.files, InstanceStream([reader], protocol))
    names = [name for name in ORIGINS if (source.path / name).is_dir()]
    if not names and (mine := own.own_files(source.path, sets)):
        reader = _own_reader(mine, source.columns, protocol)
        return Dataset(_own_name(source.path), reader.files, InstanceStream([reader], protocol))
    readers = list(_published_readers(source.path, protocol))
    files = [path for reader in readers for path in reader.files]
    return Dataset("+".join(names), files, InstanceStream(readers, protocol))


def _own_reader(
    files: own.OwnFiles, columns: Mapping[str, str], protocol: MisgenderingProtocol
) -> SourceReader:
    return SourceReader(
        own.files(files),
        lambda: own.instances(files, columns, protocol.pronouns, mended=protocol.mended),
    )


def _own_name(path: Path) -> str:
    """The name of the user's file or folder, as that of no other data."""
    name = user_data_name(path.resolve().name)
    return f"own {name}" if name in ORIGINS else name


def is_published(files: Iterable[tuple[str, str]]) -> bool:
    """Whether these files, by name and hash, are the published ones.

    No copy of RUFF's full tables was available for hashing: the two together are recognised by
    their names.
    """
    found = list(files)
    full = [file for file in found if file[0] in _FULL_RUFF]
    by_name = full if len(full) == len(_FULL_RUFF) else []
    return all(is_published_hash(sha256) for name, sha256 in found if (name, sha256) not in by_name)


def _published_readers(folder: Path, protocol: MisgenderingProtocol) -> Iterator[SourceReader]:
    """The readers of the datasets that the protocol names, or of those in the folder."""
    for name in protocol.datasets:
        if name not in ORIGINS:
            raise unknown("misgendering dataset", name, ORIGINS)
    wanted = protocol.datasets or [name for name in ORIGINS if (folder / name).is_dir()]
    if not wanted:
        raise InputError(
            f"{folder} has none of {', '.join(ORIGINS)}, nor a file of your own templates "
            f"(templates.csv); get {'; '.join(ORIGINS.values())}."
        )
    exact, mended = not protocol.mended, protocol.mended
    if "misgendered" in wanted:
        files = misgendered.files(
            folder, protocol.declaration, all_sets=protocol.all_sets, exact=exact
        )
        yield SourceReader(files, lambda: misgendered.instances(files, mended=mended))
    if "tango" in wanted:
        prompts = tango.files(folder, exact=exact)
        yield SourceReader(prompts, lambda: tango.instances(prompts, mended=mended))
    if "ruff" in wanted and protocol.distractors:
        full = ruff.distractor_files(folder)
        yield SourceReader(full, lambda: ruff.distractor_instances(full, protocol.distractors))
    elif "ruff" in wanted:
        tasks = ruff.files(folder, exact=exact)
        yield SourceReader(tasks, lambda: ruff.instances(tasks))


def stratum(item: Instance) -> tuple[str, str]:
    """`--limit N` takes N instances of each dataset, spread over pronouns and distractors."""
    return item.dataset, f"{item.pronoun}/{item.distractors}"


def drawn_by(item: Instance) -> str:
    """The instance's counterpart with he, so that `--limit` draws the same texts for all pronouns.

    It has the name of an instance, and not of a text.
    """
    return item.with_pronoun("he")


def corpus(item: Instance) -> Iterator[str]:
    """The text as it should be."""
    yield item.filled(item.gold) if item.is_template else item.before
