"""GramVis items: nouns, prompts made from them, their images, and published label counts.

A word diverges when its grammatical gender is not the gender its English meaning suggests; the
others are control words, so that the effects of grammar and stereotype can be separated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, TypeAlias

import msgspec
import regex

from epicene.core.errors import InputError, as_sentence, unknown_name
from epicene.core.records import Item, Positive
from epicene.suites.gramvis.own_languages import names_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from epicene.suites import Stratum
    from epicene.suites.gramvis.own_languages import OwnLanguage
    from epicene.suites.gramvis.prompts import Templates

Grammar: TypeAlias = Literal["M", "F"]
Label: TypeAlias = Literal["male", "female", "neither"]
Stereotype: TypeAlias = Literal["male", "female"]

# In the order of the paper's Table 3.
LANGUAGES = {"DE": "german", "RU": "russian", "IT": "italian", "FR": "french", "ES": "spanish"}
HIGH_RESOURCE = ("FR", "ES", "DE")
MEDIUM_RESOURCE = ("IT", "RU")
GRAMMARS: tuple[Grammar, ...] = ("M", "F")
GRAMMAR_NAMES = {"M": "masculine", "F": "feminine"}
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

# A word names a folder of images: nothing in it may lead out of that folder.
_WORD_PATTERN = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:[-'’ ][\p{L}\p{M}\p{N}]+)*")


# --- names in files --------------------------------------------------------------------------


def language_of(name: str, location: str, own: Mapping[str, OwnLanguage] | None = None) -> str:
    """The code of a language of the paper's, or of the user's own."""
    names = {**_LANGUAGES, **names_of(own or {})}
    code = names.get(name.strip().lower())
    if code is None:
        raise InputError(
            f"{location} there is no language {name!r}; known: {', '.join(sorted(names))}; add "
            "another with --set languages=FILE."
        )
    return code


def grammar_of(name: str, location: str) -> str:
    """M or F."""
    return _look_up_name("grammatical gender", name, _GRAMMARS, location)


def condition_of(name: str, location: str) -> str:
    """english, chinese or gendered, which the authors' file calls native."""
    return _look_up_name("condition", name, _CONDITIONS, location)


def category_of(name: str, location: str) -> str:
    """One of the five categories, spelt with blanks or underscores."""
    return _look_up_name("category", "_".join(name.split()), _CATEGORIES, location)


def _look_up_name(what: str, name: str, names: Mapping[str, str], location: str) -> str:
    found = names.get(name.strip().lower())
    if found is None:
        raise InputError(f"{location} {as_sentence(unknown_name(what, name, names))}")
    return found


# --- words and prompts -----------------------------------------------------------------------


class Word(Item, frozen=True, kw_only=True):
    """A noun, its meaning, and the inflected forms that prompts need.

    `english` and `chinese` are glosses as used in a sentence: "a sentry", "authority".
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


def is_well_spelled(word: str) -> bool:
    """Whether a word consists of letters, hyphens, apostrophes and spaces."""
    return bool(_WORD_PATTERN.fullmatch(word))


def word_id(language: str, noun: str, grammar: str) -> str:
    """The id of a word in a word list."""
    return f"{language}/{noun}/{grammar}"


def word_group(language: str, word: str) -> str:
    """What intervals are over: a word of a language, whichever model drew it from any prompt."""
    return f"{language}/{word}"


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
    """The stratum of a limited run, which alternates over languages, genders and so on."""
    word = item.entry
    return "", (word.language, word.grammar, word.stereotype, word.category)


# --- images and their counts -----------------------------------------------------------------


class WordCondition(NamedTuple):
    """A word as one model draws it under one condition."""

    language: str
    drawer: str
    grammar: str
    category: str
    word: str
    condition: str

    def item_fields(self) -> dict[str, Any]:
        """The fields of an item about it."""
        return {
            **self._asdict(),
            "group": word_group(self.language, self.word),
            "language": self.language.lower(),
        }


def word_condition(
    language: str,
    drawer: str,
    grammar: str,
    category: str,
    word: str,
    condition: str,
    location: str,
    own: Mapping[str, OwnLanguage],
) -> WordCondition:
    """A word and its condition by the names in a file; `location` is the line, for messages."""
    return WordCondition(
        language_of(language, location, own),
        drawer,
        grammar_of(grammar, location),
        category_of(category, location),
        word,
        condition_of(condition, location),
    )


class ImageItem(Item, frozen=True, kw_only=True):
    """One image of a word: by which model, under which condition, of which template and shot."""

    drawer: str
    grammar: str
    category: str
    word: str
    condition: str
    template: str
    shot: str
    stereotype: str = ""  # not known for external votes


Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]


class LabelCounts(Item, frozen=True, kw_only=True):
    """Label counts of the images of one word, by one model under one condition.

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
