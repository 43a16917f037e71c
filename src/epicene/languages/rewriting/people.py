"""What rewriting for a person's gender shares between languages: who is named, and the changes.

A language gives one function, `(text, wanted) -> Changes`; `by_person` makes its `Rewriter`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Literal, TypeAlias, get_args

from epicene.errors import InputError, unknown
from epicene.languages.rewriting import Change, Rewrite, Rewriter, Rewriting

# speaker: who says I; listener: who is spoken to; others: everyone who is only spoken about.
Person: TypeAlias = Literal["speaker", "listener", "others"]
Gender: TypeAlias = Literal["masculine", "feminine"]

# The gender asked for; whoever is not named stays as they are.
Wanted: TypeAlias = Mapping[Person, Gender]
# What is to be replaced in one text, in any order, no two overlapping.
FindChanges: TypeAlias = Callable[[str, Wanted], Iterable[Change]]

PEOPLE: tuple[Person, ...] = get_args(Person)
GENDERS: tuple[Gender, ...] = get_args(Gender)
_SHORT: dict[str, Gender] = {"m": "masculine", "f": "feminine"}


def other(gender: Gender) -> Gender:
    """The other of the two."""
    return "feminine" if gender == "masculine" else "masculine"


def read_wanted(options: Mapping[str, str]) -> dict[Person, Gender]:
    """Who is to have which gender; at least one person must be named, as m, f or in full."""
    wanted: dict[Person, Gender] = {}
    for person in PEOPLE:
        if person not in options:
            continue
        value = options[person]
        gender = _SHORT.get(value, value)
        if gender not in GENDERS:
            raise unknown(f"gender for --{person}", value, [*_SHORT, *GENDERS])
        wanted[person] = gender
    if not wanted:
        raise InputError(
            "Nobody is named whose gender is to change; say --speaker, --listener or --others "
            "with m or f."
        )
    return wanted


def by_person(
    find_changes: FindChanges, *, version: str, aids: Callable[[], dict[str, str]] = dict
) -> Rewriter:
    """The rewriter of a language that takes the options speaker, listener and others.

    `version` and `aids` are those of `Rewriter`.
    """

    def open_for(options: Mapping[str, str]) -> Rewrite:
        wanted = read_wanted(options)

        def rewrite_all(texts: Iterable[str]) -> Iterator[Rewriting]:
            return (apply(text, find_changes(text, wanted)) for text in texts)

        return rewrite_all

    return Rewriter(takes=PEOPLE, open=open_for, version=version, aids=aids)


def apply(text: str, changes: Iterable[Change]) -> Rewriting:
    """The text with each change made; those that change nothing are dropped, overlaps refused."""
    real = sorted(
        (change for change in changes if change.before != change.after),
        key=lambda change: (change.start, change.end),
    )
    pieces: list[str] = []
    reached = 0
    for change in real:
        if change.start < reached or text[change.start : change.end] != change.before:
            raise ValueError(f"{change} does not fit the text it was made for")
        pieces += [text[reached : change.start], change.after]
        reached = change.end
    return Rewriting(text="".join([*pieces, text[reached:]]), changes=tuple(real))


def cased_like(model: str, word: str) -> str:
    """The word with the capitals of the one it replaces: none, the first, or all; by its parts."""
    models, parts = model.split("-"), word.split("-")
    if len(models) == len(parts) > 1:
        return "-".join(map(cased_like, models, parts))
    letters = [letter for letter in model if letter.isalpha()]
    if len(letters) > 1 and all(letter.isupper() for letter in letters):
        return word.upper()
    if letters and letters[0].isupper():
        return word[:1].upper() + word[1:]
    return word
