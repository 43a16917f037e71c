"""`epicene check` lists what is damaged in run folders."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from cli.conftest import Epicene
from epicene.runs.checked_tables import row_checksum

from app.conftest import Epicene


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
    run = listed.json
    assert len(run["damage"]) == 49
    assert run["damage"][0]["file"] == "answers.sqlite"


def test_a_null_for_nan_is_found_warned_of_and_asked_again(epicene: Epicene) -> None:
    """Version 0.1.0 wrote null for NaN, which then counted as a token that was not scored."""
    epicene("run", "reflexives", "-m", "random", "--out=run")
    sound = epicene("tables", "run", "--json")
    with closing(sqlite3.connect(Path("run/answers.sqlite"))) as db, db:
        db.create_function("row_checksum", -1, row_checksum)
        db.execute(
            "UPDATE answers SET answer = CAST(json_replace(answer, '$.texts[0].logprobs[1]', "
            "json('null')) AS BLOB) WHERE place & 0xffff = 0"
        )
        db.execute("UPDATE answers SET checksum = row_checksum(place, name, key, failed, answer)")
    found = epicene("check", "run")
    assert found.code == 1
    assert "24 answers, 0 images verified; 25 damaged places" in found.out, "and how many in all"
    assert (
        "answers.sqlite, table answers, section 1, item 0, request 0: texts[0].logprobs[1] is null,"
        " which version 0.1.0 stored for NaN and infinite numbers" in found.out
    )
    warned = epicene("tables", "run", "--json")
    assert warned.json["runs"][0]["coverage"]["not_finite"] == 24
    assert "24 answers from version 0.1.0 had NaN or infinite numbers" in warned.err
    assert "run the same command again to resume" in warned.err
    resumed = epicene("run", "reflexives", "-m", "random", "--out=run")
    assert resumed.code == 0
    assert "requests whose answers are lost are sent again" in resumed.err
    assert epicene("tables", "run", "--json").out == sound.out
    assert epicene("check", "run").code == 0


def test_a_completion_without_its_number_is_damage(epicene: Epicene) -> None:
    """Version 0.1.0 wrote this for NaN, too; nothing can read it."""
    epicene("run", "reflexives", "-m", "random", "--out=run")
    lost = b'{"kind":"completions","completions":[{"text":"x","logprob":null,"tokens":1}]}'
    with closing(sqlite3.connect(Path("run/answers.sqlite"))) as db, db:
        db.create_function("row_checksum", -1, row_checksum)
        db.execute(
            "UPDATE answers SET answer = ? WHERE place = (SELECT min(place) FROM answers)", (lost,)
        )
        db.execute("UPDATE answers SET checksum = row_checksum(place, name, key, failed, answer)")
    assert "cannot be read (Expected `float`, got `null`" in epicene("check", "run").out
    tables = epicene("tables", "run")
    assert tables.code == 1
    assert "is damaged: an answer cannot be read (Expected `float`, got `null`" in tables.err
    assert "repeat the command that created the run" in tables.err
    assert epicene("run", "reflexives", "-m", "random", "--out=run").code == 0
    assert epicene("check", "run").code == 0
