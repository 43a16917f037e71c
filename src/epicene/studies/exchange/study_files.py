"""Read study files (TOML or JSON), and write them as TOML."""

from __future__ import annotations

import json
import re
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any

import msgspec

from epicene.core.data_files import parse_json, parse_toml, read_text
from epicene.core.errors import InputError
from epicene.studies.design.checks import check_study
from epicene.studies.design.sampling import item_id
from epicene.studies.design.schema import Study

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path


def read_study(path: Path) -> Study:
    """Read and check a study from a TOML or JSON file."""
    study = parse_study(path)
    check_study(study, str(path))
    return study


def parse_study(path: Path) -> Study:
    """Read a study whose parts need not fit together."""
    text = read_text(path)
    try:
        if path.suffix == ".toml":
            values = _with_closing_time(parse_toml(text, path))
        elif path.suffix == ".json":
            values = parse_json(text, str(path))
        else:
            raise InputError(f"{path} is not a study: a study is a .toml or .json file.")
        return msgspec.convert(values, Study)
    except msgspec.ValidationError as error:
        raise InputError(
            f"{path} does not fit: {error}; the documentation lists all fields of study.toml."
        ) from None


def _with_closing_time(values: dict[str, Any]) -> dict[str, Any]:
    """The values with the time when the study closes, if the file names only its last day."""
    access = values.get("access")
    last = access.get("closes") if isinstance(access, dict) else None
    if not isinstance(last, date) or isinstance(last, datetime):
        return values
    # "Never" may be written as the last date there is, which has no next day.
    latest = datetime.max.replace(tzinfo=UTC)
    ends = latest if last == date.max else datetime.combine(last, time(), UTC) + timedelta(days=1)
    return values | {"access": {**values["access"], "closes": ends}}


def study_toml(study: Study) -> str:
    """The study as TOML."""
    return "\n".join(_toml(msgspec.to_builtins(study, builtin_types=(datetime,)))) + "\n"


def _toml(table: Mapping[str, Any], path: str = "") -> Iterator[str]:
    """The lines of a TOML table, as the standard library does not write TOML."""
    tables = {key: value for key, value in table.items() if isinstance(value, dict)}
    lists = {key: value for key, value in table.items() if _is_list_of_tables(value)}
    for key, value in table.items():
        if key not in tables and key not in lists:
            yield f"{_toml_key(key)} = {_toml_value(value)}"
    for key, value in tables.items():
        yield from ("", f"[{path}{_toml_key(key)}]", *_toml(value, f"{path}{_toml_key(key)}."))
    for key, rows in lists.items():
        for row in rows:
            yield from ("", f"[[{path}{_toml_key(key)}]]", *_toml(row, f"{path}{_toml_key(key)}."))


def _is_list_of_tables(value: object) -> bool:
    return isinstance(value, tuple) and bool(value) and all(isinstance(row, dict) for row in value)


def _toml_key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _toml_text(key)


def _toml_value(value: Any) -> str:
    if isinstance(value, str):
        lines = [_toml_text(line)[1:-1] for line in value.split("\n")]
        return f'"{lines[0]}"' if len(lines) == 1 else '"""\n{}"""'.format("\n".join(lines))
    if isinstance(value, tuple):
        return f"[{', '.join(map(_toml_inline, value))}]"
    return value.isoformat() if isinstance(value, datetime) else json.dumps(value)


def _toml_inline(value: Any) -> str:
    if isinstance(value, dict):
        pairs = (f"{_toml_key(key)} = {_toml_inline(inner)}" for key, inner in value.items())
        return f"{{{', '.join(pairs)}}}"
    return _toml_text(value) if isinstance(value, str) else _toml_value(value)


def _toml_text(text: str) -> str:
    # A JSON string is a TOML string, except for a control character that JSON does not escape.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def read_study_definition(path: Path) -> Study:
    """Read a suite's study, which has no items yet, from its file.

    The ids of practice items, attention checks and fillers become opaque like those of items.
    """
    study = read_study(path)
    opaque = {
        part: tuple(
            msgspec.structs.replace(item, id=item_id(study.name, item.id))
            for item in getattr(study, part)
        )
        for part in ("practice", "checks", "fillers")
    }
    return msgspec.structs.replace(study, **opaque)
