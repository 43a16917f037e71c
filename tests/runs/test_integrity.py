"""Damage to a run folder is found, located, and repaired by resuming the run."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from epicene.core.errors import InputError, RunError
from epicene.core.records import to_json
from epicene.runs import integrity
from epicene.runs.integrity import verify_run
from epicene.runs.store import AnswerStore
from epicene.runs.stored_run import read_run
from epicene.runs.summary import summarise
from epicene.show.results_document import results_document
from run_folders import edit_manifest
from runs.conftest import Runner, computed

OLD_RUNS = Path(__file__).parent.parent / "compat" / "fixtures" / "answered"


def tables(folder: Path) -> bytes:
    return to_json(results_document(summarise([read_run(folder)])))


def statement(sql: str) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        with closing(sqlite3.connect(folder / "answers.sqlite")) as db, db:
            db.execute(sql)

    return damage


def overwritten_pages(folder: Path) -> None:
    path = folder / "answers.sqlite"
    data = path.read_bytes()
    path.write_bytes(data[:8192] + b"\xff" * (len(data) - 8192))


ANSWER = "(SELECT min(place) FROM answers)"
DAMAGE = {
    "a score": (
        "UPDATE answers SET answer = replace(answer, '-', '-1') WHERE place >> 48 = 2",
        180,
    ),
    "a text": (
        f"UPDATE answers SET answer = replace(answer, 'e', 'a') WHERE place = {ANSWER}",
        1 + 6,
    ),
    "a name": (f"UPDATE answers SET name = 'other' WHERE place = {ANSWER}", 1 + 6),
    "a key": (f"UPDATE answers SET key = x'00' WHERE place = {ANSWER}", 1 + 6),
    "a failure": ("UPDATE answers SET failed = 1 WHERE place >> 48 = 3", 180),
    "a lost answer": ("DELETE FROM answers WHERE place = (SELECT max(place) FROM answers)", 1),
    "an item": ("UPDATE items SET item = replace(item, 'nurse', 'purse')", 0),
    "a lost item": ("DELETE FROM items WHERE number = 59", 0),
    "a section": ("UPDATE sections SET total = 7 WHERE id = 3", 180),
    "the first section": ("UPDATE sections SET stage = 'wrote' WHERE id = 1", 60 + 360),
    "the mark of complete items": ("UPDATE meta SET value = '' WHERE name = 'items'", 0),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_is_refused_located_and_repaired(do_run: Runner, log: Path, name: str) -> None:
    folder, _ = do_run()
    whole, asked = tables(folder), len(computed(log))
    sql, again = DAMAGE[name]
    statement(sql)(folder)
    if name != "the mark of complete items":  # which no table depends on
        with pytest.raises(RunError, match="is damaged"):
            tables(folder)
    assert verify_run(folder).damage
    do_run(out=folder)
    assert tables(folder) == whole
    assert not verify_run(folder).damage
    assert len(computed(log)) - asked == again
    assert (folder / "answers.sqlite.damaged-1").exists()


def test_pages_that_sqlite_cannot_read_are_asked_again(do_run: Runner) -> None:
    folder, _ = do_run()
    whole = tables(folder)
    overwritten_pages(folder)
    with pytest.raises(RunError, match="is damaged"):
        tables(folder)
    do_run(out=folder)
    assert tables(folder) == whole
    assert not verify_run(folder).damage


def test_an_undamaged_store_is_not_rebuilt(do_run: Runner) -> None:
    folder, _ = do_run()
    do_run(out=folder)
    assert not list(folder.glob("*.damaged*"))
    assert verify_run(folder) == (60, 420, 0, True, ())


def test_a_changed_manifest_is_refused(do_run: Runner) -> None:
    folder, _ = do_run()
    path = folder / "manifest.json"
    path.write_text(path.read_text("utf-8").replace('"samples": 3', '"samples": 2'), "utf-8")
    with pytest.raises(RunError, match="does not match its checksum"):
        read_run(folder)
    assert "manifest.json" in str(verify_run(folder).damage[0])


def test_a_killed_first_session_counts_no_rows(do_run: Runner) -> None:
    folder, _ = do_run()
    edit_manifest(folder, lambda manifest: manifest.update(items=0, counts=[]))
    assert not verify_run(folder).damage


@pytest.fixture
def old_run(tmp_path: Path) -> Path:
    """A run that was written before rows had checksums."""
    return shutil.copytree(next(OLD_RUNS.iterdir()), tmp_path / "old")


def test_a_store_without_checksums_gets_them_when_it_is_written(old_run: Path) -> None:
    before = tables(old_run)
    assert not verify_run(old_run).has_checksums
    AnswerStore(old_run / "answers.sqlite", create=True).close()
    found = verify_run(old_run)
    assert found.has_checksums
    assert not found.damage
    assert tables(old_run) == before


def test_an_interrupted_repair_loses_nothing(
    do_run: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, _ = do_run()
    whole = tables(folder)
    statement("UPDATE items SET item = replace(item, 'nurse', 'purse')")(folder)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(integrity, "select_items", interrupt)
        with pytest.raises(KeyboardInterrupt):
            do_run(out=folder)
    do_run(out=folder)
    assert tables(folder) == whole


def test_money_whose_record_is_damaged_stays_spent(do_run: Runner) -> None:
    folder, _ = do_run()
    with closing(AnswerStore(folder / "answers.sqlite", create=True)) as store:
        store.set_spent("reader", 2.0)
        store.set_spent("writer", 1.0)
    edit_manifest(folder, lambda manifest: manifest.update(spent=3.0))
    statement("UPDATE meta SET value = '0.0' WHERE name = 'spent reader'")(folder)
    _, manifest = do_run(out=folder)
    assert manifest.spent == 3.0


def test_what_is_asked_again_is_approved_first(do_run: Runner) -> None:
    folder, _ = do_run()
    statement("UPDATE answers SET failed = 1 WHERE place >> 48 = 3")(folder)
    approved: list[int] = []
    do_run(out=folder, approve=lambda estimate: approved.append(estimate.workload.left))
    assert approved == [180]


@pytest.mark.parametrize("stop", ["manifest", "format"])
def test_what_is_no_run_is_not_called_damaged(do_run: Runner, stop: str) -> None:
    folder, _ = do_run()
    path = folder / "manifest.json"
    if stop == "manifest":
        path.unlink()
    else:
        path.write_text(path.read_text("utf-8").replace('"format": 2', '"format": 9'), "utf-8")
    with pytest.raises(InputError):
        verify_run(folder)


def test_an_unreadable_answer_without_checksum_is_found(old_run: Path) -> None:
    statement(f"UPDATE answers SET answer = x'7b' WHERE place = {ANSWER}")(old_run)
    found = verify_run(old_run)
    assert "cannot be read" in str(found.damage[0])
