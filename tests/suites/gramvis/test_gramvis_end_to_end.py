"""Real code from the words to the tables: a pipeline draws, three image-text models look.

Everything is tiny, with random weights and made here; nothing is fetched. The command line is run
in processes of its own, which are killed in the middle of drawing and of looking.
"""

from __future__ import annotations

import json
import signal
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from epicene.core.records import Choice, Images, to_json
from epicene.results.summary import summarise
from epicene.runs.manifest import read_manifest
from epicene.runs.stored_run import RunJudgements, read_run
from epicene.show.results_document import results_document
from epicene.suites import Answers
from epicene.suites.gramvis.ask import DRAW, LOOK
from epicene.suites.gramvis.items import LABELS
from models.hf.tiny_vision import save_blip2, save_llava, save_qwen
from models.tiny_diffusion import save_pipeline
from runs.killable_runs import ForkServer, stored

ITEMS = 3
DRAWN = ITEMS * 3  # a shot under each condition
JUDGES = ("blip2", "llava", "qwen2")
# What every process would import for itself.
FAMILIES = ("auto", "blip_2", "opt", "llava", "clip", "llama", "qwen2_vl", "qwen2_5_vl")
MODULES = (
    "diffusers.pipelines.stable_diffusion.pipeline_stable_diffusion",
    "epicene.suites.gramvis",
    "polars",
    "scipy.stats",
    *(f"transformers.models.{name}.modeling_{name}" for name in FAMILIES),
)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tiny")
    save_pipeline(folder)
    save_blip2(folder / "blip2", seed=3)
    save_llava(folder / "llava", seed=1)
    save_qwen(folder / "qwen2", seed=0)
    save_qwen(folder / "qwen2.5", seed=2, newer=True)
    return folder


@pytest.fixture(scope="module")
def fork_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ForkServer]:
    folder = tmp_path_factory.mktemp("fork_server")
    process = ForkServer(folder / "log", folder / "errors", *MODULES)
    yield process
    process.close()


def command(models: Path, out: Path, judges: tuple[str, ...] = JUDGES) -> list[str]:
    return [
        "run",
        "gramvis",
        f"--model=drawer=diffusers:{models / 'pipeline'}",
        f"--model=judges={','.join(f'hf:{models / name}' for name in judges)}",
        f"--limit={ITEMS}",
        "--set=shots=1",
        "--set=size=32",
        "--set=mixed=false",
        "--batch-size=2",
        f"--out={out}",
    ]


def answered(folder: Path) -> Counter[str]:
    """How many answers each model has given."""
    return Counter(line.split(" ")[0] for line in stored(folder))


def pictures(folder: Path) -> dict[str, int]:
    """The run's image files, with the moment each was written."""
    found = (path for path in (folder / "images").rglob("*") if path.is_file())
    return {path.name: path.stat().st_mtime_ns for path in found}


def rows(folder: Path) -> set[tuple[Any, ...]]:
    """The store's answers, whole."""
    with sqlite3.connect(folder / "answers.sqlite") as db:
        return set(db.execute("SELECT * FROM answers"))


def tables(folder: Path) -> bytes:
    """What `epicene tables --json` prints, but for the folder's name."""
    shown = results_document(summarise([read_run(folder)]))
    for run in shown["runs"]:
        del run["run"]
    return to_json(shown)


def noted(folder: Path, label: str, what: str) -> int:
    """What a model's notes of the last session count."""
    notes = read_manifest(folder).sessions[-1].notes.get(label, {})
    assert isinstance(notes, dict)
    return int(notes.get(what, notes.get("pictures", {}).get(what, 0)))


