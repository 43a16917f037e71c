"""Results for Every Eval Ever: the numbers of the run, in the published schema."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

import epicene
from epicene.show.model_profiles import headline_results


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
        "gramvis": {"model": ["sketch:1", "judges=sketch-judge"], "limit": 1},
    }
    return {
        suite: epicene.run(suite, out=folder / suite, progress=False, **options)
        for suite, options in given.items()
    }


@pytest.fixture(scope="module")
def exported(runs: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("eee")
    for suite, run in runs.items():
        epicene.export_results(run, out=out / suite, to="eee", organization="Us")
    return out


def aggregate(folder: Path, suite: str) -> dict[str, Any]:
    (file,) = (folder / suite).rglob("*.json")
    content: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return content


@pytest.mark.parametrize("suite", ["genform", "alternations", "misgendering"])
def test_the_headlines_are_those_of_the_run(
    exported: Path, runs: dict[str, Any], suite: str
) -> None:
    results = {
        each["evaluation_result_id"]: each
        for each in aggregate(exported, suite)["evaluation_results"]
    }
    (undetected,) = (name for name in results if name.endswith(".undetected"))
    assert results[undetected]["score_details"]["score"] == runs[suite].summary.undetected.value
    for entry in headline_results(runs[suite].summary):
        (estimate,) = entry.estimates.values()
        found = next(
            each
            for each in results.values()
            if each["evaluation_name"].endswith(f": {entry.title}")
        )
        assert found["score_details"]["score"] == estimate.value
        interval = found["score_details"]["uncertainty"]["confidence_interval"]
        assert (interval["lower"], interval["upper"]) == (estimate.low, estimate.high)
        judge = found["metric_config"]["additional_details"]
        assert json.loads(judge["protocol"])["name"] == "epicene"


def test_models_that_judge_are_named(exported: Path) -> None:
    content = aggregate(exported, "gramvis")
    for each in content["evaluation_results"]:
        judge = each["metric_config"]["additional_details"]
        assert judge["role judges"].startswith("sketch-judge")


@pytest.mark.published("the schemas of Every Eval Ever", "github.com/evaleval/every_eval_ever")
def test_everything_fits_the_published_schema(exported: Path, runs: dict[str, Any]) -> None:
    from jsonschema import Draft7Validator

    formats = Path(os.environ["EPICENE_PUBLISHED_DATA"]).parent / "reference" / "formats"
    if not formats.is_dir():
        pytest.skip(f"needs the schema in {formats}")
    schema = json.loads((formats / "every_eval_ever_eval.schema.json").read_text())
    for suite in runs:
        errors = Draft7Validator(schema).iter_errors(aggregate(exported, suite))
        assert [error.message for error in errors] == []
