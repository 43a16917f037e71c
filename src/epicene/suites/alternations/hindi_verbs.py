"""The Hindi verbs and nouns of the benchmark (verbs.toml, nouns.toml) and a verb's participles.

>>> participle("perfective", "कटवा", "f", "sg"), participle("habitual", "कटवा", "m", "pl")
('कटवाई', 'कटवाते')
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import msgspec

from epicene.core.records import Record
from epicene.suites.alternations.transliteration import transliterate

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Gender: TypeAlias = Literal["m", "f"]
Number: TypeAlias = Literal["sg", "pl"]
GENDER_NAMES: dict[Gender, str] = {"m": "masculine", "f": "feminine"}
NUMBER_NAMES: dict[Number, str] = {"sg": "singular", "pl": "plural"}
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

# Of the verbs that replace others in DV: how many there are at least, how often one comes at most.
MIN_OTHER_VERBS = 25
MAX_USES_OF_OTHER_VERB = 3

_LIST_FIELDS = ("causers", "causees", "instruments", "recipients", "patients", "partners")


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
    """A verb: its stems, its class, and the nouns that may fill each role."""

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
        """The valency of the base: intransitive, transitive or ditransitive."""
        return VALENCIES[self.verb_class]

    @property
    def iast(self) -> str:
        """The infinitive in Latin letters."""
        return transliterate(f"{self.base}ना")


def _read_toml(name: str) -> dict[str, Any]:
    return tomllib.loads((Path(__file__).parent / f"{name}.toml").read_text(encoding="utf-8"))


@cache
def nouns() -> Mapping[str, Noun]:
    """The nouns by their direct form."""
    rows = _read_toml("nouns")
    return {form: msgspec.convert({"form": form, **row}, Noun) for form, row in rows.items()}


@cache
def verbs() -> Mapping[str, Verb]:
    """The verbs by their ids, in the order of the table."""
    rows = _read_toml("verbs")
    return {
        name: msgspec.convert({"id": name, **_with_lists(row)}, Verb) for name, row in rows.items()
    }


def _with_lists(row: dict[str, Any]) -> dict[str, Any]:
    """A row of the table with its lists split, which are words with spaces between."""
    return {key: value.split() if key in _LIST_FIELDS else value for key, value in row.items()}


Aspect: TypeAlias = Literal["perfective", "habitual"]
StemKind: TypeAlias = Literal["base", "direct causative", "indirect causative"]
IrregularForms: TypeAlias = tuple[str, str, str] | None

AGREEMENT_CELLS: tuple[tuple[Gender, Number], ...] = (
    ("m", "sg"),
    ("m", "pl"),
    ("f", "sg"),
    ("f", "pl"),
)
ASPECTS: tuple[Aspect, ...] = ("perfective", "habitual")

# The auxiliary carries the number of a feminine participle: कटवाई थी, कटवाई थीं.
AUXILIARIES: dict[tuple[Gender, Number], str] = {
    ("m", "sg"): "था",
    ("m", "pl"): "थे",
    ("f", "sg"): "थी",
    ("f", "pl"): "थीं",
}

_VOWEL_SIGNS = "ािीुूेैोौ"
_NASAL = "\u0902"


def participle(
    aspect: Aspect, stem: str, gender: Gender, number: Number, irregular: IrregularForms = None
) -> str:
    """A participle before an auxiliary: कटा, खाया, किया (perfective); कटता (habitual)."""
    if aspect == "habitual":
        singular, plural, feminine = f"{stem}ता", f"{stem}ते", f"{stem}ती"
    else:
        singular, plural, feminine = irregular or _regular_perfective(stem)
    if gender == "f":
        return feminine
    return plural if number == "pl" else singular


def _regular_perfective(stem: str) -> tuple[str, str, str]:
    if stem[-1] in _VOWEL_SIGNS:
        return f"{stem}या", f"{stem}ए", f"{stem}ई"
    return f"{stem}ा", f"{stem}े", f"{stem}ी"


def clause_final(participle: str, gender: Gender, number: Number) -> str:
    """The participle as the last word of a clause, where the feminine plural shows: कटवाईं."""
    return participle + _NASAL if (gender, number) == ("f", "pl") else participle


class ParadigmForm(NamedTuple):
    """One cell of a paradigm."""

    stem_kind: StemKind
    aspect: Aspect
    gender: Gender
    number: Number
    text: str  # before an auxiliary


def stems(verb: Verb) -> Iterator[tuple[StemKind, str, IrregularForms]]:
    """The stems of a verb, each with its irregular perfective, if any."""
    yield "base", verb.base, verb.perfective
    if verb.direct:
        yield "direct causative", verb.direct, None
    yield "indirect causative", verb.indirect, None


def paradigm(verb: Verb) -> Iterator[ParadigmForm]:
    """Every form of every stem of a verb."""
    for kind, stem, irregular in stems(verb):
        for aspect in ASPECTS:
            for gender, number in AGREEMENT_CELLS:
                text = participle(aspect, stem, gender, number, irregular)
                yield ParadigmForm(kind, aspect, gender, number, text)


def base_forms(verb: Verb) -> list[str]:
    """The forms of the base by which its frequency is judged: participles and infinitives."""
    participles = [form.text for form in paradigm(verb) if form.stem_kind == "base"]
    return list(dict.fromkeys([*participles, *(f"{verb.base}{end}" for end in ("ना", "ने", "नी"))]))
