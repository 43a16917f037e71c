"""Answers are found by their keys; a damaged row is a missing row; a crash does not hide."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from epicene.core import registry
from epicene.core.errors import InputError, RunError
from epicene.core.records import Failed, Item, Text, Texts
from epicene.core.sqlite import connect
from epicene.runs.integrity import verify_run
from epicene.runs.manifest import read_manifest
from epicene.runs.store import AnswerStore
from run_folders import tables
from runs.conftest import Runner, computed

HERE = Texts(texts=(Text(text="here"),))


@pytest.fixture(autouse=True)
def _as_if_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stored judgements are read back for installed suites alone."""
    monkeypatch.setattr(registry, "is_installed", lambda *_: True)


def key(number: int) -> bytes:
    return number.to_bytes(16)


def statement(folder: Path, sql: str) -> None:
    with closing(sqlite3.connect(folder / "answers.sqlite")) as db, db:
        db.execute(sql)


def test_answers_are_found_by_their_keys(tmp_path: Path) -> None:
    with closing(AnswerStore(tmp_path / "a.sqlite", create=True)) as store:
        store.put([(key(n), HERE) for n in range(1200)])
        store.put([(key(7), Failed(reason="lost"))])
        assert len(store.answers(map(key, range(2000)))) == 1200
        states = store.states([key(6), key(7), key(1200)])
        assert states == {key(6): True, key(7): False}


def test_items_are_replaced_and_need_ids_of_their_own(tmp_path: Path) -> None:
    with closing(AnswerStore(tmp_path / "a.sqlite", create=True)) as store:
        for count in (3, 5):
            with store.all_or_nothing():
                store.put_items([Item(id=str(n)) for n in range(count)], "data")
        assert [number for number, _ in store.items(0, 9)] == list(range(5))
        for items, message in (
            ([Item(id="1"), Item(id="1")], "data has the id '1' twice"),
            ([], "data has no items"),
        ):
            with pytest.raises(InputError, match=message), store.all_or_nothing():
                store.put_items(items, "data")
        assert store.has_items(5)


def test_a_full_disk_is_named(tmp_path: Path) -> None:
    with closing(AnswerStore(tmp_path / "small.sqlite", create=True)) as store:
        store._db.execute("PRAGMA max_page_count = 20")
        long = Texts(texts=(Text(text="x" * 100_000),))
        with pytest.raises(RunError, match="is full"):
            store.put([(key(n), long) for n in range(10)])


# --- damage ------------------------------------------------------------------------------------

