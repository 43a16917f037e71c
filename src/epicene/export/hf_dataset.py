"""Items as a Hugging Face dataset: Parquet files by language and split, and a dataset card."""

from __future__ import annotations

import inspect
import io
import re
from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

from epicene import __version__
from epicene.core.errors import InputError
from epicene.core.files import write_atomically
from epicene.core.records import Draw, to_json
from epicene.export.croissant import FILE as CROISSANT
from epicene.export.croissant import croissant
from epicene.export.folders import (
    CARD_FILE,
    as_yaml,
    check_new_folder,
    code_span,
    fault_lines,
    front_matter,
    new_folder,
    write_json,
    write_text,
)
from epicene.export.hub import EVAL_FILE, FRAMEWORK, benchmark
from epicene.show.table_formats import escape_markdown
from epicene.suites import Answers
from epicene.suites.data_cards import markdown_table
from epicene.suites.definition_items import item_fields

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import polars

    from epicene.core.records import Item
    from epicene.export.selection import Selection

PROMPTS = "prompts"  # the column with the prompts to draw

# The largest number of items in each category.
_SIZES = (
    (1_000, "n<1K"),
    (10_000, "1K<n<10K"),
    (100_000, "10K<n<100K"),
    (1_000_000, "100K<n<1M"),
    (10_000_000, "1M<n<10M"),
)
_LARGEST = "10M<n<100M"


def dataset_card(
    selection: Selection,
    parts: Sequence[DatasetFile],
    configs: Sequence[dict[str, Any]],
    fields: Sequence[str],
) -> Iterator[str]:
    """The card, line by line."""
    card = selection.card
    yield from front_matter(_front_matter(selection, configs))
    yield f"# {card.title}"
    yield ""
    yield card.about
    yield ""
    yield "## What is here"
    yield ""
    rows = [
        (
            escape_markdown(part.config),
            escape_markdown(part.split),
            part.items,
            code_span(part.path),
        )
        for part in parts
    ]
    yield from markdown_table(("configuration", "split", "items", "file"), rows)
    yield ""
    yield "```python"
    yield "from datasets import load_dataset"
    yield ""
    yield f'load_dataset("THIS_FOLDER", "{configs[0]["config_name"]}")'
    yield "```"
    yield ""
    yield from _fields(selection, fields)
    yield from selection.provenance_lines()
    yield (
        f"Read under the protocol `{selection.protocol.name}` and exported by Epicene "
        f"{__version__}."
    )
    yield ""
    yield from fault_lines(card, "##")
    yield "## Use"
    yield ""
    how = "" if selection.origin == "own" else " as the paper does and as Epicene recommends"
    yield (
        f"`epicene run {selection.suite.name} --model MODEL` asks and judges these items{how}; "
        f"chance level: {card.chance}"
    )
    yield ""
    yield (
        "Items of a benchmark are for measuring, not for training: a model that has read them "
        "cannot be measured with them."
    )
    yield ""
    yield (
        f"[`{CROISSANT}`]({CROISSANT}) describes the files in Croissant 1.1. "
        f"[`{EVAL_FILE}`]({EVAL_FILE}) makes this a benchmark on the Hub, once the framework "
        f"`{FRAMEWORK}` is on the Hub's list; `epicene export results RUN --to hf` writes results "
        "for it."
    )
    yield ""
    yield f"Cite the source {'named above' if card.source else 'of the data'}, and Epicene."


