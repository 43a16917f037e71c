"""Pictures of noise, written as PNG without an imaging library."""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_HEADER = struct.Struct(">IIBBBBB")
_EIGHT_BITS, _RGB = 8, 2
_CHANNELS = 3
_NO_FILTER = b"\0"


def noise_png(width: int, height: int, even: Callable[[], float]) -> bytes:
    """A colour picture of even noise; `even` gives numbers in [0, 1)."""
    rows = [
        _NO_FILTER + bytes(int(even() * 256) for _ in range(width * _CHANNELS))
        for _ in range(height)
    ]
    # Stored, not deflated: noise does not shrink, and every zlib stores the same bytes.
    pixels = zlib.compress(b"".join(rows), level=0)
    header = _HEADER.pack(width, height, _EIGHT_BITS, _RGB, 0, 0, 0)
    return b"".join(
        [_SIGNATURE, _chunk(b"IHDR", header), _chunk(b"IDAT", pixels), _chunk(b"IEND", b"")]
    )


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
