"""Where the words and the counts come from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.datafiles import read_rows
from epicene.errors import InputError
from epicene.suites import Dataset
from epicene.suites.gramvis.counts import LAYOUT, is_published, read_counts
from epicene.suites.gramvis.names import LANGUAGES
from epicene.suites.gramvis.prompted import prompted
from epicene.suites.gramvis.prompts import templates_of
from epicene.suites.gramvis.words import read_words, starter_file

if TYPE_CHECKING:
    from pathlib import Path

    from epicene.suites import Source
    from epicene.suites.gramvis.prompted import Prompted
    from epicene.suites.gramvis.protocol import GramvisProtocol


def read(source: Source, protocol: GramvisProtocol) -> Dataset:
    """Our words, or a file's: of words, to be drawn, or of counts in the authors' layout."""
    path = source.path
    if path is None:
        files = [starter_file(language) for language in LANGUAGES]
        return Dataset("starter", files, _of_words(None, {}, protocol))
    if not _holds_counts(path, source.columns):
        return Dataset(path.name, (path,), _of_words(path, source.columns, protocol))
    published = " (as published)" if is_published(path) else ""
    return Dataset(f"{path.name}{published}", (path,), read_counts(path, source.columns))


def _holds_counts(path: Path, columns: dict[str, str]) -> bool:
    """Whether a file has any column of the authors' counts."""
    first = next(iter(read_rows(path, columns)), None)
    return first is not None and not LAYOUT.isdisjoint(first.values)


def _of_words(
    path: Path | None, columns: dict[str, str], protocol: GramvisProtocol
) -> list[Prompted]:
    templates = templates_of(protocol)
    found = [item for word in read_words(path, columns) for item in prompted(word, templates)]
    if not found:
        raise InputError(f"{path} holds no words and no counts.")
    return found
