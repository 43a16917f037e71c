"""Sentences with a reflexive that agrees with its subject."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from epicene.core.data_files import read_records
from epicene.core.records import Item
from epicene.suites import Dataset, DataSource, Protocol

STARTER = Path(__file__).parent / "starter" / "pairs.jsonl"


class Sentence(Item, frozen=True, kw_only=True):
    """What stands before the reflexive, the reflexive that agrees, what follows."""

    before: str
    reflexive: Literal["himself", "herself"]
    after: str
    gender: Literal["masculine", "feminine"]
    language: str = "en"

    @property
    def texts(self) -> tuple[str, str]:
        """The sentence as it should be, then with the other reflexive."""
        other = {"himself": "herself", "herself": "himself"}[self.reflexive]
        return (self.before + self.reflexive + self.after, self.before + other + self.after)


def read(source: DataSource, _protocol: Protocol) -> Dataset:
    """The user's file or the starter set."""
    path = source.path or STARTER
    items = tuple(read_records(path, Sentence, source.columns))
    return Dataset("starter" if source.path is None else path.name, (path,), items)