DAMAGE = {  # how many requests are sent again: the first 60 answers are texts that others build on
    "a score": ("UPDATE answers SET answer = replace(answer, '-', '-1') WHERE number > 60", 360),
    "a text": ("UPDATE answers SET answer = replace(answer, 'e', 'a') WHERE number = 1", 1),
    "a key": ("UPDATE answers SET key = randomblob(16) WHERE number = 1", 1),
    "a failure": ("UPDATE answers SET failed = 1 WHERE number = 400", 1),
    "another type": ("UPDATE answers SET answer = 7 WHERE number = 400", 1),
    "a lost answer": ("DELETE FROM answers WHERE number = 400", 1),
    "an item": ("UPDATE items SET item = replace(item, 'nurse', 'purse')", 0),
    "a lost item": ("DELETE FROM items WHERE number = 59", 0),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_row_is_a_missing_row(do_run: Runner, log: Path, name: str) -> None:
    folder, _ = do_run()
    whole, asked = tables(folder), len(computed(log))
    sql, again = DAMAGE[name]
    statement(folder, sql)
    assert tables(folder) == whole, "judgements.parquet is undamaged"
    assert verify_run(folder).damage
    (folder / "judgements.parquet").unlink()
    assert tables(folder) != whole
    assert b'"judged":60,' not in tables(folder) or b'"damaged":0' not in tables(folder)
    do_run(out=folder)
    assert tables(folder) == whole
    assert len(computed(log)) - asked == again
    assert not verify_run(folder).damage


def test_a_damaged_result_is_made_again(do_run: Runner) -> None:
    folder, _ = do_run()
    whole = tables(folder)
    path = folder / "judgements.parquet"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    assert tables(folder) == whole
    assert verify_run(folder).damage == ("judgements.parquet does not match its checksum",)
    do_run(out=folder)
    assert verify_run(folder).damage == ()


def overwrite_pages(path: Path) -> None:
    data = path.read_bytes()
    half, pages = len(data) // 2, 4096 * 8
    path.write_bytes(data[:half] + b"\xff" * pages + data[half + pages :])


@pytest.mark.parametrize(
    ("damage", "kept"),
    [
        (overwrite_pages, True),
        (lambda path: path.write_bytes(b"not a database at all" * 100), False),
        (Path.unlink, False),
        (lambda path: path.write_bytes(b""), False),
    ],
)
def test_a_store_that_cannot_be_read_is_rebuilt(
    do_run: Runner, log: Path, damage: object, kept: bool
) -> None:
    folder, _ = do_run()
    whole, asked = tables(folder), len(computed(log))
    damage(folder / "answers.sqlite")  # type: ignore[operator]
    assert verify_run(folder).damage
    do_run(out=folder)
    assert tables(folder) == whole
    again = len(computed(log)) - asked
    assert 0 < again < 420 if kept else again == 420


def test_a_database_of_another_program_is_not_touched(do_run: Runner, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    path = tmp_path / "out" / "answers.sqlite"
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE answers (theirs)")
    before = path.read_bytes()
    with pytest.raises(InputError, match="a database of another program"):
        do_run(out=tmp_path / "out")
    assert path.read_bytes() == before


def test_a_store_whose_writer_died_while_creating_it_is_taken(
    do_run: Runner, tmp_path: Path
) -> None:
    (tmp_path / "out").mkdir()
    with closing(connect(tmp_path / "out" / "answers.sqlite")):
        pass
    assert (tmp_path / "out" / "answers.sqlite").stat().st_size
    do_run(out=tmp_path / "out")


def test_a_log_in_a_read_only_folder_is_not_ignored(
    do_run: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, _ = do_run()
    copy = tmp_path / "copy"
    with closing(AnswerStore(folder / "answers.sqlite", create=True)) as store:
        store.put([(key(1), HERE)])
        shutil.copytree(folder, copy)
    monkeypatch.setattr("epicene.runs.store.os.access", lambda *_: False)
    AnswerStore(folder / "answers.sqlite").close()
    with pytest.raises(RunError, match="its folder is read-only"):
        AnswerStore(copy / "answers.sqlite")


# --- requests that kill their process ------------------------------------------------------------


def test_a_request_that_kills_its_process_fails_alone(tmp_path: Path) -> None:
    """The process dies at request 23 of 40; the same command again finds out which it was."""
    import subprocess
    import sys

    script = """
import os, sys, epicene
rows = [{"id": str(n), "before": f"Text {n} "} for n in range(40)]
suite = epicene.suite("deadly", items=rows, languages=["en"])
suite.ask(lambda item: epicene.Generate(prompt=item.before))
suite.judge(lambda item, answer: True)
def generate(prompts):
    if any("Text 23 " in prompt for prompt in prompts):
        os._exit(7)
    return ["fine" for _ in prompts]
model = epicene.open_model(generate=generate, version="1")
print(epicene.run(suite, model, out=sys.argv[1], progress=False).coverage)
"""
    ends: list[subprocess.CompletedProcess[str]] = []
    while len(ends) < 6 and (not ends or ends[-1].returncode):
        ends.append(
            subprocess.run(
                [sys.executable, "-W", "ignore", "-c", script, str(tmp_path / "run")],
                capture_output=True,
                text=True,
                check=False,
            )
        )
    assert [end.returncode for end in ends] == [7, 7, 7, 7, 0]
    assert ends[-1].stdout.startswith("39 of 40 items are judged, on 39 answers to 40 requests")
    (count,) = read_manifest(tmp_path / "run").counts
    assert count.failed == 1
    assert count.reasons[0].startswith("its process ended 4 times")


def test_an_interruption_accuses_no_request(tmp_path: Path) -> None:
    with closing(AnswerStore(tmp_path / "a.sqlite", create=True)) as store:
        store.mark([key(1), key(2)])
        store.land()
        assert store.suspects() == []
        mark = store.mark([key(1), key(2)])
        (died,) = store.suspects()
        assert (died.keys, died.deaths) == ((key(1), key(2)), 1)
        assert store.suspects() == [died], "it did not die twice"
        store.mark([key(1)], died.deaths)
        store.land()  # stopped by the user while a part was sent
        assert [each.deaths for each in store.suspects()] == [1, 1]
        store.unmark(mark)


def test_a_batch_that_was_answered_is_suspected_no_longer(tmp_path: Path) -> None:
    """It was sent again, and the process died before it could say so."""
    with closing(AnswerStore(tmp_path / "a.sqlite", create=True)) as store:
        store.mark([key(1), key(2)])
        store.put([(key(1), HERE)])
        assert len(store.suspects()) == 1
        store.put([(key(2), Failed(reason="lost"))])
        assert len(store.suspects()) == 1
        store.put([(key(2), HERE)])
        assert store.suspects() == []
        assert store._db.execute("SELECT count(*) FROM sent").fetchone() == (0,)


def test_a_mark_within_a_mark_is_forgotten_with_its_answers(tmp_path: Path) -> None:
    with closing(AnswerStore(tmp_path / "a.sqlite", create=True)) as store:
        store.suspect([key(1), key(2)], 1)
        store.suspect([key(1)], 2)
        store.put([(key(1), HERE), (key(2), HERE)])
        store.land()
        assert store._db.execute("SELECT count(*) FROM sent").fetchone() == (0,)
