"""Read the items of a run: the starter words, a user's words, or counts in the authors' layout."""

from __future__ import annotations

import unicodedata
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from epicene.core.data_files import read_rows, sha256_of, unescape_formula
from epicene.core.errors import InputError
from epicene.suites import Dataset
from epicene.suites.data_origin import user_data_name
from epicene.suites.gramvis.articles import definite_article
from epicene.suites.gramvis.items import (
    CONDITIONS,
    ERROR,
    LABELS,
    LANGUAGES,
    LabelCounts,
    Word,
    category_of,
    grammar_of,
    is_well_spelled,
    language_of,
    prompt_items,
    word_condition,
    word_id,
)
from epicene.suites.gramvis.prompts import templates_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from epicene.core.data_files import FileRow
    from epicene.suites import DataSource
    from epicene.suites.gramvis.items import PromptItem
    from epicene.suites.gramvis.protocol import GramvisProtocol

STARTER = Path(__file__).parent / "starter"
_REQUIRED_COLUMNS = ("language", "word", "grammar", "stereotype", "category")
_OPTIONAL_COLUMNS = ("english", "chinese", "article", "genitive", "accusative", "published")
WORD_COLUMNS = (*_REQUIRED_COLUMNS, *_OPTIONAL_COLUMNS)


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
        files = [starter_file(language) for language in LANGUAGES]
        return Dataset("starter", files, _word_items(None, {}, protocol))
    name = user_data_name(path.name)
    if not _has_count_columns(path, source.columns):
        return Dataset(name, (path,), _word_items(path, source.columns, protocol))
    published = " (as published)" if is_published_counts(path) else ""
    return Dataset(f"{name}{published}", (path,), read_counts(path, source.columns))


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


# --- words -----------------------------------------------------------------------------------


def read_words(path: Path | None = None, columns: Mapping[str, str] | None = None) -> list[Word]:
    """The words of a user's file (CSV and the other tables Epicene reads), or all of ours."""
    if path is None:
        return [word for language in LANGUAGES for word in starter_words(language)]
    return [_word_of_row(line) for line in read_rows(path, columns)]


@cache
def starter_words(language: str) -> tuple[Word, ...]:
    """Our words of one language."""
    return tuple(read_words(starter_file(language)))


def starter_file(language: str) -> Path:
    """The file of our words of one language."""
    return STARTER / f"{language.lower()}.csv"


def _word_of_row(line: FileRow) -> Word:
    location, values = line
    fields = {name: _normalised_text(values, name) for name in WORD_COLUMNS}
    for name in _REQUIRED_COLUMNS:
        if not fields[name]:
            raise InputError(
                f"{location} has no {name}; a word needs {', '.join(_REQUIRED_COLUMNS)}."
            )
    if not is_well_spelled(fields["word"]):
        raise InputError(
            f"{location} has the word {fields['word']!r}; a word is made of letters, hyphens, "
            "apostrophes and spaces, because a folder of images is named after it."
        )
    language = language_of(fields["language"], location)
    grammar = grammar_of(fields["grammar"], location)
    fields |= {
        "id": word_id(language, fields["word"], grammar),
        "language": language,
        "grammar": grammar,
        "category": category_of(fields["category"], location),
        "stereotype": fields["stereotype"].lower(),
        "article": fields["article"].replace("’", "'"),
    }
    try:
        word = msgspec.convert(fields, Word)
    except msgspec.ValidationError as error:
        raise InputError(f"{location} does not fit: {error}.") from None
    if word.article:
        return word
    article = definite_article(language, word.grammar, word.word)
    return msgspec.structs.replace(word, article=article)


def _normalised_text(values: Mapping[str, Any], name: str) -> str:
    """A field stripped and composed (NFC), so that equal words are equal strings.

    `data gramvis build` guards what a spreadsheet would take for a formula.
    """
    text = unescape_formula(str(values.get(name) or ""))
    return unicodedata.normalize("NFC", text).strip()


# --- counts ----------------------------------------------------------------------------------


def read_counts(path: Path, columns: Mapping[str, str] | None = None) -> list[LabelCounts]:
    """The rows of a file in the authors' layout, three conditions each."""
    seen: dict[str, str] = {}
    found: list[LabelCounts] = []
    for line in read_rows(path, columns):
        for counted in _counts_of_row(line):
            if counted.id in seen:
                raise InputError(
                    f"{line.location} counts {counted.id!r} again ({seen[counted.id].rstrip(',')})."
                )
            seen[counted.id] = line.location
            found.append(counted)
    if not found:
        raise InputError(f"{path} holds no counts.")
    return found


def is_published(files: Iterable[tuple[str, str]]) -> bool:
    """Whether the authors' file of counts is among these."""
    return any(sha256 == PUBLISHED_SHA256 for _, sha256 in files)


def is_published_counts(path: Path) -> bool:
    """Whether this is the authors' file, byte for byte."""
    return sha256_of(path) == PUBLISHED_SHA256


def _counts_of_row(line: FileRow) -> Iterator[LabelCounts]:
    language, drawer, grammar, category, word = (
        _text_cell(line, column) for column in PUBLISHED_COLUMNS
    )
    for condition in CONDITIONS:
        described = word_condition(
            language, drawer, grammar, category, word, condition, line.location
        )
        counts: dict[str, Any] = {
            outcome: _count_cell(line, PUBLISHED_COLUMNS.counted(condition, outcome))
            for outcome in (*LABELS, ERROR)
        }
        yield LabelCounts(id="/".join(described), **described.item_fields(), **counts)


def _text_cell(line: FileRow, column: str) -> str:
    value = _cell_value(line, column)
    if not isinstance(value, str) or not value.strip():
        raise InputError(f"{line.location} has nothing in the column {column!r}.")
    return value


def _count_cell(line: FileRow, column: str) -> int:
    value = _cell_value(line, column)
    try:
        number = int(value)
    except (TypeError, ValueError):
        number = -1
    if number < 0 or number != float(value):
        raise InputError(f"{line.location} has {value!r} in {column!r}; a count is wanted there.")
    return number


def _cell_value(line: FileRow, column: str) -> Any:
    if column not in line.values:
        raise InputError(
            f"{line.location} lacks the column {column!r}, which counts in the authors' layout "
            "have; `epicene suites gramvis` lists the layouts."
        )
    return line.values[column]
