"""Files with translated strings, written for a test."""

from __future__ import annotations

from pathlib import Path

from epicene.localisation.formats import read_localised_file
from epicene.localisation.strings import LocalisedFile
from epicene.rewriting import Change


def write(folder: Path, name: str, content: str | bytes) -> Path:
    """A file of a folder; text is written as it is, in UTF-8."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def read(
    folder: Path, name: str, content: str | bytes, language: str | None = None
) -> LocalisedFile:
    """The strings of a file."""
    return read_localised_file(write(folder, name, content), language=language)


def change(text: str, before: str, after: str) -> Change:
    """The change of the first `before` of a text."""
    start = text.index(before)
    return Change(
        start=start,
        end=start + len(before),
        before=before,
        after=after,
        rule="",
        sure="certain",
    )


def replaced(file: LocalisedFile, *changes: tuple[int, str, str]) -> str:
    """The file, as text, with words of strings changed, each given as (index, before, after)."""
    made: dict[int, list[Change]] = {}
    for index, before, after in changes:
        made.setdefault(index, []).append(change(file.strings[index].text, before, after))
    return file.replace(made).decode()
