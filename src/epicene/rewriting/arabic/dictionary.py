"""Nouns and adjectives of the package arramooz-pysqlite (licence GPL), if it is installed."""

from __future__ import annotations

import sqlite3
from functools import cache
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from epicene.rewriting.arabic.spelling import strip_marks
from epicene.rewriting.dictionaries import PackageFile

if TYPE_CHECKING:
    from pathlib import Path

ARRAMOOZ = PackageFile("arramooz-pysqlite", "arabicdictionary.sqlite")

EntryKind: TypeAlias = Literal["adjective", "thing"]
# The kinds of words, by the last part of their type, that are said of people.
_ADJECTIVES = frozenset({"اسم فاعل", "اسم مفعول", "صفة مشبهة", "صيغة مبالغة", "منسوب", "صفة"})


class Entry(NamedTuple):
    """The entry of a masculine singular."""

    kind: EntryKind
    plural: str = ""  # broken


class Dictionary:
    """Nouns and adjectives, looked up one by one."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(
            f"file:{path}?mode=ro", uri=True, check_same_thread=False
        )

    def entry(self, word: str) -> Entry | None:
        """The word as an adjective that takes ة, otherwise as a thing; None if it has no entry."""
        rows = self._connection.execute(
            "SELECT wordtype, feminable, broken_plural, number FROM nouns WHERE unvocalized = ?",
            (word,),
        ).fetchall()
        for word_type, feminable, plurals, number in rows:
            if word_type.rpartition(":")[2] in _ADJECTIVES and feminable and number == "مفرد":
                return Entry("adjective", strip_marks((plurals or "").split(";")[0]))
        return Entry("thing") if rows else None


@cache
def dictionary() -> Dictionary | None:
    """The dictionary, opened once; None if it is not installed."""
    path = ARRAMOOZ.find()
    return None if path is None else Dictionary(path)
