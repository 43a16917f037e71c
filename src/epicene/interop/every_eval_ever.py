"""Results in the schema of Every Eval Ever: one JSON file per run, and one line per judged
answer.
"""

from __future__ import annotations

import hashlib
import re
import time
import uuid
from collections import defaultdict
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from epicene import __version__
from epicene.core.files import write_atomically
from epicene.core.records import (
    Completions,
    Draw,
    Failed,
    Fill,
    Generate,
    Score,
    Scores,
    Texts,
    Translate,
    to_json,
)
from epicene.export.folders import check_new_folder, file_names, new_folder, write_json
from epicene.export.public_names import model_facts, public_runs
from epicene.report.model_profiles import headline_results
from epicene.report.provenance import card_of
from epicene.runs.stored_run import RunJudgements
from epicene.runs.summary import summarise

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from epicene.core.records import Estimate, Item, Judgement, Prompt, Request
    from epicene.report.model_profiles import HeadlineResult
    from epicene.runs.stored_run import StoredRun
    from epicene.runs.summary import Summary
    from epicene.suites import Answers

SCHEMA_VERSION = "0.3.0"
INTERVAL = "analytic, over groups of items (see “Statistics” in the documentation of Epicene)"
_LOCAL = ("hf", "diffusers")  # kinds of models that run on the evaluator's machine
Relationship: TypeAlias = Literal["first_party", "third_party", "collaborative", "other"]


def write_every_eval_ever(
    runs: Sequence[StoredRun], folder: Path, organization: str, relationship: Relationship
) -> None:
    """Write `data/SUITE/DEVELOPER/MODEL/UUID.json` per run, and its `UUID_samples.jsonl`."""
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
    summary = summarise([run])
    entries = list(headline_results(summary))
    model = _model_info(run)
    developer, name = file_names((model["developer"], model["name"]))
    made = uuid.UUID(bytes=hashlib.sha256(to_json(run.manifest)).digest()[:16], version=4)
    place = f"data/{run.suite.name}/{developer}/{name}/{made}"
    retrieved = str(int(time.time()))
    ids = {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": f"{run.suite.name}-{run.protocol.name}/{model['id']}/{retrieved}",
    }
    lines = [
        to_json({**ids, "model_id": model["id"], **record}) + b"\n"
        for record in _instances(run, summary, entries)
    ]
    content = {
        **ids,
        "evaluation_timestamp": run.manifest.sessions[-1].started,
        "retrieved_timestamp": retrieved,
        "source_metadata": source,
        "eval_library": {"name": "epicene", "version": __version__},
        "model_info": model,
        "evaluation_results": list(_results(run, summary, entries)),
    }
    if lines:
        samples = b"".join(lines)
        content["detailed_evaluation_results"] = {
            "format": "jsonl",
            "file_path": f"{place}_samples.jsonl",
            "hash_algorithm": "sha256",
            "checksum": hashlib.sha256(samples).hexdigest(),
            "total_rows": len(lines),
        }
        write_atomically(folder / f"{place}_samples.jsonl", samples)
    write_json(folder / f"{place}.json", to_json(content))


def _model_info(run: StoredRun) -> dict[str, Any]:
    identity = run.manifest.models[run.suite.roles[0].name][0]
    facts = model_facts(identity)
    named = str(facts.get("name", identity.label))
    return {
        "name": identity.label,
        "id": named,
        "developer": named.rpartition("/")[0] or "unknown",
        "additional_details": {
            **_texts_of(facts),
            "deployment_type": "self_deployed" if identity.kind in _LOCAL else "unknown",
            "model_availability": "unknown",
        },
    }


def _texts_of(settings: dict[str, Any]) -> dict[str, str]:
    """Settings as the schema requires them: only strings."""
    return {
        name: value if isinstance(value, str) else to_json(value).decode()
        for name, value in settings.items()
    }


# --- aggregates ----------------------------------------------------------------------------


def _identifier(*parts: str) -> str:
    return ".".join(re.sub(r"\W+", "_", part).strip("_") for part in parts if part)


def _evaluation_name(run: StoredRun, title: str) -> str:
    return f"{run.suite.name} ({run.protocol.name}): {title}"


def _results(
    run: StoredRun, summary: Summary, entries: Sequence[HeadlineResult]
) -> Iterator[dict[str, Any]]:
    """The headlines, overall and by language, and the share that is undetected."""
    (only,) = summary.runs
    coverage = {"coverage": str(only.coverage)} if only.coverage is not None else {}
    for entry in entries:
        estimate = entry.estimates.get(only.info.model)
        if estimate is None or estimate.value is None:
            continue
        undetected = entry.undetected[only.info.model].value
        details = coverage | ({} if undetected is None else {"undetected": str(undetected)})
        yield {
            **_result(run, entry.headline.name, entry.language, entry.title),
            "metric_config": {
                **_metric(run, entry.headline.name, share=entry.headline.unit == "share"),
                "evaluation_description": summary.suite.card.about,
                "lower_is_better": False,
                "additional_details": {
                    **_judge(run),
                    **(
                        {"direction": "no value is better than another"}
                        if entry.headline.item_scores is None
                        else {}
                    ),
                },
            },
            "score_details": _score(estimate, details),
        }
    if only.undetected.value is not None:
        yield {
            **_result(run, "undetected", "", "undetected"),
            "metric_config": {
                **_metric(run, "undetected", share=True),
                "evaluation_description": "Answers that are neither right nor wrong.",
                "lower_is_better": True,
                "additional_details": _judge(run),
            },
            "score_details": _score(only.undetected, coverage),
        }