def _front_matter(selection: Selection, configs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    head: dict[str, Any] = {
        "pretty_name": f"{selection.suite.card.title} ({selection.data}), by Epicene",
        **selection.licence_fields(),
    }
    if selection.languages:
        head["language"] = selection.languages
    head["size_categories"] = [size_category(len(selection.items))]
    head["tags"] = ["grammatical-gender", "evaluation", "epicene", selection.suite.name]
    head["configs"] = list(configs)
    return head


def size_category(items: int) -> str:
    """The Hub's name for a set of that size."""
    return next((name for below, name in _SIZES if items < below), _LARGEST)


def _fields(selection: Selection, fields: Sequence[str]) -> Iterator[str]:
    kind = type(selection.items[0])
    yield "## Fields"
    yield ""
    yield inspect.getdoc(kind) or ""
    yield ""
    yield ", ".join(f"`{name}`" for name in fields) + "."
    yield ""
    if PROMPTS in fields:
        yield f"`{PROMPTS}`: the prompts to draw for the item, under the name of each condition."
        yield ""
    if "group" in fields:
        yield (
            "`group` is shared by variants of one sentence or word: resample and split by it, not "
            "by rows."
        )
        yield ""


ALL_CONFIG = "all"  # the configuration with every language, which is the default
DEFAULT_CONFIG = "default"  # of items that name no language
DEFAULT_SPLIT = "test"  # of items that name no split


class DatasetFile(NamedTuple):
    """One file: a language's items of one split."""

    config: str
    split: str
    path: str
    items: int


def write_dataset(selection: Selection, folder: Path) -> list[DatasetFile]:
    """Write the folder; `datasets.load_dataset(FOLDER)` reads it."""
    if not selection.items:
        raise InputError(f"{selection.data} contains no items to export.")
    check_new_folder(folder)
    numbers: dict[tuple[str, str], list[int]] = defaultdict(list)
    for number, item in enumerate(selection.items):
        numbers[
            item.language or DEFAULT_CONFIG, getattr(item, "split", "") or DEFAULT_SPLIT
        ].append(number)
    names = [_config_and_split(*part, selection.items[rows[0]]) for part, rows in numbers.items()]
    _check_distinct(names, list(numbers))
    frame = _frame(selection)
    parts = []
    with new_folder(folder) as unfinished:
        for (config, split), rows in zip(names, numbers.values(), strict=True):
            part = DatasetFile(config, split, f"data/{config}/{split}.parquet", len(rows))
            _write_parquet(frame[rows], unfinished / part.path)
            parts.append(part)
        configs = dataset_configs(parts)
        described = croissant(selection, parts, frame, unfinished)
        write_json(unfinished / CROISSANT, to_json(described))
        write_text(unfinished / EVAL_FILE, [as_yaml(benchmark(selection, configs)).rstrip("\n")])
        write_text(unfinished / CARD_FILE, dataset_card(selection, parts, configs, frame.columns))
    return parts


def _config_and_split(language: str, split: str, item: Item) -> tuple[str, str]:
    """The names of a part in `datasets`: hyphens are not allowed in the name of a split and
    become _; items keep the original name.
    """
    called = split.replace("-", "_")
    if not re.fullmatch(r"\w[\w-]*", language):
        raise InputError(
            f"The item {item.id!r} has the language {language!r}, which cannot be a file name; "
            "use only letters, digits, _ and -."
        )
    if not re.fullmatch(r"\w+", called) or called == ALL_CONFIG:
        raise InputError(
            f"The item {item.id!r} has the split {split!r}; `datasets` allows only letters, "
            f"digits and _ in a split's name, and no split called {ALL_CONFIG!r}."
        )
    return language, called


def _check_distinct(names: Sequence[tuple[str, str]], parts: Sequence[tuple[str, str]]) -> None:
    """Raise if two parts would have the same name, also on a case-insensitive file system."""
    met: dict[tuple[str, str], tuple[str, str]] = {}
    for (config, split), part in zip(names, parts, strict=True):
        other = met.setdefault((config.casefold(), split.casefold()), part)
        if other != part:
            pair = " and ".join(repr("/".join(each)) for each in (other, part))
            raise InputError(f"The parts {pair} of the data would share a file; rename one.")
    if len({config for config, _ in names}) > 1 and ALL_CONFIG in {config for config, _ in names}:
        raise InputError(
            f"A language must not be called {ALL_CONFIG!r}, the name for all languages; rename it."
        )


def dataset_configs(parts: Sequence[DatasetFile]) -> list[dict[str, Any]]:
    """The configurations: each language, and all of them if there are several."""
    names = list(dict.fromkeys(part.config for part in parts))
    named = {name: [part for part in parts if part.config == name] for name in names}
    if len(names) > 1:
        named = {ALL_CONFIG: list(parts), **named}
    return [
        {
            "config_name": name,
            **({"default": True} if index == 0 else {}),
            "data_files": _data_files(mine),
        }
        for index, (name, mine) in enumerate(named.items())
    ]


def _data_files(parts: Sequence[DatasetFile]) -> list[dict[str, Any]]:
    splits = dict.fromkeys(part.split for part in parts)
    return [
        {"split": split, "path": [part.path for part in parts if part.split == split]}
        for split in splits
    ]


def _frame(selection: Selection) -> polars.DataFrame:
    """All items in one frame, so that every file has the same columns; fields that no item has
    are omitted."""
    import polars as pl

    rows = [
        {**item_fields(item), **prompts}
        for item, prompts in zip(selection.items, _prompts(selection), strict=True)
    ]
    filled = {name for row in rows for name, value in row.items() if value not in ("", [], {}, ())}
    kept = [name for name in rows[0] if name in filled]
    return pl.DataFrame(
        [{name: row.get(name) for name in kept} for row in rows], infer_schema_length=None
    )


def _prompts(selection: Selection) -> Iterator[dict[str, dict[str, str]]]:
    """The prompts of each item, by request: a word and a template number are not enough for
    readers who do not have the templates. Empty for items without requests.
    """
    suite, protocol = selection.suite, selection.protocol
    stages = [
        stage
        for stage in suite.stages
        if (Draw in stage.verbs or not stage.verbs) and not stage.needs
    ]
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
    write_atomically(path, data.getvalue())
