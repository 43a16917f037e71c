"""Exports from Python, beside `epicene export`; and damage, beside `epicene check`."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import epicene
from app.conftest import Epicene
from app.conftest import epicene as command_line
from epicene.core.errors import InputError

command = command_line  # the fixture, under a name that the module does not have


def content(folder: Path) -> dict[str, bytes]:
    """Every file in a folder."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_results_are_written_as_by_the_command(command: Epicene) -> None:
    runs = [
        epicene.run("reflexives", model=f"random:{seed}", out=f"run-{seed}", progress=False)
        for seed in (1, 2)
    ]
    assert command("export", "results", "run-1", "run-2", "-o", "by-command").code == 0
    assert epicene.export_results([runs[0], "run-2"], out="by-python") == Path("by-python")
    assert content(Path("by-python")) == content(Path("by-command"))
    assert epicene.export_results(runs[0], out="one").is_dir()
    with pytest.raises(InputError, match=r"needs its own folder \(--out\)"):
        epicene.export_results(runs, out="by-python")


@pytest.mark.parametrize(
    ("suite", "to", "options", "keywords"),
    [
        ("genform", "hf", ("-l", "fr", "-l", "hi"), {"language": ["fr", "hi"]}),
        (
            "genform", "lm-eval",
            ("-l", "fr", "--limit=4", "--seed=2"),
            {"language": "fr", "limit": 4, "seed": 2},
        ),
        (
            "misgendering", "lm-eval",
            ("--format=probability", "--limit=3", "--set=pronouns=he,xe"),
            {
                "limit": 3,
                "settings": {"formats": ["probability"], "pronouns": ["he", "xe"]},
            },
        ),
    ],
)  # fmt: skip
def test_items_are_written_as_by_the_command(
    suite: str, to: Any, options: tuple[str, ...], keywords: dict[str, Any], command: Epicene
) -> None:
    told = command("export", "data", suite, "--to", to, "-o", "by-command", *options)
    assert told.code == 0, told.err
    done = epicene.export_data(suite, to, "by-python", **keywords)
    assert content(Path("by-python")) == content(Path("by-command"))
    assert (done.path, done.warning) == (Path("by-python"), "")
    said = told.err.splitlines()
    assert [f"{name}: {number} documents" for name, number in done.tasks.items()] == [
        line for line in said if line.endswith(" documents")
    ]
    assert [f"Left out: {each}" for each in done.left_out] == [
        line for line in said if line.startswith("Left out")
    ]
    assert bool(done.tasks) == (to == "lm-eval")
    assert to == "lm-eval" or said[0].startswith(f"{done.items} items are in by-command: ")


def test_data_of_your_own_want_a_licence(command: Epicene) -> None:
    Path("pairs.csv").write_text("id,good,bad,language\na,x,y,fr\n", "utf-8")
    done = epicene.export_data("alternations", "hf", "out", data="pairs.csv")
    assert "share it only if their licence allows it" in done.warning
    said = command("export", "data", "alternations", "--to=hf", "-d", "pairs.csv", "-o", "again")
    assert said.err.splitlines()[-1] == f"Warning: {done.warning}"
    licensed = epicene.export_data(
        "alternations", "hf", "licensed", data="pairs.csv", licence="cc0-1.0"
    )
    assert licensed.warning == ""
    with pytest.raises(InputError, match="no export format 'arrow'; known: hf, inspect, lm-eval"):
        epicene.export_data("alternations", "arrow", "x")  # type: ignore[arg-type]


def test_damage_is_found(command: Epicene) -> None:
    run = epicene.run("reflexives", model="random", out="run", progress=False)
    sound = epicene.check(run)
    assert (sound.found.items, sound.found.answers, sound.damage) == (24, 48, ())
    with closing(sqlite3.connect(Path("run/answers.sqlite"))) as db, db:
        db.execute("UPDATE answers SET answer = replace(answer, '-', '-1')")
    found = epicene.check("run")
    told = command("check", "run", "--json")
    assert told.code == 1
    assert list(found.damage) == told.json["damage"]
    assert "answers.sqlite: damaged, by their checksums: 48 rows" in found.damage
    assert "answers.sqlite: missing: 48 answers" in found.damage
    assert epicene.run("reflexives", model="random", out="run", progress=False).complete
    assert epicene.check("run").damage == ()
