"""GramVis items: nouns, prompts made from them, published label counts, and their vocabulary.

A word diverges when its grammatical gender is not the gender its English meaning suggests; the
others are control words, so that the effects of grammar and stereotype can be separated.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, TypeAlias

import msgspec
import regex

from epicene.core.data_files import read_rows, sha256_of
from epicene.core.errors import InputError, unknown
from epicene.core.records import Item, Positive
from epicene.suites.gramvis.articles import definite_article

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from epicene.core.data_files import FileRow
    from epicene.suites import Stratum
    from epicene.suites.gramvis.prompts import Templates

Grammar: TypeAlias = Literal["M", "F"]
Label: TypeAlias = Literal["male", "female", "neither"]

# In the order of the paper's Table 3.
LANGUAGES = {"DE": "german", "RU": "russian", "IT": "italian", "FR": "french", "ES": "spanish"}
HIGH_RESOURCE = ("FR", "ES", "DE")
MEDIUM_RESOURCE = ("IT", "RU")
GRAMMARS: tuple[Grammar, ...] = ("M", "F")
LABELS: tuple[Label, ...] = ("male", "female", "neither")
LABEL_OF_GRAMMAR: dict[str, Label] = {
    "M": "male",
    "F": "female",
}  # the gender that the grammar suggests
ERROR = "error"  # an image of which no judge said anything that could be read
CONDITIONS = ("english", "chinese", "gendered")
CONTROLS = CONDITIONS[:2]
CATEGORIES = (
    "occupation",
    "personal_traits",
    "power_dynamic",
    "relationship_descriptors",
    "social_status",
)

# What a file may call them, all in lower case.
_LANGUAGES = {name: code for code, own in LANGUAGES.items() for name in (own, code.lower())}
_GRAMMARS: dict[str, Grammar] = {
    "male": "M",
    "masculine": "M",
    "m": "M",
    "female": "F",
    "feminine": "F",
    "f": "F",
}
_CONDITIONS = {**{name: name for name in CONDITIONS}, "native": "gendered"}
_CATEGORIES = {name: name for name in CATEGORIES}


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


class WordCondition(NamedTuple):
    """Which word, drawn by which model, under which condition."""

    language: str
    drawer: str
    grammar: str
    category: str
    word: str
    condition: str


def language_of(name: str, place: str) -> str:
    """The paper's code of a language."""
    return _look_up_name("language", name, _LANGUAGES, place)


def grammar_of(name: str, place: str) -> str:
    """M or F."""
    return _look_up_name("grammatical gender", name, _GRAMMARS, place)


def condition_of(name: str, place: str) -> str:
    """english, chinese or gendered, which the authors' file calls native."""
    return _look_up_name("condition", name, _CONDITIONS, place)


def category_of(name: str, place: str) -> str:
    """One of the five categories."""
    return _look_up_name("category", name, _CATEGORIES, place)


def _look_up_name(what: str, name: str, names: Mapping[str, str], place: str) -> str:
    found = names.get(name.strip().lower())
    if found is None:
        raise InputError(f"{place} {unknown(what, name, names)}")
    return found


Stereotype: TypeAlias = Literal["male", "female"]

STARTER = Path(__file__).parent / "starter"
_REQUIRED_COLUMNS = ("language", "word", "grammar", "stereotype", "category")
_OPTIONAL_COLUMNS = ("english", "chinese", "article", "genitive", "accusative", "published")
WORD_COLUMNS = (*_REQUIRED_COLUMNS, *_OPTIONAL_COLUMNS)

