"""The words that are drawn: ours, whose gender contradicts or equals the stereotype, or the user's.

A word diverges when its grammatical gender is not the gender its English meaning suggests; the
others are controls, so that a table of grammar by stereotype can tell the two apart.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

import msgspec
import regex

from epicene.datafiles import read_rows
from epicene.errors import InputError
from epicene.records import Item
from epicene.suites.gramvis.articles import definite
from epicene.suites.gramvis.names import LANGUAGES, Grammar, category_of, grammar_of, language_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from epicene.datafiles import Line

Stereotype: TypeAlias = Literal["male", "female"]

STARTER = Path(__file__).parent / "starter"
_NEEDED = ("language", "word", "grammar", "stereotype", "category")
_OPTIONAL = ("english", "chinese", "article", "genitive", "accusative", "published")
COLUMNS = (*_NEEDED, *_OPTIONAL)

# A word names a folder of pictures: nothing in it may lead out of that folder.
_SPELLING = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:[-'’ ][\p{L}\p{M}\p{N}]+)*")


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
    return list(_read(path, columns))


@cache
def starter_words(language: str) -> tuple[Word, ...]:
    """Our words of one language."""
    return tuple(_read(starter_file(language)))


def starter_file(language: str) -> Path:
    """Where our words of one language are."""
    return STARTER / f"{language.lower()}.csv"


def _read(path: Path, columns: Mapping[str, str] | None = None) -> Iterator[Word]:
    for line in read_rows(path, columns):
        yield _word(line)


def _word(line: Line) -> Word:
    place, values = line
    fields = {name: _text(values, name) for name in COLUMNS}
    for name in _NEEDED:
        if not fields[name]:
            raise InputError(f"{place} has no {name}; a word needs {', '.join(_NEEDED)}.")
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
    article = definite(language, word.grammar, word.word)
    return msgspec.structs.replace(word, article=article)


def _text(values: Mapping[str, Any], name: str) -> str:
    """A field without space around it, composed, so that equal words are equal strings."""
    return unicodedata.normalize("NFC", str(values.get(name) or "")).strip()


def is_spelled(word: str) -> bool:
    """Whether it is made of what words are made of."""
    return bool(_SPELLING.fullmatch(word))


def word_id(language: str, noun: str, grammar: str) -> str:
    """The name of a word in a list."""
    return f"{language}/{noun}/{grammar}"


def _check_spelling(word: str, place: str) -> None:
    if not is_spelled(word):
        raise InputError(
            f"{place} has the word {word!r}; a word is made of letters, hyphens, apostrophes and "
            "spaces, because a folder of pictures is named after it."
        )
