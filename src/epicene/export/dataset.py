"""Items in the layout of Hugging Face datasets: Parquet by language and split, and a card."""

from __future__ import annotations

import io
import re
from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from epicene.errors import InputError
from epicene.export.dataset_card import dataset_card
from epicene.export.folders import new_folder, write_text
from epicene.runs.files import write_whole

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import polars

    from epicene.export.selection import Selection
    from epicene.records import Item

ALL = "all"  # the configuration with every language, which is loaded if none is named
ONLY = "default"  # that of items which name no language
SPLIT = "test"  # of items that name none


class Part(NamedTuple):
    """One file: a language's items of one split."""

    config: str
    split: str
    path: str
    items: int


def write_dataset(selection: Selection, folder: Path) -> list[Part]:
    """Write the folder; `datasets.load_dataset(FOLDER)` reads it."""
    if not selection.items:
        raise InputError(f"{selection.data} holds no item to export.")
    new_folder(folder)
    numbers: dict[tuple[str, str], list[int]] = defaultdict(list)
    for number, item in enumerate(selection.items):
        split = getattr(item, "split", "") or SPLIT
        numbers[_name(item.language or ONLY, item), _name(split, item)].append(number)
    frame = _frame(selection)
    parts = []
    for (config, split), rows in numbers.items():
        part = Part(config, split, f"data/{config}/{split}.parquet", len(rows))
        _write_parquet(frame[rows], folder / part.path)
        parts.append(part)
    write_text(folder / "README.md", dataset_card(selection, parts, configs(parts), frame.columns))
    return parts


def _name(text: str, item: Item) -> str:
    """A language's or split's name, which names a file too."""
    if not re.fullmatch(r"\w[\w-]*", text):
        raise InputError(
            f"The item {item.id!r} has {text!r} for its language or split; a name for files has "
            "letters, digits, _ and - only."
        )
    return text


def configs(parts: Sequence[Part]) -> list[dict[str, Any]]:
    """What can be loaded: each language, and all of them where there are several."""
    names = list(dict.fromkeys(part.config for part in parts))
    named = {name: [part for part in parts if part.config == name] for name in names}
    if len(names) > 1:
        named = {ALL: list(parts), **named}
    return [
        {
            "config_name": name,
            **({"default": True} if place == 0 else {}),
            "data_files": _data_files(mine),
        }
        for place, (name, mine) in enumerate(named.items())
    ]


def _data_files(parts: Sequence[Part]) -> list[dict[str, Any]]:
    splits = dict.fromkeys(part.split for part in parts)
    return [
        {"split": split, "path": [part.path for part in parts if part.split == split]}
        for split in splits
    ]


def _frame(selection: Selection) -> polars.DataFrame:
    """All items in one frame, so that every file has the same columns; a field that no item fills
    is left out."""
    import polars as pl

    rows = [msgspec.to_builtins(item) for item in selection.items]
    filled = {name for row in rows for name, value in row.items() if value not in ("", [], {}, ())}
    kept = [name for name in rows[0] if name in filled]
    return pl.DataFrame(
        [{name: row.get(name) for name in kept} for row in rows], infer_schema_length=None
    )


def _write_parquet(frame: polars.DataFrame, path: Path) -> None:
    data = io.BytesIO()
    frame.write_parquet(data)
    write_whole(path, data.getvalue())
