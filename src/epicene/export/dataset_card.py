"""What a person should know of exported items: the README of a Hugging Face dataset."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from epicene import __version__
from epicene.export.card_parts import code, fault_lines
from epicene.export.folders import front_matter
from epicene.report.plain import escape_markdown
from epicene.suites.data_cards import table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.export.dataset import Part
    from epicene.export.selection import Selection

PROMPTS = "prompts"  # the column with what is drawn

# Up to how many items a set has to be called so.
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
    parts: Sequence[Part],
    configs: Sequence[dict[str, Any]],
    fields: Sequence[str],
) -> Iterator[str]:
    """The card, line by line."""
    card = selection.suite.card
    yield from front_matter(_head(selection, configs))
    yield f"# {card.title}"
    yield ""
    yield card.about
    yield ""
    yield "## What is here"
    yield ""
    rows = [
        (escape_markdown(part.config), escape_markdown(part.split), part.items, code(part.path))
        for part in parts
    ]
    yield from table(("configuration", "split", "items", "file"), rows)
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
    yield (
        f"`epicene run {selection.suite.name} --model MODEL` asks and judges these items as the "
        "paper does and as we would; chance level: " + card.chance
    )
    yield ""
    yield (
        "Items of a benchmark are for measuring, not for training: a model that has read them "
        "cannot be measured with them."
    )
    yield ""
    yield "Cite the source named above, and Epicene."


def _head(selection: Selection, configs: Sequence[dict[str, Any]]) -> dict[str, Any]:
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
    """The name that the hub has for a set of that size."""
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
        yield f"`{PROMPTS}`: what is drawn of the item, under the name of each condition."
        yield ""
    if "group" in fields:
        yield (
            "`group` is shared by variants of one sentence or word: resample and split by it, not "
            "by rows."
        )
        yield ""
