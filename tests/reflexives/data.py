"""The sentences of a run: the user's file or the starter set."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from epicene.core.data_files import read_records
from epicene.suites import Dataset, DataSource, Protocol
from reflexives.items import Sentence

STARTER = Path(__file__).parent / "starter" / "pairs.jsonl"


def read(source: DataSource, _protocol: Protocol) -> Dataset:
    """The user's file or the starter set."""
    path = source.path or STARTER
    items = tuple(read_records(path, Sentence, source.columns))
    return Dataset("starter" if source.path is None else path.name, (path,), items)


def stratum(item: Sentence) -> tuple[str, str]:
    """`--limit N` takes N sentences, spread over the genders."""
    return ("", item.gender)


def corpus(item: Sentence) -> Iterator[str]:
    """The sentence as it should be."""
    yield item.texts[0]
