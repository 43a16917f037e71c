"""Exported, run in lm-evaluation-harness and in Inspect, read back: the tables of our own run."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

import epicene
from epicene.core.errors import InputError
from epicene.interop.read_logs import log_files
from export.export_samples import read_lines
from interop.tool_models import MODEL, by_prompt, run_inspect, run_lm_eval, score

LIMIT = 6


def same_tables(own: Any, read: Any) -> None:
    """All tables and metrics are the same, number by number; scores name the tool they are by."""
    ours, theirs = (
        {
            table.name: json.loads(
                msgspec.json.encode(table)
                .replace(b"python, whole", b"lm-eval, whole")
                .replace(b"fake/fake", b"fake")  # Inspect names the provider
            )
            for table in tables
        }
        for tables in (own.summary.tables, read.summary.tables)
    )
    assert list(ours) == list(theirs)
    for name, table in ours.items():
        assert table == theirs[name], name
    assert own.summary.runs[0].metrics == read.summary.runs[0].metrics
    assert own.summary.runs[0].info.model == MODEL
    assert read.summary.runs[0].info.model in (MODEL, f"{MODEL}/{MODEL}")


def outcomes(results: Any) -> dict[tuple[str, str], str | None]:
    """The outcome of every judgement."""
    return {(each.item, each.name): each.outcome for _, each in results.judgements()}


@pytest.mark.parametrize(
    ("suite", "settings", "task"),
    [
        ("alternations", {"formats": "acceptability"}, "epicene_alternations"),
        ("misgendering", {"formats": "probability"}, "epicene_misgendering"),
        ("genform", {"formats": "probability"}, "epicene_genform_chat"),
    ],
)
def test_choices_of_the_harness(
    suite: str, settings: dict[str, str], task: str, tmp_path: Path
) -> None:
    def with_context(texts: list[str], context: Any) -> list[float]:
        return score(texts)

    own = epicene.run(
        suite,
        epicene.open_model(score=with_context, label=MODEL),
        settings=settings,
        limit=LIMIT,
        out=tmp_path / "run",
        progress=False,
    )
    epicene.export_data(suite, "lm-eval", tmp_path / "tasks", settings=settings, limit=LIMIT)
    logs = run_lm_eval(
        tmp_path / "out", [task], folder=tmp_path / "tasks", chat=task.endswith("chat")
    )
    read = epicene.score(suite, logs, settings=settings)
    same_tables(own, read)
    assert outcomes(own) == outcomes(read)
    assert {"right", "wrong"} <= set(outcomes(read).values())
    assert not any("per token" in name for _, name in outcomes(read))


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Texts of which some are right."""
    out = tmp_path_factory.mktemp("planted") / "run"
    return epicene.run("genform", f"planted:3?label={MODEL}", limit=LIMIT, out=out, progress=False)


def planted_text(run: Any) -> Any:
    texts = {(row["item"], row["name"]): row["texts"][0] for row in run.answers().to_dicts()}
    return lambda item, request: texts[item, request]


def test_texts_of_the_harness(planted: Any, tmp_path: Path) -> None:
    tasks = tmp_path / "tasks"
    epicene.export_data("genform", "lm-eval", tasks, limit=LIMIT)
    documents = [each for file in sorted(tasks.glob("*.jsonl")) for each in read_lines(file)]
    texts = by_prompt(documents, planted_text(planted))
    logs = run_lm_eval(
        tmp_path / "out", ["epicene_genform_chat"], folder=tasks, texts=texts, chat=True
    )
    read = epicene.score("genform", logs)
    same_tables(planted, read)
    assert outcomes(planted) == outcomes(read)
    # As a run it can be compared: with the run of the same answers there is no difference.
    with pytest.warns(epicene.EpiceneWarning, match="not in the log"):
        epicene.score("genform", logs, out=tmp_path / "stored")
    compared = epicene.compare(planted, tmp_path / "stored")
    assert len(compared.changed()) == 0
    assert epicene.report(tmp_path / "stored", out=tmp_path / "report.html").is_file()
    with pytest.raises(InputError, match="Only lm-evaluation-harness samples"):
        epicene.score("genform", [], out=tmp_path / "no")


