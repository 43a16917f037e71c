"""Random damage to a run folder: no table changes without a word, and no error is ours."""

from __future__ import annotations

import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from epicene.core.errors import RunError
from epicene.runs import judgement_cache
from epicene.runs.integrity import verify_run
from epicene.runs.manifest import read_manifest
from epicene.runs.preflight import check_store_present
from epicene.runs.store import AnswerStore
from run_folders import tables
from runs.corruptions import CHANGES, Outcomes, Victim, make_victims, try_corruption

CORRUPTIONS = 60


@pytest.fixture(scope="module")
def victims(tmp_path_factory: pytest.TempPathFactory) -> list[Victim]:
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("victims")
        patch.chdir(folder)
        patch.setattr(judgement_cache, "_CHUNK", 20)  # so that small runs have a cache
        return make_victims(folder)


def test_no_corruption_changes_a_table_without_a_word(
    victims: list[Victim], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At 520b741 two of 150 did, and five ended with an internal error."""
    monkeypatch.chdir(victims[0].folder.parent)
    monkeypatch.setattr(judgement_cache, "_CHUNK", 20)
    rng, outcomes = random.Random(18), Outcomes()
    for number in range(CORRUPTIONS):
        try_corruption(victims[number % len(victims)], tmp_path / "work", rng, outcomes)
    assert outcomes.problems == []
    assert {"same", "refused"} <= outcomes.tables.keys()
    assert outcomes.resumed["same"] > CORRUPTIONS / 2


# --- what random damage has found ---------------------------------------------------------------


@pytest.fixture
def run(victims: list[Victim], tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    shutil.copytree(victims[0].folder, folder)
    (folder / judgement_cache.CACHE_FILE).unlink()
    return folder


@pytest.mark.parametrize("damaged", [b'{"a\xe1', b"[" * 100_000, b"7", b""])
def test_a_manifest_that_is_no_json_is_one_sentence(run: Path, damaged: bytes) -> None:
    """Bytes that are no UTF-8, and brackets without end, were internal errors."""
    (run / "manifest.json").write_bytes(damaged)
    with pytest.raises(RunError, match=r"manifest\.json is damaged"):
        read_manifest(run)
    (found,) = verify_run(run).damage
    assert found.file == "manifest.json"


def test_a_page_copied_over_another_is_found(run: Path) -> None:
    """Every row of it matches its checksum, and there are as many rows as before."""
    path = run / "answers.sqlite"
    data = bytearray(path.read_bytes())
    one, other = pages_of_answers(path)[:2]
    data[other : other + 4096] = data[one : one + 4096]
    path.write_bytes(data)
    with pytest.raises(RunError, match=r"is damaged: .* `epicene check"):
        tables(run)
    assert verify_run(run).damage


def pages_of_answers(path: Path) -> list[int]:
    """Where the leaves of the table of answers begin."""
    with closing(sqlite3.connect(path)) as db:
        (text,) = db.execute("SELECT answer FROM answers ORDER BY place DESC LIMIT 1").fetchone()
    data = path.read_bytes()
    leaf = data[data.index(text) // 4096 * 4096]
    assert leaf == 13, "the leaf of a table"
    starts = range(4096, len(data), 4096)
    return [n for n in starts if data[n] == leaf and b'"logprobs"' in data[n : n + 4096]]


def test_rows_that_cannot_be_reached_are_damage(run: Path) -> None:
    """Looking for the next readable row beyond the largest key was an internal error."""
    path = run / "answers.sqlite"
    data = bytearray(path.read_bytes())
    data[8192:] = bytes(len(data) - 8192)
    path.write_bytes(data)
    assert verify_run(run).damage


def test_a_schema_that_is_no_utf8_is_one_sentence(run: Path) -> None:
    """SQLite quotes it in its error, which is then an error of another kind."""
    path = run / "answers.sqlite"
    path.write_bytes(path.read_bytes().replace(b"CREATE TABLE items", b"CREATE T\x82BLE items"))
    with pytest.raises(RunError, match=r"answers\.sqlite is damaged \('utf-8' codec"):
        tables(run)
    assert verify_run(run).damage
    check_store_present(run, read_manifest(run))  # which leaves it to those who repair it
    with pytest.raises(RunError, match=r"answers\.sqlite is damaged \('utf-8' codec"):
        AnswerStore(path, create=True)


@pytest.mark.parametrize("change", ["answer = 7", "key = 7", "name = x'07'"])
def test_a_store_without_checksums_has_no_values_of_another_type(
    tmp_path: Path, change: str
) -> None:
    """A number where a text belongs was an internal error."""
    folder = tmp_path / "run"
    old = Path(__file__).parent.parent / "compat" / "fixtures" / "answered" / "apgc-tagger"
    shutil.copytree(old, folder)
    with closing(sqlite3.connect(folder / "answers.sqlite")) as db, db:
        db.execute("CREATE TABLE copied AS SELECT * FROM answers")
        db.execute("DROP TABLE answers")
        db.execute(f"UPDATE copied SET {change}")
        db.execute("ALTER TABLE copied RENAME TO answers")
    with pytest.raises(RunError, match=r"is damaged: a row of table answers cannot be read"):
        tables(folder)
    assert any("cannot be read" in damage.problem for damage in verify_run(folder).damage)


def test_all_changes_are_tried() -> None:
    rng = random.Random(1)
    for change in CHANGES.values():
        data = bytearray(rng.randbytes(5 * 4096))
        before = bytes(data)
        for _ in range(10):
            change(data, rng)
        assert data != before
