"""Databases as killed writers leave them, and between several writers."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from epicene.core.errors import InputError
from epicene.core.sqlite import check_ours, connect, make_private, transaction

TABLES = {"meta": ("name", "value")}


def killed_in_a_transaction(folder: Path, table: str = "") -> Path:
    """A database with the journal of a transaction that was never ended."""
    alive, dead = folder / "alive.sqlite", folder / "dead.sqlite"
    with closing(sqlite3.connect(alive, isolation_level=None)) as db:
        if table:
            db.execute(f"CREATE TABLE {table} (number)")
        db.execute("PRAGMA cache_size = 1")  # so that it is written before it is committed
        db.execute("BEGIN")
        db.execute("CREATE TABLE other (data)")
        db.executemany("INSERT INTO other VALUES (zeroblob(?))", [(4000,)] * 50)
        for suffix in ("", "-journal"):
            shutil.copyfile(f"{alive}{suffix}", f"{dead}{suffix}")
        db.execute("ROLLBACK")
    assert Path(f"{dead}-journal").stat().st_size
    return dead


def test_a_database_whose_writer_was_killed_at_once_is_ours(tmp_path: Path) -> None:
    """Opened for reading only it could not be restored, and the run was refused ever after."""
    path = killed_in_a_transaction(tmp_path)
    before = path.read_bytes()
    check_ours(path, TABLES)
    assert path.read_bytes() == before
    assert Path(f"{path}-journal").exists()


def test_another_programs_is_not_ours_with_a_journal_either(tmp_path: Path) -> None:
    path = killed_in_a_transaction(tmp_path, "theirs")
    with pytest.raises(InputError, match="a database of another program"):
        check_ours(path, TABLES)


def test_a_journal_that_is_gone_when_it_is_copied_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = killed_in_a_transaction(tmp_path)

    def roll_back(*_: Path) -> None:
        with closing(sqlite3.connect(path)) as db:  # as anybody does who may write
            db.execute("SELECT count(*) FROM sqlite_schema")
        raise FileNotFoundError(f"{path}-journal")

    monkeypatch.setattr(shutil, "copyfile", roll_back)
    check_ours(path, TABLES)
    assert not Path(f"{path}-journal").exists()


def test_the_journal_of_a_live_writer_is_left_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A copy may be of two moments, and making one would end the locks that the writer holds."""
    path = tmp_path / "a.sqlite"
    monkeypatch.setattr(shutil, "copyfile", lambda *_: pytest.fail("copied"))
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("CREATE TABLE meta (name, value)")
        db.execute("BEGIN IMMEDIATE")
        db.execute("DROP TABLE meta")
        assert Path(f"{path}-journal").stat().st_size
        check_ours(path, TABLES)
        db.execute("COMMIT")
        db.execute("CREATE TABLE other (name)")
        with pytest.raises(InputError, match="a database of another program"):
            check_ours(path, TABLES)


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
