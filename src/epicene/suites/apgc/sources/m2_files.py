"""M2 files: each source sentence with the edits that turn it into its target."""

from __future__ import annotations

from typing import TYPE_CHECKING

import regex

from epicene.datafiles import read_text
from epicene.errors import InputError
from epicene.suites.apgc.m2 import Edit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

_EDIT = regex.compile(r"A (\d+) (\d+)\|\|\|[^|]*\|\|\|(.*?)\|\|\|REQUIRED\|\|\|-NONE-\|\|\|0")


def read_m2(path: Path) -> Iterator[tuple[list[str], list[Edit]]]:
    """Each source's words and the edits wanted."""
    words: list[str] | None = None
    edits: list[Edit] = []
    for number, line in enumerate([*read_text(path).split("\n"), ""], start=1):
        place = f"{path}, line {number},"
        if line.startswith("S "):
            if words is not None:
                raise InputError(f"{place} begins a sentence before the last one's blank line.")
            words = line[2:].split()
        elif line.startswith("A ") and words is not None:
            edits.append(_edit(line, len(words), place))
        elif not line.strip():
            if words is not None:
                yield words, edits
            words, edits = None, []
        else:
            raise InputError(f"{place} is neither a sentence (S …) nor an edit of one (A …).")


def _edit(line: str, size: int, place: str) -> Edit:
    match = _EDIT.fullmatch(line)
    if match is None:
        raise InputError(f"{place} is not an edit: A start end|||type|||words|||REQUIRED|||….")
    start, end = int(match[1]), int(match[2])
    if not 0 <= start <= end <= size:
        raise InputError(f"{place} edits words {start} to {end} of a sentence of {size}.")
    return Edit(start, end, tuple(match[3].split()))


def m2_text(sentences: Iterable[tuple[Sequence[str], Sequence[Edit]]]) -> Iterator[str]:
    """The lines of an M2 file, with their ends."""
    for words, edits in sentences:
        yield f"S {' '.join(words)}\n"
        for edit in edits:
            changed = " ".join(edit.words)
            yield f"A {edit.start} {edit.end}|||UNK|||{changed}|||REQUIRED|||-NONE-|||0\n"
        yield "\n"
