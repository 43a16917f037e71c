"""Pictures sound and unsound, as bytes."""

from __future__ import annotations

import io
import struct
import zlib

from PIL import Image


def picture(width: int = 4, height: int = 3, form: str = "PNG", shade: int = 90) -> bytes:
    """A plain grey picture."""
    buffer = io.BytesIO()
    Image.new("L", (width, height), shade).save(buffer, format=form)
    return buffer.getvalue()


def claiming(width: int, height: int) -> bytes:
    """A PNG of a few bytes whose header claims a size."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + check

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    pixels = zlib.compress(bytes(1000))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        [chunk(b"IHDR", header), chunk(b"IDAT", pixels), chunk(b"IEND", b"")]
    )
