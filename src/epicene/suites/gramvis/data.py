"""Select the items of a run: the starter words, a user's words, or published counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.core.data_files import read_rows
from epicene.core.errors import InputError
from epicene.suites import Dataset
from epicene.suites.gramvis.items import (
    COUNT_COLUMNS,
    LANGUAGES,
    is_published_counts,
    prompt_items,
    read_counts,
    read_words,
    starter_file,
)
from epicene.suites.gramvis.prompts import templates_of

if TYPE_CHECKING:
    from pathlib import Path

    from epicene.suites import DataSource
    from epicene.suites.gramvis.items import PromptItem
    from epicene.suites.gramvis.protocol import GramvisProtocol


def read(source: DataSource, protocol: GramvisProtocol) -> Dataset:
    """Our words, or a file's: of words, to be drawn, or of counts in the authors' layout."""
    path = source.path
    if path is None:
        files = [starter_file(language) for language in LANGUAGES]
        return Dataset("starter", files, _word_items(None, {}, protocol))
    if not _has_count_columns(path, source.columns):
        return Dataset(path.name, (path,), _word_items(path, source.columns, protocol))
    published = " (as published)" if is_published_counts(path) else ""
    return Dataset(f"{path.name}{published}", (path,), read_counts(path, source.columns))


def _has_count_columns(path: Path, columns: dict[str, str]) -> bool:
    """Whether a file has any column of the authors' counts."""
    first = next(iter(read_rows(path, columns)), None)
    return first is not None and not COUNT_COLUMNS.isdisjoint(first.values)


def _word_items(
    path: Path | None, columns: dict[str, str], protocol: GramvisProtocol
) -> list[PromptItem]:
    templates = templates_of(protocol)
    found = [item for word in read_words(path, columns) for item in prompt_items(word, templates)]
    if not found:
        raise InputError(f"{path} holds no words and no counts.")
    return found
