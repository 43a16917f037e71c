"""Feminines and plurals of Spanish nouns and adjectives, and pronouns written with a verb."""

from __future__ import annotations

import re

from epicene.rewriting.romance.lexicon import Inflection

_UNACCENTED = str.maketrans("áéíóú", "aeiou")
# Endings that lose their accent when a syllable is added: francés, francesa; campeón, campeona.
_STRESSED = ("és", "ón", "án", "ín")
_CLITICS = re.compile(
    r"^(.*(?:[aeií]r|[aá]ndo|[ié]ndo|yendo|yéndo))(me|te|se|nos|os|l[oae]s?)(?:l[oa]s?)?$"
)

_IMPERATIVE = re.compile(r"^(.*[áéíóú]i?[^aeiouáéíóú]+i?[ae]n?)(me|te|se|l[oa])$")


def _without_accent(word: str) -> str:
    if word.endswith(_STRESSED):
        return word[:-2] + word[-2:].translate(_UNACCENTED)
    return word


def feminine(word: str) -> str:
    """The feminine singular of a masculine singular."""
    if word.endswith("o"):
        return word[:-1] + "a"
    if word.endswith(("or", "ón", "án", "ín", "és", "ol", "ete", "ote")):
        return _without_accent(word).removesuffix("e") + "a"
    return word


def plural(word: str) -> str:
    """The plural of a singular."""
    if word.endswith("z"):
        return word[:-1] + "ces"
    if word.endswith(("s", "x")) and not word.endswith("és"):
        return word
    if word[-1] in "aeiouáéó":
        return word + "s"
    return _without_accent(word) + "es"


def split_enclitic(word: str) -> tuple[str, str]:
    """An infinitive or gerund and the pronoun written with it: sentirme, sintiéndose."""
    found = _CLITICS.match(word)
    if found is None:
        ordered = _IMPERATIVE.match(word)
        return (ordered[1].translate(_UNACCENTED), ordered[2]) if ordered else (word, "")
    base = found[1]
    if base.endswith("ndo"):
        base = base[:-4] + base[-4:].translate(_UNACCENTED)
    return base, found[2]


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
        "ído",
        "ivo",
        "oso",
        "ico",
        "iano",
        "ario",
        "orio",
        "eño",
        "ísimo",
        "esco",
        "dor",
        "uesto",
    ),
    invariable=("ble", "ante", "iente", "ista"),
    agents=("dor", "dora", "tor", "tora", "sor", "sora", "ista", "logo", "loga", "iano", "iana"),
    verb_endings=(
        ("é", "ar", "1s"),
        ("ó", "ar", "3s"),
        ("aba", "ar", "1s 3s"),
        ("aban", "ar", "3p"),
        ("aron", "ar", "3p"),
        ("ieron", "er", "3p"),
        ("aste", "ar", "2s"),
        ("ábamos", "ar", "1p"),
    ),
    split_enclitic=split_enclitic,
)
