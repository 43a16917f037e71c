"""`epicene check` lists what is damaged in run folders."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from cli.conftest import Epicene


def test_the_command_lists_damage(epicene: Epicene) -> None:
    epicene("run", "reflexives", "-m", "random", "--out=run")
    sound = epicene("check", "run")
    assert (sound.code, sound.out) == (
        0,
        "run: 24 items, 48 answers, 0 images verified; no damage.\n",
    )
    with closing(sqlite3.connect(Path("run/answers.sqlite"))) as db, db:
        db.execute("UPDATE answers SET answer = replace(answer, '-', '-1')")
    damaged = epicene("check", "run")
    assert damaged.code == 1
    assert "does not match its checksum" in damaged.out
    assert "and 29 more" in damaged.out
    listed = epicene("check", "run", "--json")
    assert listed.code == 1
    (run,) = listed.json["runs"]
    assert len(run["damage"]) == 49
    assert run["damage"][0]["file"] == "answers.sqlite"
