"""The dictionary of the package arramooz-pysqlite, if it is installed: words that our lists lack.

It is the user's own (licence GPL): its data file is read, none of its code is run.
`EPICENE_MORPHOLOGY=none` ignores it.
"""

from __future__ import annotations

import os
import sqlite3
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from epicene.rewriting.arabic.spelling import strip_marks

PACKAGE = "arramooz-pysqlite"
_FILE = "arabicdictionary.sqlite"

EntryKind: TypeAlias = Literal["adjective", "thing"]
# The kinds of words, by the last part of their type, that are said of people.
_ADJECTIVES = frozenset({"اسم فاعل", "اسم مفعول", "صفة مشبهة", "صيغة مبالغة", "منسوب", "صفة"})


class Entry(NamedTuple):
    """What the dictionary says of a masculine singular."""

    sort: EntryKind
    plural: str = ""  # broken


class Dictionary:
    """Nouns and adjectives, asked for one by one."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(
            f"file:{path}?mode=ro", uri=True, check_same_thread=False
        )

    def entry(self, word: str) -> Entry | None:
        """The word as an adjective that takes ة, else as a thing; None if it is not there."""
        rows = self._connection.execute(
            "SELECT wordtype, feminable, broken_plural, number FROM nouns WHERE unvocalized = ?",
            (word,),
        ).fetchall()
        for kind, feminable, plurals, number in rows:
            if kind.rpartition(":")[2] in _ADJECTIVES and feminable and number == "مفرد":
                return Entry("adjective", strip_marks((plurals or "").split(";")[0]))
        return Entry("thing") if rows else None


def find_dictionary() -> Path | None:
    """Where the dictionary lies; None if it is not installed, or passed over."""
    if os.environ.get("EPICENE_MORPHOLOGY") == "none":
        return None
    try:
        files = metadata.files(PACKAGE) or []
    except metadata.PackageNotFoundError:
        return None
    for file in files:
        if file.name == _FILE and (path := Path(str(file.locate()))).is_file():
            return path
    return None


def dictionary_version() -> dict[str, str]:
    """The package in use and its version."""
    return {PACKAGE: metadata.version(PACKAGE)} if find_dictionary() else {}


@cache
def dictionary() -> Dictionary | None:
    """The dictionary, opened once; None if there is none."""
    path = find_dictionary()
    return None if path is None else Dictionary(path)
