"""The people whose gender a text shows (speaker, listener, others): the gender each should have,
and the gender that a text gives them.

A language provides one function, `(text, target genders) -> changes`; `person_rewriter` makes its
`Rewriter`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Literal, TypeAlias, get_args

import msgspec

from epicene.core.errors import InputError
from epicene.core.records import Record
from epicene.rewriting import (
    Change,
    Rewrite,
    Rewriter,
    Rewriting,
    find_rewriter,
    rewritable_languages,
)
from epicene.rewriting.neutral import LEFT_OUT, NeutralForms, is_one_of_two_forms
from epicene.rewriting.protected import read_syntax, visible_texts

# speaker: who says I; listener: who is spoken to; others: everyone who is only spoken about.
Person: TypeAlias = Literal["speaker", "listener", "others"]
Gender: TypeAlias = Literal["masculine", "feminine"]

# The gender asked for; whoever is not named stays as they are.
TargetGenders: TypeAlias = Mapping[Person, Gender]
# What is to be replaced in one text, in any order, no two overlapping.
FindChanges: TypeAlias = Callable[[str, TargetGenders], Iterable[Change]]

PERSONS: tuple[Person, ...] = get_args(Person)
GENDERS: tuple[Gender, ...] = get_args(Gender)
_GENDER_CODES: dict[str, Gender] = {"m": "masculine", "f": "feminine"}
_NEUTRAL = ("n", "neutral")


def other_gender(gender: Gender) -> Gender:
    """Feminine for masculine, and masculine for feminine."""
    return "feminine" if gender == "masculine" else "masculine"


def read_target_genders(options: Mapping[str, str]) -> dict[Person, Gender]:
    """The requested gender of each person in the options, as m, f or in full.

    At least one person is required; those who should be neutral are not in the result.
    """
    wanted: dict[Person, Gender] = {}
    for person in PERSONS:
        if person not in options or options[person] in _NEUTRAL:
            continue
        value = options[person]
        gender = _GENDER_CODES.get(value, value)
        if gender not in GENDERS:
            raise InputError(f"--{person} must be m, f or n, not {value!r}.")
        wanted[person] = gender
    if not any(person in options for person in PERSONS):
        raise InputError(
            "No person is given whose gender should change; use --speaker, --listener or "
            "--others with m or f (in some languages also n)."
        )
    return wanted


def read_neutral_persons(
    options: Mapping[str, str], neutral: NeutralForms | None
) -> tuple[tuple[Person, ...], str]:
    """Who is to be neutral, and in which style."""
    persons = tuple(person for person in PERSONS if options.get(person) in _NEUTRAL)
    style = options.get("style", "")
    if persons and neutral is None:
        raise InputError(
            "This language has no neutral forms (n); German, French, Spanish and Italian have "
            "them (English: --pronouns they)."
        )
    if neutral is None:
        return (), ""
    if style and not persons:
        raise InputError(
            "--style is for neutral forms: use --speaker, --listener or --others with n."
        )
    if style and style not in neutral.styles:
        known = ", ".join(neutral.styles)
        raise InputError(f"--style must be one of {known} in this language, not {style!r}.")
    return persons, style or next(iter(neutral.styles))


def person_rewriter(
    find_changes: FindChanges,
    *,
    version: str,
    packages: Callable[[], dict[str, str]] = dict,
    neutral: NeutralForms | None = None,
) -> Rewriter:
    """The rewriter of a language that takes the options speaker, listener and others.

    `version` and `packages` are those of `Rewriter`; with `neutral` it also takes the gender n and
    a style.
    """

    def open_for(options: Mapping[str, str]) -> Rewrite:
        wanted = read_target_genders(options)
        persons, style = read_neutral_persons(options, neutral)
        syntax = read_syntax(options)

        def find_all(text: str) -> Iterator[Change]:
            found = [
                change
                for change in (find_changes(text, wanted) if wanted else ())
                if not is_one_of_two_forms(text, change)
            ]
            yield from found
            for person in persons:
                assert neutral is not None
                for change in neutral.changes(text, person, style):
                    overlaps = (
                        each.start < change.end and change.start < each.end for each in found
                    )
                    if not any(overlaps):
                        yield change
                        found.append(change)

        def rewrite_all(texts: Iterable[str]) -> Iterator[Rewriting]:
            for text in texts:
                found = [
                    change
                    for visible in visible_texts(text, syntax=syntax)
                    for change in visible.restore(find_all(visible.text))
                ]
                left = tuple(each for each in found if each.rule in LEFT_OUT)
                yield msgspec.structs.replace(apply_changes(text, found), left_out=left)

        return rewrite_all

    takes = PERSONS if neutral is None else (*PERSONS, "style")
    return Rewriter(takes=takes, open=open_for, version=version, packages=packages)


def apply_changes(text: str, changes: Iterable[Change]) -> Rewriting:
    """The text with each change made; changes without effect are dropped, overlapping ones are
    rejected."""
    real = sorted(
        (change for change in changes if change.before != change.after),
        key=lambda change: (change.start, change.end),
    )
    pieces: list[str] = []
    reached = 0
    for change in real:
        if change.start < reached or text[change.start : change.end] != change.before:
            raise ValueError(f"{change} does not match the text it was made for")
        pieces += [text[reached : change.start], change.after]
        reached = change.end
    return Rewriting(text="".join([*pieces, text[reached:]]), changes=tuple(real))


# unknown: the language has no rewriter, so nothing can be said.
AssumedGender: TypeAlias = Literal["masculine", "feminine", "mixed", "undetected", "unknown"]


class Assumption(Record, frozen=True, kw_only=True):
    """The gender that a text gives a person, and the words that show it."""

    gender: AssumedGender
    words: tuple[str, ...] = ()


def assumed_gender(text: str, language: str, person: Person = "speaker") -> Assumption:
    """The gender that the text gives that person, found by rewriting it for either gender."""
    if language not in rewritable_languages() or person not in find_rewriter(language).takes:
        return Assumption(gender="unknown")
    masculine = _changed_words(text, language, person, "feminine")
    feminine = _changed_words(text, language, person, "masculine")
    gender: AssumedGender = "masculine" if masculine else "feminine" if feminine else "undetected"
    if masculine and feminine:
        gender = "mixed"
    return Assumption(gender=gender, words=(*masculine, *feminine))


def _changed_words(text: str, language: str, person: Person, gender: Gender) -> tuple[str, ...]:
    (rewriting,) = _open_rewriter(language, person, gender)([text])
    return tuple(change.before for change in rewriting.changes)


@cache
def _open_rewriter(language: str, person: Person, gender: Gender) -> Rewrite:
    return find_rewriter(language).open({person: gender})
