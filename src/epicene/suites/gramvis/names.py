"""The names of GramVis's languages, genders, categories and conditions, ours and as published."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from epicene.errors import InputError, unknown

if TYPE_CHECKING:
    from collections.abc import Mapping

Grammar: TypeAlias = Literal["M", "F"]
Label: TypeAlias = Literal["male", "female", "neither"]

# In the order of the paper's Table 3.
LANGUAGES = {"DE": "german", "RU": "russian", "IT": "italian", "FR": "french", "ES": "spanish"}
HIGH_RESOURCE = ("FR", "ES", "DE")
MEDIUM_RESOURCE = ("IT", "RU")
GRAMMARS: tuple[Grammar, ...] = ("M", "F")
LABELS: tuple[Label, ...] = ("male", "female", "neither")
OWN: dict[str, Label] = {"M": "male", "F": "female"}  # the gender that the grammar suggests
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


class Published(NamedTuple):
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


class Where(NamedTuple):
    """Which word, drawn by which model, under which condition."""

    language: str
    drawer: str
    grammar: str
    category: str
    word: str
    condition: str


def language_of(name: str, place: str) -> str:
    """The paper's code of a language."""
    return _known("language", name, _LANGUAGES, place)


def grammar_of(name: str, place: str) -> str:
    """M or F."""
    return _known("grammatical gender", name, _GRAMMARS, place)


def condition_of(name: str, place: str) -> str:
    """english, chinese or gendered, which the authors' file calls native."""
    return _known("condition", name, _CONDITIONS, place)


def category_of(name: str, place: str) -> str:
    """One of the five categories."""
    return _known("category", name, _CATEGORIES, place)


def _known(what: str, name: str, names: Mapping[str, str], place: str) -> str:
    found = names.get(name.strip().lower())
    if found is None:
        raise InputError(f"{place} {unknown(what, name, names)}")
    return found
