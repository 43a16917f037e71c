"""Sites of Russian words, and the form that each takes."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from epicene.rewriting import sites
from epicene.rewriting.russian import declension, lexicon
from epicene.rewriting.russian.conjugation import listed_forms, past_form, short_form
from epicene.rewriting.russian.line import key
from epicene.rewriting.text import match_case

if TYPE_CHECKING:
    from collections.abc import Iterable

    from epicene.rewriting import Change
    from epicene.rewriting.persons import Gender, TargetGenders
    from epicene.rewriting.russian.line import Line
    from epicene.rewriting.text import Token

TargetKind: TypeAlias = Literal["verb", "short", "adjective", "noun", "pronoun", "surname"]

# Where ё is written, about one word in twenty has it: a long line without any writes ее.
_TELLING_LENGTH = 10


class Target(NamedTuple):
    """What decides the form of a word."""

    kind: TargetKind
    case: str = "nominative"
    plural: bool = False
    form: str = ""  # of a pronoun: the form of `gender`
    gender: Gender | None = None


Site: TypeAlias = sites.Site[Target]
Sites: TypeAlias = sites.Sites[Target]


def make_changes(line: Line, found: Iterable[Site], wanted: TargetGenders) -> Iterable[Change]:
    """The changes of the sites' words that have the other gender."""
    dots = writes_dots(line)
    short = len(line.text.split()) < _TELLING_LENGTH
    for site in found:
        if site.who not in wanted:
            continue
        word = line.tokens[site.at]
        after = _form(word, site.target, wanted[site.who])
        if after is None or key(after) == word.key:
            continue
        keeps = dots if dots is not None else site.target.kind != "pronoun" or short
        if not keeps and "ё" not in word.text.lower():
            after = after.replace("ё", "е")
        yield site.change(word, match_case(word.text, after))


def writes_dots(line: Line) -> bool | None:
    """Whether the text writes ё; None where it has no word that would tell."""
    text = line.text.lower()
    if "ё" in text:
        return True
    stems = tuple(lexicon.keys_of("function_words", "dotted_stems"))
    plain = any(word in _dotted_words() or word.startswith(stems) for word in line.keys)
    return False if plain else None


@cache
def _dotted_words() -> frozenset[str]:
    """Words that have ё, as they are written without it."""
    forms = [form for each in listed_forms() for form in (each.masculine, each.feminine)]
    return lexicon.keys_of("function_words", "dotted") | {
        key(form) for form in forms if "ё" in form
    }


def _form(word: Token, target: Target, gender: Gender) -> str | None:
    """The word in that gender, None if it has it already."""
    if target.kind == "pronoun":
        return target.form if target.gender == gender else None
    if target.kind == "noun":
        return _noun(word, target, gender)
    if target.kind == "surname":
        form = declension.surname_form(word.key, gender, target.case)
        return None if form is None else _keep_beginning(word.text, form)
    if target.kind == "adjective":
        reading = declension.agreeing(declension.adjective_readings(word.key, strict=False), gender)
        if reading is None or target.case not in reading.cases:
            return None
        form = reading.form(gender, target.case)
        return form if "ё" in form else _keep_beginning(word.text, form)
    read = past_form(word.key) if target.kind == "verb" else short_form(word.key)
    if read is None or read.gender == gender:
        return None
    form = read.form(gender)
    return form if read.listed else _keep_beginning(word.text, form)


def _noun(word: Token, target: Target, gender: Gender) -> str | None:
    for reading in declension.noun_readings(word.key):
        if (
            reading.gender not in {gender, None}
            and reading.plural == target.plural
            and target.case in reading.cases
        ):
            return declension.inflect_noun(word.key, reading, gender, target.case)
    return None


def _keep_beginning(before: str, after: str) -> str:
    """The new form with the letters of the old one as far as they are alike: подчёркивала."""
    plain = key(before)
    common = 0
    while common < min(len(plain), len(after)) and plain[common] == after[common]:
        common += 1
    kept = before[:common].lower()
    if plain.endswith("ен") and after.endswith("ена"):
        kept = kept[:-2] + "ен"
    return kept + after[common:]
