"""Results for Every Eval Ever and the Hugging Face Hub, items in Croissant."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml

import epicene
from epicene.core.errors import InputError
from epicene.export.croissant import CONFORMS_TO
from epicene.show.model_profiles import headline_results
from export.export_samples import read_lines

NAME = "gendered terms right (SGA)"  # of what is read first


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Choices, texts, several languages, and models that judge."""
    folder = tmp_path_factory.mktemp("runs")
    given: dict[str, dict[str, Any]] = {
        "genform": {"model": "planted:1", "limit": 5},
        "alternations": {"model": "planted:2", "limit": 5},
        "misgendering": {
            "model": "random:1",
            "limit": 2,
            "settings": {"formats": "probability"},
        },
        "gramvis": {"model": "sketch:1", "roles": {"judges": "sketch-judge"}, "limit": 1},
    }
    return {
        suite: epicene.run(suite, out=folder / suite, progress=False, **options)
        for suite, options in given.items()
    }


@pytest.fixture(scope="module")
def exported(runs: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("eee")
    for suite, run in runs.items():
        epicene.export_results(run, out / suite, "eee", organization="Us", relationship="other")
    return out


def aggregate(folder: Path, suite: str) -> dict[str, Any]:
    (file,) = (folder / suite).rglob("*.json")
    content: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return content


@pytest.mark.parametrize("suite", ["genform", "alternations", "misgendering"])
def test_numbers_and_answers_fit_together(exported: Path, runs: dict[str, Any], suite: str) -> None:
    content = aggregate(exported, suite)
    details = content["detailed_evaluation_results"]
    samples = exported / suite / details["file_path"]
    assert hashlib.sha256(samples.read_bytes()).hexdigest() == details["checksum"]
    rows = read_lines(samples)
    assert len(rows) == details["total_rows"] > 0
    assert {row["evaluation_id"] for row in rows} == {content["evaluation_id"]}
    results = {each["evaluation_result_id"]: each for each in content["evaluation_results"]}
    assert f"{suite}.epicene.undetected" in results
    for name in {row["evaluation_result_id"] for row in rows}:
        score = results[name]["score_details"]
        mine = [row for row in rows if row["evaluation_result_id"] == name]
        assert sum(row["evaluation"]["score"] for row in mine) / len(mine) == pytest.approx(
            score["score"]
        )
        interval = score["uncertainty"]["confidence_interval"]
        assert interval["lower"] <= score["score"] <= interval["upper"]
        assert interval["confidence_level"] == 0.95
        judge = results[name]["metric_config"]["additional_details"]
        assert json.loads(judge["protocol"])["name"] == "epicene"
    # A tie has no likeliest text.
    assert all(row["output"]["raw"] for row in rows if row["metadata"]["outcome"] == "right")


def test_what_a_model_was_given_and_wrote_is_there(exported: Path, runs: dict[str, Any]) -> None:
    content = aggregate(exported, "genform")
    rows = read_lines(exported / "genform" / content["detailed_evaluation_results"]["file_path"])
    texts = {
        (row["item"], row["name"]): row["texts"] for row in runs["genform"].answers().to_dicts()
    }
    for row in rows:
        item, _, name = row["sample_id"].partition(" ")
        assert row["output"]["raw"] == texts[item, name]
        assert row["input"]["raw"].startswith("system: ")
        assert (row["evaluation"]["is_correct"]) == (row["metadata"]["outcome"] == "right")


def test_models_that_judge_are_named_with_their_question(exported: Path) -> None:
    content = aggregate(exported, "gramvis")
    judged = [
        each["metric_config"]["llm_scoring"]
        for each in content["evaluation_results"]
        if "llm_scoring" in each["metric_config"]
    ]
    assert judged
    assert judged[0]["judges"][0]["model_info"]["name"].startswith("sketch-judge")
    assert "?" in judged[0]["input_prompt"]


@pytest.mark.published("the schemas of Every Eval Ever", "github.com/evaleval/every_eval_ever")
def test_everything_fits_the_published_schemas(exported: Path, runs: dict[str, Any]) -> None:
    from jsonschema import Draft7Validator

    formats = Path(os.environ["EPICENE_PUBLISHED_DATA"]).parent / "reference" / "formats"
    if not formats.is_dir():
        pytest.skip(f"needs the schemas in {formats}")
    whole, single = (
        Draft7Validator(json.loads((formats / f"every_eval_ever_{name}.schema.json").read_text()))
        for name in ("eval", "instance_level_eval")
    )
    for suite in runs:
        content = aggregate(exported, suite)
        assert [error.message for error in whole.iter_errors(content)] == []
        for samples in (exported / suite).rglob("*_samples.jsonl"):
            for row in read_lines(samples):
                assert [error.message for error in single.iter_errors(row)] == []


def test_results_on_the_hub_name_tasks_that_the_dataset_has(
    runs: dict[str, Any], tmp_path: Path
) -> None:
    epicene.export_data("genform", "hf", tmp_path / "data", limit=5)
    benchmark = yaml.safe_load((tmp_path / "data" / "eval.yaml").read_text(encoding="utf-8"))
    assert {"name", "description", "evaluation_framework", "tasks"} == set(benchmark)
    tasks = {task["id"]: task for task in benchmark["tasks"]}
    assert tasks["genform"]["config"] == "all"
    epicene.export_results(runs["genform"], tmp_path / "hub", "hf", dataset="us/genform")
    (file,) = (tmp_path / "hub").rglob(".eval_results/*.yaml")
    assert file.name == "genform-epicene.yaml"
    results = yaml.safe_load(file.read_text(encoding="utf-8"))
    assert {each["dataset"]["task_id"] for each in results} == set(tasks)
    assert {each["dataset"]["id"] for each in results} == {"us/genform"}
    (headline,) = (
        each
        for each in headline_results(runs["genform"].summary)
        if each.headline.name == NAME and not each.language
    )
    (estimate,) = headline.estimates.values()
    overall = next(each for each in results if each["dataset"]["task_id"] == "genform")
    assert overall["value"] == estimate.value
    assert overall["notes"].startswith(f"{NAME}, protocol epicene")
    assert f"95% interval {estimate.low:.4f} to {estimate.high:.4f}" in overall["notes"]


@pytest.mark.parametrize("dataset", ["", "genform", "a/b/c"])
def test_the_hub_needs_a_dataset(runs: dict[str, Any], dataset: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="name it as OWNER/NAME"):
        epicene.export_results(runs["genform"], tmp_path / "out", "hf", dataset=dataset)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("suite", ["genform", "apgc", "misgendering", "gramvis", "alternations"])
def test_croissant_describes_what_mlcroissant_reads(suite: str, tmp_path: Path) -> None:
    import mlcroissant

    epicene.export_data(suite, "hf", tmp_path / "data", limit=2)
    file = tmp_path / "data" / "croissant.json"
    content = json.loads(file.read_text(encoding="utf-8"))
    assert content["conformsTo"] == list(CONFORMS_TO)
    assert {
        "rai:dataCollection",
        "rai:dataLimitations",
        "rai:dataUseCases",
        "rai:dataBiases",
    } <= set(content)
    dataset = mlcroissant.Dataset(jsonld=file)
    assert dataset.metadata.ctx.issues.errors == set()
    assert dataset.metadata.ctx.issues.warnings == set()
    for records, described in zip(content["recordSet"], content["distribution"], strict=True):
        frame = pl.read_parquet(tmp_path / "data" / described["contentUrl"])
        rows = list(dataset.records(records["@id"]))
        assert len(rows) == len(frame)
        assert [row[f"{records['@id']}/id"].decode() for row in rows] == frame["id"].to_list()


@pytest.mark.parametrize(("suite", "instead"), [("translation", "hf"), ("misgendering", "lm-eval")])
def test_a_suite_that_inspect_cannot_ask_names_another_export(
    tmp_path: Path, suite: str, instead: str
) -> None:
    with pytest.raises(InputError, match=f'Inspect could measure .*; `to="{instead}"` exports'):
        epicene.export_data(suite, "inspect", tmp_path / "tasks", limit=2)
