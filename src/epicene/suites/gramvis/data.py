"""Where the words and their counts come from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.suites import Dataset
from epicene.suites.gramvis.counts import is_published, read_counts

if TYPE_CHECKING:
    from epicene.suites import Source
    from epicene.suites.gramvis.protocol import GramvisProtocol


def read(source: Source, _protocol: GramvisProtocol) -> Dataset:
    """The authors' counts, or a file in their layout; votes bring their own items."""
    if source.path is None:
        return Dataset("votes", (), ())
    items = read_counts(source.path, source.columns)
    published = " (as published)" if is_published(source.path) else ""
    return Dataset(f"{source.path.name}{published}", (source.path,), items)
