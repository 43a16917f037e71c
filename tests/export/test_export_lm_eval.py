"""Items as tasks of lm-evaluation-harness: what is asked, what is right, what is left out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

import reflexives
from epicene.core.errors import InputError
from epicene.core.records import Generate, Message
from epicene.export.lm_eval.folder import plan_tasks, write_tasks
from epicene.export.lm_eval.tasks import TESTED_VERSION
from epicene.export.selection import Selection
from epicene.suites import Answers
from export.export_samples import read_lines, select

# The keys that the configuration of a task, and of a group, has in lm-evaluation-harness 0.4.13;
# it refuses others.
TASK_KEYS = {
    "task", "task_alias", "tag", "custom_dataset", "dataset_path", "dataset_name",
    "dataset_kwargs", "training_split", "validation_split", "test_split", "fewshot_split",
    "process_docs", "doc_to_text", "doc_to_target", "doc_to_image", "doc_to_audio", "unsafe_code",
    "doc_to_choice", "process_results", "use_prompt", "description", "target_delimiter",
    "fewshot_delimiter", "fewshot_config", "num_fewshot", "metric_list", "output_type",
    "generation_kwargs", "repeats", "filter_list", "should_decontaminate",
    "doc_to_decontamination_query", "gen_prefix", "metadata",
}  # fmt: skip
GROUP_KEYS = {"group", "group_alias", "task", "aggregate_metric_list", "metadata"}


class Loader(yaml.SafeLoader):  # type: ignore[misc]
    """Reads a named function as its name."""


Loader.add_constructor("!function", lambda _loader, node: f"function {node.value}")


def configurations(folder: Path) -> dict[str, dict[str, Any]]:
    """All YAML of a folder by the names of the files."""
    return {
        path.stem: yaml.load(path.read_text(encoding="utf-8"), Loader=Loader)
        for path in folder.glob("*.yaml")
    }


ALL = [
    ("alternations", {"formats": "acceptability,prompt"}),
    ("misgendering", {}),
    ("genform", {"formats": "generation,probability"}),
    ("apgc", {}),
]


@pytest.mark.parametrize(("suite", "settings"), ALL)
def test_a_folder_holds_what_the_harness_accepts(
    suite: str, settings: dict[str, str], tmp_path: Path
) -> None:
    write_tasks(select(suite, limit=3, settings=settings), tmp_path / "out")
    found = configurations(tmp_path / "out")
    tasks = {name: each for name, each in found.items() if "group" not in each}
    groups = [each for each in found.values() if "group" in each]
    assert tasks
    assert sorted(name for each in groups for name in each["task"]) == sorted(tasks)
    for name, task in tasks.items():
        assert set(task) <= TASK_KEYS
        assert task["task"] == name
        documents = read_lines(tmp_path / "out" / task["dataset_kwargs"]["file"])
        assert documents
        assert len({each["id"] for each in documents}) == len(documents)
        # All documents of a task have the same fields, or a column would have two types.
        assert all(each.keys() == documents[0].keys() for each in documents)
        for field in ("doc_to_text", "doc_to_choice"):
            assert task.get(field, "prompt") in documents[0]
        # A template: a bare name is the message itself in some versions.
        assert task.get("description", "{{system}}") == "{{system}}"
        assert "system" in documents[0]
        for function in ("custom_dataset", "process_results"):
            assert task[function].startswith("function judging.")
        for metric in task["metric_list"]:
            assert set(metric) == {"metric", "aggregation", "higher_is_better"}
    for group in groups:
        assert set(group) <= GROUP_KEYS
        assert group["group"] not in tasks
        # A chat wants a template, and all else must not have one: they never run together.
        assert len({"description" in tasks[name] for name in group["task"]}) == 1
    readme = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert ("--apply_chat_template" in readme) == any("description" in t for t in tasks.values())
    assert all(f"`{name}`" in readme for name in tasks)


# --- choices -------------------------------------------------------------------------------


def documents_of(selection: Selection, name: str) -> list[dict[str, Any]]:
    return [
        document
        for task in plan_tasks(selection).tasks
        if task.kind.format == name
        for document in task.documents
    ]


def test_the_acceptable_sentence_is_right() -> None:
    selection = select("alternations", limit=10)
    by_id = {item.id: item for item in selection.items}
    found = documents_of(selection, "acceptability")
    assert len(found) == len(by_id) == 30
    for document in found:
        pair: Any = by_id[document["item"]]
        assert document["choices"][document["target"]] == pair.good
        assert document["choices"][1 - document["target"]] == pair.bad
        assert document["prompt"] == document["system"] == ""
        assert document["units"] == [1, 1]


def test_the_person_s_pronoun_is_right() -> None:
    selection = select("misgendering", limit=20)
    by_id: dict[str, Any] = {item.id: item for item in selection.items}
    found = documents_of(selection, "probability")
    assert len({document["target"] for document in found}) > 1
    for document in found:
        item = by_id[document["item"]]
        assert document["choices"][document["target"]] == item.filled(item.gold)
        assert len(document["choices"]) == len(item.candidates)


def test_the_form_that_the_instruction_wants_is_right() -> None:
    selection = select("genform", limit=6, settings={"formats": "probability"})
    by_id: dict[str, Any] = {item.id: item for item in selection.items}
    for document in documents_of(selection, "probability"):
        wanted = document["request"].removeprefix("probability ")
        assert document["choices"][document["target"]] == by_id[document["item"]].form(wanted)


@pytest.mark.parametrize("suite", ["genform", "apgc", "alternations"])
def test_prompts_are_those_that_the_suite_asks(suite: str) -> None:
    settings = {
        "alternations": {"formats": "prompt"},
        "genform": {"formats": "generation"},
        "apgc": {"tasks": "rewriting"},
    }
    selection = select(suite, limit=12, settings=settings[suite])
    (stage,) = selection.suite.for_protocol(selection.protocol, ["model", "translator"]).stages
    asked = {
        f"{item.id} {request.name}": request.prompt
        for item in selection.items
        for request in stage.ask(item, Answers(), selection.protocol)
        if isinstance(request, Generate)
    }
    found = {
        each["id"]: (
            Message(role="system", content=each["system"]),
            Message(role="user", content=each["prompt"]),
        )
        for task in plan_tasks(selection).tasks
        for each in task.documents
    }
    assert found == asked


def test_measures_come_with_their_units(tmp_path: Path) -> None:
    file = tmp_path / "pairs.jsonl"
    file.write_text('{"good": "one two three", "bad": "onetwothree"}\n', encoding="utf-8")
    for measure, units in (("per word", [3, 1]), ("per character", [13, 11]), ("sum", [1, 1])):
        settings = {"formats": "acceptability", "measure": measure}
        selection = select("alternations", path=file, settings=settings)
        (document,) = documents_of(selection, "acceptability")
        assert document["units"] == units


def test_ways_of_masking_are_one_choice() -> None:
    settings = {"formats": "acceptability", "maskings": "within-word,original,whole-word"}
    found = documents_of(select("alternations", limit=2, settings=settings), "acceptability")
    assert len({document["item"] for document in found}) == len(found) == 6


@pytest.mark.parametrize(
    ("suite", "protocol", "settings", "reason"),
    [
        ("alternations", "epicene", {"measure": "per token", "formats": "acceptability"}, "tokens"),
        ("alternations", "paper", {"formats": "acceptability"}, "first_token=bos"),
        ("genform", "epicene", {"measure": "per word", "formats": "probability"}, "white space"),
        ("alternations", "epicene", {"formats": "cloze"}, "fill a gap"),
        ("genform", "epicene", {"formats": "translation"}, "prompt from the suite"),
        ("gramvis", "epicene", {}, "no tasks that draw images"),
    ],
)
def test_what_the_harness_cannot_measure_is_refused(
    suite: str, protocol: str, settings: dict[str, str], reason: str, tmp_path: Path
) -> None:
    selection = select(suite, limit=3, protocol=protocol, settings=settings)
    with pytest.raises(InputError, match=f"no items here that lm-evaluation-harness.*{reason}"):
        write_tasks(selection, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_judge_of_whole_items_is_left_out() -> None:
    reflexives.register()
    with pytest.raises(InputError, match="all answers of an item together"):
        plan_tasks(select("reflexives"))


def test_what_is_left_out_is_named(tmp_path: Path) -> None:
    written = write_tasks(select("misgendering", limit=3), tmp_path / "out")
    # Three templates that declare pronouns, three that name an occupation, twice each.
    assert {each.what: times for each, times in written.left_out.items()} == {
        "next": 12,
        "convert": 1,
    }
    readme = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert all(each.why in readme for each in written.left_out)


def test_the_folder_says_with_which_harness_it_was_tested(tmp_path: Path) -> None:
    write_tasks(select("alternations", limit=1), tmp_path / "out")
    readme = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert f"Tested with lm-evaluation-harness {TESTED_VERSION}." in readme
    # The one that benchmarks/harness.py runs, and that the documentation names.
    root = Path(__file__).parents[2]
    wanted = (root / "benchmarks" / "peers" / "requirements.txt").read_text(encoding="utf-8")
    assert f"lm_eval=={TESTED_VERSION}" in wanted.splitlines()
    assert f"lm-evaluation-harness {TESTED_VERSION}" in (
        root / "docs" / "guides" / "export.md"
    ).read_text("utf-8")


def test_one_text_is_no_choice() -> None:
    made = plan_tasks(select("misgendering", limit=2, settings={"pronouns": "they"}))
    assert "probability" not in {task.kind.format for task in made.tasks}
    (why,) = (each.why for each in made.left_out if each.what == "probability")
    assert why == "it has only one text, so there is no choice"


# --- writing -------------------------------------------------------------------------------


def test_drawn_texts_are_drawn_as_the_protocol_says() -> None:
    tasks = {
        task.kind.format: task.settings
        for task in plan_tasks(select("misgendering", limit=3)).tasks
    }
    assert tasks["pre"]["generation_kwargs"] == {
        "until": [], "max_gen_toks": 50, "min_new_tokens": 50, "do_sample": True,
        "temperature": 1.0, "top_k": 50, "top_p": 0.95,
    }  # fmt: skip
    assert tasks["pre"]["repeats"] == 5
    assert tasks["pre"]["filter_list"][0]["filter"] == [{"function": "take_first_k", "k": 5}]
    assert tasks["probability"]["output_type"] == "multiple_choice"


def test_greedy_texts_are_greedy() -> None:
    for task in plan_tasks(select("genform", limit=2)).tasks:
        assert task.settings["generation_kwargs"] == {
            "until": [], "max_gen_toks": 256, "do_sample": False,
        }  # fmt: skip
        assert "repeats" not in task.settings


def test_one_language_is_not_in_the_name() -> None:
    names = [task.name for task in plan_tasks(select("apgc", limit=2)).tasks]
    assert names == ["epicene_apgc_identification", "epicene_apgc_rewriting"]
    assert [task.name for task in plan_tasks(select("genform", limit=2)).tasks] == [
        f"epicene_genform_generation_{language}" for language in ("ar", "fr", "hi")
    ]
