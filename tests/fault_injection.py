"""Make the calls that a process does to the operating system fail, one at a time.

`install` counts every open, read, write, fsync, rename and new folder under one folder, by Python's
own files and by SQLite, and lets the call that a `Fault` names fail. Run a command once to count
them, then once for each number. It changes the process for good: use it in a child of its own.
"""

from __future__ import annotations

import _sqlite3
import builtins
import ctypes
import errno
import io
import os
import signal
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

Kind: TypeAlias = Literal["open", "read", "write", "fsync", "rename", "mkdir"]
KINDS: tuple[Kind, ...] = ("open", "read", "write", "fsync", "rename", "mkdir")

# What happens: an error once, a disk that is full from then on, half of the data written, or death.
What: TypeAlias = Literal["EIO", "EINTR", "full", "short", "kill"]

# What can happen to each kind of call.
POSSIBLE: dict[Kind, tuple[What, ...]] = {
    "open": ("EIO", "full", "EINTR"),
    "read": ("EIO", "EINTR"),
    "write": ("EIO", "full", "short", "EINTR"),
    "fsync": ("EIO", "full", "EINTR"),
    "rename": ("EIO", "full"),
    "mkdir": ("EIO", "full"),
}
_NEEDS_ROOM = frozenset({"open", "write", "fsync", "rename", "mkdir"})


@dataclass(frozen=True)
class Fault:
    """The `number`th call of a kind, counted from 1, and what happens to it."""

    kind: Kind
    number: int
    what: What


class Injector:
    """Counts the calls under a folder and decides which of them fail."""

    def __init__(self, folder: Path, fault: Fault | None) -> None:
        self._folder = os.path.realpath(folder)
        self._fault = fault
        self.counts: Counter[str] = Counter()
        self.happened = False

    def error(self, kind: Kind, place: object, *, creates: bool = True) -> str:
        """What happens to a call: the name of an error, "short", or "" where it succeeds."""
        if not self._concerns(place):
            return ""
        self.counts[kind] += 1
        fault = self._fault
        if fault is None:
            return ""
        due = fault.kind == kind and self.counts[kind] == fault.number
        if due:
            self.happened = True
            if fault.what == "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            if fault.what != "full":
                return fault.what
        full = fault.what == "full" and self.happened
        return "ENOSPC" if full and kind in _NEEDS_ROOM and creates else ""

    def check(self, kind: Kind, place: object, *, creates: bool = True) -> None:
        """Raise what happens to a call."""
        name = self.error(kind, place, creates=creates)
        if name and name != "short":
            code = getattr(errno, name)
            raise OSError(code, os.strerror(code), os.fspath(place) if _is_path(place) else None)  # type: ignore[call-overload]

    def _concerns(self, place: object) -> bool:
        """Whether a path, or the file behind a descriptor, is in the folder."""
        try:
            if isinstance(place, int):
                path = str(Path(f"/proc/self/fd/{place}").readlink())
            else:
                path = os.path.realpath(os.fspath(place))  # type: ignore[call-overload]
        except (OSError, TypeError):
            return False
        return path.startswith(self._folder + os.sep)


def _is_path(place: object) -> bool:
    return isinstance(place, str | os.PathLike)


def install(folder: Path, fault: Fault | None) -> Injector:
    """Let the calls of this process under a folder fail as the fault says."""
    injector = Injector(folder, fault)
    _patch_files(injector)
    _patch_calls(injector)
    _patch_sqlite(injector)
    return injector


# --- Python's files ----------------------------------------------------------------------------


