"""Whose rules the words of a language follow: Epicene's own, or the general ones of Unicode."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.core import registry

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def without_rules(languages: Iterable[str]) -> list[str]:
    """The languages that Epicene has no rules of its own for."""
    known = registry.names("languages")
    return [
        code
        for code in languages
        if not {code, code.replace("_", "-").partition("-")[0].lower()} & set(known)
    ]


def words_by_unicode(languages: Sequence[str]) -> str:
    """The sentence that says so."""
    return (
        f"Words in {', '.join(languages)} are found by the general rules of Unicode: Epicene "
        "has no rules of its own for them."
    )
