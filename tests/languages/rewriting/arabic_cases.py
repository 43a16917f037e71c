"""The Arabic sentences of the files beside this one, and the rewriter in one call."""

from __future__ import annotations

from epicene.languages.rewriting import Rewriting
from epicene.languages.rewriting.arabic import find_changes
from epicene.languages.rewriting.people import Gender, Person, apply
from languages.rewriting.person_cases import Case, read_cases


def cases(person: str) -> list[Case]:
    """The sentences for one person."""
    return read_cases(f"arabic_{person}")


def rewritten(text: str, person: Person, gender: Gender) -> Rewriting:
    """The text for one person of that gender."""
    return apply(text, find_changes(text, {person: gender}))


def turned(text: str, person: Person, gender: Gender) -> str:
    """Only the text of it."""
    return rewritten(text, person, gender).text
