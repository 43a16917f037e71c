"""Items as a Hugging Face dataset: Parquet files by language and split, and a dataset card."""

from __future__ import annotations

import inspect
import io
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from epicene import __version__
from epicene.core.errors import InputError
from epicene.core.files import write_atomically
from epicene.core.records import Draw
from epicene.export.folders import (
    CARD_FILE,
    as_yaml,
    check_new_folder,
    fault_lines,
    new_folder,
    write_text,
)
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

ALL_CONFIG = "all"  # the configuration with every language, which is the default
DEFAULT_CONFIG = "default"  # of items that name no language
DEFAULT_SPLIT = "test"  # of items that name no split
PROMPTS = "prompts"  # the column with the prompts to draw


class DatasetFile(NamedTuple):
    """One file: a language's items of one split, by their numbers."""

    config: str
    split: str
    rows: list[int]

    @property
    def path(self) -> str:
        """Where it is in the folder."""
        return f"data/{self.config}/{self.split}.parquet"


def write_dataset(selection: Selection, folder: Path) -> None:
    """Write the folder; `datasets.load_dataset(FOLDER)` reads it."""
    if not selection.items:
        raise InputError(f"{selection.data} contains no items to export.")
    check_new_folder(folder)
    parts = dataset_files(selection.items)
    frame = _frame(selection)
    with new_folder(folder) as unfinished:
        for part in parts:
            data = io.BytesIO()
            frame[part.rows].write_parquet(data)
            write_atomically(unfinished / part.path, data.getvalue())
        write_text(unfinished / CARD_FILE, _card(selection, parts, frame.columns))


def dataset_files(items: Sequence[Item]) -> list[DatasetFile]:
    """The files of these items; raises if `datasets` would refuse a name.

    Hyphens are not allowed in the name of a split and become _; items keep the original name.
    """
    parts: dict[tuple[str, str], DatasetFile] = {}
    for number, item in enumerate(items):
        config = item.language or DEFAULT_CONFIG
        named = getattr(item, "split", "") or DEFAULT_SPLIT
        split = named.replace("-", "_")
        if not re.fullmatch(r"\w[\w-]*", config) or config == ALL_CONFIG:
            raise InputError(
                f"The item {item.id!r} has the language {config!r}, which cannot name a "
                f"configuration; use letters, digits, _ and -, and not {ALL_CONFIG!r}."
            )
        if not re.fullmatch(r"\w+", split) or split == ALL_CONFIG:
            raise InputError(
                f"The item {item.id!r} has the split {named!r}; `datasets` allows only letters, "
                f"digits and _ in a split's name, and no split called {ALL_CONFIG!r}."
            )
        parts.setdefault((config, named), DatasetFile(config, split, [])).rows.append(number)
    paths = [part.path.casefold() for part in parts.values()]
    for named, path in zip(parts, paths, strict=True):
        if paths.count(path) > 1:
            raise InputError(
                f"The part {'/'.join(named)!r} of the data would share a file with another, "
                "because their names differ only in case or in - and _; rename one."
            )
    return list(parts.values())


def dataset_configs(parts: Sequence[DatasetFile]) -> list[dict[str, Any]]:
    """The configurations: each language, and all of them if there are several."""
    names = list(dict.fromkeys(part.config for part in parts))
    named = {name: [part for part in parts if part.config == name] for name in names}
    if len(names) > 1:
        named = {ALL_CONFIG: list(parts), **named}
    return [
        {
            "config_name": name,
            **({"default": True} if name == next(iter(named)) else {}),
            "data_files": [
                {"split": split, "path": [part.path for part in mine if part.split == split]}
                for split in dict.fromkeys(part.split for part in mine)
            ],
        }
        for name, mine in named.items()
    ]


def _frame(selection: Selection) -> polars.DataFrame:
    """All items in one frame, so that every file has the same columns; fields that no item has
    are omitted."""
    import polars as pl

    rows = [{**item_fields(item), **_prompts(selection, item)} for item in selection.items]
    filled = {name for row in rows for name, value in row.items() if value not in ("", [], {}, ())}
    kept = [name for name in rows[0] if name in filled]
    return pl.DataFrame(
        [{name: row.get(name) for name in kept} for row in rows], infer_schema_length=None
    )


def _prompts(selection: Selection, item: Item) -> dict[str, dict[str, str]]:
    """The prompts to draw for an item, by request: a word and a template number are not enough for
    readers who do not have the templates.
    """
    suite = selection.suite
    if suite.holds_outcome is not None and suite.holds_outcome(item):
        return {}
    asked = {
        request.name: request.prompt
        for stage in suite.stages
        if not stage.needs and (Draw in stage.verbs or not stage.verbs)
        for request in stage.ask(item, Answers(), selection.protocol)
        if isinstance(request, Draw)
    }
    return {PROMPTS: asked} if asked else {}


def _card(
    selection: Selection, parts: Sequence[DatasetFile], fields: Sequence[str]
) -> Iterator[str]:
    """The dataset card, line by line."""
    suite, card = selection.suite, selection.card
    configs = dataset_configs(parts)
    head: dict[str, Any] = {
        "pretty_name": f"{card.title} ({selection.data}), by Epicene",
        **selection.licence_fields(),
        **({"language": selection.languages} if selection.languages else {}),
        "tags": ["grammatical-gender", "evaluation", "epicene", suite.name],
        "configs": configs,
    }
    yield from ("---", as_yaml(head), "---", "")
    yield from (f"# {card.title}", "", card.about, "", "## What is here", "")
    rows = [
        (escape_markdown(part.config), escape_markdown(part.split), len(part.rows))
        for part in parts
    ]
    yield from (*markdown_table(("configuration", "split", "items"), rows), "")
    yield from ("```python", "from datasets import load_dataset", "")
    yield from (f'load_dataset("THIS_FOLDER", "{configs[0]["config_name"]}")', "```", "")
    yield from ("## Fields", "", inspect.getdoc(type(selection.items[0])) or "", "")
    yield from (", ".join(f"`{name}`" for name in fields) + ".", "")
    if PROMPTS in fields:
        yield f"`{PROMPTS}`: the prompts to draw for the item, under the name of each condition."
        yield ""
    if "group" in fields:
        yield (
            "`group` is shared by variants of one sentence or word: resample and split by it, not "
            "by rows."
        )
        yield ""
    yield from selection.provenance_lines()
    yield from fault_lines(card, "##")
    yield from ("## Use", "")
    yield (
        f"Exported by Epicene {__version__} under the protocol `{selection.protocol.name}`. "
        f"`epicene run {suite.name} --model MODEL` asks and judges these items; chance level: "
        f"{card.chance}"
    )
    yield ""
    yield (
        "Items of a benchmark are for measuring, not for training: a model that has read them "
        "cannot be measured with them."
    )
    yield from (
        "",
        f"Cite the source {'named above' if card.source else 'of the data'}, and Epicene.",
    )
