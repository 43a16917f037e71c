"""Find control characters in data files: models see them, people do not."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from epicene.core.control_characters import escape_controls
from epicene.core.data_files import ROW_FORMATS, read_rows, read_text_lines
from epicene.core.errors import InputError
from epicene.suites import DataIssue

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

_MOST = 20  # issues that are listed per file


def control_character_issues(files: Sequence[Path]) -> Iterator[DataIssue]:
    """An issue for each row or line with a control character other than tab and line break."""
    for path in files:
        rest = 0
        for number, (location, field, shown) in enumerate(_found(path), start=1):
            if number > _MOST:
                rest += 1
            else:
                where = f"The column {field} has" if field else "The line has"
                yield DataIssue("warning", location, f"{where} control characters: {shown}")
        if rest:
            yield DataIssue("warning", str(path), f"{rest} more rows have control characters.")


def _found(path: Path) -> Iterator[tuple[str, str, str]]:
    """Location, column and the text with its control characters visible, once per row."""
    for location, values in _texts(path):
        for field, text in values:
            plain = text.replace("\r\n", "\n")
            shown = escape_controls(plain)
            if shown != plain:
                yield location.rstrip(","), field, shown if len(shown) < 200 else f"{shown[:200]}…"
                break


def _texts(path: Path) -> Iterator[tuple[str, Iterable[tuple[str, str]]]]:
    """The texts of each row by column, or of each line; the suite may read a file otherwise."""
    with suppress(InputError):
        if path.suffix.lower() not in ROW_FORMATS:
            for number, line in enumerate(read_text_lines(path), start=1):
                yield f"{path}, line {number}", [("", line.removesuffix("\r"))]
            return
        for location, values in read_rows(path):
            yield location, [(name, text) for name, value in values.items() for text in _all(value)]


def _all(value: Any) -> Iterator[str]:
    """The texts in a value of a row."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        yield from (text for text in value if isinstance(text, str))
