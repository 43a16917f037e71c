"""What bad input gets, on the command line and in Python: one sentence with the place and the way
out, exit code 2 or 1, no traceback.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import epicene as api
from app.conftest import Done, Epicene, refused
from epicene.core import registry
from runs.killable_runs import stored

ROW = (
    '{"id": "a", "before": "The king hurt ", "reflexive": "himself", "after": ".",'
    ' "gender": "masculine"}'
)


@pytest.mark.parametrize(
    ("name", "content", "parts"),
    [
        ("gone.jsonl", None, ["There is no file", "gone.jsonl"]),
        ("a.txt", b"x", ["a.txt", "use one of .csv"]),
        ("a.jsonl", b"{not json}", ["a.jsonl, line 1,", "is not JSON"]),
        ("a.jsonl", b'{"id": "a"}', ["a.jsonl, line 1,", "missing required field `before`"]),
        ("a.jsonl", b"[1]", ["a.jsonl, line 1,", "not a record"]),
        ("a.jsonl", f"{ROW}\n\n{ROW}".encode(), ["a.jsonl, line 3,", "the id 'a'", "line 1"]),
        ("a.jsonl", ROW.replace("himself", "itself").encode(), ["line 1,", "itself"]),
        ("a.jsonl", ROW.replace("king", "kïng").encode("latin-1"), ["line 1,", "not UTF-8"]),
        ("a.jsonl", ROW.encode("utf-16"), ["line 1,", "not UTF-8"]),
        ("a.jsonl", b"", ["a.jsonl has no items"]),
        ("a.csv", b"id,before\na,b,c\n", ["a.csv, line 2,", "the same number of columns"]),
        ("a.csv", b'id,before\na,"b\n', ["a.csv", "is not CSV"]),
        ("a.csv", b"id;before;reflexive\na;b;c\n", ["a.csv, line 2,", "'c' - at `$.reflexive`"]),
        ("a.csv", b"id,id,before\na,a,b\n", ["a.csv, line 1,", "two columns named 'id'"]),
        ("a.jsonl", ROW.replace('"a"', '""').encode(), ["line 1,", "has no id"]),
        ("a.jsonl", ROW.replace("king", "k\\ud800ng").encode(), ["line 1,", "half a character"]),
        ("a.jsonl", b"[" * 100_000, ["line 1,", "a.jsonl"]),
        ("a.parquet", b"not parquet", ["a.parquet", "Parquet"]),
    ],
)
def test_a_bad_data_file(
    epicene: Epicene, tmp_path: Path, name: str, content: bytes | None, parts: list[str]
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    refused(epicene("run", "reflexives", "--model=random", f"--data={name}"), 2, *parts)


def test_columns_of_another_name(epicene: Epicene, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(
        "key,before,word,after,gender\nx,The king hurt ,himself,.,masculine\n"
    )
    done = epicene(
        "run", "reflexives", "-m", "random", "-d", "a.csv",
        "--column", "id=key", "--column", "reflexive=word", "--json",
    )  # fmt: skip
    assert done.code == 0, done.err
    done = epicene("run", "reflexives", "-m", "random", "-d", "a.csv", "--column", "id=keyy")
    refused(done, 2, "a.csv, line 2,", "no column 'keyy'", "key, before")
    done = epicene("run", "reflexives", "-m", "random", "-d", "a.csv", "--column", "id")
    refused(done, 2, "--column takes NAME=VALUE")


PROGRAM = "import two_stage; two_stage.register(); from epicene.app.commands import main; main()"
RANDOM: dict[str, Any] = {"model": "random"}
# What is wrong on the command line, the same in Python (if it can be said there), and what is told.
REFUSALS: list[tuple[str, Callable[[], object] | None, str]] = [
    ("run", None, "Name at least one suite."),
    ("run reflexive", lambda: api.run("reflexive"), "no suite 'reflexive'; did you mean 'refl"),
    ("run reflexives -m rondom", lambda: api.run("reflexives", "rondom"), "no model 'rondom'"),
    (
        "run reflexives -m random -p papr",
        lambda: api.run("reflexives", protocol="papr", **RANDOM),
        "no protocol 'papr'",
    ),
    (
        "run reflexives -m random -l fra",
        lambda: api.run("reflexives", language="fra", **RANDOM),
        "no language 'fra'",
    ),
    (
        "run reflexives -m judge=random",
        lambda: api.run("reflexives", {"judge": "random"}),
        "no role 'judge' in the suite reflexives",
    ),
    ("run reflexives -m judge=random?zork=1", None, "no role 'judge'"),
    (
        "run apgc -m copy --task=translation",
        lambda: api.run("apgc", "copy", task="translation"),
        "sends no requests; add --model translator=SPEC.",
    ),
    (
        "run apgc -m copy -m translator=copy --task=translation",
        lambda: api.run("apgc", ["copy", "translator=copy"], task="translation"),
        "does not use the role model, only translator",
    ),
    (
        "run reflexives -m random --task=x",
        lambda: api.run("reflexives", task="x", **RANDOM),
        "neither tasks nor formats",
    ),
    ("run reflexives -m random,random:1", None, "takes one model per run"),
    ("run reflexives -m copy", lambda: api.run("reflexives", "copy"), "copy cannot"),
    ("run reflexives -m hf:./gone", lambda: api.run("reflexives", "hf:./gone"), "./gone"),
    (
        "run reflexives -m random --set sample=2",
        lambda: api.run("reflexives", settings={"sample": 2}, **RANDOM),
        "'sample'",
    ),
    (
        "run reflexives -m random --set=samples=x",
        lambda: api.run("reflexives", settings={"samples": "x"}, **RANDOM),
        "samples must be a whole number",
    ),
    ("run reflexives -m random --set samples", None, "--set takes NAME=VALUE, not 'samples'."),
    ("run reflexives -m random?dtipe=x", None, "no model option 'dtipe'"),
    ("run reflexives -m random?dtype=float16", None, "does not take dtype"),
    (
        "run reflexives -m random --dtype int3",
        lambda: api.run("reflexives", dtype="int3", **RANDOM),
        "is invalid",
    ),
    ("run reflexives -m ngram:gone.txt", None, "gone.txt"),
    ("run reflexives -m mine/model", None, "write hf:mine/model."),
    (
        "run reflexives -m random --limit=0",
        lambda: api.run("reflexives", limit=0, **RANDOM),
        "--limit must be at least 1, not 0.",
    ),
    ("run reflexives --limit=few", None, "--limit"),
    ("run reflexives -m random --items", None, "--items requires --json."),
    ("run reflexives -m random --limt 3", None, "--limt"),
    ("run reflexives -m random --workers 2", None, "require --on ray"),
    ("run reflexives -m random --on moon", lambda: api.run("reflexives", on="moon"), "'moon'"),
    ("tabels", None, 'Did you mean "tables"?'),
    ("tables", lambda: api.tables(), "Name at least one run."),
    ("tables nowhere", lambda: api.tables("nowhere"), "nowhere is not a run folder"),
    ("tables nowhere --list --csv", None, "--list can be combined only with --json."),
    ("tables nowhere --csv --scores -t x", None, "remove --table"),
    ("tables nowhere --scores", None, "--scores requires --json or --csv."),
    ("tables nowhere --csv --latex", None, "Choose one of --json, --csv"),
    ("compare nowhere", None, "--second"),
    ("compare nowhere nowhere", lambda: api.compare("nowhere", "x"), "nowhere is not a run"),
    ("data reflexives chek", None, "see `epicene data"),
    ("data check reflexive", lambda: api.read_data("reflexive"), "no suite 'reflexive'"),
    (
        "data check reflexives -d gone.csv",
        lambda: api.read_data("reflexives", "gone.csv"),
        "There is no file gone.csv",
    ),
    ("data check reflexives -o x", None, "-o"),
    (
        "data build misgendering -o x",
        lambda: api.build_data("misgendering", out="x"),
        "cannot build data",
    ),
    ("data build gramvis -o x -m random", None, "--model must name the model's role"),
    ("data collect genform -o x", None, "--from"),
    (
        "score reflexives -a gone.jsonl",
        lambda: api.score("reflexives", "gone.jsonl"),
        "There is no file gone.jsonl",
    ),
    ("models fetch smolm2", lambda: api.fetch_model("smolm2"), "'smolm2'"),
    ("report nowhere", lambda: api.report("nowhere"), "nowhere is not a run folder"),
    ("sweep gone.toml", lambda: api.sweep("gone.toml"), "gone.toml"),
    ("train misgendering -o x", lambda: api.train("misgendering", out="x"), "no data to train"),
]


@pytest.mark.parametrize(("line", "call", "told"), REFUSALS)
def test_one_sentence_and_exit_code_2(
    epicene: Epicene, line: str, call: Callable[[], object] | None, told: str
) -> None:
    refused(epicene(*line.split()), 2, told)
    if call is not None:
        with pytest.raises(api.InputError) as caught:
            call()
        assert told in str(caught.value)
        assert "\n" not in str(caught.value)
    assert not list(Path().glob("runs/*"))


def test_a_path_that_is_no_run_folder_says_where_runs_are(epicene: Epicene) -> None:
    assert epicene("run", "reflexives", "-m", "random", "--out=runs/a").code == 0
    told = "runs is not a run folder, but contains 1 run; name the run, for example runs/a."
    refused(epicene("tables", "runs"), 2, told)
    file = "runs/a/manifest.json"
    refused(epicene("tables", file), 2, f"{file} is a file, not a run folder")


def test_another_run_in_the_folder_is_told_by_its_settings(epicene: Epicene) -> None:
    run = ("run", "reflexives", "-m", "random", "--out=a")
    assert epicene(*run).code == 0
    refused(epicene(*run, "--set=samples=1"), 2, "a contains another run (different samples)")
    refused(epicene(*run, "--protocol=paper"), 2, "a contains another run (different protocol)")


def test_a_language_is_a_code(epicene: Epicene, tmp_path: Path) -> None:
    (tmp_path / "pairs.csv").write_text("good,bad\nShe sings.,She sing.\n")
    run = ("data", "check", "alternations", "--data=pairs.csv")
    refused(epicene(*run, "--set=language=english"), 2, "must be a code such as en or fr")
    assert epicene(*run, "--set=language=eng").code == 0


def test_answers_that_fit_nothing(epicene: Epicene, tmp_path: Path) -> None:
    def scored(line: str) -> Done:
        (tmp_path / "given.jsonl").write_text(line)
        return epicene("score", "reflexives", "-a", "given.jsonl")

    refused(scored('{"id": "kong", "text": "x"}'), 2, "given.jsonl, line 1,", "'kong'")
    refused(scored('{"id": "king", "text": "x"}'), 2, "line 1,", "which request")
    refused(scored('{"id": "king", "name": "generation"}'), 2, "line 1,", "no `text`")


def test_nothing_is_left_of_a_run_that_never_began(epicene: Epicene) -> None:
    epicene("run", "reflexives", "-m", "copy")
    epicene("run", "reflexives", "-m", "random", "-d", "gone.jsonl")
    assert not Path("runs").exists()
    Path("empty.jsonl").touch()
    assert epicene("run", "reflexives", "-m", "random", "-d", "empty.jsonl").code == 2
    assert epicene("run", "reflexives", "-m", "random", "-l", "fr").code == 2
    assert not Path("runs").exists()
    Path("mine").mkdir()
    Path("mine/letter.txt").write_text("keep me")
    assert epicene("run", "reflexives", "-m", "random", "-l", "fr", "--out=mine").code == 2
    assert [path.name for path in Path("mine").iterdir()] == ["letter.txt"]


@pytest.fixture
def unjudged(epicene: Epicene) -> Path:
    """The database of a run whose stored judgements are lost: with them, tables need no other."""
    epicene("run", "reflexives", "-m", "random", "--out=run")
    Path("run/judgements.parquet").unlink()
    return Path("run/answers.sqlite")


def test_a_corrupt_database(epicene: Epicene, unjudged: Path) -> None:
    unjudged.write_bytes(b"rubbish" * 1000)
    refused(epicene("tables", "run"), 1, "run/answers.sqlite is damaged")
    again = epicene("run", "reflexives", "-m", "random", "--out=run")
    assert again.code == 0
    assert "run/answers.sqlite was damaged" in again.err
    assert epicene("check", "run").code == 0


def test_an_emptied_database(epicene: Epicene, unjudged: Path) -> None:
    unjudged.write_bytes(b"")
    refused(epicene("tables", "run"), 1, "run/answers.sqlite is empty; repeat the command")
    assert epicene("run", "reflexives", "-m", "random", "--out=run").code == 0
    assert epicene("check", "run").code == 0


def test_one_folder_twice(epicene: Epicene) -> None:
    epicene("run", "reflexives", "-m", "random", "--out=run")
    refused(epicene("tables", "run", "./run"), 2, "given twice")


def test_a_package_that_is_not_here(epicene: Epicene, monkeypatch: pytest.MonkeyPatch) -> None:
    def opener(name: str, options: object) -> object:
        raise ModuleNotFoundError("No module named 'torch'", name="torch")

    registry.add("models", "absent", opener)
    done = epicene("run", "reflexives", "-m", "absent:x")
    refused(done, 2, "needs the package torch", "epicene[hf]")


def test_debug_keeps_the_exit_code(epicene: Epicene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EPICENE_DEBUG", "1")
    done = epicene("tables", "nowhere")
    assert done.code == 2
    assert "Traceback" in done.err
    monkeypatch.setenv("EPICENE_DEBUG", "0")
    assert "Traceback" not in epicene("tables", "nowhere").err


def test_ctrl_c_says_that_nothing_is_lost(tmp_path: Path) -> None:
    program = PROGRAM
    process = subprocess.Popen(
        [sys.executable, "-c", program, "run", "two-stage", "--model=writer=scripted:w-slow",
         "--model=reader=scripted:a-slow", "--set=items=2000", "--out=run"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    database = tmp_path / "run" / "answers.sqlite"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not stored(tmp_path / "run"):
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 1, err
    assert "Stopped. Run the same command again; a run resumes" in err
    assert "Traceback" not in err
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert manifest["sessions"][-1]["state"] == "interrupted"
    with sqlite3.connect(database) as db:
        assert db.execute("SELECT count(*) FROM answers").fetchone()[0] > 0


def test_a_run_of_another_model_in_the_folder(epicene: Epicene) -> None:
    epicene("run", "reflexives", "-m", "random", "--out=run")
    refused(epicene("run", "reflexives", "-m", "random:5", "--out=run"), 2, "different model")


def test_an_output_folder_that_cannot_be(epicene: Epicene, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    refused(epicene("run", "reflexives", "-m", "random", "--out=file/run"), 1, "file/run")


def test_a_full_disk_loses_nothing(tmp_path: Path) -> None:
    """A limit on the size of files stands in for the disk; the run goes on when there is room."""
    program = PROGRAM
    command = [
        sys.executable, "-c", program, "run", "two-stage", "--model=writer=scripted:w",
        "--model=reader=scripted:a", "--set=items=3000", "--out=run",
    ]  # fmt: skip
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}

    def run(most: int) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=tmp_path,
            env=env,
            text=True,
            capture_output=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)),
        )

    full = run(1_500_000)
    assert full.returncode == 1, full.stderr
    assert "Traceback" not in full.stderr
    assert "answers.sqlite" in full.stderr
    with sqlite3.connect(tmp_path / "run" / "answers.sqlite") as db:
        (kept,) = db.execute("SELECT count(*) FROM answers").fetchone()
    assert kept > 0
    done = run(resource.RLIM_INFINITY)
    assert done.returncode == 0, done.stderr
    with sqlite3.connect(tmp_path / "run" / "answers.sqlite") as db:
        assert db.execute("SELECT count(*) FROM answers").fetchone() == (3000 * 4,)
