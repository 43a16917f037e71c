"""The verbs and nouns that the Hindi sentences are made of: `verbs.toml` and `nouns.toml`."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import msgspec

from epicene.records import Record
from epicene.suites.alternations.iast import transliterate

if TYPE_CHECKING:
    from collections.abc import Mapping

Gender: TypeAlias = Literal["m", "f"]
Number: TypeAlias = Literal["sg", "pl"]
VerbClass: TypeAlias = Literal[
    "unergative", "unaccusative", "transitive", "ingestive", "ditransitive"
]

VALENCIES: dict[VerbClass, str] = {
    "unergative": "intransitive",
    "unaccusative": "intransitive",
    "transitive": "transitive",
    "ingestive": "transitive",
    "ditransitive": "ditransitive",
}

_LISTS = ("causers", "causees", "instruments", "recipients", "patients", "partners")


class Noun(Record, frozen=True, kw_only=True):
    """A noun in one number; `en` is what it is called in English, with its article."""

    form: str
    gender: Gender
    en: str
    oblique: str = ""  # before a postposition, where it is another form
    plural: bool = False

    @property
    def before_postposition(self) -> str:
        """The form before ने, से and को."""
        return self.oblique or self.form

    @property
    def number(self) -> Number:
        """Singular or plural."""
        return "pl" if self.plural else "sg"


class Verb(Record, frozen=True, kw_only=True, rename={"verb_class": "class"}):
    """A verb: its stems, its class, and who and what takes part in what it says."""

    id: str
    base: str
    indirect: str
    verb_class: VerbClass
    meaning: str
    english: str
    causers: tuple[str, ...]
    causees: tuple[str, ...]
    instruments: tuple[str, ...]
    patients: tuple[str, ...]
    partners: tuple[str, ...]
    recipients: tuple[str, ...] = ()
    direct: str = ""
    perfective: tuple[str, str, str] | None = None  # of the base, where it is irregular
    by: str = "with"
    ko: bool = False

    @property
    def valency(self) -> str:
        """How many arguments the base takes, in a word."""
        return VALENCIES[self.verb_class]

    @property
    def iast(self) -> str:
        """The infinitive in Latin letters."""
        return transliterate(f"{self.base}ना")


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((Path(__file__).parent / f"{name}.toml").read_text(encoding="utf-8"))


@cache
def nouns() -> Mapping[str, Noun]:
    """The nouns by their direct form."""
    rows = _read("nouns")
    return {form: msgspec.convert({"form": form, **row}, Noun) for form, row in rows.items()}


@cache
def verbs() -> Mapping[str, Verb]:
    """The verbs by their ids, in the order of the table."""
    rows = _read("verbs")
    return {name: msgspec.convert({"id": name, **_split(row)}, Verb) for name, row in rows.items()}


def _split(row: dict[str, Any]) -> dict[str, Any]:
    """The lists are written as words with spaces between."""
    return {key: value.split() if key in _LISTS else value for key, value in row.items()}
