"""Judged items packed for the page: every text once, everything else a number, compressed.

The page's script unpacks this and draws only the rows in view.
"""

from __future__ import annotations

import base64
import gzip
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from epicene.records import Judgement, to_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

# What a column is for: naming the item, being filtered by, being a number beside it, being read.
Role: TypeAlias = Literal["item", "filter", "value", "text"]

_ABSENT = -1


class Packed(NamedTuple):
    """Base64 of gzipped JSON `{"count", "strings", "columns": [{"name", "role", "ids"}]}`, where
    an id is a place in `strings`, or -1."""

    data: str
    items: int


def pack(judgements: Sequence[Judgement]) -> Packed:
    """Judgements as the page's script reads them."""
    strings: dict[str, int] = {}
    columns = [
        {"name": name, "role": role, "ids": _ids(texts, strings)}
        for name, role, texts in _columns(judgements)
    ]
    document = {"count": len(judgements), "strings": list(strings), "columns": columns}
    # No time stamp, so that the same judgements give the same page.
    packed = gzip.compress(to_json(document), compresslevel=6, mtime=0)
    return Packed(base64.b64encode(packed).decode("ascii"), len(judgements))


_OWN: tuple[tuple[str, Role, Callable[[Judgement], str | None]], ...] = (
    ("item", "item", lambda judgement: judgement.item),
    ("outcome", "filter", lambda judgement: judgement.outcome),
    ("label", "filter", lambda judgement: judgement.label),
    ("language", "filter", lambda judgement: judgement.language or None),
    ("part", "filter", lambda judgement: judgement.name or None),
    (
        "value",
        "value",
        lambda judgement: None if judgement.value is None else f"{judgement.value:.6g}",
    ),
)


def _columns(
    judgements: Sequence[Judgement],
) -> Iterable[tuple[str, Role, list[str | None]]]:
    """Columns that say something, a facet that only repeats one of the judgement's own apart."""
    made: dict[str, list[str | None]] = {}
    for name, role, read in _OWN:
        texts = [read(judgement) for judgement in judgements]
        if any(text is not None for text in texts):
            made[name] = texts
            yield name, role, texts
    for key in dict.fromkeys(key for judgement in judgements for key in judgement.facets):
        texts = [judgement.facets.get(key) for judgement in judgements]
        if made.get(key) != texts:
            yield (f"{key} (facet)" if key in made else key), "filter", texts
    for key in dict.fromkeys(key for judgement in judgements for key in judgement.evidence):
        yield key, "text", [judgement.evidence.get(key) for judgement in judgements]


def _ids(texts: Iterable[str | None], strings: dict[str, int]) -> list[int]:
    return [_ABSENT if text is None else strings.setdefault(text, len(strings)) for text in texts]
