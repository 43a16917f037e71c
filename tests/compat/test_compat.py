"""What version 0.1.0 wrote still opens, goes on, and gives the same tables, byte for byte.

`README.md` says what the fixtures are. Every test works on a copy of them.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from compat.cases import BUILD, HALFWAY, HOSTED, MATERIAL, OUTPUTS, RUNS, SWEEP
from compat.local import Chat, Visitor, kept, write_material
from epicene.app.commands import main

HERE = Path(__file__).parent
FIXTURES = HERE / "fixtures"

# The last digits of sums and of SciPy's functions depend on the processor's vector instructions.
LONG_NUMBER = re.compile(rb"-?\d+\.\d{12,}(?:e-?\d+)?")


class Done(NamedTuple):
    """What a command left behind."""

    code: int
    out: bytes
    err: str


Command = Callable[..., Done]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the fixtures, which is the current folder."""
    copy = tmp_path / "fixtures"
    shutil.copytree(FIXTURES, copy)
    (copy / "studies/images/access.key").chmod(0o600)  # which git does not keep
    monkeypatch.chdir(copy)
    return copy


@pytest.fixture
def epicene(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> Command:
    """Run a command in the copy, in this process."""
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.delenv("EPICENE_PUBLISHED_DATA", raising=False)

    def run(*arguments: str, stdin: bytes = b"") -> Done:
        capfdbinary.readouterr()
        monkeypatch.setattr(sys, "argv", ["epicene", *arguments])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), "utf-8"))
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capfdbinary.readouterr()
        code = ended.value.code
        return Done(code if isinstance(code, int) else 0, captured.out, captured.err.decode())

    return run


def expected(name: str) -> bytes:
    """What version 0.1.0 printed."""
    return gzip.decompress((HERE / "expected" / f"{name}.gz").read_bytes())


def _rounded(number: re.Match[bytes]) -> bytes:
    return f"{float(number.group()):.10g}".encode()


def check(found: bytes, name: str) -> None:
    """Compare with what is expected; where it differs, show the first place that does."""
    wanted = expected(name)
    if name.endswith(".json"):
        wanted, found = (LONG_NUMBER.sub(_rounded, each) for each in (wanted, found))
    if found == wanted:
        return
    Path(name).write_bytes(found)
    pairs = enumerate(zip(wanted, found, strict=False))
    at = next((place for place, (a, b) in pairs if a != b), min(len(wanted), len(found)))
    old, new = (
        each[max(0, at - 100) : at + 200].decode(errors="replace") for each in (wanted, found)
    )
    raise AssertionError(
        f"{name} differs from byte {at} on; all of it is in {Path(name).resolve()}:\n"
        f"- {old}\n+ {new}"
    )


