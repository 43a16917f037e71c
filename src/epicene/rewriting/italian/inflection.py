"""Feminines and plurals of Italian nouns and adjectives, and pronouns written with a verb."""

from __future__ import annotations

import re

from epicene.rewriting.romance.lexicon import Inflection

_IMPERATIVE = re.compile(
    r"^(.{3,}[aei])([mt]i)$|^(.{2,}(?:[aei]te|iamo|[^e]i))(gli|l[oae])$|^(.{2,}a)(gli|l[oa])$"
)
_CLITICS = re.compile(r"^(.*(?:[aei]r|ndo))(mi|ti|si|ci|vi|gli|l[oaie]|ne)$")


def feminine(word: str) -> str:
    """The feminine singular of a masculine singular."""
    if word.endswith("tore"):
        return word[:-4] + "trice"
    if word.endswith(("iere", "one")):
        return word[:-1] + "a"
    return word[:-1] + "a" if word.endswith("o") else word


def plural(word: str) -> str:
    """The plural of a singular; a word in -a is taken for a feminine."""
    if word.endswith(("ico", "logo", "fago")):
        return word[:-1] + "i"
    if word.endswith(("co", "go")):
        return word[:-1] + "hi"
    if word.endswith("io"):
        return word[:-1]
    if word.endswith(("ca", "ga")):
        return word[:-1] + "he"
    if word.endswith("a"):
        return word[:-1] + "e"
    return word[:-1] + "i" if word[-1] in "oe" else word


def epicene_plurals(word: str) -> tuple[str, str]:
    """The masculine and feminine plural of a noun with one singular: artisti, artiste."""
    if word.endswith("a"):
        return word[:-1] + "i", plural(word)
    return plural(word), plural(word)


def split_enclitic(word: str) -> tuple[str, str]:
    """A verb form and the pronoun written with it: sentirmi, sentendosi, lasciami, prendetela."""
    found = _CLITICS.match(word)
    if found is None:
        ordered = _IMPERATIVE.match(word)
        base, clitic = [each for each in ordered.groups() if each] if ordered else (word, "")
        return base, clitic
    return (found[1] + "e" if found[1].endswith("r") else found[1]), found[2]


INFLECTION = Inflection(
    feminine=feminine,
    plural=plural,
    endings=(
        ("tore", "trice", "tori", "trici"),
        ("ico", "ica", "ici", "iche"),
        ("co", "ca", "chi", "che"),
        ("go", "ga", "ghi", "ghe"),
        ("o", "a", "i", "e"),
    ),
    adjectival=(
        "ato",
        "uto",
        "ito",
        "oso",
        "ivo",
        "issimo",
        "ico",
        "iano",
        "esco",
        "urno",
    ),
    invariable=("bile", "evole", "ale", "ante", "ente", "ista"),
    agents=("tore", "trice", "iere", "iera", "ista", "aio", "aia", "logo", "loga", "iano", "iana"),
    verb_endings=(
        ("ai", "are", "1s"),
        ("arono", "are", "3p"),
        ("avo", "are", "1s"),
        ("ava", "are", "3s"),
        ("avano", "are", "3p"),
        ("ettero", "ere", "3p"),
        ("irono", "ire", "3p"),
        ("evo", "ere", "1s"),
        ("eva", "ere", "3s"),
        ("erò", "ere", "1s"),
        ("irò", "ire", "1s"),
        ("erei", "are", "1s"),
        ("erebbe", "are", "3s"),
    ),
    split_enclitic=split_enclitic,
    epicene_plurals=epicene_plurals,
)
