"""Files of one sentence or label a line, and the joint layout: one block a target."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.datafiles import read_text
from epicene.errors import InputError
from epicene.suites.apgc.labels import TARGETS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path


def read_lines(path: Path) -> list[str]:
    """The lines of a file, without their ends."""
    lines = read_text(path).split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def read_beside(path: Path, size: int, other: Path) -> list[str]:
    """The lines of a file that has as many as another."""
    lines = read_lines(path)
    if len(lines) != size:
        raise InputError(f"{path} has {len(lines)} lines, but {other} has {size} sentences.")
    return lines


def read_blocks(path: Path, size: int | None = None) -> dict[str, list[str]]:
    """Four blocks of lines, for MM, FM, MF and FF, each as long as the data (`size`)."""
    lines = read_lines(path)
    expected = len(TARGETS) * size if size is not None else None
    if len(lines) % len(TARGETS) or (expected is not None and len(lines) != expected):
        wanted = f"{expected} (four times {size})" if expected is not None else "a multiple of four"
        raise InputError(
            f"{path} ends with line {len(lines)}; the four blocks (MM, FM, MF, FF) have {wanted}."
        )
    block = len(lines) // len(TARGETS)
    return {
        target: lines[place * block : (place + 1) * block] for place, target in enumerate(TARGETS)
    }


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """One a line."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{line}\n" for line in lines)


def write_blocks(path: Path, blocks: Mapping[str, Sequence[str]]) -> None:
    """Four blocks, in the published order."""
    write_lines(path, (line for target in TARGETS for line in blocks[target]))