def _patch_files(injector: Injector) -> None:
    real_open = io.open

    class FaultyFile(io.FileIO):
        """A raw file whose reads and writes may fail."""

        def write(self, data: Any, /) -> int:
            found = injector.error("write", self.fileno())
            if found == "short":
                return super().write(memoryview(data)[: max(1, len(data) // 2)])
            _raise(found)
            return super().write(data)

        def readinto(self, buffer: Any, /) -> int:
            _raise(injector.error("read", self.fileno()))
            return super().readinto(buffer) or 0

        def readall(self) -> bytes:
            _raise(injector.error("read", self.fileno()))
            return super().readall()

        def read(self, size: int | None = -1, /) -> bytes:
            _raise(injector.error("read", self.fileno()))
            return super().read(-1 if size is None else size)

    def faulty_open(
        file: Any,
        mode: str = "r",
        buffering: int = -1,
        encoding: str | None = None,
        errors: str | None = None,
        newline: str | None = None,
        closefd: bool = True,
        opener: Any = None,
    ) -> Any:
        if not injector._concerns(file):
            return real_open(file, mode, buffering, encoding, errors, newline, closefd, opener)
        if not isinstance(file, int):
            injector.check("open", file, creates=not set(mode).isdisjoint("wxa"))
        raw = FaultyFile(file, mode.replace("b", "").replace("t", ""), closefd, opener)
        if buffering == 0:
            return raw
        buffered = _buffered(raw, mode)
        return buffered if "b" in mode else io.TextIOWrapper(buffered, encoding, errors, newline)

    io.open = builtins.open = faulty_open


def _buffered(raw: io.FileIO, mode: str) -> Any:
    if "+" in mode:
        return io.BufferedRandom(raw)
    return io.BufferedReader(raw) if set(mode).isdisjoint("wxa") else io.BufferedWriter(raw)


def _raise(name: str) -> None:
    if name and name != "short":
        code = getattr(errno, name)
        raise OSError(code, os.strerror(code))


def _patch_calls(injector: Injector) -> None:
    """The calls of the module os that change files."""

    def patched(name: str, kind: Kind, place: int = 0) -> None:
        real: Callable[..., Any] = getattr(os, name)

        def call(*args: Any, **named: Any) -> Any:
            writes = name != "open" or bool(args[1] & os.O_CREAT)
            injector.check(kind, args[place], creates=writes)
            return real(*args, **named)

        setattr(os, name, call)

    patched("open", "open")
    patched("write", "write")
    patched("sendfile", "write")
    patched("fsync", "fsync")
    patched("replace", "rename", 1)
    patched("rename", "rename", 1)
    patched("link", "rename", 1)
    patched("mkdir", "mkdir")


# --- SQLite --------------------------------------------------------------------------------------


class _Vfs(ctypes.Structure):
    """SQLite's table of what it needs of a system."""

    _fields_ = (
        ("version", ctypes.c_int),
        ("file_size", ctypes.c_int),
        ("longest_path", ctypes.c_int),
        ("next", ctypes.c_void_p),
        ("name", ctypes.c_char_p),
        ("data", ctypes.c_void_p),
        *((name, ctypes.c_void_p) for name in "open delete access full dlopen dlerror".split()),
        *((name, ctypes.c_void_p) for name in "dlsym dlclose random sleep time last".split()),
        ("time64", ctypes.c_void_p),
        ("set_system_call", ctypes.c_void_p),
        ("get_system_call", ctypes.c_void_p),
    )


_kept: list[object] = []  # SQLite keeps pointers to them


def _patch_sqlite(injector: Injector) -> None:
    """Put calls that may fail in place of those that SQLite makes to the system."""
    library = ctypes.CDLL(_sqlite3.__file__)
    find = library.sqlite3_vfs_find
    find.restype, find.argtypes = ctypes.POINTER(_Vfs), [ctypes.c_char_p]
    vfs = find(None)
    set_call = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
        vfs.contents.set_system_call
    )
    get_call = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
        vfs.contents.get_system_call
    )
    integer, size, pointer = ctypes.c_int, ctypes.c_ssize_t, ctypes.c_void_p

    def patched(name: str, kind: Kind, result: Any, *types: Any) -> None:
        address = get_call(ctypes.cast(vfs, pointer), name.encode())
        if not address:  # this build of SQLite does not make it
            return
        shape = ctypes.CFUNCTYPE(result, *types, use_errno=True)
        real = shape(address)

        def call(*args: Any) -> Any:
            place = os.fsdecode(args[0]) if isinstance(args[0], bytes) else args[0]
            creates = kind != "open" or bool(args[1] & os.O_CREAT)
            found = injector.error(kind, place, creates=creates)
            if found == "short":
                if len(args) > 2:  # no file is cut off in part
                    args = (*args[:2], max(1, args[2] // 2), *args[3:])
            elif found:
                ctypes.set_errno(getattr(errno, found))
                return -1
            ctypes.set_errno(0)
            return real(*args)

        faulty = shape(call)
        _kept.extend((faulty, real))
        set_call(ctypes.cast(vfs, pointer), name.encode(), ctypes.cast(faulty, pointer))

    patched("open", "open", integer, ctypes.c_char_p, integer, integer)
    for name in ("pread", "pread64"):
        patched(name, "read", size, integer, pointer, ctypes.c_size_t, ctypes.c_int64)
    for name in ("pwrite", "pwrite64"):
        patched(name, "write", size, integer, pointer, ctypes.c_size_t, ctypes.c_int64)
    patched("read", "read", size, integer, pointer, ctypes.c_size_t)
    patched("write", "write", size, integer, pointer, ctypes.c_size_t)
    patched("ftruncate", "write", integer, integer, ctypes.c_int64)
    patched("fallocate", "write", integer, integer, ctypes.c_int64, ctypes.c_int64)
    _kept.extend((library, set_call, get_call))
