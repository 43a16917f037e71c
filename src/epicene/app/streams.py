"""Standard output and standard error: UTF-8, and every byte is written or an error is raised."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from collections.abc import Iterator

    from _typeshed import ReadableBuffer


class CompleteWriter(io.BufferedWriter):
    """Write all bytes, whereas a raw stream may write only some of them; errors name the stream."""

    def __init__(self, raw: io.RawIOBase, stream: str, *, unbuffered: bool = False) -> None:
        super().__init__(raw)
        self._stream = stream
        self._unbuffered = unbuffered

    def write(self, data: ReadableBuffer, /) -> int:
        """Write the data, immediately if the user wants no buffering (PYTHONUNBUFFERED)."""
        try:
            written = super().write(data)
        except OSError as error:
            raise _named(error, self._stream) from error
        if self._unbuffered:
            self.flush()
        return written

    def flush(self) -> None:
        """Write what is left."""
        try:
            super().flush()
        except OSError as error:
            raise _named(error, self._stream) from error


def _named(error: OSError, stream: str) -> OSError:
    """The error with the name of the stream; the class for a closed pipe is kept."""
    return OSError(error.errno, error.strerror or str(error), stream)


def prepare_streams() -> None:
    """Make standard output and standard error write everything; a terminal gets what it can
    display.

    If the caller closed a stream, using it is an error.
    """
    for number in _closed_streams():
        # Taken, or the next file that is opened would become standard output.
        os.open(os.devnull, os.O_RDONLY if number == 1 else os.O_WRONLY)
    if sys.stdin is None:
        sys.stdin = open(0, closefd=False)  # noqa: SIM115 - a descriptor
    sys.stdout = _prepared(sys.stdout, 1, "standard output")
    sys.stderr = _prepared(sys.stderr, 2, "standard error")


def _prepared(stream: TextIO | None, number: int, name: str) -> TextIO:
    """The stream in UTF-8 and, unless another program put it there, with a complete writer."""
    if stream is None:
        return _complete(open(number, "w", closefd=False), name)
    if any(stream is each for each in (sys.__stdout__, sys.__stderr__)):
        return _complete(stream, name)
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(encoding=_encoding(stream), errors="replace")
    return stream


def _encoding(stream: TextIO) -> str:
    return stream.encoding if stream.isatty() else "utf-8"


def _closed_streams() -> Iterator[int]:
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            yield number


def _complete(stream: TextIO, name: str) -> TextIO:
    if not isinstance(stream, io.TextIOWrapper):
        return stream
    encoding = _encoding(stream)
    line_buffering, write_through = stream.line_buffering, stream.write_through
    buffer: io.BufferedIOBase | io.RawIOBase = stream.detach()
    unbuffered = isinstance(buffer, io.RawIOBase)
    raw = buffer if isinstance(buffer, io.RawIOBase) else buffer.detach()
    return io.TextIOWrapper(
        CompleteWriter(raw, name, unbuffered=unbuffered),
        encoding,
        "replace",
        line_buffering=line_buffering,
        write_through=write_through,
    )


def discard_unwritten_output() -> None:
    """Discard what could not be written: Python would try again on exit and change the exit code.

    Whatever can be written is written.
    """
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            with suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
                stream.flush()
