"""Neutral forms in Spanish: other words (la persona candidata), les alumnes, or pairs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from epicene.rewriting.neutral import (
    PAIR,
    REWORD,
    GenderedWord,
    NeutralForms,
    Replacement,
    word_by_word,
)
from epicene.rewriting.person_words import read_person_words
from epicene.rewriting.text import match_case

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epicene.rewriting.neutral import OtherForms
    from epicene.rewriting.persons import FindChanges

_WHOLE = {
    ("el", "la"): "le",
    ("los", "las"): "les",
    ("lo", "la"): "le",
    ("un", "una"): "une",
    ("unos", "unas"): "unes",
    ("del", "de la"): "de le",
    ("al", "a la"): "a le",
    ("él", "ella"): "elle",
    ("ellos", "ellas"): "elles",
    ("aquel", "aquella"): "aquelle",
    ("algún", "alguna"): "algune",
    ("ningún", "ninguna"): "ningune",
    ("buen", "buena"): "buene",
    ("mal", "mala"): "male",
    ("primer", "primera"): "primere",
    ("tercer", "tercera"): "tercere",
}
# The last consonant before *e* as it is spelt before *o* and *a*.
_SPELLING = (("gu", "gü"), ("c", "qu"), ("g", "gu"), ("z", "c"))
_ACCENTS = {"ón": "on", "ín": "in", "án": "an", "és": "es"}


def neutral_forms(find_changes: FindChanges, other_forms: OtherForms) -> NeutralForms:
    """The styles of Spanish; `find_changes` also finds plurals that name women too."""
    words = read_person_words("epicene.rewriting.spanish")
    styles = {REWORD: words.reword, "e": word_by_word(_with_e), PAIR: _pair}
    return NeutralForms(find_changes, styles, other_forms)


def _with_e(masculine: str, feminine: str) -> str | None:
    """*Alumne*, *amigue*, *profesore*; None for two words: *rey*, *reina*."""
    whole = _WHOLE.get((masculine.lower(), feminine.lower()))
    if whole is not None:
        return match_case(masculine, whole)
    for man, woman, new in (("os", "as", "es"), ("o", "a", "e")):
        stem = masculine.removesuffix(man)
        if stem != masculine and feminine == stem + woman:
            return _before_e(stem) + new
    if feminine == masculine + "a" and masculine[-1:] in {"r", "l"}:  # profesor, español
        return masculine + "e"
    for accented, plain in _ACCENTS.items():  # campeón, francés
        stem = masculine.removesuffix(accented)
        if stem != masculine and feminine == stem + plain + "a":
            return stem + plain + "e"
    if masculine.endswith(("es", "e")) and feminine[:-2] == masculine[:-2]:
        return masculine  # profesores, jefe, este
    if masculine.endswith("es") and feminine == masculine[:-2] + "as":
        return masculine
    return None


def _before_e(stem: str) -> str:
    for written, before_e in _SPELLING:
        if stem.endswith(written):
            return stem.removesuffix(written) + before_e
    return stem


def _pair(text: str, words: Sequence[GenderedWord]) -> list[Replacement]:
    """*Los alumnos y las alumnas*, *el director o la directora*; in the plural what is said of them
    stays masculine."""
    found: list[Replacement] = []
    at = 0
    while at < len(words):
        end = at + 1
        while end < len(words) and re.fullmatch(
            r"\s+", text[words[end - 1].end : words[end].start]
        ):
            end += 1
        run = words[at:end]
        masculine, feminine = (_with_forms(text, run, feminine=each) for each in (False, True))
        plural = run[-1].masculine.endswith("s") and run[-1].feminine.endswith("s")
        start, stop = run[0].start, run[-1].end
        at = end
        if plural and found:
            found.append(Replacement(start, stop, masculine))
            continue
        second = feminine[:1].lower() + feminine[1:]
        joiner = _joiner(second, plural=plural)
        found.append(Replacement(start, stop, f"{masculine} {joiner} {second}"))
    return found


def _joiner(following: str, *, plural: bool) -> str:
    if plural:
        return "e" if re.match(r"h?i(?!e)", following) else "y"
    return "u" if re.match(r"h?o", following) else "o"


def _with_forms(text: str, run: Sequence[GenderedWord], *, feminine: bool) -> str:
    pieces: list[str] = []
    reached = run[0].start
    for word in run:
        pieces += [text[reached : word.start], word.feminine if feminine else word.masculine]
        reached = word.end
    return "".join(pieces)