def _result(run: StoredRun, name: str, language: str, title: str) -> dict[str, Any]:
    settings = run.manifest.settings
    files = {f"sha256 of {file.name}": file.sha256 for file in settings.files}
    return {
        "evaluation_result_id": _identifier(run.suite.name, run.protocol.name, name, language),
        "evaluation_name": _evaluation_name(run, title),
        "evaluation_timestamp": run.manifest.sessions[-1].started,
        "source_data": {
            "dataset_name": f"{card_of([run]).title} ({settings.data})",
            "source_type": "other",
            "additional_details": {"items": str(run.manifest.items), **files},
        },
    }


def _metric(run: StoredRun, name: str, *, share: bool) -> dict[str, Any]:
    return {
        "metric_id": _identifier("epicene", run.suite.name, name),
        "metric_name": name.replace("_", " "),
        "metric_unit": "proportion" if share else "number",
        "score_type": "continuous",
        "min_score": 0 if share else "-Infinity",
        "max_score": 1 if share else "Infinity",
    }


def _judge(run: StoredRun) -> dict[str, str]:
    """How answers are judged: by the rules of the suite, perhaps on what other models say."""
    others = {
        f"role {role.name}": ", ".join(each.label for each in run.manifest.models[role.name])
        for role in run.suite.roles[1:]
        if run.manifest.models.get(role.name)
    }
    return {
        "judge": f"the rules of the suite {run.suite.name}, version {run.suite.version}",
        "protocol": to_json(run.protocol).decode(),
        **others,
    }


def _score(estimate: Estimate, details: dict[str, str]) -> dict[str, Any]:
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


# --- single answers ------------------------------------------------------------------------


def _instances(
    run: StoredRun, summary: Summary, entries: Sequence[HeadlineResult]
) -> Iterator[dict[str, Any]]:
    """One record per judged answer and headline that is a mean of scores."""
    scores: dict[tuple[str, str], list[tuple[HeadlineResult, float]]] = defaultdict(list)
    for entry in entries:
        if entry.headline.item_scores is not None and not entry.language:
            frame = entry.headline.item_scores(summary.results)
            for item, judged, score in frame.select("item", "name", "score").iter_rows():
                scores[item, judged].append((entry, float(score)))
    if not scores:
        return
    for item, answers in RunJudgements(run).answered():
        requests = _requests(run, item, answers)
        for judgement in run.suite.judge(item, answers, run.protocol):
            for entry, score in scores.get((item.id, judgement.name), ()):
                name = entry.headline.name
                yield {
                    "evaluation_name": _evaluation_name(run, entry.title),
                    "evaluation_result_id": _identifier(run.suite.name, run.protocol.name, name),
                    "sample_id": f"{item.id} {judgement.name}",
                    "interaction_type": "single_turn",
                    **_interaction(judgement, answers, requests),
                    "evaluation": {"score": score, "is_correct": judgement.outcome == "right"},
                    "metadata": _texts_of(
                        {**judgement.facets, "group": judgement.group, "language": item.language}
                        | {"outcome": judgement.outcome or "", "label": judgement.label or ""}
                    ),
                }


def _requests(run: StoredRun, item: Item, answers: Answers) -> dict[str, Request]:
    return {
        request.name: request
        for stage in run.suite.stages
        for request in stage.ask(item, answers, run.protocol)
    }


def _interaction(
    judgement: Judgement, answers: Answers, requests: dict[str, Request]
) -> dict[str, Any]:
    """What was asked and answered. A judgement's name is that of its request, or begins with it."""
    begun = (name for name in requests if name and judgement.name.startswith(name))
    name = judgement.name if judgement.name in requests else next(begun, next(iter(requests), ""))
    request = requests.get(name)
    answer = next((each.answer for each in answers if each.name == name), None)
    texts: list[str] = []
    if isinstance(answer, Texts):
        texts = [each.text for each in answer.texts]
    elif isinstance(answer, Scores) and isinstance(request, Score) and answer.best is not None:
        texts = [request.texts[answer.best]]
    elif isinstance(answer, Completions):
        texts = [each.text for each in answer.completions]
    choices = list(request.texts) if isinstance(request, Score) else None
    references = [judgement.evidence["reference"]] if judgement.evidence.get("reference") else []
    return {
        "input": {"raw": _prompt(request), "reference": references, "choices": choices},
        "output": {"raw": texts},
        "answer_attribution": [
            {
                "turn_idx": 0,
                "source": "output.raw",
                "extracted_value": judgement.evidence.get("answer") or next(iter(texts), ""),
                "extraction_method": "likelihood" if choices else "rules of the suite",
                "is_terminal": True,
            }
        ],
        "error": answer.reason if isinstance(answer, Failed) else None,
    }


def _prompt(request: Request | None) -> str:
    """The model's input, as one text."""
    prompt: Prompt = ""
    if isinstance(request, Score):
        prompt = request.context
    elif isinstance(request, Generate | Draw):
        prompt = request.prompt
    elif isinstance(request, Translate):
        prompt = request.text
    elif isinstance(request, Fill):
        prompt = f"{request.before} … {request.after}"
    if isinstance(prompt, str):
        return prompt
    return "\n\n".join(f"{turn.role}: {turn.content}" for turn in prompt)
