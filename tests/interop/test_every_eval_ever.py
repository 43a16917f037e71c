"""Results for Every Eval Ever: numbers and answers that fit together, and the schemas."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest

import epicene
from export.export_samples import read_lines


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


def test_models_that_judge_are_named(exported: Path) -> None:
    content = aggregate(exported, "gramvis")
    for each in content["evaluation_results"]:
        judge = each["metric_config"]["additional_details"]
        assert judge["role judges"].startswith("sketch-judge")


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
