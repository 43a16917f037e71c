"""Read the items of a run: the starter words, a user's words, or counts in the authors' layout."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from epicene.core.data_files import read_rows, sha256_of
from epicene.core.errors import InputError
from epicene.suites import Dataset
from epicene.suites.data_origin import user_data_name
from epicene.suites.gramvis.items import (
    CONDITIONS,
    ERROR,
    LABELS,
    LabelCounts,
    prompt_items,
    word_condition,
)
from epicene.suites.gramvis.prompts import templates_of
from epicene.suites.gramvis.word_lists import word_list

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from epicene.core.data_files import FileRow
    from epicene.suites import DataSource
    from epicene.suites.gramvis.own_languages import OwnLanguage
    from epicene.suites.gramvis.protocol import GramvisProtocol


class PublishedColumns(NamedTuple):
    """The columns of the authors' file of counts."""

    language: str = "Language"
    drawer: str = "T2I_Model"
    grammar: str = "Grammar_Gender"
    category: str = "Bias_Type"
    word: str = "Native_Word"

    def counted(self, condition: str, outcome: str) -> str:
        """The column that counts an outcome under a condition."""
        theirs = "native" if condition == "gendered" else condition
        return f"Overall_{theirs.capitalize()}_{outcome.capitalize()}"


PUBLISHED_SHA256 = "97ee5f0afb1a1e250077a27ddabb3081c692376f7fc1f20373f11e22ac2805fc"
PUBLISHED_COLUMNS = PublishedColumns()
COUNT_COLUMNS = frozenset(
    {
        *PUBLISHED_COLUMNS,
        *(
            PUBLISHED_COLUMNS.counted(condition, outcome)
            for condition in CONDITIONS
            for outcome in (*LABELS, ERROR)
        ),
    }
)


def read(source: DataSource, protocol: GramvisProtocol) -> Dataset:
    """Our words, or a file's: of words, to be drawn, or of counts in the authors' layout."""
    path = source.path
    if path is None:
        return _word_dataset("starter", source, protocol)
    name = user_data_name(path.name)
    if not _has_count_columns(path, source.columns):
        return _word_dataset(name, source, protocol)
    published = " (as published)" if is_published_counts(path) else ""
    counts = read_counts(path, source.columns, protocol.languages)
    return Dataset(f"{name}{published}", (path,), counts)


def _has_count_columns(path: Path, columns: dict[str, str]) -> bool:
    """Whether a file has any column of the authors' counts."""
    first = next(iter(read_rows(path, columns)), None)
    return first is not None and not COUNT_COLUMNS.isdisjoint(first.values)


def _word_dataset(name: str, source: DataSource, protocol: GramvisProtocol) -> Dataset:
    templates = templates_of(protocol)
    words, files, notes = word_list(source, protocol)
    found = [item for word in words for item in prompt_items(word, templates)]
    if not found:
        raise InputError(" ".join((f"{source.path or name} has no words and no counts.", *notes)))
    return Dataset(name, files, found, notes=notes if source.path else ())


# --- counts ----------------------------------------------------------------------------------


def read_counts(
    path: Path,
    columns: Mapping[str, str] | None = None,
    languages: Mapping[str, OwnLanguage] | None = None,
) -> list[LabelCounts]:
    """The rows of a file in the authors' layout, three conditions each."""
    seen: dict[str, str] = {}
    found: list[LabelCounts] = []
    for line in read_rows(path, columns):
        for counted in _counts_of_row(line, languages or {}):
            if counted.id in seen:
                raise InputError(
                    f"{line.location} repeats the counts of {counted.id!r} "
                    f"({seen[counted.id].rstrip(',')})."
                )
            seen[counted.id] = line.location
            found.append(counted)
    if not found:
        raise InputError(f"{path} has no counts.")
    return found


def is_published(files: Iterable[tuple[str, str]]) -> bool:
    """Whether the authors' file of counts is among these."""
    return any(sha256 == PUBLISHED_SHA256 for _, sha256 in files)


def is_published_counts(path: Path) -> bool:
    """Whether this is the authors' file, byte for byte."""
    return sha256_of(path) == PUBLISHED_SHA256


def _counts_of_row(line: FileRow, own: Mapping[str, OwnLanguage]) -> Iterator[LabelCounts]:
    language, drawer, grammar, category, word = (
        _text_cell(line, column) for column in PUBLISHED_COLUMNS
    )
    for condition in CONDITIONS:
        described = word_condition(
            language, drawer, grammar, category, word, condition, line.location, own
        )
        counts: dict[str, Any] = {
            outcome: _count_cell(line, column)
            for outcome in (*LABELS, ERROR)
            if (column := PUBLISHED_COLUMNS.counted(condition, outcome)) in line.values
            or outcome != ERROR  # a file without errors need not have the columns
        }
        yield LabelCounts(id="/".join(described), **described.item_fields(), **counts)


def _text_cell(line: FileRow, column: str) -> str:
    value = _cell_value(line, column)
    if not isinstance(value, str) or not value.strip():
        raise InputError(f"{line.location} has an empty column {column!r}.")
    return value


def _count_cell(line: FileRow, column: str) -> int:
    """A whole number, which pandas may have written as 4.0."""
    value = _cell_value(line, column)
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = -1.0
    if number < 0 or not number.is_integer():
        raise InputError(f"{line.location} has {value!r} in {column!r}; it must be a count.")
    return int(number)


def _cell_value(line: FileRow, column: str) -> Any:
    if column not in line.values:
        raise InputError(
            f"{line.location} lacks the column {column!r}, which is part of the authors' "
            "layout of counts; `epicene suites gramvis` lists the layouts."
        )
    return line.values[column]
