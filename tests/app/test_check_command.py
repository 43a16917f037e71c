"""`epicene check` says what is damaged in run folders."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from app.conftest import Epicene


def test_the_command_finds_damage_and_a_resumed_run_repairs_it(epicene: Epicene) -> None:
    epicene("run", "reflexives", "-m", "random", "--out=run")
    sound = epicene("check", "run")
    assert (sound.code, sound.out) == (
        0,
        "run: 24 items, 48 answers, 0 images verified; no damage.\n",
    )
    with closing(sqlite3.connect(Path("run/answers.sqlite"))) as db, db:
        db.execute("UPDATE answers SET answer = replace(answer, '-', '-1') WHERE number <= 3")
    damaged = epicene("check", "run")
    assert damaged.code == 1
    assert "answers.sqlite: damaged, by their checksums: 3 rows" in damaged.out
    assert epicene("check", "run", "--json").json["damage"]
    resumed = epicene("run", "reflexives", "-m", "random", "--out=run")
    assert resumed.code == 0
    assert "3 answers in run/answers.sqlite did not match their checksums" in resumed.err
    assert epicene("check", "run").code == 0
