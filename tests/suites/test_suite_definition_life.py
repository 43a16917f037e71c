"""A suite in one file: killed, resumed, reported, compared, shown to people, exported, swept."""

from __future__ import annotations

import json
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from export.export_samples import read_lines
from kill_points import Killer
from runs.killable_runs import stored
from suites.suite_examples import examples

NOUNS = {
    "feminine": ("queen", "aunt", "girl", "niece", "mother", "sister"),
    "masculine": ("king", "uncle", "boy", "nephew", "father", "brother"),
}
REFLEXIVES = {"feminine": ("herself", "himself"), "masculine": ("himself", "herself")}
PLAN = """
[[models]]
spec = "random"
[[models]]
spec = "random:2"
label = "second"
[[suites]]
name = "reflexive_pairs.py:reflexive_pairs"
limit = 4
"""


@pytest.fixture(scope="module")
def killer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Killer]:
    killer = Killer(tmp_path_factory.mktemp("killer"), seed=19)
    yield killer
    killer.close()


def write_suite(folder: Path) -> None:
    """The first example of the documentation, with more rows."""
    folder.mkdir()
    (folder / "reflexive_pairs.py").write_text(examples()["reflexive_pairs.py"], "utf-8")
    rows = [
        f'"The {noun} saw ",{right},{wrong}," in the mirror.",{gender}'
        for gender, nouns in NOUNS.items()
        for noun in nouns
        for right, wrong in [REFLEXIVES[gender]]
    ]
    content = "\n".join(["before,right,wrong,after,gender", *rows, ""])
    (folder / "reflexive_pairs.csv").write_text(content, "utf-8")


def test_the_life_of_a_suite_in_one_file(killer: Killer, tmp_path: Path) -> None:
    """Every command is a process of its own, and most work in another folder than the suite's."""
    home, away = tmp_path / "suite", tmp_path / "elsewhere"
    write_suite(home)
    away.mkdir()
    run = ("run", "reflexive_pairs.py", "-m", "noted-random", "--out=run")

    def do(*arguments: str, folder: Path = away) -> str:
        code = killer.run(arguments, folder)
        assert code == 0, killer.said()
        return killer.said("stdout")

    def answers() -> set[str]:
        """Read from a copy, so that the database of the killed run stays as it is."""
        copy = tmp_path / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        if not (home / "run").exists():
            return set()
        shutil.copytree(home / "run", copy)
        return stored(copy)

    # Killed in the middle, and resumed.
    counts = tmp_path / "counts.json"
    assert killer.run((*run[:-1], "--out=reference"), home, counts=str(counts)) == 0
    before: set[str] = set()
    for number in range(json.loads(counts.read_text())["write"], 0, -3):
        shutil.rmtree(home / "run", ignore_errors=True)
        fault = {"kind": "write", "number": number, "what": "kill"}
        assert killer.run(run, home, fault=fault) == -signal.SIGKILL, killer.said()
        before = answers()
        if len(before) < 12:
            break
    assert 0 < len(before) < 12
    do(*run, folder=home)
    assert len(answers()) == 12
    assert before < answers()

    # Read from anywhere, as if nothing had happened.
    tables = do("tables", "../suite/run")
    assert tables == do("tables", "../suite/reference")
    assert "by_gender" in tables
    do("run", "../suite/reflexive_pairs.py", "-m", "random:2", "--out=second")
    compared = do("compare", "../suite/run", "second")
    assert "accuracy" in compared
    do("report", "../suite/run", "second", "--out=report.html")
    assert "Reflexive pronouns" in (away / "report.html").read_text("utf-8")
    do("export", "results", "../suite/run", "--out=results")
    card = (away / "results" / "README.md").read_text("utf-8")
    assert "reflexive_pairs.py" in card
    assert str(tmp_path) not in card

    # People.
    do("annotate", "sample", "../suite/run", "--out=study")
    answered = "item,participant,correct\n" + "".join(
        f"{line.split()[-1]},ann,yes\n"
        for line in (away / "study" / "study.toml").read_text("utf-8").replace('"', "").splitlines()
        if line.startswith("id = i")
    )
    (away / "said.csv").write_text(answered, "utf-8")
    do("annotate", "import", "study", "said.csv")
    results = json.loads(do("annotate", "tables", "study", "--json"))
    assert results["metrics"]["right"]["value"] == 1
    assert results["metrics"]["right"]["n"] == 12

    # lm-evaluation-harness.
    do("export", "data", "../suite/reflexive_pairs.py", "--to=lm-eval", "--out=tasks")
    (documents,) = (away / "tasks").glob("*.jsonl")
    assert [line["target"] for line in read_lines(documents)] == [0] * 12
    copy = (away / "tasks" / "suite.py").read_bytes()
    assert copy == (home / "reflexive_pairs.py").read_bytes()

    # A sweep names the file relative to its plan.
    (home / "plan.toml").write_text(PLAN, "utf-8")
    do("sweep", "../suite/plan.toml", "--out=sweep")
    assert len(list((away / "sweep").rglob("manifest.json"))) == 2
