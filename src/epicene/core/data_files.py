"""Read users' files (JSONL, JSON, TOML, CSV, TSV, Parquet); errors name file and line."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import tomllib
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import msgspec
import regex

from epicene.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

RecordT = TypeVar("RecordT", bound=msgspec.Struct)

# A cell between quotes, in which commas, semicolons and line breaks separate nothing.
_QUOTED = regex.compile(r'(?:^|(?<=[,;\r\n]))"(?:[^"]|"")*+"')
_HEAD_CHARACTERS = 100_000  # characters, of which the names and the first row are a part


# A spreadsheet takes a cell that begins like this for a formula and may run it
_FORMULA = regex.compile(r"'*[=+\-@\t\r\n＝＋－＠]")


class FileRow(NamedTuple):
    """One row of a file, with its file and line."""

    location: str
    values: dict[str, Any]


def read_text(path: Path) -> str:
    """A UTF-8 file's text; a byte-order mark is dropped, any other encoding is refused."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"There is no file {path}.") from None
    except IsADirectoryError:
        raise InputError(f"{path} is a folder; a file is wanted here.") from None
    except OSError as error:
        raise InputError(f"Could not read {path}: {error.strerror or error}.") from error
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        hint = "it looks like UTF-16" if b"\0" in data[:200] else "it is in another encoding"
        raise InputError(
            f"{path}, line {line}, is not UTF-8 ({hint}); save the file as UTF-8."
        ) from None


def read_toml_or_json(path: Path) -> dict[str, Any]:
    """A JSON or TOML file that holds one table of names and values."""
    if path.suffix.lower() != ".toml":
        return _require_object(_parse_json(read_text(path), str(path)), str(path))
    return parse_toml(read_text(path), path)


def parse_toml(text: str, path: Path) -> dict[str, Any]:
    """The content of a TOML file whose text was read."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path} is not TOML: {error}.") from None


def read_rows(path: Path, columns: Mapping[str, str] | None = None) -> Iterator[FileRow]:
    """The rows of a file; `columns` maps our field names to the file's own."""
    readers = {
        ".jsonl": _read_jsonl,
        ".ndjson": _read_jsonl,
        ".json": _read_json,
        ".csv": _read_delimited,
        ".tsv": _read_delimited,
        ".parquet": _read_parquet,
    }
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise InputError(
            f"{path} is of a kind that is not read here; known: {', '.join(sorted(readers))}."
        )
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
    for number, text in enumerate(read_text(path).split("\n"), start=1):
        if text.strip():
            location = f"{path}, line {number},"
            yield FileRow(location, _require_object(_parse_json(text, location), location))


def _read_json(path: Path) -> Iterator[FileRow]:
    rows = _parse_json(read_text(path), str(path))
    if not isinstance(rows, list):
        raise InputError(f"{path} is not a list of records.")
    for number, row in enumerate(rows, start=1):
        location = f"{path}, record {number},"
        yield FileRow(location, _require_object(row, location))


def _parse_json(text: str, location: str) -> Any:
    try:
        value = json.loads(text)
        json.dumps(value, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        raise InputError(f"{location} is not JSON: {error.msg} at column {error.colno}.") from None
    except UnicodeEncodeError:
        raise InputError(f"{location} holds half a character (a lone surrogate).") from None
    except RecursionError:
        raise InputError(f"{location} is nested too deeply.") from None
    return value


def _require_object(value: Any, location: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError(f"{location} is not a record with named fields.")
    return value


def _read_delimited(path: Path) -> Iterator[FileRow]:
    text = read_text(path)
    delimiter = "\t" if path.suffix.lower() == ".tsv" else _find_delimiter(path, text)
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        _check_header(path, reader.fieldnames or (), delimiter)
        for row in reader:
            location = f"{path}, line {reader.line_num},"
            if None in row or None in row.values():
                raise InputError(f"{location} has another number of columns than the first line.")
            yield FileRow(location, dict(row))
    except csv.Error as error:
        raise InputError(f"{path}, line {reader.line_num}, is not CSV: {error}.") from None


def _find_delimiter(path: Path, text: str) -> str:
    """A comma, or the semicolon of spreadsheets whose locale has decimal commas.

    The names of the columns tell. Where they hold both, the first row does, if it can.
    """
    bare = _QUOTED.sub("", text[:_HEAD_CHARACTERS])
    names, row = [*regex.split(r"[\r\n]+", bare, maxsplit=2), ""][:2]
    found = [sign for sign in ",;" if sign in names]
    if len(found) > 1:
        found = [sign for sign in found if names.count(sign) == row.count(sign)]
        if len(found) != 1:
            raise InputError(
                f"{path}, line 1, may be separated by commas or by semicolons; put names that hold "
                "one of them between quotes."
            )
    return found[0] if found else ","


def _check_header(path: Path, names: Sequence[str], delimiter: str) -> None:
    """Raise if a column's name comes twice, or all of them look like one."""
    for name in names:
        if list(names).count(name) > 1:
            raise InputError(f"{path}, line 1, has two columns named {name!r}.")
    if len(names) == 1 and ";" in names[0] and delimiter == "\t":
        raise InputError(f"{path}, line 1, is separated by semicolons; name it .csv.")


def _read_parquet(path: Path) -> Iterator[FileRow]:
    import polars as pl

    if path.is_dir():
        raise InputError(f"{path} is a folder; a file is wanted here.")
    try:
        frame = pl.read_parquet(path)
    except FileNotFoundError:
        raise InputError(f"There is no file {path}.") from None
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
    """The rows of a file as records of one kind; columns it has no field for are passed over.

    An id that is empty or comes twice is refused. `defaults` gives, for the number of a row, the
    fields that the file may lack.
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
            raise InputError(f"{line.location} does not fit: {error}.") from None
        name = getattr(record, "id", None)
        if name == "":
            raise InputError(f"{line.location} has an empty id.")
        if name is not None:
            if name in seen:
                raise InputError(f"{line.location} has the id {name!r} again ({seen[name]}).")
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
    """The text as a cell that no spreadsheet takes for a formula."""
    return f"'{text}" if _FORMULA.match(text) else text


def unescape_formula(text: str) -> str:
    """The text of a cell that `escape_formula` made."""
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text
