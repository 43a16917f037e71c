"""Every command that writes, in small, and what it must have written in the end.

Tests that kill a command, or let its calls fail, compare the outcome with that of a command which
nothing happened to.
"""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import epicene
from epicene.studies.collection.folder import open_study_folder
from epicene.studies.exchange.response_files import EMPTY_LIST
from scripted_people import fill_in, respond
from suites.apgc.corpus_folder import write_tokens_folder
from suites.genform.scripted_construction import TEMPLATES

# What the fork server imports before it forks, so that each command takes a part of a second.
MODULES = (
    "polars",
    "scipy.stats",
    "scipy.optimize",
    "suites.genform.scripted_construction",
    "epicene.app.output",
    "epicene.app.data",
    "epicene.app.export",
    "epicene.app.progress",
    "epicene.app.annotate",
    "epicene.app.train",
    "epicene.export.hf_dataset",
    "epicene.interop.lm_eval",
    "epicene.export.results_folder",
    "epicene.languages",
    "epicene.models.tagger.training",
    "epicene.show.run_report",
    "epicene.rewriting",
    "epicene.runs.dataset_builder",
    "epicene.runs.integrity",
    "epicene.runs.sweep",
    "epicene.runs.sweep_plan",
    "epicene.studies.analysis.study_builder",
    "epicene.studies.collection.folder",
    "epicene.suites.alternations",
    "epicene.suites.apgc",
    "epicene.suites.genform",
    "epicene.suites.gramvis",
    "epicene.suites.misgendering",
)

_WORDS = """language,word,grammar,stereotype,category,english,chinese,genitive
DE,Wache,F,male,occupation,a guard,警卫,der Wache
DE,Star,M,female,social_status,a star,明星,des Stars
"""

_OWN_SUITE = """
import epicene

own_pairs = epicene.suite("own_pairs", items="own_pairs.csv", languages=["en"], facets=["gender"])


@own_pairs.ask
def ask(item):
    return [
        epicene.choose(item.before, [item.right, item.wrong], item.after, name="choice"),
        epicene.Generate(prompt=item.before, name="text", choices=[item.right, item.wrong]),
    ]


@own_pairs.judge
def judge(item, answers):
    choice, text = answers
    return {"choice": choice.best == 0, "text": item.right in text.only}
"""

_OWN_PAIRS = "before,right,wrong,after,gender\n" + "".join(
    f"The {noun} in house {number} saw ,{right},{wrong}, there.,{gender}\n"
    for number in range(4)
    for noun, right, wrong, gender in (
        ("queen", "herself", "himself", "feminine"),
        ("king", "himself", "herself", "masculine"),
    )
)

_PLAN = """
[[models]]
spec = "noted-random:1"
[[models]]
spec = "noted-random:2"
[[suites]]
name = "alternations"
languages = ["hi"]
limit = 4
"""

_TEMPORARY = re.compile(r"\..+\.epicene-[a-z0-9_]{8}")
# Everything in a run's store but the numbers of its rows, which say when an answer came.
_STORED = (
    "SELECT * FROM items",
    "SELECT key, failed, answer, checksum FROM answers",
    "SELECT * FROM sent",
    "SELECT * FROM spent",
)
_NOT_COMPARED = frozenset({".lock", "report.html"})


@dataclass(frozen=True)
class WritingCommand:
    """A command, what it reads, and what it writes, all in the folder it works in."""

    name: str
    arguments: tuple[str, ...]
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ("out",)
    show: tuple[str, ...] = ()  # a command whose output is part of the outcome
    runs: bool = False  # whether it asks models whose requests are noted


def _run(suite: str, *arguments: str, inputs: tuple[str, ...] = ()) -> WritingCommand:
    return WritingCommand(
        name=f"run {suite}",
        arguments=("run", suite, *arguments, "--out=out"),
        inputs=inputs,
        show=("tables", "out", "--json"),
        runs=True,
    )


