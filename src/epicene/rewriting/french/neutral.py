"""Neutral forms in French: other words (la personne candidate), or étudiant·es."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.rewriting.french.morphology import analyse, inflect
from epicene.rewriting.neutral import REWORD, NeutralForms, word_by_word
from epicene.rewriting.person_words import read_person_words
from epicene.rewriting.text import match_case

if TYPE_CHECKING:
    from epicene.rewriting.persons import FindChanges, Gender


def neutral_forms(find_changes: FindChanges) -> NeutralForms:
    """The styles of French."""
    words = read_person_words("epicene.rewriting.french")
    styles = {REWORD: words.reword, "median": word_by_word(_join)}
    return NeutralForms(find_changes, styles, _other_forms)


def _other_forms(word: str) -> frozenset[str]:
    """The other gender's form of a noun for people that is no adjective: voisine for voisin."""
    readings = analyse(word.lower())
    if any(each.kind != "noun" for each in readings):
        return frozenset()
    forms = (inflect(each, gender) for each in readings for gender in _GENDERS)
    return frozenset(form for form in forms if form is not None)


_GENDERS: tuple[Gender, ...] = ("masculine", "feminine")
_WHOLE = {
    ("il", "elle"): "iel",
    ("ils", "elles"): "iels",
    ("le", "la"): "le·la",
    ("un", "une"): "un·e",
    ("tous", "toutes"): "tous·tes",
    ("du", "de la"): "du·de la",
    ("au", "à la"): "au·à la",
    ("ce", "cette"): "ce·cette",
    ("cet", "cette"): "cet·te",
    ("mon", "ma"): "mon·ma",
    ("ton", "ta"): "ton·ta",
    ("son", "sa"): "son·sa",
    ("celui", "celle"): "celui·celle",
    ("ceux", "celles"): "ceux·celles",
    ("beau", "belle"): "beau·belle",
    ("beaux", "belles"): "beaux·belles",
    ("vieux", "vieille"): "vieux·vieille",
    ("vieux", "vieilles"): "vieux·vieilles",
    ("fou", "folle"): "fou·folle",
    ("copain", "copine"): "copain·ine",
    ("copains", "copines"): "copain·ines",
    ("héros", "héroïne"): "héros·ïne",
}
# The masculine's ending, the feminine's, and what is written after the point.
_ENDINGS = (
    ("teur", "trice", "rice"),
    ("eur", "euse", "euse"),
    ("eux", "euse", "euse"),
    ("eur", "eresse", "esse"),
    ("er", "ère", "ère"),
    ("et", "ète", "ète"),
    ("if", "ive", "ive"),
    ("eau", "elle", "elle"),
    ("c", "che", "che"),
    ("c", "que", "que"),
    ("g", "gue", "gue"),
    ("f", "ve", "ve"),
    ("f", "ffe", "fe"),
    ("n", "nne", "ne"),
    ("l", "lle", "le"),
    ("s", "sse", "se"),
    ("t", "tte", "te"),
    ("x", "se", "se"),
    ("e", "esse", "sse"),
    ("", "e", "e"),
)


def _join(masculine: str, feminine: str) -> str | None:
    whole = _WHOLE.get((masculine.lower(), feminine.lower()))
    if whole is not None:
        return match_case(masculine, whole)
    plural = feminine.endswith("s") and masculine.endswith(("s", "x"))
    singulars = [feminine[:-1] if plural else feminine]
    stems = [masculine.removesuffix("s"), masculine] if plural else [masculine]
    if plural and masculine.endswith("eaux"):
        stems.insert(0, masculine[:-1])
    for stem in stems:
        for own, other, written in _ENDINGS:
            if stem.endswith(own) and singulars[0] == stem.removesuffix(own) + other:
                shown = masculine if stem == masculine[:-1] and masculine.endswith("x") else stem
                return f"{shown}·{written}{'s' if plural else ''}"
    return None
