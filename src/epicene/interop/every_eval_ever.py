"""Results in the schema of Every Eval Ever: one JSON file per run."""

from __future__ import annotations

import hashlib
import re
import time
import uuid
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from epicene import __version__
from epicene.core.records import to_json
from epicene.export.folders import check_new_folder, file_names, new_folder, write_json
from epicene.export.public_names import model_facts, public_runs
from epicene.results.summary import summarise
from epicene.show.model_profiles import headline_results
from epicene.show.provenance import card_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from epicene.core.records import Estimate
    from epicene.runs.stored_run import StoredRun

SCHEMA_VERSION = "0.3.0"
INTERVAL = "analytic, over groups of items (see “Statistics” in the documentation of Epicene)"
Relationship: TypeAlias = Literal["first_party", "third_party", "collaborative", "other"]

_LOCAL = ("hf", "diffusers")  # kinds of models that run on the evaluator's machine


def write_every_eval_ever(
    runs: Sequence[StoredRun], folder: Path, organization: str, relationship: Relationship
) -> None:
    """Write `data/SUITE/DEVELOPER/MODEL/UUID.json` per run."""
    check_new_folder(folder)
    source = {
        "source_name": "Epicene",
        "source_type": "evaluation_run",
        "source_organization_name": organization or "unknown",
        "evaluator_relationship": relationship,
    }
    with new_folder(folder) as unfinished:
        for run in public_runs(runs):
            _write_run(run, unfinished, source)


def _write_run(run: StoredRun, folder: Path, source: dict[str, str]) -> None:
    model = _model_info(run)
    developer, name = file_names((model["developer"], model["name"]))
    made = uuid.UUID(bytes=hashlib.sha256(to_json(run.manifest)).digest()[:16], version=4)
    retrieved = str(int(time.time()))
    content = {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": f"{run.suite.name}-{run.protocol.name}/{model['id']}/{retrieved}",
        "evaluation_timestamp": run.manifest.sessions[-1].started,
        "retrieved_timestamp": retrieved,
        "source_metadata": source,
        "eval_library": {"name": "epicene", "version": __version__},
        "model_info": model,
        "evaluation_results": list(_results(run)),
    }
    path = folder / "data" / run.suite.name / developer / name / f"{made}.json"
    write_json(path, to_json(content))


def _model_info(run: StoredRun) -> dict[str, Any]:
    identity = run.manifest.models[run.suite.roles[0].name][0]
    facts = model_facts(identity)
    named = str(facts.get("name", identity.label))
    return {
        "name": identity.label,
        "id": named,
        "developer": named.rpartition("/")[0] or "unknown",
        "additional_details": {
            # The schema allows only strings.
            **{
                name: value if isinstance(value, str) else to_json(value).decode()
                for name, value in facts.items()
            },
            "deployment_type": "self_deployed" if identity.kind in _LOCAL else "unknown",
            "model_availability": "unknown",
        },
    }


def _results(run: StoredRun) -> Iterator[dict[str, Any]]:
    """The headlines, overall and by language, and the share that is undetected."""
    summary = summarise([run])
    (only,) = summary.runs
    model = only.info.model
    for entry in headline_results(summary):
        headline = entry.headline
        undetected = entry.undetected[model].value
        details = {} if undetected is None else {"undetected": str(undetected)}
        if headline.item_scores is None:
            details["direction"] = "no value is better than another"
        yield {
            **_result(run, headline.name, entry.language),
            "metric_config": {
                **_metric(run, headline.name, share=headline.unit == "share"),
                "evaluation_description": card_of([run]).about,
                "lower_is_better": False,
            },
            "score_details": _score(entry.estimates[model], details | _coverage(only.coverage)),
        }
    if only.undetected.value is not None:
        yield {
            **_result(run, "undetected", ""),
            "metric_config": {
                **_metric(run, "undetected", share=True),
                "evaluation_description": "Answers that are neither right nor wrong.",
                "lower_is_better": True,
            },
            "score_details": _score(only.undetected, _coverage(only.coverage)),
        }


def _coverage(coverage: object) -> dict[str, str]:
    return {} if coverage is None else {"coverage": str(coverage)}


def _identifier(*parts: str) -> str:
    return ".".join(re.sub(r"\W+", "_", part).strip("_") for part in parts if part)


def _result(run: StoredRun, name: str, language: str) -> dict[str, Any]:
    """What was evaluated, on which data."""
    settings = run.manifest.settings
    files = {f"sha256 of {file.name}": file.sha256 for file in settings.files}
    title = f"{name} · {language}" if language else name
    return {
        "evaluation_result_id": _identifier(run.suite.name, run.protocol.name, name, language),
        "evaluation_name": f"{run.suite.name} ({run.protocol.name}): {title}",
        "evaluation_timestamp": run.manifest.sessions[-1].started,
        "source_data": {
            "dataset_name": f"{card_of([run]).title} ({settings.data})",
            "source_type": "other",
            "additional_details": {"items": str(run.manifest.items), **files},
        },
    }


def _metric(run: StoredRun, name: str, *, share: bool) -> dict[str, Any]:
    """The metric, and how answers are judged: by the suite, perhaps on what other models say."""
    others = {
        f"role {role.name}": ", ".join(each.label for each in run.manifest.models[role.name])
        for role in run.suite.roles[1:]
        if run.manifest.models.get(role.name)
    }
    return {
        "metric_id": _identifier("epicene", run.suite.name, name),
        "metric_name": name.replace("_", " "),
        "metric_unit": "proportion" if share else "number",
        "score_type": "continuous",
        "min_score": 0 if share else "-Infinity",
        "max_score": 1 if share else "Infinity",
        "additional_details": {
            "judge": f"the rules of the suite {run.suite.name}, version {run.suite.version}",
            "protocol": to_json(run.protocol).decode(),
            **others,
        },
    }


def _score(estimate: Estimate, details: Mapping[str, str]) -> dict[str, Any]:
    uncertainty: dict[str, Any] = {"num_samples": estimate.n} if estimate.n else {}
    if estimate.low is not None and estimate.high is not None:
        uncertainty["confidence_interval"] = {
            "lower": estimate.low,
            "upper": estimate.high,
            "confidence_level": 0.95,
            "method": INTERVAL,
        }
    elif estimate.why:
        details = {**details, "why_no_interval": estimate.why}
    return {"score": estimate.value, "details": details, "uncertainty": uncertainty}
