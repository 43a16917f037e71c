"""Databases as killed writers leave them."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from epicene.core.errors import InputError
from epicene.core.sqlite import check_ours, connect, transaction

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
    with pytest.raises(InputError, match="another program's database"):
        check_ours(path, TABLES)


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
