"""Items in the layout of Hugging Face datasets: Parquet by language and split, and a card."""

from __future__ import annotations

import io
import re
from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from epicene.errors import InputError
from epicene.export.dataset_card import PROMPTS, dataset_card
from epicene.export.folders import new_folder, write_text
from epicene.records import Draw
from epicene.runs.files import write_whole
from epicene.suites import Answers

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
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
        numbers[item.language or ONLY, getattr(item, "split", "") or SPLIT].append(number)
    names = [_names(*part, selection.items[rows[0]]) for part, rows in numbers.items()]
    _told_apart(names, list(numbers))
    frame = _frame(selection)
    parts = []
    for (config, split), rows in zip(names, numbers.values(), strict=True):
        part = Part(config, split, f"data/{config}/{split}.parquet", len(rows))
        _write_parquet(frame[rows], folder / part.path)
        parts.append(part)
    write_text(folder / "README.md", dataset_card(selection, parts, configs(parts), frame.columns))
    return parts


def _names(language: str, split: str, item: Item) -> tuple[str, str]:
    """What `datasets` can call a part: a configuration's name may have a hyphen, a split's may not
    and gets _ for it; its items keep their own."""
    called = split.replace("-", "_")
    if not re.fullmatch(r"\w[\w-]*", language):
        raise InputError(
            f"The item {item.id!r} has {language!r} for its language; a name for files has "
            "letters, digits, _ and - only."
        )
    if not re.fullmatch(r"\w+", called) or called == ALL:
        raise InputError(
            f"The item {item.id!r} has {split!r} for its split; `datasets` takes letters, digits "
            f"and _ only, and no split called {ALL!r}."
        )
    return language, called


def _told_apart(names: Sequence[tuple[str, str]], parts: Sequence[tuple[str, str]]) -> None:
    """Raise if two parts would be one to a reader, or to a file system that has no capitals."""
    met: dict[tuple[str, str], tuple[str, str]] = {}
    for (config, split), part in zip(names, parts, strict=True):
        other = met.setdefault((config.casefold(), split.casefold()), part)
        if other != part:
            pair = " and ".join(repr("/".join(each)) for each in (other, part))
            raise InputError(f"The parts {pair} of the data would share a file; rename one.")
    if len({config for config, _ in names}) > 1 and ALL in {config for config, _ in names}:
        raise InputError(f"A language called {ALL!r} cannot be told from all languages; rename it.")


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

    rows = [
        {**msgspec.to_builtins(item), **prompts}
        for item, prompts in zip(selection.items, _prompts(selection), strict=True)
    ]
    filled = {name for row in rows for name, value in row.items() if value not in ("", [], {}, ())}
    kept = [name for name in rows[0] if name in filled]
    return pl.DataFrame(
        [{name: row.get(name) for name in kept} for row in rows], infer_schema_length=None
    )


def _prompts(selection: Selection) -> Iterator[dict[str, dict[str, str]]]:
    """What is drawn of each item, by the names of the requests: an item that names a word and a
    template says too little to those who have no templates. Nothing of items that ask nothing."""
    suite, protocol = selection.suite, selection.protocol
    stages = [stage for stage in suite.stages if Draw in stage.verbs and not stage.needs]
    for item in selection.items:
        judged = suite.holds_outcome is not None and suite.holds_outcome(item)
        asked = {
            request.name: request.prompt
            for stage in stages
            if not judged
            for request in stage.ask(item, Answers(), protocol)
            if isinstance(request, Draw)
        }
        yield {PROMPTS: asked} if asked else {}


def _write_parquet(frame: polars.DataFrame, path: Path) -> None:
    data = io.BytesIO()
    frame.write_parquet(data)
    write_whole(path, data.getvalue())