@pytest.mark.parametrize("name", OUTPUTS)
def test_what_is_printed(epicene: Command, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    output = OUTPUTS[name]
    if output.new:
        monkeypatch.setenv("EPICENE_PUBLISHED_DATA", write_material(MATERIAL))
    stdin = Path(output.stdin).read_bytes() if output.stdin else b""
    done = epicene(*output.arguments, stdin=stdin)
    assert done.code == 0, done.err
    check(without_table(done.out, output.added) if output.added else done.out, name)


def without_table(printed: bytes, name: str) -> bytes:
    """A JSON document without a table that version 0.1.0 did not have."""
    document = msgspec.json.decode(printed)
    del document["tables"][name]
    return msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"


# --- runs ------------------------------------------------------------------------------------


def manifest(run: str) -> Any:
    return json.loads(Path(run, "manifest.json").read_bytes())


def stored(run: str) -> dict[int, tuple[object, ...]]:
    """Every answer there is, by its place in the plan; failures are left out."""
    with sqlite3.connect(Path(run, "answers.sqlite")) as db:
        rows = db.execute("SELECT place, name, key, answer FROM answers WHERE NOT failed")
        found = {int(place): tuple(rest) for place, *rest in rows}
    db.close()
    return found


def answered_last(run: str) -> int:
    """How many requests were answered in the last session."""
    return sum(each["answered"] for each in manifest(run)["sessions"][-1]["timings"])


def all_counts(run: str) -> list[tuple[str, str, int, int, int]]:
    return [
        (each["stage"], each["model"], each["total"], each["answered"], each["failed"])
        for each in manifest(run)["counts"]
    ]


# Whose model has changed since: rules of another version give other answers.
BY_OLDER_RULES = ("genform-rules", "apgc-rules")

# Whose starter set has changed since: its items are others.
ON_OLDER_DATA = ("alternations-ngram",)


@pytest.mark.parametrize(
    "name", [name for name in RUNS if name not in (*BY_OLDER_RULES, *ON_OLDER_DATA)]
)
def test_a_finished_run_is_known_again(epicene: Command, name: str) -> None:
    run = f"answered/{name}"
    before, counts, sessions = stored(run), all_counts(run), len(manifest(run)["sessions"])
    done = epicene("run", *RUNS[name].arguments, "--out", run)
    assert done.code == RUNS[name].code, done.err
    assert stored(run) == before, "nothing is asked again, and nothing is lost"
    assert all_counts(run) == counts
    assert len(manifest(run)["sessions"]) in (sessions, sessions + 1)
    if len(manifest(run)["sessions"]) > sessions:
        assert answered_last(run) == 0


@pytest.mark.parametrize("name", BY_OLDER_RULES)
def test_answers_of_older_rules_are_not_mixed_with_new_ones(epicene: Command, name: str) -> None:
    run = f"answered/{name}"
    before = stored(run)
    done = epicene("run", *RUNS[name].arguments, "--out", run)
    assert (done.code, "different model" in done.err) == (2, True)
    assert stored(run) == before


@pytest.mark.parametrize("name", ON_OLDER_DATA)
def test_answers_about_older_data_are_not_mixed_with_new_ones(epicene: Command, name: str) -> None:
    run = f"answered/{name}"
    before = stored(run)
    done = epicene("run", *RUNS[name].arguments, "--out", run)
    assert (done.code, "different files" in done.err) == (2, True)
    assert stored(run) == before


@pytest.mark.parametrize("how", HALFWAY)
def test_a_run_goes_on_where_it_was_broken_off(epicene: Command, how: str) -> None:
    run, whole = f"answered/{HALFWAY[how]}", "whole"
    shutil.move(run, whole)
    shutil.move(f"halfway/{how}", run)  # the tables name the folder
    before, total = stored(run), len(stored(whole))
    assert 0 < len(before) < total
    done = epicene("run", *RUNS[HALFWAY[how]].arguments, "--out", run)
    assert done.code == 0, done.err
    after = stored(run)
    assert len(after) == total
    assert before.items() <= after.items()
    assert answered_last(run) == total - len(before)
    assert manifest(run)["sessions"][-1]["state"] == "complete"
    assert all_counts(run) == all_counts(whole)
    check(epicene("tables", run, "--json", "--items").out, f"tables-{HALFWAY[how]}.json")


def test_a_hosted_run_goes_on_under_a_new_limit(epicene: Command) -> None:
    run = "halfway/hosted"
    before, spent = stored(run), manifest(run)["sessions"][0]["costs"]
    assert before
    with Chat() as chat:
        done = epicene("run", *HOSTED, "--base-url", chat.url, "--out", run)
    assert done.code == 0, done.err
    after = stored(run)
    assert before.items() <= after.items()
    assert len(chat.asked) == len(after) - len(before) == answered_last(run) > 0
    assert manifest(run)["sessions"][0]["costs"] == spent
    check(epicene("tables", run, "--json", "--items").out, "hosted-finished.json")


def test_one_report_about_old_runs(epicene: Command) -> None:
    runs = ("answered/apgc-tagger", "answered/gramvis-random")
    done = epicene("report", *runs, "--out", "report.html")
    assert done.code == 0, done.err
    assert Path("report.html").stat().st_size > 0


# --- a sweep ---------------------------------------------------------------------------------


def states(sweep: Any) -> list[dict[str, Any]]:
    """How far all runs are, but for what is different in each session."""
    return [{key: value for key, value in run.items() if key != "seconds"} for run in sweep["runs"]]


def test_a_finished_sweep_has_nothing_left_to_do(epicene: Command) -> None:
    before = json.loads(Path("plan/sweep.json").read_bytes())
    folders = [run["folder"] for run in before["runs"] if run["state"] == "complete"]
    assert len(folders) == 4
    answers = {run: (stored(run), len(manifest(run)["sessions"])) for run in folders}
    done = epicene(*SWEEP)
    assert done.code == 0, done.err
    assert states(json.loads(done.out)) == states(before)
    assert {run: (stored(run), len(manifest(run)["sessions"])) for run in folders} == answers
    assert Path("plan/report.html").exists()


def test_a_sweep_makes_what_is_missing(epicene: Command) -> None:
    before = json.loads(Path("plan/sweep.json").read_bytes())
    lost = next(run["folder"] for run in before["runs"] if run["model"] == "random")
    answers = stored(lost)
    shutil.rmtree(lost)
    done = epicene(*SWEEP)
    assert done.code == 0, done.err
    assert states(json.loads(done.out)) == states(before)
    assert stored(lost) == answers
    check(epicene(*OUTPUTS["sweep-tables.json"].arguments).out, "sweep-tables.json")


# --- studies ---------------------------------------------------------------------------------


def test_a_study_takes_one_more_sheet(epicene: Command) -> None:
    study = "studies/labels"
    again = epicene("annotate", "import", study, "sheets/ann.csv")
    assert again.code == 0, again.err
    assert "0 new answers, 0 replaced" in again.err
    check(epicene("annotate", "tables", study, "--json").out, "study-labels.json")
    done = epicene("annotate", "import", study, "sheets/carl.csv")
    assert done.code == 0, done.err
    check(epicene("annotate", "tables", study, "--json").out, "study-labels-later.json")


def test_the_same_study_is_drawn_from_the_same_runs(epicene: Command) -> None:
    runs = ("answered/misgendering-random", "answered/misgendering-ngram")
    draw = ("annotate", "sample", *runs, "--per-cell", "1", "--twice", "20", "--out")
    old, new = Path("studies/labels"), Path("studies/drawn-again")
    before = (old / "study.toml").read_bytes()
    for study in (old, new):
        done = epicene(*draw, str(study))
        assert done.code == 0, done.err
    assert (old / "study.toml").read_bytes() == before
    # A new study has the texts of this version, and is the same in all else.
    drawn, stored = (tomllib.loads((each / "study.toml").read_text("utf-8")) for each in (new, old))
    assert _without_texts(drawn) == _without_texts(stored)


def _without_texts(part: Any) -> Any:
    """A part of a study without what people read in its questions and instructions."""
    if isinstance(part, list):
        return [_without_texts(each) for each in part]
    if not isinstance(part, dict):
        return part
    texts = {"title", "instructions", "ask", "hint", "label", "feedback"}
    return {name: _without_texts(each) for name, each in part.items() if name not in texts}


@pytest.fixture
def port(folder: Path) -> Iterator[int]:
    """The study of pictures is served again."""
    program = "import sys; from epicene.app.commands import main; sys.argv[0] = 'epicene'; main()"
    command = [sys.executable, "-c", program, "annotate", "serve", "studies/images", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        link = server.stdout.readline().split("\t")[1]
        yield int(link.split("/")[2].rpartition(":")[2])
        server.send_signal(signal.SIGINT)


def test_people_follow_their_old_links_and_go_on(port: int, folder: Path) -> None:
    links = json.loads((folder / "studies/links.json").read_text())
    ann, bob = (Visitor(links[name], port) for name in ("ann", "bob"))
    work = ann.work()
    assert kept(work) == json.loads(expected("served-work.json"))
    assert ann.answer(work, shows="female")["answered"] == 3
    redone = bob.work()  # the answer that bob took back
    assert (redone["number"], redone["answered"]) == (2, 1)
    assert bob.answer(redone, shows="neither")["answered"] == 2
    with sqlite3.connect(folder / "studies/images/responses.sqlite") as db:
        rows = db.execute("SELECT participant, count(*) FROM responses GROUP BY 1 ORDER BY 1")
        assert rows.fetchall() == [("ann", 3), ("bob", 2)]
    db.close()


# --- a corpus ----------------------------------------------------------------------------------


def test_a_corpus_is_built_to_its_end(epicene: Command) -> None:
    steps = {path: path.read_bytes() for path in Path("corpus").glob("*.jsonl")}
    assert len(steps) == 4
    waiting = epicene(*BUILD)
    assert waiting.code == 0, waiting.err
    assert not Path("corpus/corpus.jsonl").exists()
    done = epicene("annotate", "import", "corpus/05-rewrite", "sheets/forms.csv")
    assert done.code == 0, done.err
    done = epicene(*BUILD)
    assert done.code == 0, done.err
    assert {path: path.read_bytes() for path in steps} == steps
    check(Path("corpus/corpus.jsonl").read_bytes(), "corpus.jsonl")
    check(Path("corpus/card.md").read_bytes(), "corpus-card.md")
