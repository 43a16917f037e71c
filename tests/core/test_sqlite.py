"""Databases between several writers."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from epicene.core.sqlite import connect, make_private, transaction


def test_a_writer_that_is_soon_done_is_waited_for(tmp_path: Path) -> None:
    """SQLite itself refuses at once to switch to a log while somebody writes without one."""
    path = tmp_path / "a.sqlite"
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as other:
        other.execute("CREATE TABLE meta (name, value)")
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            connect(path, timeout=0.1)
        done = threading.Timer(0.2, other.execute, ["COMMIT"])
        done.start()
        with closing(connect(path)) as db:
            done.join()
            assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)


WRITE = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
with db:
    db.execute("INSERT INTO meta VALUES ('theirs', 2)")
db.close()
"""
READ = """
import sqlite3, sys
print([name for name, in sqlite3.connect(sys.argv[1]).execute("SELECT name FROM meta")])
"""


def test_a_private_database_keeps_the_locks_of_its_connections(tmp_path: Path) -> None:
    """Without them another process removes the log, into which this one goes on writing."""
    path = tmp_path / "a.sqlite"

    def process(program: str) -> str:
        return subprocess.check_output([sys.executable, "-c", program, path], text=True)

    with closing(connect(path)) as db:
        db.execute("CREATE TABLE meta (name, value)")
        make_private(path)
        process(WRITE)
        db.execute("INSERT INTO meta VALUES ('ours', 1)")
        assert process(READ) == "['theirs', 'ours']\n"


def test_a_commit_that_fails_leaves_no_open_transaction(tmp_path: Path) -> None:
    """What was not committed must not be counted by whoever reads through the same connection."""
    with closing(connect(tmp_path / "a.sqlite")) as db:
        db.execute("CREATE TABLE parents (id INTEGER PRIMARY KEY)")
        db.execute(
            "CREATE TABLE children (id REFERENCES parents (id) DEFERRABLE INITIALLY DEFERRED)"
        )
        db.execute("PRAGMA foreign_keys = ON")
        with pytest.raises(sqlite3.IntegrityError), transaction(db):
            db.execute("INSERT INTO children VALUES (1)")
        assert not db.in_transaction
        assert db.execute("SELECT count(*) FROM children").fetchone() == (0,)
