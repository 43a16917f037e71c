"""Read users' files (JSONL, JSON, TOML, CSV, TSV, Parquet); errors name file and line.

Every reader checks its limit before it allocates memory, so that a broken or hostile file is
rejected at the line where it goes wrong.
"""

from __future__ import annotations

import codecs
import csv
import hashlib
import json
import tomllib
from collections import Counter
from contextlib import contextmanager
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, TypeVar

import msgspec
import regex

from epicene.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    import polars

RecordT = TypeVar("RecordT", bound=msgspec.Struct)

MAX_LINE_BYTES = 16 * 2**20  # far above any text that a model or a person is asked about
MAX_DOCUMENT_BYTES = 64 * 2**20  # of JSON and TOML, which are parsed as a whole
MAX_COLUMNS = 16_384  # as many as a spreadsheet has
MAX_ROW_LINES = 10_000  # of a CSV row with line breaks between quotes; more is a missing quote
ROW_FORMATS = (".csv", ".json", ".jsonl", ".ndjson", ".parquet", ".tsv")
_PARQUET_ROWS = 10_000  # that are read at a time

# Python's own limit for a cell is 131,072 characters. This one is for the whole process.
csv.field_size_limit(MAX_LINE_BYTES)

# A cell between quotes, in which commas, semicolons and line breaks separate nothing.
_QUOTED = regex.compile(r'(?:^|(?<=[,;\r\n]))"(?:[^"]|"")*+"')
_LINE = regex.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_HEAD_CHARACTERS = 100_000  # characters, of which the names and the first row are a part

# A spreadsheet takes a cell that begins like this for a formula and may run it. Some drop blanks
# and invisible characters first, and some read full-width signs as the ASCII ones.
_INVISIBLE = r"[\s\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\N{BRAILLE PATTERN BLANK}]"
_FORMULA = regex.compile(rf"'*(?:[\t\r\n]|{_INVISIBLE}*[=+\-@＝＋－＠﹢﹣﹦﹫])")


class FileRow(NamedTuple):
    """One row of a file, with its file and line."""

    location: str
    values: dict[str, Any]


def read_text(path: Path) -> str:
    """A UTF-8 file's text; a byte-order mark is dropped, any other encoding is rejected."""
    with open_file(path) as file:
        data = file.read(MAX_DOCUMENT_BYTES + 1)
    if len(data) > MAX_DOCUMENT_BYTES:
        raise InputError(
            f"{path} is larger than {_mebibytes(MAX_DOCUMENT_BYTES)}, the limit for a file that "
            "is read as a whole; split it, or save its rows as JSON lines (.jsonl)."
        )
    _refuse_utf16(data, path)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        byte = error.start - (before.rfind(b"\n") + 1)
        raise not_utf8(str(path), before.count(b"\n") + 1, byte) from None


def read_text_lines(path: Path) -> list[str]:
    """A UTF-8 file split at its line feeds; the last part is empty if the file ends with one."""
    lines = list(iterate_lines(path))
    if len(lines) == 1 and "\r" in lines[0].rstrip("\r\n"):
        raise InputError(f"{path} has CR line endings; save it with LF or CRLF line endings.")
    ended = not lines or lines[-1].endswith("\n")
    return [line.removesuffix("\n") for line in lines] + [""] * ended


def decode_line(data: bytes, location: str, number: int) -> str:
    """The text of a line of UTF-8; raises if it is not UTF-8."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise not_utf8(location, number, error.start) from None


def not_utf8(location: str, line: int, byte: int) -> InputError:
    """The error for bytes that are not UTF-8; `byte` counts from 0 within the line."""
    return InputError(
        f"{location}, line {line}, is not UTF-8 (byte {byte + 1} of the line): it is in another "
        "encoding; save the file as UTF-8."
    )


def line_too_long(location: str, line: int) -> InputError:
    """The error for a line that exceeds the limit."""
    return InputError(
        f"{location}, line {line}, is longer than {_mebibytes(MAX_LINE_BYTES)}; is a line break "
        "missing?"
    )


@contextmanager
def open_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file for reading; errors name it."""
    try:
        with path.open("rb") as file:
            yield file
    except FileNotFoundError:
        raise InputError(f"There is no file {path}.") from None
    except IsADirectoryError:
        raise InputError(f"{path} is a folder, not a file.") from None
    except OSError as error:
        raise InputError(f"Could not read {path}: {error.strerror or error}.") from error