# A word names a folder of pictures: nothing in it may lead out of that folder.
_WORD_PATTERN = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:[-'’ ][\p{L}\p{M}\p{N}]+)*")


class Word(Item, frozen=True, kw_only=True):
    """A noun, what it means, and the forms that prompts need of it.

    `english` and `chinese` are glosses as they stand in a sentence: "a sentry", "authority".
    `genitive` is German with its article (des Schatzes) or Russian, `accusative` Russian.
    `published` is the name in the authors' list, with its wrong or missing article.
    """

    word: str
    article: str
    grammar: Grammar
    stereotype: Stereotype
    category: str
    english: str = ""
    chinese: str = ""
    genitive: str = ""
    accusative: str = ""
    published: str = ""

    @property
    def control(self) -> bool:
        """Whether the stereotype equals the grammar, so that nothing diverges."""
        return (self.stereotype == "male") == (self.grammar == "M")


def read_words(path: Path | None = None, columns: Mapping[str, str] | None = None) -> list[Word]:
    """The words of a user's file (CSV and the other tables Epicene reads), or all of ours."""
    if path is None:
        return [word for language in LANGUAGES for word in starter_words(language)]
    return list(_read_word_file(path, columns))


@cache
def starter_words(language: str) -> tuple[Word, ...]:
    """Our words of one language."""
    return tuple(_read_word_file(starter_file(language)))


def starter_file(language: str) -> Path:
    """Where our words of one language are."""
    return STARTER / f"{language.lower()}.csv"


def _read_word_file(path: Path, columns: Mapping[str, str] | None = None) -> Iterator[Word]:
    for line in read_rows(path, columns):
        yield _word_of_row(line)


def _word_of_row(line: FileRow) -> Word:
    place, values = line
    fields = {name: _normalised_text(values, name) for name in WORD_COLUMNS}
    for name in _REQUIRED_COLUMNS:
        if not fields[name]:
            raise InputError(f"{place} has no {name}; a word needs {', '.join(_REQUIRED_COLUMNS)}.")
    _check_spelling(fields["word"], place)
    language = language_of(fields["language"], place)
    grammar = grammar_of(fields["grammar"], place)
    fields |= {
        "id": word_id(language, fields["word"], grammar),
        "language": language,
        "grammar": grammar,
        "category": category_of(fields["category"], place),
        "stereotype": fields["stereotype"].lower(),
        "article": fields["article"].replace("’", "'"),
    }
    try:
        word = msgspec.convert(fields, Word)
    except msgspec.ValidationError as error:
        raise InputError(f"{place} does not fit: {error}.") from None
    if word.article:
        return word
    article = definite_article(language, word.grammar, word.word)
    return msgspec.structs.replace(word, article=article)


def _normalised_text(values: Mapping[str, Any], name: str) -> str:
    """A field without space around it, composed, so that equal words are equal strings."""
    return unicodedata.normalize("NFC", str(values.get(name) or "")).strip()


def is_well_spelled(word: str) -> bool:
    """Whether it is made of what words are made of."""
    return bool(_WORD_PATTERN.fullmatch(word))


def word_id(language: str, noun: str, grammar: str) -> str:
    """The name of a word in a list."""
    return f"{language}/{noun}/{grammar}"


def _check_spelling(word: str, place: str) -> None:
    if not is_well_spelled(word):
        raise InputError(
            f"{place} has the word {word!r}; a word is made of letters, hyphens, apostrophes and "
            "spaces, because a folder of pictures is named after it."
        )


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

Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]


class LabelCounts(Item, frozen=True, kw_only=True):
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


def is_published_counts(path: Path) -> bool:
    """Whether this is the authors' file, byte for byte."""
    return sha256_of(path) == PUBLISHED_SHA256


def _counts_of_row(line: FileRow) -> Iterator[LabelCounts]:
    drawer, word = (
        _text_cell(line, PUBLISHED_COLUMNS.drawer),
        _text_cell(line, PUBLISHED_COLUMNS.word),
    )
    language = language_of(_text_cell(line, PUBLISHED_COLUMNS.language), line.location)
    grammar = grammar_of(_text_cell(line, PUBLISHED_COLUMNS.grammar), line.location)
    category = category_of(_text_cell(line, PUBLISHED_COLUMNS.category), line.location)
    for condition in CONDITIONS:
        numbers = {
            outcome: _count_cell(line, PUBLISHED_COLUMNS.counted(condition, outcome))
            for outcome in (*LABELS, ERROR)
        }
        where = WordCondition(language, drawer, grammar, category, word, condition)
        yield LabelCounts(
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
            f"{line.location} lacks the column {column!r}; docs/gramvis.md lists the columns."
        )
    return line.values[column]


class PromptItem(Item, frozen=True, kw_only=True):
    """A word and the number of a template, counted from 1.

    Its three prompts are one item, so that what is left out (by `--limit`, or because an answer
    never came) is left out of the gendered prompt and its controls alike.
    """

    entry: Word
    template: Positive


def prompt_items(word: Word, templates: Templates) -> Iterator[PromptItem]:
    """A word in each template."""
    for number in range(1, templates.count(word) + 1):
        yield PromptItem(
            id=f"{word.id}/{number}",
            group=word_group(word.language, word.word),
            language=word.language.lower(),
            entry=word,
            template=number,
        )


def stratum(item: PromptItem) -> Stratum:
    """A limited run takes of every language, gender, stereotype and category."""
    word = item.entry
    return "", f"{word.language}/{word.grammar}/{word.stereotype}/{word.category}"
