"""Read users' files (JSONL, JSON, TOML, CSV, TSV, Parquet); errors name file and line."""

from __future__ import annotations

import codecs
import csv
import hashlib
import json
import tomllib
from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, TypeVar

import msgspec
import regex

from epicene.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

RecordT = TypeVar("RecordT", bound=msgspec.Struct)

MAX_LINE_BYTES = 16 * 2**20  # far above any text that a model or a person is asked about
MAX_DOCUMENT_BYTES = 64 * 2**20  # of JSON and TOML, which are parsed as a whole
ROW_FORMATS = (".csv", ".json", ".jsonl", ".ndjson", ".parquet", ".tsv")

# Python's own limit for a cell is 131,072 characters. This one is for the whole process.
csv.field_size_limit(MAX_LINE_BYTES)

# A spreadsheet takes a cell that begins like this for a formula and may run it. Some drop blanks
# and invisible characters first, and some read full-width signs as the ASCII ones.
_INVISIBLE = r"[\s\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\N{BRAILLE PATTERN BLANK}]"
_FORMULA = regex.compile(rf"'*(?:[\t\r\n]|{_INVISIBLE}*[=+\-@＝＋－＠﹢﹣﹦﹫])")


class FileRow(NamedTuple):
    """One row of a file, with its file and line."""

    location: str
    values: dict[str, Any]


# --- text ------------------------------------------------------------------------------------


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


def read_text(path: Path) -> str:
    """A UTF-8 file's text; a byte-order mark is dropped, any other encoding is rejected."""
    with open_file(path) as file:
        data = file.read(MAX_DOCUMENT_BYTES + 1)
    if len(data) > MAX_DOCUMENT_BYTES:
        raise InputError(
            f"{path} is larger than {MAX_DOCUMENT_BYTES // 2**20} MiB, the limit for a file that "
            "is read as a whole; split it, or save its rows as JSON lines (.jsonl)."
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        byte = error.start - (before.rfind(b"\n") + 1)
        raise not_utf8(str(path), before.count(b"\n") + 1, byte) from None


def iterate_lines(path: Path) -> Iterator[str]:
    """Iterate over the lines of a UTF-8 file with their line endings, without a byte-order mark."""
    with open_file(path) as file:
        number = 1
        while data := file.readline(MAX_LINE_BYTES + 1):
            if number == 1:
                data = data.removeprefix(codecs.BOM_UTF8)
            if len(data) > MAX_LINE_BYTES:
                raise line_too_long(str(path), number)
            yield decode_line(data, str(path), number)
            number += 1


def read_text_lines(path: Path) -> list[str]:
    """A UTF-8 file split at its line feeds; the last part is empty if the file ends with one."""
    lines = list(iterate_lines(path))
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
        f"{location}, line {line}, is longer than {MAX_LINE_BYTES // 2**20} MiB; is a line break "
        "missing?"
    )


# --- documents -------------------------------------------------------------------------------


def read_toml_or_json(path: Path) -> dict[str, Any]:
    """A JSON or TOML file that contains one table of names and values."""
    if path.suffix.lower() == ".toml":
        return parse_toml(read_text(path), path)
    return _require_object(parse_json(read_text(path), str(path)), str(path))