def iterate_lines(path: Path) -> Iterator[str]:
    """Iterate over the lines of a UTF-8 file with their line endings, without a byte-order mark."""
    with open_file(path) as file:
        number, location = 1, str(path)
        while data := file.readline(MAX_LINE_BYTES + 1):
            if number == 1:
                _refuse_utf16(data, path)
                data = data.removeprefix(codecs.BOM_UTF8)
            if len(data) > MAX_LINE_BYTES:
                raise line_too_long(location, number)
            yield decode_line(data, location, number)
            number += 1


def _iterate_rows(path: Path) -> Iterator[str]:
    """The lines of a file whose lines may also end with CR only, as old spreadsheets write them."""
    for line in iterate_lines(path):
        if "\r" in line.removesuffix("\n").removesuffix("\r"):
            yield from _LINE.findall(line)
        else:
            yield line


def _refuse_utf16(head: bytes, path: Path) -> None:
    head = head[:200]
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or (
        head.count(0) > len(head) // 3  # Latin letters have a zero byte each
    ):
        raise InputError(
            f"{path}, line 1, is not UTF-8 (it looks like UTF-16); save the file as UTF-8."
        )


def _mebibytes(size: int) -> str:
    return f"{size // 2**20} MiB"


def read_toml_or_json(path: Path) -> dict[str, Any]:
    """A JSON or TOML file that contains one table of names and values."""
    if path.suffix.lower() != ".toml":
        return _require_object(parse_json(read_text(path), str(path)), str(path))
    return parse_toml(read_text(path), path)


