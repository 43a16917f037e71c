"""The joint layout: four blocks in one file, the sources four times and each target once."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from epicene.errors import InputError
from epicene.suites.apgc.labels import TARGETS
from epicene.suites.apgc.sources.lines import read_blocks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

# Where a corpus keeps these files.
FOLDER = "joint"


class JointFiles(NamedTuple):
    """The joint files of a split."""

    sources: Path
    targets: Path
    source_labels: Path
    target_labels: Path
    genders: Path  # which target each line is for


def joint_files(folder: Path, split: str) -> JointFiles:
    """Where a split's joint files are, or would be."""
    sources, targets = joint_names(split)
    names = (sources, targets, f"{sources}.label", f"{targets}.label", f"{targets}.gender")
    return JointFiles(*(folder / FOLDER / name for name in names))


def joint_names(split: str) -> tuple[str, str]:
    """What the sources and the targets of a split are called: dev.arin+dev.arin+…"""
    sources = "+".join([f"{split}.arin"] * len(TARGETS))
    return sources, "+".join(f"{split}.ar.{target}" for target in TARGETS)


def joint_splits(folder: Path) -> set[str]:
    """The splits that a folder has in this layout."""
    found = {path.name.partition(".arin+")[0] for path in (folder / FOLDER).glob("*.arin+*")}
    return {split for split in found if joint_files(folder, split).targets.is_file()}


def repeated(path: Path, blocks: Mapping[str, Sequence[str]]) -> Sequence[str]:
    """The lines of each of a file's four blocks, which must be the same."""
    first = blocks[TARGETS[0]]
    for number, block in enumerate(blocks.values()):
        for place, (one, two) in enumerate(zip(first, block, strict=True), start=1):
            if one != two:
                raise InputError(
                    f"{path}, line {number * len(first) + place}, is not line {place} again; the "
                    "four blocks are the same."
                )
    return first


def read_targets(files: JointFiles, size: int) -> dict[str, list[str]]:
    """Each target's lines; the file that says which target a line is for must say the same."""
    if files.genders.is_file():
        for place, (target, lines) in enumerate(read_blocks(files.genders, size).items()):
            for number, line in enumerate(lines, start=place * size + 1):
                if line.strip() != target:
                    raise InputError(
                        f"{files.genders}, line {number}, says {line.strip()!r}; the blocks are "
                        f"for {', '.join(TARGETS)}, in this order."
                    )
    return read_blocks(files.targets, size)
