"""Gather a suite's published files from the user's clones and zip files.

A file is identified by its hash, among those with a name that is searched for: files with different
content are reported and left where they are. A repository may use a name that another file has in
our layout (`pronouns.csv`).
"""

from __future__ import annotations

import hashlib
import lzma
import os
import zipfile
import zlib
from collections import defaultdict
from functools import partial
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING, NamedTuple

from epicene.core.data_files import sha256_of
from epicene.core.errors import InputError
from epicene.core.files import write_atomically

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

MAX_BYTES = 256 * 2**20  # of one file; far above any that is published


class CollectedFiles(NamedTuple):
    """The files that were gathered, those that are missing, and those found with different content,
    each with the place where it was found."""

    found: dict[str, str]
    missing: tuple[str, ...]
    changed: dict[str, str]


class _Candidate(NamedTuple):
    """A file with a name that is searched for."""

    place: str
    name: str
    read: Callable[[], bytes]


def collect_files(wanted: Mapping[str, str], sources: Sequence[Path], out: Path) -> CollectedFiles:
    """Copy the wanted files, by path and sha256, from the sources into a folder."""
    by_name: dict[str, list[str]] = defaultdict(list)
    for path in wanted:
        by_name[PurePosixPath(path).name].append(path)
    _check_free(wanted, out)
    found: dict[str, str] = {}
    changed: dict[str, str] = {}
    for candidate in (each for source in sources for each in _candidates(source, by_name)):
        content = candidate.read()
        sha256 = hashlib.sha256(content).hexdigest()
        mine = [path for path, known in wanted.items() if known == sha256]
        for path in mine:
            if path not in found:
                write_atomically(out / path, content)
                found[path] = candidate.place
        if not mine and len(by_name[candidate.name]) == 1:
            changed.setdefault(by_name[candidate.name][0], candidate.place)
    return CollectedFiles(
        dict(sorted(found.items())),
        tuple(sorted(set(wanted) - set(found))),
        {path: place for path, place in sorted(changed.items()) if path not in found},
    )


def _check_free(wanted: Mapping[str, str], out: Path) -> None:
    """Raise if a different file exists where one would be written."""
    for path, sha256 in wanted.items():
        there = out / path
        if there.exists() and (not there.is_file() or sha256_of(there) != sha256):
            raise InputError(f"{there} is a different file; give an empty folder with --out.")


def _candidates(source: Path, names: Mapping[str, object]) -> Iterator[_Candidate]:
    if source.is_dir():
        for folder, folders, files in os.walk(source):
            folders[:] = sorted(each for each in folders if each != ".git")
            for name in sorted(set(files) & set(names)):
                path = Path(folder) / name
                yield _Candidate(str(path), name, partial(_read, path))
    elif zipfile.is_zipfile(source):
        yield from _zipped(source, names)
    elif source.exists():
        raise InputError(f"{source} is neither a folder nor a zip file.")
    else:
        raise InputError(f"{source} does not exist; --from must be a clone or a zip file.")


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise InputError(f"Could not read {path}: {error.strerror or error}.") from error
    return _checked(content, str(path))


def _zipped(source: Path, names: Mapping[str, object]) -> Iterator[_Candidate]:
    try:
        with zipfile.ZipFile(source) as archive:
            members = archive.infolist()
            for member in members:
                _check_inside(source, member.filename)
            for member in members:
                name = PurePosixPath(member.filename).name
                if name in names and not member.is_dir():
                    place = f"{source}, {member.filename}"
                    yield _Candidate(place, name, partial(_unzip, archive, member, place))
    except (zipfile.BadZipFile, OSError) as error:
        raise InputError(f"Could not read {source} as a zip file: {error}.") from error


def _check_inside(source: Path, name: str) -> None:
    """Raise for a name that would be outside the folder in which the zip file is unpacked."""
    windows = PureWindowsPath(name)
    if ".." in windows.parts or windows.drive or windows.root or PurePosixPath(name).is_absolute():
        raise InputError(
            f"{source} contains {name!r}, which would be outside its folder; a file with such "
            "names cannot be trusted, so nothing is read from it."
        )


# Damaged; or with a password, or packed in another way.
_UNREADABLE = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError),
    *(EOFError, RuntimeError, OSError),
)


def _unzip(archive: zipfile.ZipFile, member: zipfile.ZipInfo, place: str) -> bytes:
    try:
        with archive.open(member) as file:
            return _checked(file.read(MAX_BYTES + 1), place)
    except _UNREADABLE as error:
        raise InputError(f"Could not read {place}: {error}.") from error


def _checked(content: bytes, place: str) -> bytes:
    if len(content) > MAX_BYTES:
        raise InputError(
            f"{place} is larger than {MAX_BYTES // 2**20} MiB, so it is not a data file."
        )
    return content
