"""`epicene.run` and what a run gives, beside the same commands of the command line."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import epicene
from app.conftest import Epicene
from app.conftest import epicene as command_line
from epicene.core.errors import EpiceneWarning, InputError

command = command_line  # the fixture, under a name that the module does not have


def stored(folder: Path) -> list[str]:
    """Everything in a run's store, as SQL."""
    with closing(sqlite3.connect(folder / "answers.sqlite")) as db:
        return list(db.iterdump())


@pytest.mark.parametrize(
    ("suite", "options", "keywords"),
    [
        ("reflexives", ("--protocol", "paper"), {"protocol": "paper"}),
        ("alternations", ("--limit", "4", "--language", "hi"), {"limit": 4, "language": "hi"}),
        ("genform", ("--limit", "3", "--seed", "7"), {"limit": 3, "seed": 7}),
        (
            "misgendering",
            ("--limit", "2", "--set", "samples=2", "--set", "formats=probability"),
            {"limit": 2, "settings": {"samples": 2, "formats": ["probability"]}},
        ),
        (
            "gramvis",
            ("--limit", "1", "--model", "judges=random:1,random:2"),
            {"limit": 1, "model": {"drawer": "random", "judges": ["random:1", "random:2"]}},
        ),
    ],
)
def test_python_and_the_command_line_store_and_tabulate_the_same(
    suite: str, options: tuple[str, ...], keywords: dict[str, Any], command: Epicene
) -> None:
    told = ("--model", "random", "--out", "by-command")
    assert command("run", suite, *told, *options).code == 0
    run = epicene.run(suite, **{"model": "random", **keywords}, out="by-python", progress=False)
    assert stored(Path("by-command")) == stored(run.path)
    by_command = command("tables", "by-command", "--json", "--items").json
    by_python = command("tables", run.path, "--json", "--items").json
    for document in (by_command, by_python):
        for each in document["runs"]:
            del each["run"]  # the folder's name
    assert by_command == by_python
    metrics = {row["metric"]: row for row in run.metrics().to_dicts()}
    for name, told_number in by_command["metrics"].items():
        assert metrics[name]["value"] == told_number["value"]
        assert metrics[name]["low"] == told_number["low"]
    assert run.items().height == len(by_command["items"])
    assert set(run.tables) == {"headlines", *by_command["tables"]}


def test_the_same_call_resumes_the_same_run() -> None:
    first = epicene.run("reflexives", model="random", progress=False)
    again = epicene.run("reflexives", model="random", progress=False)
    assert first.path == again.path
    assert len(again.manifest.sessions) == 2
    assert again.complete
    other = epicene.run("reflexives", model="random", settings={"samples": 3}, progress=False)
    assert other.path != first.path


def test_what_a_run_gives() -> None:
    run = epicene.run("reflexives", model="random", progress=False)
    assert run.suite == "reflexives"
    assert run.model == "random"
    assert run.coverage.answered == 48
    assert run.metrics()["metric"].to_list() == [
        "accuracy_probability",
        "accuracy_generation",
        "undetected",
    ]
    items = run.items()
    assert {"item", "name", "outcome", "gender", "measure", "evidence_answer"} <= set(items.columns)
    assert items.height == 24 * 3
    answers = run.answers()
    assert answers.height == 48
    assert set(answers["kind"]) == {"scores", "texts"}
    assert json.loads(answers["answer"][0])["kind"] == answers["kind"][0]
    assert set(answers.filter(pl.col("kind") == "texts")["texts"].list.len()) == {2}
    table = run.table("accuracy")
    assert table.columns[:3] == ["model", "measure", "origin"]
    assert {"all", "all low", "all high", "all n", "all why"} <= set(table.columns)
    assert run.table("accuracy")["all"][0] == run.metrics()["value"][1]  # of generation
    assert "<table" in run._repr_html_()
    figure = run.figure("accuracy")
    assert figure._repr_svg_().startswith("<svg")
    for name in ("f.svg", "f.png", "f.json"):
        assert figure.save(name).stat().st_size > 100
    assert "reflexives on random" in repr(run)
    assert "by model and format" in repr(figure)


