"""The names of people who take part, by which their answers are told apart."""

from __future__ import annotations

from epicene.errors import InputError

LONGEST_NAME = 100


def check_name(name: str) -> str:
    """A person's name that can stand in a link, a table and a file."""
    if not name or len(name) > LONGEST_NAME or not name.isprintable() or name != name.strip():
        raise InputError(
            f"{name!r} cannot be the name of a person: up to {LONGEST_NAME} signs, and no blanks "
            "around them."
        )
    return name
