"""A store on ground where nothing can be written is read whole, or not at all."""

from __future__ import annotations

import errno
import shutil
import sqlite3
import tempfile
from pathlib import Path

import pytest

from epicene.core import sqlite
from epicene.core.errors import RunError
from epicene.core.records import Identity, Text, Texts
from epicene.runs.request_ids import make_request_id
from epicene.runs.store import AnswerStore, Section

WRITTEN = Texts(texts=(Text(text="she"),))
WHO = Identity(kind="k", label="a", key={"name": "a"})


def write(store: AnswerStore, first: int, end: int) -> Section:
    """Keep answers for so many items."""
    section = store.section("ask", "model", WHO)
    store.put(
        [(make_request_id(section.id, n, 0), "", b"%d" % n, WRITTEN) for n in range(first, end)]
    )
    return section


def left_by_a_kill(tmp_path: Path, *, checkpointed: int, logged: int) -> Path:
    """The files of a store whose writer was killed: some answers are in the log alone."""
    (tmp_path / "alive").mkdir()
    path = tmp_path / "alive" / "answers.sqlite"
    store = AnswerStore(path, create=True)
    if checkpointed:
        write(store, 0, checkpointed)
        store.close()
        store = AnswerStore(path)
    write(store, checkpointed, checkpointed + logged)
    killed = tmp_path / "killed"
    killed.mkdir()
    for name in (path.name, f"{path.name}-wal"):
        shutil.copyfile(path.with_name(name), killed / name)
    store.close()
    assert (killed / "answers.sqlite-wal").stat().st_size
    return killed / path.name


@pytest.fixture(autouse=True)
def copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary copies are made; the folder `killed` cannot be written to."""
    folder = tmp_path / "copies"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setattr(
        "epicene.runs.store.is_read_only", lambda place: place == tmp_path / "killed"
    )
    return folder


def files_of(path: Path) -> dict[str, bytes]:
    """All files of a store."""
    return {each.name: each.read_bytes() for each in path.parent.iterdir()}


@pytest.mark.parametrize(("checkpointed", "logged"), [(30, 20), (0, 20)])
def test_what_is_in_the_log_alone_is_read_too(
    tmp_path: Path, copies: Path, checkpointed: int, logged: int
) -> None:
    path = left_by_a_kill(tmp_path, checkpointed=checkpointed, logged=logged)
    before = files_of(path)
    store = AnswerStore(path)
    (section,) = store.sections()
    assert store.counts(section) == (checkpointed + logged, 0)
    assert list(copies.iterdir()), "it is read elsewhere"
    store.close()
    assert not list(copies.iterdir()), "the copy is gone"
    assert files_of(path) == before


def test_one_that_was_closed_is_read_where_it_is(tmp_path: Path, copies: Path) -> None:
    path = tmp_path / "killed" / "answers.sqlite"
    path.parent.mkdir()
    store = AnswerStore(path, create=True)
    write(store, 0, 5)
    store.close()
    path.with_name("answers.sqlite-wal").touch()  # of no length: nothing is in it
    store = AnswerStore(path)
    assert store.counts(store.sections()[0]) == (5, 0)
    assert not list(copies.iterdir())
    store.close()


def test_without_room_for_a_copy_it_is_refused(
    tmp_path: Path, copies: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = left_by_a_kill(tmp_path, checkpointed=5, logged=5)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(shutil, "copyfile", full)
    with pytest.raises(RunError, match=r"the copy failed \(No space left on device\).*TMPDIR"):
        AnswerStore(path)
    assert not list(copies.iterdir())


def test_a_log_that_is_begun_anew_meanwhile_is_copied_once_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its writer is alive: what was in the log has moved, and the copy would lack it."""
    path = left_by_a_kill(tmp_path, checkpointed=5, logged=5)
    writer = sqlite3.connect(path, isolation_level=None)
    copy, times = shutil.copyfile, iter(range(2))

    def while_somebody_writes(source: Path, to: Path) -> None:
        copy(source, to)
        if source == path and (time := next(times, None)) is not None:
            writer.execute("PRAGMA wal_checkpoint(RESTART)")
            writer.execute("INSERT INTO meta VALUES (?, '', 0)", (str(time),))

    monkeypatch.setattr(shutil, "copyfile", while_somebody_writes)
    store = AnswerStore(path)
    assert store.counts(store.sections()[0]) == (10, 0)
    assert next(times, None) is None
    store.close()
    writer.close()


def test_a_database_that_is_written_all_the_time_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = left_by_a_kill(tmp_path, checkpointed=5, logged=5)
    headers = iter(range(100))
    monkeypatch.setattr(sqlite, "_header", lambda _: b"%d" % next(headers))
    with pytest.raises(RunError, match="is being written to by another process"):
        AnswerStore(path)


def test_a_file_without_tables_is_not_called_another_version(tmp_path: Path) -> None:
    path = left_by_a_kill(tmp_path, checkpointed=0, logged=5)
    path.with_name("answers.sqlite-wal").unlink()
    with pytest.raises(RunError, match="has no tables") as caught:
        AnswerStore(path)
    assert "another version" not in str(caught.value)
