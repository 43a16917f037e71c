"""Keep the judgements of a long run next to its store, so that tables need not score it again.

They are kept twice: as records with their evidence, and as the frame that tables are made of. That
a run is complete is kept in the same way, so that repeating its command need not plan it again.

A cache is used only by the code that wrote it, in the same environment, for the same answers: its
key covers Epicene's files, the suite's files, the installed packages, the settings and every stored
row. It can be deleted at any time.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
import zlib
from contextlib import suppress
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

import epicene
from epicene.core.files import temporary_prefix
from epicene.core.records import Judgement, Record, digest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from tempfile import _TemporaryFileWrapper
    from typing import Self

    import polars

    from epicene.runs.manifest import Manifest
    from epicene.runs.store import AnswerStore
    from epicene.suites import Suite

CACHE_FILE = "judgements.cache"
FRAME_FILE = "frame.cache"
COMPLETE_FILE = "complete.cache"
_CHUNK = 2000  # judgements packed together; a run with fewer is scored each time
_LENGTH_BYTES = 4
_DIGEST_BYTES = 16

_encoder = msgspec.msgpack.Encoder()
_chunks = msgspec.msgpack.Decoder(list[Judgement])


class _Header(Record, frozen=True, kw_only=True):
    key: bytes
    coverage: bytes


class Cached(NamedTuple):
    """What a cache holds, and the coverage of its run as JSON."""

    coverage: bytes
    chunks: tuple[bytes, ...]

    def judgements(self) -> Iterator[Judgement]:
        """The judgements that the chunks are."""
        for chunk in self.chunks:
            yield from _chunks.decode(zlib.decompress(chunk))


def cache_key(suite: Suite[Any, Any], manifest: Manifest, store: AnswerStore) -> bytes | None:
    """What the judgements of a run depend on; None if that cannot be determined."""
    code = code_key(suite)
    if code is None:
        return None
    return digest(code, manifest.settings, manifest.models, store.tables.content_digest())


def code_key(suite: Suite[Any, Any]) -> bytes | None:
    """The code that asks and judges, and its environment; None if that cannot be determined."""
    if suite.file is not None:  # what it imports and reads is not known
        return None
    functions = [suite.judge, *(stage.ask for stage in suite.stages)]
    if any("<locals>" in getattr(each, "__qualname__", "<locals>") for each in functions):
        return None
    own = {sys.modules.get(each.__module__.partition(".")[0]) for each in functions}
    files = [getattr(each, "__file__", None) for each in (epicene, *own)]
    if None in files:
        return None
    return digest(
        sorted({_code_digest(Path(str(each))) for each in files}),
        [f"{each.__module__}.{each.__qualname__}" for each in functions],
        [sys.version],
        _installed_packages(),
        os.environ.get("EPICENE_MORPHOLOGY", ""),
    )


@cache
def _code_digest(file: Path) -> str:
    """A hash of a module's file, or of all files of a package."""
    files = sorted(file.parent.rglob("*")) if file.name == "__init__.py" else [file]
    state = hashlib.blake2b(digest_size=_DIGEST_BYTES)
    for each in files:
        if each.suffix != ".pyc" and each.is_file():
            state.update(str(each.relative_to(file.parent)).encode() + b"\0")
            state.update(each.read_bytes())
    return state.hexdigest()


@cache
def _installed_packages() -> list[str]:
    """The installed packages with their versions, by the names of their metadata folders."""
    return sorted(
        entry.name
        for folder in map(Path, sys.path)
        if folder.is_dir()
        for entry in folder.iterdir()
        if entry.suffix in (".dist-info", ".egg-info")
    )


def read_cache(folder: Path, key: bytes, file: str = CACHE_FILE) -> Cached | None:
    """A cache of a run folder, if it has this key and is undamaged."""
    try:
        data = (folder / file).read_bytes()
    except OSError:
        return None
    body, checksum = data[:-_DIGEST_BYTES], data[-_DIGEST_BYTES:]
    if hashlib.blake2b(body, digest_size=_DIGEST_BYTES).digest() != checksum:
        return None
    *chunks, header = _split(body)
    try:
        found = msgspec.msgpack.decode(header, type=_Header)
    except msgspec.DecodeError:  # written by another version
        return None
    return Cached(found.coverage, tuple(chunks)) if found.key == key else None


def _split(body: bytes) -> Iterator[bytes]:
    start = 0
    while start < len(body):
        end = start + _LENGTH_BYTES + int.from_bytes(body[start : start + _LENGTH_BYTES])
        yield body[start + _LENGTH_BYTES : end]
        start = end


class CacheWriter:
    """Write a cache while its content is made; without `save`, nothing is kept.

    If the folder is read-only or the disk is full, there is simply no cache.
    """

    def __init__(self, folder: Path, key: bytes | None, file: str = CACHE_FILE) -> None:
        self._path, self._key = folder / file, key
        self._pending: list[Judgement] = []
        self._file: _TemporaryFileWrapper[bytes] | None = None
        self._state = hashlib.blake2b(digest_size=_DIGEST_BYTES)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            with suppress(OSError):  # it writes what it still holds, on a full disk in vain
                self._file.close()
            with suppress(OSError):
                Path(self._file.name).unlink(missing_ok=True)

    def add(self, judgement: Judgement) -> None:
        """Add a judgement."""
        if self._key is None:
            return
        self._pending.append(judgement)
        if len(self._pending) == _CHUNK:
            self._try(self._flush)

    def add_frame(self, frame: polars.DataFrame) -> None:
        """Add a piece of a frame."""
        if self._file is not None or len(frame) >= _CHUNK:
            self.put(_as_bytes(frame))

    def put(self, chunk: bytes) -> None:
        """Add a chunk."""
        if self._key is not None:
            self._try(lambda: self._put(chunk))

    def save(self, coverage: bytes) -> None:
        """Keep what was added, with the run's coverage as JSON."""
        if self._key is not None and self._file is not None:
            self._try(lambda: self._finish(coverage))

    def _try(self, step: Callable[[], None]) -> None:
        try:
            step()
        except OSError:
            self._key = None
            self._pending = []

    def _flush(self) -> None:
        if self._pending:
            self._put(zlib.compress(_encoder.encode(self._pending), 1))
        self._pending = []

    def _put(self, chunk: bytes) -> None:
        if self._file is None:
            self._file = tempfile.NamedTemporaryFile(  # noqa: SIM115 - closed at the end
                dir=self._path.parent, prefix=temporary_prefix(self._path.name), delete=False
            )
        self._write(chunk)

    def _write(self, chunk: bytes) -> None:
        assert self._file is not None
        data = len(chunk).to_bytes(_LENGTH_BYTES) + chunk
        self._state.update(data)
        self._file.write(data)

    def _finish(self, coverage: bytes) -> None:
        assert self._file is not None
        assert self._key is not None
        self._flush()
        self._write(_encoder.encode(_Header(key=self._key, coverage=coverage)))
        self._file.write(self._state.digest())
        self._file.close()
        Path(self._file.name).replace(self._path)


def _as_bytes(frame: polars.DataFrame) -> bytes:
    buffer = BytesIO()
    frame.write_ipc(buffer, compression="lz4")
    return buffer.getvalue()


def frame_pieces(cached: Cached) -> Iterator[polars.DataFrame]:
    """The pieces of a frame that the chunks are."""
    import polars as pl

    return (pl.read_ipc(BytesIO(chunk)) for chunk in cached.chunks)