def test_kills_and_a_late_judge_redraw_nothing(
    models: Path, fork_server: ForkServer, tmp_path: Path
) -> None:
    whole, folder = tmp_path / "whole", tmp_path / "killed"
    assert fork_server.run(command(models, whole)) == 0
    assert answered(whole) == {"pipeline": DRAWN, **dict.fromkeys(JUDGES, DRAWN)}

    # In the middle of drawing.
    code = fork_server.run(
        command(models, folder), kill_when=lambda: answered(folder)["pipeline"] >= 3
    )
    assert code == -signal.SIGKILL
    drawn, kept, files = answered(folder)["pipeline"], rows(folder), pictures(folder)
    assert 3 <= drawn < DRAWN

    # In the middle of looking.
    code = fork_server.run(
        command(models, folder), kill_when=lambda: answered(folder)["llava"] >= 2
    )
    assert code == -signal.SIGKILL
    assert kept <= rows(folder)
    assert files.items() <= pictures(folder).items()
    looked, kept, files = answered(folder)["llava"], rows(folder), pictures(folder)
    assert answered(folder)["pipeline"] == DRAWN
    assert 2 <= looked < DRAWN

    # To the end: only what was missing is asked.
    assert fork_server.run(command(models, folder)) == 0
    assert noted(folder, "pipeline", "drawn") == 0
    assert [noted(folder, name, "looked") for name in JUDGES] == [0, DRAWN - looked, DRAWN]
    assert kept <= rows(folder)
    assert pictures(folder) == files
    assert set(files) == set(pictures(whole))
    expected = tables(whole)
    assert tables(folder) == expected

    # A fourth judge asks nothing of the others.
    kept = rows(folder)
    assert fork_server.run(command(models, folder, (*JUDGES, "qwen2.5"))) == 0
    assert [noted(folder, name, "looked") for name in (*JUDGES, "qwen2.5")] == [0, 0, 0, DRAWN]
    assert noted(folder, "pipeline", "drawn") == 0
    assert kept < rows(folder)
    assert pictures(folder) == files
    assert answered(folder)["qwen2.5"] == DRAWN
    assert tables(folder) != expected

    votes_are_counted(folder)


def votes_are_counted(folder: Path) -> None:
    """Every image's label is what two of its judges say, by a count of their stored words."""
    run = read_run(folder)
    judged = {(each.item, each.name): each for each in RunJudgements(run)}
    split: Counter[str] = Counter()
    for item, answers in RunJudgements(run).answered():
        for condition, votes in votes_of(answers).items():
            assert len(votes) == 4
            said = Counter(vote.text for vote in votes if vote.text in LABELS)
            best = said.most_common()
            ahead = len(best) == 1 or (len(best) > 1 and best[0][1] > best[1][1])
            expected = best[0][0] if best and best[0][1] >= 2 and ahead else "neither"
            verdict = judged[f"{item.id}/{condition}/1", "majority"]
            assert verdict.label == (expected if said else None)
            split[expected] += 1
    assert split.total() == DRAWN

    shown = {table.name: table for table in summarise([run]).tables}
    assert {"3", "11", "12", "judges", "votes", "templates", "shots"} <= set(shown)
    by_judge = {row.keys[0]: row.cells for row in shown["votes"].rows}
    assert set(by_judge) == {*JUDGES, "qwen2.5"}
    columns = [column.name for column in shown["votes"].columns]
    for cells in by_judge.values():
        cell = dict(zip(columns, json.loads(to_json(cells)), strict=True))
        assert cell["votes"]["value"] == DRAWN
        assert sum(cell[f"likeliest {label}"]["value"] for label in LABELS) == pytest.approx(1)


def votes_of(answers: Answers) -> dict[str, list[Choice]]:
    """The judges' choices by condition."""
    found: dict[str, list[Choice]] = defaultdict(list)
    for given in answers.where(stage=LOOK):
        assert isinstance(given.answer, Choice)
        assert len(given.answer.logprobs) == len(LABELS)
        found[given.name.partition(" ")[0]].append(given.answer)
    drawn = [given.answer for given in answers.where(stage=DRAW)]
    assert all(isinstance(each, Images) and each.images[0].sha256 for each in drawn)
    return found
