"""The Arabic sentences of the files beside this one, and the rewriter in one call."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import regex

from epicene.languages.rewriting import Rewriting
from epicene.languages.rewriting.arabic import find_changes
from epicene.languages.rewriting.people import Gender, Person, apply

_DIFFERS = regex.compile(r"\{([^|{}]*)\|([^|{}]*)\}")


class Case(NamedTuple):
    """A sentence in both forms, and what it is about."""

    about: str
    masculine: str
    feminine: str


def cases(person: str) -> list[Case]:
    """The sentences for one person."""
    lines = (Path(__file__).parent / f"arabic_{person}.txt").read_text("utf-8").splitlines()
    found, about = [], ""
    for line in lines:
        if line.startswith("## "):
            about = line.removeprefix("## ")
        elif line and not line.startswith("#"):
            found.append(Case(about, _DIFFERS.sub(r"\1", line), _DIFFERS.sub(r"\2", line)))
    return found


def rewritten(text: str, person: Person, gender: Gender) -> Rewriting:
    """The text for one person of that gender."""
    return apply(text, find_changes(text, {person: gender}))


def turned(text: str, person: Person, gender: Gender) -> str:
    """Its letters alone."""
    return rewritten(text, person, gender).text