def parse_toml(text: str, path: Path) -> dict[str, Any]:
    """The content of a TOML file whose text was read."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path} is not TOML: {error}.") from None
    except RecursionError:
        raise InputError(f"{path} is nested too deeply.") from None


def parse_json(text: str, location: str) -> Any:
    """The value of a JSON text; repeated keys, half characters and deep nesting are rejected."""
    try:
        value = json.loads(text, object_pairs_hook=_without_repeated_keys)
        if "\\u" in text:  # read from UTF-8, a text has half characters only as escapes
            json.dumps(value, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        line = f"line {error.lineno}, " if "\n" in text.rstrip() else ""
        raise InputError(
            f"{location} is not JSON: {error.msg} at {line}column {error.colno}."
        ) from None
    except KeyError as error:
        raise InputError(f"{location} has the key {error.args[0]!r} twice; remove one.") from None
    except UnicodeEncodeError:
        raise InputError(
            f"{location} contains half a character (a lone surrogate); remove it."
        ) from None
    except ValueError:
        raise InputError(f"{location} contains a number with too many digits.") from None
    except RecursionError:
        raise InputError(f"{location} is nested too deeply.") from None
    return value


def _without_repeated_keys(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise KeyError(_repeated(name for name, _ in pairs)[0])
    return found


def _repeated(names: Iterable[str]) -> list[str]:
    return [name for name, times in Counter(names).items() if times > 1]


def _require_object(value: Any, location: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError(f"{location} is not a record with named fields.")
    return value


# --- rows ------------------------------------------------------------------------------------


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
    if suffix in (".csv", ".tsv"):
        rows = _read_delimited(path, suffix)
    else:
        rows = {".json": _read_json, ".parquet": _read_parquet}.get(suffix, _read_jsonl)(path)
    for row in rows:
        yield _rename_columns(row, columns) if columns else row


def _rename_columns(row: FileRow, names: Mapping[str, str]) -> FileRow:
    for theirs in names.values():
        if theirs not in row.values:
            raise InputError(
                f"{row.location} has no column {theirs!r}; it has "
                f"{', '.join(map(str, row.values))}."
            )
    renamed = {ours: row.values[theirs] for ours, theirs in names.items()}
    others = {name: each for name, each in row.values.items() if name not in names.values()}
    return FileRow(row.location, others | renamed)


def _read_jsonl(path: Path) -> Iterator[FileRow]:
    for number, text in enumerate(iterate_lines(path), start=1):
        if text.strip():
            location = f"{path}, line {number},"
            value = parse_json(text.rstrip(), location)
            yield FileRow(location, _require_object(value, location))


def _read_json(path: Path) -> Iterator[FileRow]:
    rows = parse_json(read_text(path), str(path))
    if not isinstance(rows, list):
        raise InputError(f"{path} is not a list of records.")
    for number, row in enumerate(rows, start=1):
        location = f"{path}, record {number},"
        yield FileRow(location, _require_object(row, location))


def _read_delimited(path: Path, suffix: str) -> Iterator[FileRow]:
    delimiter = "\t" if suffix == ".tsv" else _find_delimiter(iterate_lines(path))
    reader = csv.reader(iterate_lines(path), delimiter=delimiter, strict=True)
    names: list[str] = []
    line = 1
    try:
        for row in reader:
            location = f"{path}, line {line},"
            line = reader.line_num + 1
            if not row:
                continue
            if not names:
                names = row
                if repeated := _repeated(names):
                    raise InputError(f"{location} has two columns named {repeated[0]!r}.")
            elif len(row) != len(names):
                raise InputError(
                    f"{location} does not have the same number of columns as the first line."
                )
            else:
                yield FileRow(location, dict(zip(names, row, strict=True)))
    except csv.Error as error:
        raise InputError(f"{path}, line {line}, is not CSV: {error}.") from None


def _find_delimiter(lines: Iterable[str]) -> str:
    """A comma, or what the column names have more of: the semicolon of spreadsheets whose locale
    has decimal commas, or a tab.
    """
    header = next((line for line in lines if line.strip()), "")
    return max(",;\t", key=header.count)


def _read_parquet(path: Path) -> Iterator[FileRow]:
    import polars as pl

    with open_file(path):
        pass
    try:
        frame = pl.read_parquet(path)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise InputError(f"Could not read {path} as Parquet: {error}.") from None
    for number, row in enumerate(frame.iter_rows(named=True), start=1):
        yield FileRow(f"{path}, row {number},", row)


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
    state = hashlib.sha256()
    with open_file(path) as file:
        while piece := file.read(2**20):
            state.update(piece)
    return state.hexdigest()


def escape_formula(text: str) -> str:
    """The text as a cell that no spreadsheet interprets as a formula."""
    return f"'{text}" if _FORMULA.match(text) else text


def unescape_formula(text: str) -> str:
    """The text of a cell that `escape_formula` made."""
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text