_RUN = "answered/misgendering-random"
_REWRITTEN = "answered/apgc-rules"
_LABELS = "studies/labels"

COMMANDS = (
    _run(
        "misgendering",
        *("-m", "noted-random", "--set=pronouns=he,xe", "--set=samples=2", "--limit=2"),
    ),
    _run(
        "genform",
        *("-m", "noted-random", "-l", "fr", "--limit=4", "--set=formats=generation,probability"),
    ),
    _run(
        "apgc",
        *("-m", "noted-random", "--limit=3", "--task=rewriting", "--task=identification"),
    ),
    _run(
        "alternations",
        *("-m", "noted-random", "-l", "hi", "--limit=8", "--set=formats=acceptability,cloze"),
    ),
    _run(
        "gramvis",
        *("--data=words.csv", "-m", "drawer=noted-random"),
        *("-m", "judges=noted-random:1,noted-random:2", "--set=shots=2"),
        "--set=mixed=false",
        inputs=("words.csv",),
    ),
    _run("own_pairs.py", "-m", "noted-random", inputs=("own_pairs.py", "own_pairs.csv")),
    WritingCommand(
        name="sweep",
        arguments=("sweep", "sweep.toml", "--out=out"),
        inputs=("sweep.toml",),
        runs=True,
    ),
    WritingCommand(name="data build", arguments=("data", "build", "alternations", "--out=out")),
    WritingCommand(
        name="data build with models",
        arguments=(
            *("data", "build", "genform", "--out=out", "--set=language=fr", "--set=sentences=2"),
            *("--set=templates=templates.toml", "--model=writer=scripted-writer"),
            "--model=translator=scripted-translator",
        ),
        inputs=("templates.toml",),
    ),
    WritingCommand(
        name="annotate sample",
        arguments=("annotate", "sample", _RUN, "--per-cell=1", "--twice=2", "--out=out"),
        inputs=(_RUN,),
        show=("annotate", "export", "out"),
    ),
    WritingCommand(
        name="annotate import",
        arguments=("annotate", "import", _LABELS, "sheets/carl.csv"),
        inputs=(_LABELS, "sheets"),
        outputs=(_LABELS,),
        show=("annotate", "tables", _LABELS, "--json"),
    ),
    WritingCommand(
        name="annotate import of decisions",
        arguments=("annotate", "import", _LABELS, "sheets/settled.csv", "--replace"),
        inputs=(_LABELS, "sheets"),
        outputs=(_LABELS,),
        show=("annotate", "tables", _LABELS, "--json"),
    ),
    WritingCommand(
        name="annotate adjudicate",
        arguments=("annotate", "adjudicate", _LABELS, "--by=dora", "--out=out.csv"),
        inputs=(_LABELS,),
        outputs=("out.csv",),
    ),
    WritingCommand(
        name="annotate sheets",
        arguments=("annotate", "sheets", _LABELS, "--people=ann,bob", "--out=out"),
        inputs=(_LABELS,),
    ),
    WritingCommand(
        name="export results",
        arguments=("export", "results", _REWRITTEN, "--out=out"),
        inputs=(_REWRITTEN,),
    ),
    WritingCommand(
        name="export data to hf",
        arguments=("export", "data", "alternations", "--to=hf", "--limit=4", "--out=out"),
    ),
    WritingCommand(
        name="export data to lm-eval",
        arguments=("export", "data", "alternations", "--to=lm-eval", "--limit=4", "--out=out"),
    ),
    WritingCommand(
        name="report",
        arguments=("report", _REWRITTEN, "--out=out.html"),
        inputs=(_REWRITTEN,),
        outputs=("out.html",),
    ),
    WritingCommand(
        name="train",
        arguments=("train", "apgc", "--data=tokens", "--epochs=1", "--out=out"),
        inputs=("tokens",),
    ),
)