def parse_toml(text: str, path: Path) -> dict[str, Any]:
    """The content of a TOML file whose text was read."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path} is not TOML: {error}.") from None
    except RecursionError:
        raise InputError(f"{path} is nested too deeply.") from None


def read_rows(
    path: Path, columns: Mapping[str, str] | None = None, suffix: str | None = None
) -> Iterator[FileRow]:
    """The rows of a file; `columns` maps Epicene's field names to the file's column names.

    `suffix` gives the file type if the file's name does not.
    """
    suffix = suffix or path.suffix.lower()
    if suffix not in ROW_FORMATS:
        raise InputError(
            f"{path} has an unsupported file type; use one of {', '.join(ROW_FORMATS)}."
        )
    reader = {".json": _read_json, ".parquet": _read_parquet}.get(suffix, _read_jsonl)
    if suffix in (".csv", ".tsv"):
        reader = partial(_read_delimited, suffix=suffix)
    names = dict(columns or {})
    for line in reader(path):
        yield FileRow(line.location, _rename_columns(line, names)) if names else line


def _rename_columns(line: FileRow, names: Mapping[str, str]) -> dict[str, Any]:
    values = dict(line.values)
    for ours, theirs in names.items():
        if theirs not in line.values:
            raise InputError(
                f"{line.location} has no column {theirs!r}; it has "
                f"{', '.join(map(str, line.values))}."
            )
        values[ours] = line.values[theirs]
    taken = set(names.values()) - set(names)
    return {name: value for name, value in values.items() if name not in taken}


def _read_jsonl(path: Path) -> Iterator[FileRow]:
    for number, text in enumerate(_iterate_rows(path), start=1):
        if text.strip():
            location = f"{path}, line {number},"
            yield FileRow(location, _require_object(parse_json(text, location), location))


def _read_json(path: Path) -> Iterator[FileRow]:
    rows = parse_json(read_text(path), str(path))
    if not isinstance(rows, list):
        raise InputError(f"{path} is not a list of records.")
    for number, row in enumerate(rows, start=1):
        location = f"{path}, record {number},"
        yield FileRow(location, _require_object(row, location))


_SHALLOW = 100  # brackets that are never nested too deeply


def parse_json(text: str, location: str) -> Any:
    """The value of a JSON text; lone surrogates and overly deep nesting are rejected."""
    try:
        value = json.loads(text)
        # Read from UTF-8, a text has half characters only as escapes.
        if "\\u" in text or text.count("[") + text.count("{") > _SHALLOW:
            json.dumps(value, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        line = f"line {error.lineno}, " if "\n" in text.rstrip() else ""
        raise InputError(
            f"{location} is not JSON: {error.msg} at {line}column {error.colno}."
        ) from None
    except UnicodeEncodeError:
        raise InputError(
            f"{location} contains half a character (a lone surrogate); remove it."
        ) from None
    except ValueError:
        raise InputError(f"{location} contains a number with too many digits.") from None
    except RecursionError:
        raise InputError(f"{location} is nested too deeply.") from None
    return value


def _require_object(value: Any, location: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError(f"{location} is not a record with named fields.")
    return value


def _read_delimited(path: Path, suffix: str) -> Iterator[FileRow]:
    lines = _CountedLines(path)
    delimiter = "\t" if suffix == ".tsv" else _find_delimiter(path, lines.head())
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    names: list[str] | None = None
    try:
        for row in reader:
            location = f"{path}, line {lines.start},"
            lines.end_row()
            if not row:
                continue
            if names is None:
                names = row
                _check_header(path, names, delimiter)
            elif len(row) != len(names):
                raise InputError(
                    f"{location} does not have the same number of columns as the first line."
                )
            else:
                yield FileRow(location, dict(zip(names, row, strict=True)))
    except csv.Error as error:
        raise InputError(f"{path}, line {lines.start}, is not CSV: {error}.") from None


class _CountedLines:
    """The lines of a CSV file for its reader, with the line at which the current row starts."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lines: Iterator[str] = _iterate_rows(path)
        self._read = 0
        self._characters = 0
        self.start = 1

    def head(self) -> str:
        """The start of the file, which is read again afterwards."""
        lines: list[str] = []
        length = 0
        while length < _HEAD_CHARACTERS and (line := next(self._lines, "")):
            lines.append(line)
            length += len(line)
        self._lines = chain(lines, self._lines)
        return "".join(lines)

    def end_row(self) -> None:
        """The reader has a whole row; the next one starts after it."""
        self.start = self._read + 1
        self._characters = 0

    def __iter__(self) -> Iterator[str]:
        """The lines; raises if one row takes too many."""
        for line in self._lines:
            self._read += 1
            self._characters += len(line)
            if self._read - self.start >= MAX_ROW_LINES or self._characters > MAX_LINE_BYTES:
                raise InputError(
                    f"{self._path}, line {self.start}, starts a row that does not end within "
                    f"{MAX_ROW_LINES} lines or {_mebibytes(MAX_LINE_BYTES)}; is a closing quote "
                    "missing?"
                )
            yield line


def _find_delimiter(path: Path, text: str) -> str:
    """A comma, or the semicolon of spreadsheets whose locale has decimal commas; or a tab.

    The column names decide. If they contain both of the first two, the first row decides, if it
    can; a tab separates names that contain neither.
    """
    bare = _QUOTED.sub("", text[:_HEAD_CHARACTERS])
    names, row = [*regex.split(r"[\r\n]+", bare, maxsplit=2), ""][:2]
    found = [sign for sign in ",;" if sign in names]
    if len(found) > 1:
        found = [sign for sign in found if names.count(sign) == row.count(sign)]
        if len(found) != 1:
            raise InputError(
                f"{path}, line 1, may be separated by commas or by semicolons; put quotes around "
                "column names that contain one of them."
            )
    if not found and "\t" in names:
        return "\t"
    return found[0] if found else ","


