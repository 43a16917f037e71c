"""Items as tasks of lm-evaluation-harness and Inspect: what is asked, what is right, how it is
judged, what is left out.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

import reflexives
from epicene.core.errors import InputError
from epicene.core.records import Generate, Message
from epicene.interop import inspect_ai, lm_eval
from epicene.interop.judge import _judge_of, outcome_shares
from epicene.interop.lm_eval import write_tasks
from epicene.interop.tasks import Task, plan_tasks
from epicene.suites import Answers
from export.export_samples import read_lines, select

ROOT = Path(__file__).parents[2]


def tasks_of(suite: str, limit: int, **settings: str) -> list[Task]:
    return plan_tasks(select(suite, limit=limit, settings=settings), lm_eval.TOOL).tasks


class Loader(yaml.SafeLoader):  # type: ignore[misc]
    """Reads a named function as its name."""


Loader.add_constructor("!function", lambda _loader, node: f"function {node.value}")


@pytest.mark.parametrize(
    ("suite", "settings"),
    [
        ("alternations", {"formats": "acceptability,prompt"}),
        ("misgendering", {}),
        ("genform", {"formats": "generation,probability"}),
    ],
)
def test_a_folder_holds_what_the_harness_reads(
    suite: str, settings: dict[str, str], tmp_path: Path
) -> None:
    plan = write_tasks(select(suite, limit=3, settings=settings), tmp_path / "out")
    readme = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    chats = {task.kind.chat for task in plan.tasks}
    assert ("--apply_chat_template" in readme.split("## What the numbers")[0]) == (True in chats)
    for task in plan.tasks:
        text = (tmp_path / "out" / f"{task.name}.yaml").read_text(encoding="utf-8")
        written: Any = yaml.load(text, Loader=Loader)
        assert written["task"] == task.name
        # A chat wants a template, and all else must not have one: they never run together.
        assert written["tag"] == [f"epicene_{suite}" + "_chat" * task.kind.chat]
        # A template: a bare name is the message itself in some versions.
        assert written.get("description", "{{system}}") == "{{system}}"
        assert written["custom_dataset"] == "function judging.documents"
        documents = read_lines(tmp_path / "out" / written["dataset_kwargs"]["file"])
        assert len({each["id"] for each in documents}) == len(documents) > 0
        # All documents of a task have the same fields, or a column would have two types.
        assert all(each.keys() == documents[0].keys() for each in documents)
        assert f"`{task.name}`: {len(documents)} documents" in readme
    assert all(each in readme for each in plan.left_out)


def test_the_right_choice_is_the_suite_s() -> None:
    pairs: dict[str, Any] = {item.id: item for item in select("alternations", limit=10).items}
    maskings = {"formats": "acceptability", "maskings": "within-word,original,whole-word"}
    found = [each for task in tasks_of("alternations", 10, **maskings) for each in task.documents]
    assert len(found) == len(pairs) == 30  # ways of masking are one choice
    for document in found:
        assert document["choices"][document["target"]] == pairs[document["item"]].good
    people: dict[str, Any] = {item.id: item for item in select("misgendering", limit=20).items}
    (task,) = (each for each in tasks_of("misgendering", 20) if each.kind.format == "probability")
    assert len({document["target"] for document in task.documents}) > 1
    for document in task.documents:
        item = people[document["item"]]
        assert document["choices"][document["target"]] == item.filled(item.gold)
        assert len(document["choices"]) == len(item.candidates)


@pytest.mark.parametrize(
    ("suite", "settings"),
    [("alternations", {"formats": "prompt"}), ("genform", {}), ("apgc", {"tasks": "rewriting"})],
)
def test_prompts_are_those_that_the_suite_asks(suite: str, settings: dict[str, str]) -> None:
    selection = select(suite, limit=6, settings=settings)
    (stage,) = selection.suite.for_protocol(selection.protocol, ["model", "translator"]).stages
    asked = {
        f"{item.id} {request.name}": request.prompt
        for item in selection.items
        for request in stage.ask(item, Answers(), selection.protocol)
        if isinstance(request, Generate)
    }
    for tool in (lm_eval.TOOL, inspect_ai.TOOL):
        found = {
            each["id"]: (
                Message(role="system", content=each["system"]),
                Message(role="user", content=each["prompt"]),
            )
            for task in plan_tasks(selection, tool).tasks
            for each in task.documents
        }
        assert found == asked


@pytest.mark.parametrize(
    ("suite", "protocol", "settings", "reason"),
    [
        ("alternations", "epicene", {"measure": "per token", "formats": "acceptability"}, "sums"),
        ("alternations", "paper", {"formats": "acceptability"}, "first_token=bos"),
        ("alternations", "epicene", {"formats": "cloze"}, "fill a gap"),
        ("genform", "epicene", {"formats": "translation"}, "prompt from the suite"),
        ("gramvis", "epicene", {}, "no tasks that draw images"),
        ("reflexives", "epicene", {}, "all answers of an item together"),
    ],
)
def test_what_a_tool_cannot_measure_is_refused(
    suite: str, protocol: str, settings: dict[str, str], reason: str, tmp_path: Path
) -> None:
    reflexives.register()
    selection = select(suite, limit=40, protocol=protocol, settings=settings)
    with pytest.raises(InputError, match=f"no items here that lm-evaluation-harness.*{reason}"):
        write_tasks(selection, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("suite", ["misgendering", "translation"])
def test_what_inspect_cannot_ask_names_another_export(suite: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"Inspect could measure .*`--to hf` exports"):
        inspect_ai.write_inspect_tasks(select(suite, limit=2), tmp_path / "out")


def test_what_is_left_out_is_counted() -> None:
    plan = plan_tasks(select("misgendering", limit=3, settings={"pronouns": "they"}), lm_eval.TOOL)
    assert sorted(each.partition(",")[0] for each in plan.left_out) == [
        "convert", "next (12 requests)", "probability (6 requests)",
    ]  # fmt: skip
    assert "probability" not in {task.kind.format for task in plan.tasks}


def test_the_docs_name_the_tested_versions() -> None:
    guide = (ROOT / "docs" / "guides" / "export.md").read_text("utf-8")
    wanted = (ROOT / "benchmarks" / "peers" / "requirements.txt").read_text("utf-8")
    assert f"lm_eval=={lm_eval.TOOL.version}" in wanted.splitlines()
    assert all(f"{tool.name} {tool.version}" in guide for tool in (lm_eval.TOOL, inspect_ai.TOOL))


def test_decoding_is_the_protocol_s(tmp_path: Path) -> None:
    def settings(suite: str, task: str) -> Any:
        write_tasks(select(suite, limit=1), tmp_path / suite)
        text = (tmp_path / suite / f"{task}.yaml").read_text(encoding="utf-8")
        return yaml.load(text, Loader=Loader)

    drawn = settings("misgendering", "epicene_misgendering_pre")
    assert drawn["generation_kwargs"] == {
        "until": [], "max_gen_toks": 50, "min_new_tokens": 50, "do_sample": True,
        "temperature": 1.0, "top_k": 50, "top_p": 0.95,
    }  # fmt: skip
    assert drawn["repeats"] == 5
    assert drawn["filter_list"][0]["filter"] == [{"function": "take_first_k", "k": 5}]
    greedy = settings("genform", "epicene_genform_generation_fr")
    assert greedy["generation_kwargs"] == {"until": [], "max_gen_toks": 256, "do_sample": False}
    assert "repeats" not in greedy


# --- the file that goes with the harness's tasks ----------------------------------------------


def judging_of(folder: Path) -> Any:
    """The folder's judging.py, loaded by its path as the harness does."""
    spec = importlib.util.spec_from_file_location("exported_judging", folder / "judging.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def genform(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Genform, both ways, as a folder."""
    folder = tmp_path_factory.mktemp("genform") / "out"
    write_tasks(select("genform", limit=8, settings={"formats": "generation,probability"}), folder)
    return folder


@pytest.mark.parametrize(
    ("scores", "target", "acc", "tied"),
    [
        ([-1.0, -2.0], 0, 1.0, 0.0),
        ([-1.0, -2.0], 1, 0.0, 0.0),
        ([-2.0, -2.0], 0, 0.5, 1.0),
        ([-2.0, -2.0, -2.0, -3.0], 2, 1 / 3, 1.0),
        ([-2.0, -2.0, -3.0], 2, 0.0, 1.0),
        # A model that gives no number is never right.
        ([float("nan"), float("nan")], 0, 0.0, 0.0),
    ],
)
def test_a_choice_is_judged_without_epicene(
    genform: Path, scores: list[float], target: int, acc: float, tied: float
) -> None:
    results = [(score, False) for score in scores]
    found = judging_of(genform).choice({"target": target}, results)
    assert found == {"acc": acc, "tied": tied}


def test_without_epicene_writing_is_refused_before_it_begins(
    genform: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    judging = judging_of(genform)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "epicene.interop.judge", None)
    with pytest.raises(ImportError, match="Epicene judges what a model wrote: install it"):
        judging.documents("epicene_genform_generation_fr.jsonl", judged_by_epicene=True)
    name = "epicene_genform_probability_fr.jsonl"
    assert list(judging.documents(name)["test"]) == read_lines(genform / name)


def test_texts_are_judged_by_the_suite(genform: Path) -> None:
    judging = judging_of(genform)
    wrong = 0
    for document in read_lines(genform / "epicene_genform_generation_fr.jsonl"):
        pair = json.loads(document["record"])
        wanted = document["request"].removeprefix("generation ")
        other = {"masculine": "feminine", "feminine": "masculine"}[wanted]
        assert judging.writing(document, [pair[wanted]])["right"] == 1.0
        assert judging.writing(document, [""])["undetected"] == 1.0
        if pair[wanted] != pair[other]:
            wrong += 1
            assert judging.writing(document, [pair[other]])["wrong"] == 1.0
    assert wrong > 4


def test_shares_are_over_all_samples(tmp_path: Path) -> None:
    write_tasks(select("misgendering", limit=4, settings={"samples": "4"}), tmp_path / "out")
    document = read_lines(tmp_path / "out" / "epicene_misgendering_pre.jsonl")[0]
    item = json.loads(document["record"])
    forms = {each["pronoun"]: each["forms"]["nominative"] for each in item["sets"]}
    right = forms.pop(item["pronoun"])
    wrong = next(iter(forms.values()))
    texts = [f" {right} left.", f" {right} stayed.", f" {wrong} left.", " nobody left."]
    # As the harness gives several texts of one document: a list in a list.
    found = judging_of(tmp_path / "out").writing(document, [texts])
    assert found == {"right": 0.5, "wrong": 0.25, "undetected": 0.25}


def test_another_version_of_the_suite_is_refused(tmp_path: Path) -> None:
    write_tasks(select("genform", limit=1), tmp_path / "out")
    asked = tmp_path / "out" / "asked.json"
    asked.write_text(json.dumps({**json.loads(asked.read_text("utf-8")), "version": "0"}))
    _judge_of.cache_clear()
    document = read_lines(tmp_path / "out" / "epicene_genform_generation_fr.jsonl")[0]
    with pytest.raises(InputError, match="export them again"):
        outcome_shares(tmp_path / "out", document, ["x"])
