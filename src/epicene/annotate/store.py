"""What people answered, in one SQLite file beside the study.

A person's answer to an item is one row: saved twice, it is there once.
"""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from epicene.errors import InputError, RunError
from epicene.records import to_json
from epicene.runs.sealed import transaction
from epicene.studies import Response
from epicene.studies.response_files import same_answers

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from epicene.studies.response_files import Placed

FORMAT = 1  # another number where an older program could not read the file

_SCHEMA = """
CREATE TABLE responses (
    participant TEXT NOT NULL, item TEXT NOT NULL, response BLOB NOT NULL,
    PRIMARY KEY (participant, item)
) WITHOUT ROWID
"""
# Where the study was last served. Studies of earlier versions lack the table.
_SERVED = "CREATE TABLE IF NOT EXISTS served (address TEXT NOT NULL)"

decoded = msgspec.json.Decoder(Response).decode


class Added(NamedTuple):
    """How many responses are new, were there already, and took the place of others.

    `settled` are the owner's decisions that came with them, if they are new.
    """

    new: int
    same: int
    replaced: int
    settled: int = 0


class ResponseStore:
    """The open database of one study."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with explained(path):
            self._db = sqlite3.connect(path, isolation_level=None, timeout=10)
            # WAL with synchronous=NORMAL: a commit survives the death of the process.
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")
            with transaction(self._db):
                self._prepare()

    def _prepare(self) -> None:
        found = self._db.execute("PRAGMA user_version").fetchone()[0]
        if found == 0:
            self._db.execute(_SCHEMA)
            self._db.execute(f"PRAGMA user_version = {FORMAT}")
        elif found != FORMAT:
            raise InputError(
                f"{self.path} was written by another version of Epicene (format {found}, this one "
                f"reads {FORMAT}); read it with that version."
            )
        self._db.execute(_SERVED)

    def close(self) -> None:
        """Close, leaving one file behind."""
        self._db.close()

    def all(self) -> list[Response]:
        """All responses, by item and person."""
        with explained(self.path):
            return list(self._read())

    def address(self) -> str:
        """Where the study was last served; empty if it never was."""
        with explained(self.path):
            found = self._db.execute("SELECT address FROM served").fetchone()
            return "" if found is None else str(found[0])

    def remember_address(self, address: str) -> None:
        """Where the study is served from now on."""
        with self.writing():
            self._db.execute("DELETE FROM served")
            self._db.execute("INSERT INTO served VALUES (?)", (address,))

    def add(self, responses: Sequence[Placed], *, replace: bool = False) -> Added:
        """Keep the responses, all or none.

        One that the same person gave to the same item before is passed over if it says the same,
        and refused if it does not, unless it may `replace` the earlier one.
        """
        with self.writing():
            return self.put(responses, replace=replace)

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction: whatever is put in it is kept, or nothing is."""
        with explained(self.path), transaction(self._db):
            yield self._db

    def put(self, responses: Sequence[Placed], *, replace: bool = False) -> Added:
        """As `add`, inside a transaction."""
        new, other, same = [], [], 0
        known = {(each.participant, each.item): each for each in self._read()}
        for place, response in responses:
            earlier = known.get((response.participant, response.item))
            if earlier is None:
                new.append(response)
            elif same_answers(earlier, response):
                same += 1
            elif replace:
                other.append(response)
            else:
                raise InputError(
                    f"{place} answers the item {response.item} otherwise than "
                    f"{response.participant} did before; --replace takes the new answer."
                )
        self._db.executemany(
            "INSERT OR REPLACE INTO responses VALUES (?, ?, ?)",
            ((each.participant, each.item, to_json(each)) for each in (*new, *other)),
        )
        return Added(len(new), same, len(other))

    def _read(self) -> Iterator[Response]:
        rows = self._db.execute("SELECT response FROM responses ORDER BY item, participant")
        return (decoded(data) for (data,) in rows)


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """SQLite's errors as a sentence that names the file."""
    try:
        yield
    except (sqlite3.Error, msgspec.DecodeError) as error:
        raise RunError(f"The responses in {path} could not be used: {error}.") from error
