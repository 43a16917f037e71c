"""Feminines and plurals of Portuguese nouns and adjectives, and pronouns written with a verb."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from epicene.rewriting.romance.lexicon import Inflection

if TYPE_CHECKING:
    from epicene.rewriting.persons import Gender
    from epicene.rewriting.romance.line import Line
    from epicene.rewriting.romance.readings import Target

_CLITICS = re.compile(r"^(.+)-(me|te|se|nos|vos|l?[oa]s?|n[oa]s?|lhes?)$")
_INFINITIVES = {"á": "ar", "ê": "er", "i": "ir", "í": "ir", "ô": "or"}


def feminine(word: str) -> str:
    """The feminine singular of a masculine singular."""
    if word.endswith("ão"):
        return word[:-1]  # cidadão, cidadã; leão, leoa is listed
    if word.endswith("o"):
        return word[:-1] + "a"
    if word.endswith("ês"):
        return word[:-2] + "esa"
    if word.endswith(("or", "uz")):
        return word + "a"
    if word.endswith("eu"):
        return word[:-2] + "eia"
    return word


def plural(word: str) -> str:
    """The plural of a singular."""
    if word.endswith("ão"):
        return word[:-2] + "ões"
    if word.endswith("ês"):
        return word[:-2] + "eses"
    if word.endswith(("r", "z")):
        return word + "es"
    if word.endswith("m"):
        return word[:-1] + "ns"
    if word.endswith("al"):
        return word[:-1] + "is"
    if word.endswith("ol"):
        return word[:-2] + "óis"
    if word.endswith("el"):
        return word[:-2] + "eis"
    if word.endswith("il"):
        return word[:-2] + "is"
    return word if word.endswith("s") else word + "s"


def split_enclitic(word: str) -> tuple[str, str]:
    """A verb form and the pronoun written with it: sinto-me, vê-lo."""
    found = _CLITICS.match(word)
    if found is None:
        return word, ""
    base, clitic = found[1], found[2]
    if clitic.startswith("l") and base[-1] in _INFINITIVES and clitic not in {"lhe", "lhes"}:
        base = base[:-1] + _INFINITIVES[base[-1]]
    return base, clitic


def inflect(target: Target, word: str, gender: Gender, following: str) -> str:
    """The word in that gender; no determiner depends on the word after it."""
    del word, following
    return target.form.other(gender)


def fuse(line: Line, at: int, form: str, following: str) -> None:
    """Nothing is written together that is not in the lists."""
    del line, at, form, following


INFLECTION = Inflection(
    feminine=feminine,
    plural=plural,
    endings=(
        ("dor", "dora", "dores", "doras"),
        ("tor", "tora", "tores", "toras"),
        ("sor", "sora", "sores", "soras"),
        ("o", "a", "os", "as"),
    ),
    adjectival=(
        "ado",
        "ido",
        "ivo",
        "oso",
        "ico",
        "iano",
        "ário",
        "ório",
        "íssimo",
        "esco",
        "dor",
    ),
    invariable=("vel", "ante", "ente", "ista"),
    agents=(
        "dor",
        "dora",
        "tor",
        "tora",
        "sor",
        "sora",
        "ista",
        "logo",
        "loga",
        "iano",
        "iana",
        "ejano",
        "ejana",
    ),
    verb_endings=(
        ("ou", "ar", "3s"),
        ("ava", "ar", "1s 3s"),
        ("avam", "ar", "3p"),
        ("aram", "ar", "3p"),
        ("ei", "ar", "1s"),
        ("eram", "er", "3p"),
        ("aste", "ar", "2s"),
        ("ávamos", "ar", "1p"),
    ),
    split_enclitic=split_enclitic,
)
