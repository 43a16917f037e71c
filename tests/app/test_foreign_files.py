"""A run folder: other programs' files stay, and what a killed process left is removed."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

from app.conftest import Epicene


def make_database(path: Path, *statements: str) -> bytes:
    path.parent.mkdir(exist_ok=True)
    with sqlite3.connect(path) as db:
        for statement in statements:
            db.execute(statement)
    db.close()
    return path.read_bytes()


RUN = ("run", "reflexives", "-m", "random", "--out=run")
STORE = Path("run/answers.sqlite")


@pytest.mark.parametrize("version", [0, 1])
@pytest.mark.parametrize("table", ["answers (id, text)", "mine (a)"])
def test_somebody_elses_answers_are_not_wiped(
    epicene: Epicene, tmp_path: Path, version: int, table: str
) -> None:
    before = make_database(
        tmp_path / STORE, f"CREATE TABLE {table}", f"PRAGMA user_version = {version}"
    )
    done = epicene(*RUN)
    assert done.code == 2
    assert "run/answers.sqlite is a database of another program" in done.err
    assert (tmp_path / STORE).read_bytes() == before
    assert not Path("run/manifest.json").exists()


def test_a_database_that_took_the_place_of_ours_is_not_changed(
    epicene: Epicene, tmp_path: Path
) -> None:
    assert epicene(*RUN).code == 0
    STORE.unlink()
    before = make_database(tmp_path / STORE, "CREATE TABLE mine (a)")
    done = epicene(*RUN)
    assert done.code == 2
    assert "a database of another program" in done.err
    assert STORE.read_bytes() == before


def test_answers_without_a_manifest_and_a_killed_beginning(epicene: Epicene) -> None:
    assert epicene(*RUN).code == 0
    shutil.copytree("run", "begun")
    Path("run/manifest.json").unlink()
    assert "contains answers but no manifest.json" in epicene(*RUN).err
    Path("begun/manifest.json").unlink()
    with sqlite3.connect("begun/answers.sqlite") as db:
        db.execute("DELETE FROM answers")
    db.close()
    assert epicene(*RUN[:-1], "--out=begun").code == 0


def test_unfinished_files_of_a_killed_run_are_removed(epicene: Epicene) -> None:
    assert epicene(*RUN).code == 0
    image = Path("run/images/ab")
    image.mkdir(parents=True)
    for path in (
        Path("run/.manifest.json.epicene-ab12_xyz"),
        image / f".{'ab' * 32}.epicene-ab12_xyz",
    ):
        path.write_text("half")
    Path("run/.notes.txt.ab12_xyz").write_text("mine")
    assert epicene(*RUN).code == 0
    assert [path.name for path in Path("run").rglob(".*.*")] == [".notes.txt.ab12_xyz"]


@pytest.mark.parametrize("content", ['["a"]', "half", "[" * 100_000])
def test_a_build_leaves_another_programs_settings(epicene: Epicene, content: str) -> None:
    Path("made").mkdir()
    Path("made/settings.json").write_text(content)
    done = epicene("data", "build", "alternations", "--out=made")
    assert done.code == 2
    assert "made/settings.json is damaged" in done.err
    assert Path("made/settings.json").read_text() == content


def test_a_report_is_not_written_over_a_database(epicene: Epicene, tmp_path: Path) -> None:
    assert epicene(*RUN).code == 0
    before = make_database(tmp_path / "mine" / "data.db", "CREATE TABLE mine (a)")
    done = epicene("report", "run", "--out=mine/data.db")
    assert done.code == 2
    assert "mine/data.db is a database" in done.err
    assert Path("mine/data.db").read_bytes() == before