def test_items_are_filtered_and_cut_while_they_are_read() -> None:
    run = epicene.run("reflexives", model="random", progress=False)
    wrong = run.items(columns=["item", "gender"], where=pl.col("outcome") == "wrong")
    whole = run.items()
    assert wrong.columns == ["item", "gender"]
    assert wrong.height == whole.filter(pl.col("outcome") == "wrong").height
    with pytest.raises(InputError, match="no column 'gendre'"):
        run.items(columns=["gendre"])


def test_scores_are_the_log_probabilities_of_every_candidate() -> None:
    run = epicene.run("alternations", model="random", limit=2, progress=False)
    scores = run.scores()
    assert {"item", "candidate", "right", "text", "logprob", "logprobs"} <= set(scores.columns)
    row = scores.row(0, named=True)
    assert sum(each for each in row["logprobs"] if each is not None) == pytest.approx(
        row["logprob"]
    )


def test_runs_side_by_side() -> None:
    runs = [epicene.run("reflexives", model=f"random:{seed}", progress=False) for seed in (1, 2)]
    both = epicene.tables(runs)
    assert both.table("accuracy")["model"].unique().len() == 2
    assert both.items().height == 2 * runs[0].items().height
    compared = epicene.compare(*runs)
    assert list(compared.tables) == ["changes", "detectable", "difference", "undetected"]
    assert compared.changed().height == runs[0].items().height - _unchanged(*runs)
    assert epicene.compare(runs[0], runs[1], agreement=True).tables == {
        "agreement": "Agreement of random:1 and random:2",
        "undetected": "Outcomes that are neither right nor wrong",
    }


def _unchanged(first: epicene.Run, second: epicene.Run) -> int:
    both = first.items().join(second.items(), on=["item", "name"])
    return both.filter(pl.col("outcome") == pl.col("outcome_right")).height


def test_answers_made_elsewhere(tmp_path: Path) -> None:
    run = epicene.run("reflexives", model="random", progress=False)
    rows = [
        {"id": row["item"], "name": row["name"], "answer": json.loads(row["answer"])}
        for row in run.answers().to_dicts()
    ]
    scored = epicene.score("reflexives", rows)
    assert scored.metrics().drop("n").equals(run.metrics().drop("n"))
    assert scored.items().drop("model").equals(run.items().drop("model"))
    path = tmp_path / "answers.jsonl"
    path.write_text("\n".join(map(json.dumps, rows[:4])), encoding="utf-8")
    assert "items have no answer" in epicene.score("reflexives", path).notes[0]


def test_a_sweep_from_a_mapping() -> None:
    plan = {
        "models": [{"spec": "random:1"}, {"spec": "random:2"}],
        "suites": [{"name": "reflexives"}],
    }
    done = epicene.sweep(plan, out="sweep", progress=False)
    assert done.complete
    assert [run.complete for run in done.runs] == [True, True]
    assert done.frame()["state"].to_list() == ["complete", "complete"]
    with pytest.raises(InputError, match=r"plan \(\[\[models\]\] 1, spek\): There is no key"):
        epicene.sweep({**plan, "models": [{"spek": "random"}]}, out="sweep")
    with pytest.raises(InputError, match="sweep's folder"):
        epicene.sweep(plan)


def test_an_incomplete_run_warns_wherever_its_numbers_are_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from epicene.core.records import Failed, Texts
    from epicene.models.simple_model import SimpleModel

    answered = SimpleModel._one

    def fail_some(self: SimpleModel, request: Any, files: Any) -> Any:
        answer = answered(self, request, files)
        broken = isinstance(answer, Texts) and request.item == "king"
        return Failed(reason="the line was cut") if broken else answer

    monkeypatch.setattr(SimpleModel, "_one", fail_some)
    with pytest.warns(EpiceneWarning, match="the line was cut"):
        run = epicene.run("reflexives", model="random", progress=False)
    assert not run.complete
    with pytest.warns(EpiceneWarning, match="run the same command again"):
        run.metrics()
    assert run.answers(where=pl.col("failed").is_not_null()).height
    assert run.manifest.state == "incomplete"
    monkeypatch.setattr(SimpleModel, "_one", answered)
    assert epicene.run("reflexives", model="random", progress=False).complete
