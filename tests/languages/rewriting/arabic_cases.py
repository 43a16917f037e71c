"""The Arabic sentences of the files beside this one, and the rewriter in one call."""

from __future__ import annotations

from epicene.rewriting import Rewriting
from epicene.rewriting.arabic import find_changes
from epicene.rewriting.persons import Gender, Person, apply_changes
from languages.rewriting.person_cases import Case, read_cases


def cases(person: str) -> list[Case]:
    """The sentences for one person."""
    return read_cases(f"arabic_{person}")


def rewritten(text: str, person: Person, gender: Gender) -> Rewriting:
    """The text for one person of that gender."""
    return apply_changes(text, find_changes(text, {person: gender}))


def turned(text: str, person: Person, gender: Gender) -> str:
    """Only the text of it."""
    return rewritten(text, person, gender).text
