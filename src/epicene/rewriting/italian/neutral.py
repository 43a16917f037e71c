"""Neutral forms in Italian: other words (la persona candidata), or with schwa (lə studentə)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.rewriting.neutral import REWORD, NeutralForms, word_by_word
from epicene.rewriting.person_words import read_person_words
from epicene.rewriting.text import match_case

if TYPE_CHECKING:
    from epicene.rewriting.neutral import OtherForms
    from epicene.rewriting.persons import FindChanges

_SCHWA = "ə"
# Articles and short adjectives, by the feminine, full or elided.
_WHOLE = {
    "la": "lə",
    "le": "lə",
    "una": "unə",
    "un'": "unə ",
    "lei": "ləi",
    "mie": "miə",
    "tue": "tuə",
    "sue": "suə",
    "buona": "buonə",
    "bella": "bellə",
    "quella": "quellə",
    "quelle": "quellə",
    "nessuna": "nessunə",
    "alcuna": "alcunə",
    "dee": "dellə",  # alcuni dei miei amici
    **{f"{each}la": f"{each}lə" for each in ("del", "al", "dal", "nel", "sul")},
    **{f"{each}le": f"{each}lə" for each in ("del", "al", "dal", "nel", "sul")},
}


def neutral_forms(find_changes: FindChanges, other_forms: OtherForms) -> NeutralForms:
    """The styles of Italian; `find_changes` also finds plurals that name women too."""
    words = read_person_words("epicene.rewriting.italian")
    styles = {REWORD: words.reword, "schwa": word_by_word(_with_schwa)}
    return NeutralForms(find_changes, styles, other_forms)


def _with_schwa(masculine: str, feminine: str) -> str | None:
    """*Stancə*, *studentə*, *attorə*; None for two words: *padre*, *madre*."""
    whole = _WHOLE.get(feminine.lower().replace("’", "'"))
    if whole is not None:
        return match_case(masculine, whole)
    if feminine[-1:] in "ae" and masculine[-1:] in "oeia":
        if feminine[:-1] == masculine[:-1]:
            return masculine[:-1] + _SCHWA
        if feminine[:-1] == masculine.rstrip("i") + "h":  # amici, amiche
            return feminine[:-1] + _SCHWA
        if feminine.startswith(masculine[:-1]) and feminine.endswith("ie"):
            return masculine[:-1] + "i" + _SCHWA  # figli, figlie
    endings = (("tore", "trice"), ("tori", "trici"), ("e", "essa"), ("i", "esse"), ("a", "essa"))
    for man, woman in (*endings, ("e", "a"), ("oe", "oina")):
        stem = masculine.removesuffix(man)
        if stem != masculine and feminine == stem + woman:
            return masculine[:-1] + _SCHWA
    return None
