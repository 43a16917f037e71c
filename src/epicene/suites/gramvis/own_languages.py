"""A language added by a user's file: its articles, its templates, and how it says "of the".

The file is TOML or JSON, by the code of the language; docs/suites/gramvis.md has an
example, Portuguese.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypeAlias

import msgspec

from epicene.core.records import Record

if TYPE_CHECKING:
    from collections.abc import Mapping

Code: TypeAlias = Annotated[str, msgspec.Meta(pattern="^[A-Z]{2,3}$")]
Name: TypeAlias = Annotated[str, msgspec.Meta(pattern="^[a-z -]+$")]


class _ByGender(Record, frozen=True, kw_only=True):
    """One per grammatical gender; genders other than these two are not part of GramVis."""

    M: str
    F: str


class _Templates(Record, frozen=True, kw_only=True):
    M: tuple[str, ...]
    F: tuple[str, ...]


class OwnLanguage(Record, frozen=True, kw_only=True):
    """A user's language.

    `of` has the contraction of "of" with each article, for the slot {of_the}. Templates may also
    have {noun}, {the}, {The}, and {genitive} and {accusative}, which words then need.
    """

    name: Name
    articles: _ByGender
    templates: _Templates
    of: dict[str, str] = {}

    @property
    def slots(self) -> frozenset[str]:
        """The slots that its templates may have."""
        contracted = {"of_the"} if self.of else set()
        return frozenset({"noun", "the", "The", "genitive", "accusative"} | contracted)

    def article(self, grammar: str) -> str:
        """The definite article of a gender."""
        return str(getattr(self.articles, grammar))


OwnLanguages: TypeAlias = dict[Code, OwnLanguage]


def names_of(languages: Mapping[str, OwnLanguage]) -> dict[str, str]:
    """What a file may call these languages, in lower case, with their codes."""
    return {name: code for code, each in languages.items() for name in (each.name, code.lower())}
