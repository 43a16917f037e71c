"""Counts of labelled images per word, as the authors published them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import msgspec

from epicene.datafiles import read_rows, sha256_of
from epicene.errors import InputError
from epicene.records import Item
from epicene.suites.gramvis.names import (
    CONDITIONS,
    ERROR,
    LABELS,
    Published,
    Where,
    category_of,
    grammar_of,
    language_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from epicene.datafiles import Line

PUBLISHED_SHA256 = "97ee5f0afb1a1e250077a27ddabb3081c692376f7fc1f20373f11e22ac2805fc"
COLUMNS = Published()
LAYOUT = frozenset(
    {
        *COLUMNS,
        *(
            COLUMNS.counted(condition, outcome)
            for condition in CONDITIONS
            for outcome in (*LABELS, ERROR)
        ),
    }
)

Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]


class Counted(Item, frozen=True, kw_only=True):
    """How the images of one word, by one model under one condition, were labelled.

    `grammar` is M or F, `condition` english, chinese or gendered. `error` counts images of which
    no judge said anything that could be read.
    """

    drawer: str
    grammar: str
    category: str
    word: str
    condition: str
    male: Count
    female: Count
    neither: Count
    error: Count = 0


def read_counts(path: Path, columns: Mapping[str, str] | None = None) -> list[Counted]:
    """The rows of a file in the authors' layout, three conditions each."""
    seen: dict[str, str] = {}
    found: list[Counted] = []
    for line in read_rows(path, columns):
        for counted in _of_line(line):
            if counted.id in seen:
                raise InputError(
                    f"{line.place} counts {counted.id!r} again ({seen[counted.id].rstrip(',')})."
                )
            seen[counted.id] = line.place
            found.append(counted)
    if not found:
        raise InputError(f"{path} holds no counts.")
    return found


def is_published(path: Path) -> bool:
    """Whether this is the authors' file, byte for byte."""
    return sha256_of(path) == PUBLISHED_SHA256


def _of_line(line: Line) -> Iterator[Counted]:
    drawer, word = _text(line, COLUMNS.drawer), _text(line, COLUMNS.word)
    language = language_of(_text(line, COLUMNS.language), line.place)
    grammar = grammar_of(_text(line, COLUMNS.grammar), line.place)
    category = category_of(_text(line, COLUMNS.category), line.place)
    for condition in CONDITIONS:
        numbers = {
            outcome: _number(line, COLUMNS.counted(condition, outcome))
            for outcome in (*LABELS, ERROR)
        }
        where = Where(language, drawer, grammar, category, word, condition)
        yield Counted(
            id="/".join(where),
            group=word_group(language, word),
            language=language.lower(),
            drawer=drawer,
            grammar=grammar,
            category=category,
            word=word,
            condition=condition,
            **numbers,
        )


def word_group(language: str, word: str) -> str:
    """What is resampled: a word of a language, whoever drew it and however it was prompted."""
    return f"{language}/{word}"


def _text(line: Line, column: str) -> str:
    value = _cell(line, column)
    if not isinstance(value, str) or not value.strip():
        raise InputError(f"{line.place} has nothing in the column {column!r}.")
    return value


def _number(line: Line, column: str) -> int:
    value = _cell(line, column)
    try:
        number = int(value)
    except (TypeError, ValueError):
        number = -1
    if number < 0 or number != float(value):
        raise InputError(f"{line.place} has {value!r} in {column!r}; a count is wanted there.")
    return number


def _cell(line: Line, column: str) -> Any:
    if column not in line.values:
        raise InputError(
            f"{line.place} lacks the column {column!r}; docs/gramvis.md lists the columns."
        )
    return line.values[column]
