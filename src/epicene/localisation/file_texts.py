"""The text of a file, read so that writing it again gives the same bytes."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING

from epicene.core.data_files import not_utf8, open_file
from epicene.core.errors import InputError
from epicene.localisation.strings import FileText

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MAX_FILE_BYTES = 32 * 2**20  # files are read as a whole

_BYTE_ORDER_MARKS = ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


def read_file_text(path: Path, charset: Callable[[bytes], str] | None = None) -> FileText:
    """The text of a file: in UTF-16 if it starts with its byte-order mark, in the encoding that
    `charset` finds in it, or in UTF-8.
    """
    data = _read_bytes(path)
    encoding = next((name for mark, name in _BYTE_ORDER_MARKS if data.startswith(mark)), "")
    encoding = encoding or (charset(data) if charset else "") or "utf-8"
    try:
        text = data.decode(encoding)
        same = text.encode(encoding) == data
    except LookupError:
        raise InputError(
            f"{path} names an unknown encoding, {encoding!r}; save the file as UTF-8."
        ) from None
    except UnicodeError as error:
        start = error.start if isinstance(error, UnicodeDecodeError) else 0
        line = data.count(b"\n", 0, start) + 1
        if encoding == "utf-8":
            byte = start - (data.rfind(b"\n", 0, start) + 1)
            raise not_utf8(str(path), line, byte) from None
        raise InputError(
            f"{path}, line {line}, is not in the encoding that it names, {encoding}; save the file "
            "as UTF-8."
        ) from None
    if not same:
        raise InputError(
            f"{path} cannot be written back unchanged in {encoding}; save it as UTF-8."
        )
    file = FileText(path, text, encoding)
    if (null := text.find("\0")) >= 0:
        raise file.error(null, "this is not text: it has a NUL character")
    return file


def _read_bytes(path: Path) -> bytes:
    with open_file(path) as file:
        data = file.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        raise InputError(
            f"{path} is larger than {MAX_FILE_BYTES // 2**20} MiB, the limit for files with "
            "strings; split it."
        )
    return data