def _check_header(path: Path, names: Sequence[str], delimiter: str) -> None:
    """Raise if there are too many columns, if a name occurs twice, or if all columns look like
    one.
    """
    if len(names) > MAX_COLUMNS:
        raise InputError(
            f"{path}, line 1, has {len(names)} columns, and the limit is {MAX_COLUMNS}. Are rows "
            "and columns swapped, or is a line break missing?"
        )
    for name, times in Counter(names).items():
        if times > 1:
            raise InputError(f"{path}, line 1, has two columns named {name!r}.")
    if len(names) == 1 and delimiter == "\t":
        for sign, called in ((";", "semicolons"), (",", "commas")):
            if sign in names[0]:
                raise InputError(f"{path}, line 1, is separated by {called}; name it .csv.")


def _read_parquet(path: Path) -> Iterator[FileRow]:
    import polars as pl

    if path.is_dir():
        raise InputError(f"{path} is a folder, not a file.")
    number = 0
    try:
        columns = len(pl.read_parquet_schema(path))
        if columns > MAX_COLUMNS:
            raise InputError(f"{path} has {columns} columns, and the limit is {MAX_COLUMNS}.")
        frame = pl.scan_parquet(path)
        while len(piece := frame.slice(number, _PARQUET_ROWS).collect()):
            for row in _bounded_rows(piece, f"{path}, row", number + 1):
                number += 1
                yield FileRow(f"{path}, row {number},", row)
    except FileNotFoundError:
        raise InputError(f"There is no file {path}.") from None
    except (OSError, pl.exceptions.PolarsError) as error:
        raise InputError(f"Could not read {path} as Parquet: {error}.") from None


def _bounded_rows(piece: polars.DataFrame, location: str, first: int) -> Iterator[dict[str, Any]]:
    """The rows, numbered from `first`; raises at a row that is too long.

    Polars stores a repeated text once, but as Python objects every copy would be in memory.
    """
    import polars as pl

    texts = pl.selectors.by_dtype(pl.String, pl.Categorical, pl.Enum).cast(pl.String)
    sizes = piece.select(
        pl.sum_horizontal(
            pl.lit(0, pl.Int64),
            texts.str.len_bytes().cast(pl.Int64),
            pl.selectors.binary().bin.size().cast(pl.Int64),
        )
    ).to_series()
    begin = length = 0
    for end, size in enumerate(sizes):
        if size > MAX_LINE_BYTES:
            raise InputError(
                f"{location} {first + end}, is longer than {_mebibytes(MAX_LINE_BYTES)}."
            )
        if length + size > MAX_LINE_BYTES:
            yield from piece[begin:end].rows(named=True)
            begin, length = end, 0
        length += size
    yield from piece[begin:].rows(named=True)


def read_records(
    path: Path,
    kind: type[RecordT],
    columns: Mapping[str, str] | None = None,
    defaults: Callable[[int], Mapping[str, Any]] | None = None,
) -> Iterator[RecordT]:
    """The rows of a file as records of one kind; columns without a field are ignored.

    An id that is empty or occurs twice is rejected. `defaults` gives, for a row number, the fields
    that the file may lack.
    """
    seen: dict[Any, str] = {}
    fields = kind.__struct_fields__
    for number, line in enumerate(read_rows(path, columns), start=1):
        known = {name: value for name, value in line.values.items() if name in fields}
        if defaults is not None:
            known = {**defaults(number), **known}
        if isinstance(known.get("id"), int):
            known["id"] = str(known["id"])
        try:
            record = msgspec.convert(known, kind, strict=False)
        except msgspec.ValidationError as error:
            raise InputError(f"{line.location} is invalid: {error}.") from None
        name = getattr(record, "id", None)
        if name == "":
            raise InputError(f"{line.location} has an empty id.")
        if name is not None:
            if name in seen:
                raise InputError(f"{line.location} repeats the id {name!r} ({seen[name]}).")
            seen[name] = line.location.rstrip(",")
        yield record


def sha256_of(path: Path) -> str:
    """The hash of a file's content."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"Could not read {path}: {error.strerror or error}.") from error


def escape_formula(text: str) -> str:
    """The text as a cell that no spreadsheet interprets as a formula."""
    return f"'{text}" if _FORMULA.match(text) else text


def unescape_formula(text: str) -> str:
    """The text of a cell that `escape_formula` made."""
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text