@pytest.mark.parametrize("log_format", ["eval", "json"])
def test_texts_of_inspect(
    planted: Any, log_format: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # Inspect takes relative paths only
    tasks, logs = Path("tasks"), tmp_path / "logs"
    done = epicene.export_data("genform", "inspect", tasks, limit=LIMIT)
    documents = [each for file in sorted(tasks.glob("*.jsonl")) for each in read_lines(file)]
    assert sum(done.tasks.values()) == len(documents) == len(planted.answers())
    texts = by_prompt(documents, planted_text(planted))
    found = run_inspect(logs, tasks / "epicene_genform.py", texts, log_format)
    assert [log.status for log in found] == ["success"] * len(done.tasks)
    there = {
        (sample.metadata["item"], sample.metadata["request"]): name
        for log in found
        for sample in log.samples
        for name, value in sample.scores["suite_judge"].value.items()
        if value == 1
    }
    read = epicene.score("genform", logs)
    assert there == outcomes(planted) == outcomes(read)
    assert {"right", "wrong"} <= set(there.values())
    same_tables(planted, read)


# One is there twice, and one is no pair.
PAIRS = (
    ("dog", "barks", "bark"),
    ("cats", "sleep", "sleeps"),
    ("boy", "sings", "sing"),
    ("girls", "run", "runs"),
    ("cats", "sleep", "sleeps"),
    ("hen", "clucks", "clucks"),
)


def run_blimp(data: Path, tmp_path: Path) -> Path:
    """BLiMP's own configuration in the harness, on a file in its layout."""
    import lm_eval

    template = Path(lm_eval.__file__).parent / "tasks" / "blimp" / "_template_yaml"
    task = {
        **yaml.safe_load(template.read_text(encoding="utf-8")),
        "task": "own_blimp",
        "dataset_path": "json",
        "dataset_kwargs": {"data_files": {"train": str(data)}, "cache_dir": str(tmp_path / "hf")},
    }
    return run_lm_eval(tmp_path / "out", [task])


def test_a_task_of_their_own_on_the_same_data(tmp_path: Path) -> None:
    rows = [
        {
            "sentence_good": f"The {noun} near the gates {verb}.",
            "sentence_bad": f"The {noun} near the gates {wrong}.",
            "field": "morphology",
            "linguistics_term": "agreement",
            "UID": "agreement",
            "pairID": str(number),
        }
        for number, (noun, verb, wrong) in enumerate(PAIRS)
    ]
    data = tmp_path / "agreement.jsonl"
    data.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    read = epicene.score("alternations", run_blimp(data, tmp_path), data=data)
    own = epicene.run(
        "alternations",
        epicene.open_model(score=score, label=MODEL),
        data=data,
        settings={"formats": "acceptability"},
        out=tmp_path / "run",
        progress=False,
    )
    same_tables(own, read)
    assert any("white space" in note for note in read.notes)
    assert any("1 samples whose texts are all identical" in note for note in read.notes)
    # Of other data not one fits.
    with pytest.raises(InputError, match=r"one of 5 samples \(of 5\) .*: 'The dog near"):
        epicene.score("alternations", tmp_path / "out")


@pytest.mark.published("a part of BLiMP", "github.com/alexwarstadt/blimp")
def test_blimp_as_published(tmp_path: Path) -> None:
    folder = Path(os.environ["EPICENE_PUBLISHED_DATA"], "minimal-pairs")
    data = sorted(folder.rglob("anaphor_gender_agreement.jsonl"))[0]
    read = epicene.score("alternations", run_blimp(data, tmp_path), data=data)
    own = epicene.run(
        "alternations",
        epicene.open_model(score=score, label=MODEL),
        data=data,
        settings={"formats": "acceptability"},
        out=tmp_path / "run",
        progress=False,
    )
    same_tables(own, read)
    assert len(outcomes(read)) >= 1000


def test_a_log_and_other_files_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "answers.jsonl").write_text('{"id": "a", "text": "b"}\n')
    (tmp_path / "rows.json").write_text('[{"id": "a"}]')
    assert log_files(tmp_path) == log_files(tmp_path / "answers.jsonl") == []
