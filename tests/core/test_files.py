"""Files are whole or not there, databases are not written over, and temporaries are removed."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from epicene.core.errors import InputError
from epicene.core.files import remove_temporaries, write_atomically
from epicene.core.sqlite import check_ours, connect, make_private

TABLES = {"answers": ("place", "answer")}


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def _umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def database(path: Path, *statements: str) -> bytes:
    with sqlite3.connect(path) as db:
        for statement in statements:
            db.execute(statement)
    db.close()
    return path.read_bytes()


@pytest.mark.usefixtures("_umask")
def test_a_private_file_is_for_its_owner(tmp_path: Path) -> None:
    write_atomically(tmp_path / "open", b"a")
    write_atomically(tmp_path / "private", b"a", private=True)
    assert (mode(tmp_path / "open"), mode(tmp_path / "private")) == (0o644, 0o600)
    write_atomically(tmp_path / "open", b"b", private=True)
    assert mode(tmp_path / "open") == 0o600


def test_a_file_has_the_permissions_of_the_umask_which_is_not_touched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another thread that creates a file meanwhile would create it under another umask."""
    before = os.umask(0o027)
    with monkeypatch.context() as patch:
        patch.setattr(os, "umask", lambda _mask: pytest.fail("changed for all threads"))
        write_atomically(tmp_path / "file", b"a")
    os.umask(before)
    assert mode(tmp_path / "file") == 0o640
    assert list(tmp_path.iterdir()) == [tmp_path / "file"]


def test_a_database_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    before = database(path, "CREATE TABLE mine (a)")
    with pytest.raises(InputError, match=r"page\.html is a database and will not be overwritten"):
        write_atomically(path, b"<html>")
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_only_our_own_unfinished_files_are_removed(tmp_path: Path) -> None:
    kept = [
        "manifest.json",
        ".manifest.json",
        ".manifest.json.tmp",
        ".package.json.original",
        ".notes.csv.20240131",
        "a.epicene-abcd1234",
    ]
    for name in (*kept, ".manifest.json.epicene-abcd1234", ".01-write.jsonl.epicene-x_y_z_w_"):
        (tmp_path / name).touch()
    remove_temporaries(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(kept)
    remove_temporaries(tmp_path / "missing")


def make_foreign(path: Path) -> None:
    database(
        path, "CREATE TABLE answers (id INTEGER, text TEXT)", "INSERT INTO answers VALUES (1, 2)"
    )


def make_marked(path: Path) -> None:
    database(path, "PRAGMA application_id = 7")


def make_view(path: Path) -> None:
    database(path, "CREATE VIEW mine AS SELECT 1")


@pytest.mark.parametrize("make", [make_foreign, make_marked, make_view])
def test_another_programs_database_is_refused_and_unchanged(
    make: Callable[[Path], None], tmp_path: Path
) -> None:
    path = tmp_path / "a # b?.sqlite"
    make(path)
    before = path.read_bytes()
    with pytest.raises(InputError, match="is a database of another program and was not changed"):
        check_ours(path, TABLES)
    assert path.read_bytes() == before


def test_what_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    path.write_bytes(b"rubbish" * 1000)
    with pytest.raises(sqlite3.DatabaseError, match="not a database"):
        check_ours(path, TABLES)


def test_our_own_database_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    check_ours(path, TABLES)
    path.touch()
    check_ours(path, TABLES)
    connect(path).close()
    check_ours(path, TABLES)  # killed before it had tables
    database(path, "CREATE TABLE answers (place, answer, checksum)", "PRAGMA user_version = 9")
    check_ours(path, TABLES)
    db = connect(path)
    db.execute("INSERT INTO answers VALUES (1, 2, 3)")
    check_ours(path, TABLES)  # while another process has a log beside it
    db.close()


@pytest.mark.usefixtures("_umask")
def test_a_private_database_and_its_logs_are_for_their_owner(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    db = connect(path)
    db.execute("CREATE TABLE answers (place, answer)")
    beside = [path, tmp_path / "a.sqlite-wal", tmp_path / "a.sqlite-shm"]
    assert [mode(each) for each in beside] == [0o644] * 3
    make_private(path)
    assert [mode(each) for each in beside] == [0o600] * 3
    db.close()
    new = tmp_path / "new.sqlite"
    make_private(new)
    db = connect(new)
    db.execute("CREATE TABLE answers (place, answer)")
    assert {mode(each) for each in tmp_path.glob("new*")} == {0o600}
    db.close()


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755])
def test_a_file_that_is_written_again_keeps_its_permissions(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(mode)
    write_atomically(path, b"new")
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == mode