def write_inputs(folder: Path) -> None:
    """All files that the commands read."""
    folder.mkdir(parents=True)
    _write_runs(folder)
    _write_labels(folder / _LABELS, folder / "sheets", folder / _RUN)
    (folder / "words.csv").write_text(_WORDS, "utf-8")
    (folder / "sweep.toml").write_text(_PLAN, "utf-8")
    (folder / "own_pairs.py").write_text(_OWN_SUITE, "utf-8")
    (folder / "own_pairs.csv").write_text(_OWN_PAIRS, "utf-8")
    (folder / "templates.toml").write_text(TEMPLATES, "utf-8")
    (folder / "tokens").mkdir()
    write_tokens_folder(folder / "tokens", "train")


def _write_runs(folder: Path) -> None:
    epicene.run(
        "misgendering",
        "random",
        limit=4,
        settings={"pronouns": "he,xe", "samples": 2},
        out=folder / _RUN,
        progress=False,
    )
    epicene.run(
        "apgc",
        "rules",
        limit=4,
        settings={"tasks": "rewriting"},
        out=folder / _REWRITTEN,
        progress=False,
    )


def _write_labels(place: Path, sheets: Path, run: Path) -> None:
    """A study with the answers of ann and bob, and the sheets of carl and of decisions."""
    annotate = epicene.annotate
    annotate.sample(run, out=place, per_cell=1, twice=2)
    annotate.sheets(place, people=["ann", "bob", "carl"], out=sheets)
    study = open_study_folder(place).study
    for name in ("ann", "bob", "carl"):
        sheet = sheets / f"{name}.csv"
        responses = [respond(study, item, name) for item in study.items]
        sheet.write_text(fill_in(sheet.read_text("utf-8-sig"), responses), "utf-8")
    for name in ("ann", "bob"):
        annotate.import_answers(place, sheets / f"{name}.csv")
    settled = annotate.adjudicate(place, by="eve", out=sheets / "settled.csv")
    assert settled.answers
    rows = list(csv.DictReader(io.StringIO(settled.text)))
    for row in rows:
        for name in [each for each in row if f"said: {each}" in row]:
            said = row[f"said: {name}"].removeprefix("ann: ").partition(" | bob")[0]
            row[name] = said or EMPTY_LIST
    with (sheets / "settled.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def prepare(command: WritingCommand, inputs: Path, folder: Path) -> None:
    """A new folder to work in, with the inputs of the command."""
    folder.mkdir(parents=True)
    for name in command.inputs:
        source, target = inputs / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if source.is_dir() else shutil.copyfile)(source, target)


def outcome(command: WritingCommand, folder: Path) -> dict[str, Any]:
    """What a command has written: the content of every file and of every row."""
    found: dict[str, Any] = {}
    for name in command.outputs:
        output = folder / name
        files = sorted(output.rglob("*")) if output.is_dir() else [output]
        for path in files:
            if path.is_file() and not _is_left_out(path.name):
                found.update(_content(path, str(path.relative_to(folder))))
    return found


def _is_left_out(name: str) -> bool:
    """Whether a file is no part of the outcome: a lock, a cache, or what a kill left of a write."""
    return name in _NOT_COMPARED or _TEMPORARY.fullmatch(name) is not None


def _content(path: Path, name: str) -> dict[str, Any]:
    if path.name.endswith(("-wal", "-shm")):
        return {}
    if path.suffix == ".sqlite":
        return {name: _rows(path)}
    data = path.read_bytes()
    if path.name == "manifest.json":
        manifest = json.loads(data)
        return {name: {key: manifest[key] for key in ("settings", "models", "items", "counts")}}
    return {name: data}


def _stored_rows(db: sqlite3.Connection) -> list[str]:
    """The content of a run's store; nothing if its writer was killed right after creating it."""
    is_empty = not db.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    queries = () if is_empty else _STORED
    return sorted(repr(row) for query in queries for row in db.execute(query))


def _rows(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as db:
        if path.name == "answers.sqlite":
            return _stored_rows(db)
        return sorted(line for line in db.iterdump() if "signing" not in line)
