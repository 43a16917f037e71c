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
from epicene.core.records import (
    Completions,
    Decoding,
    Draw,
    Failed,
    Fill,
    Generate,
    Look,
    Score,
    Scores,
    Texts,
    Translate,
    to_json,
)
from epicene.export.folders import check_new_folder, file_names, new_folder, write_json
from epicene.export.path_redaction import runs_without_paths, settings_without_paths
from epicene.runs.stored_run import RunJudgements
from epicene.runs.summary import summarise
from epicene.show.model_profiles import headline_results
from epicene.show.provenance import card_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from epicene.core.records import Estimate, Identity, Item, Judgement, Prompt, Request
    from epicene.runs.stored_run import StoredRun
    from epicene.runs.summary import Summary
    from epicene.show.model_profiles import HeadlineResult
    from epicene.suites import Answers

SCHEMA_VERSION = "0.3.0"
INTERVAL = "analytic, over groups of items (see “Statistics” in the documentation of Epicene)"
Relationship: TypeAlias = Literal["first_party", "third_party", "collaborative", "other"]

_HOSTED = ("openai", "replicate", "ideogram")
_OPEN_WEIGHTS = ("hf", "diffusers", "smollm2", "gemma3-270m")


def write_every_eval_ever(
    runs: Sequence[StoredRun], folder: Path, organization: str, relationship: Relationship
) -> None:
    """Write `data/SUITE/DEVELOPER/MODEL/UUID.json` per run, and its `UUID_samples.jsonl`."""
    check_new_folder(folder)
    told = runs_without_paths(runs)
    source = {
        "source_name": "Epicene",
        "source_type": "evaluation_run",
        "source_organization_name": organization or "unknown",
        "evaluator_relationship": relationship,
    }
    with new_folder(folder) as unfinished:
        for run in told:
            _write_run(run, unfinished, source)


def _write_run(run: StoredRun, folder: Path, source: dict[str, str]) -> None:
    summary = summarise([run])
    model = _model_info(_measured(run))
    developer, name = (stem for _, stem in file_names((model["developer"], model["name"])))
    made = uuid.UUID(bytes=hashlib.sha256(to_json(run.manifest)).digest()[:16], version=4)
    place = f"data/{run.suite.name}/{developer}/{name}/{made}"
    retrieved = str(int(time.time()))
    ids = {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": f"{run.suite.name}-{run.protocol.name}/{model['id']}/{retrieved}",
    }
    entries = list(headline_results(summary))
    samples = folder / f"{place}_samples.jsonl"
    samples.parent.mkdir(parents=True, exist_ok=True)
    rows, checksum = 0, hashlib.sha256()
    with samples.open("wb") as file:
        for record in _instances(run, summary, entries):
            line = to_json({**ids, "model_id": model["id"], **record}) + b"\n"
            file.write(line)
            checksum.update(line)
            rows += 1
    details = {
        "format": "jsonl",
        "file_path": f"{place}_samples.jsonl",
        "hash_algorithm": "sha256",
        "checksum": checksum.hexdigest(),
        "total_rows": rows,
    }
    if not rows:
        samples.unlink()
    content = {
        **ids,
        "evaluation_timestamp": run.manifest.sessions[-1].started,
        "retrieved_timestamp": retrieved,
        "source_metadata": source,
        "eval_library": _library(run),
        "model_info": model,
        "evaluation_results": list(_results(run, summary, entries)),
        **({"detailed_evaluation_results": details} if rows else {}),
    }
    write_json(folder / f"{place}.json", to_json(content))


def _measured(run: StoredRun) -> Identity:
    return run.manifest.models[run.suite.roles[0].name][0]


def _texts_of(settings: Mapping[str, Any]) -> dict[str, str]:
    """Settings as the schema requires them: only strings."""
    return {
        name: value if isinstance(value, str) else to_json(value).decode()
        for name, value in settings.items()
        if value is not None
    }


def _model_info(identity: Identity) -> dict[str, Any]:
    known = settings_without_paths({"kind": identity.kind, **identity.about, **identity.key})
    named = str(identity.about.get("name") or identity.label)
    developer = named.rpartition("/")[0]
    return {
        "name": identity.label,
        "id": named,
        "developer": developer or "unknown",
        "additional_details": {
            **_texts_of(known),
            "deployment_type": "externally_managed"
            if identity.kind in _HOSTED
            else "self_deployed",
            "model_availability": "open_weights" if identity.kind in _OPEN_WEIGHTS else "unknown",
        },
    }


def _library(run: StoredRun) -> dict[str, Any]:
    settings = run.manifest.settings
    return {
        "name": "epicene",
        "version": __version__,
        "additional_details": {
            "suite": settings.suite,
            "suite_version": settings.suite_version,
            **{
                f"version_{name}": each for name, each in run.manifest.sessions[-1].versions.items()
            },
        },
    }


# --- aggregates ----------------------------------------------------------------------------


def _result_id(run: StoredRun, name: str, language: str = "") -> str:
    return ".".join(filter(None, (run.suite.name, run.protocol.name, _identifier(name), language)))


def _identifier(name: str) -> str:
    return re.sub(r"\W+", "_", name).strip("_")


def _results(
    run: StoredRun, summary: Summary, entries: Sequence[HeadlineResult]
) -> Iterator[dict[str, Any]]:
    """The headlines, overall and by language, and the share that is undetected."""
    (only,) = summary.runs
    for entry in entries:
        estimate = entry.estimates.get(only.info.model)
        if estimate is None or estimate.value is None:
            continue
        directed = entry.headline.item_scores is not None
        direction = {} if directed else {"direction": "no value is better than another"}
        undetected = entry.undetected.get(only.info.model)
        yield {
            "evaluation_result_id": _result_id(run, entry.headline.name, entry.language),
            **_common(run, summary, entry.title),
            "metric_config": {
                **_metric(run, entry.headline.name, entry.headline.unit == "share"),
                "evaluation_description": summary.suite.card.about,
                "lower_is_better": False,
                "additional_details": {**_judge(run), **direction},
                **_llm_scoring(run),
            },
            "score_details": _score(estimate, undetected, only.coverage),
        }
    if only.undetected.value is not None:
        yield {
            "evaluation_result_id": _result_id(run, "undetected"),
            **_common(run, summary, "undetected"),
            "metric_config": {
                **_metric(run, "undetected", share=True),
                "evaluation_description": "Answers that are neither right nor wrong.",
                "lower_is_better": True,
                "additional_details": _judge(run),
            },
            "score_details": _score(only.undetected, None, only.coverage),
        }


def _common(run: StoredRun, summary: Summary, name: str) -> dict[str, Any]:
    settings = run.manifest.settings
    files = {f"sha256 of {file.name}": file.sha256 for file in settings.files}
    items = str(run.manifest.items)
    return {
        "evaluation_name": f"{run.suite.name} ({run.protocol.name}): {name}",
        "evaluation_timestamp": run.manifest.sessions[-1].started,
        "source_data": {
            "dataset_name": f"{card_of([run]).title} ({summary.runs[0].data})",
            "source_type": "other",
            "additional_details": {"items": items, **files},
        },
        "generation_config": _generation(run),
    }


def _generation(run: StoredRun) -> dict[str, Any]:
    decoding = getattr(run.protocol, "decoding", None)
    arguments: dict[str, Any] = {"execution_command": run.manifest.sessions[-1].command}
    if isinstance(decoding, Decoding):
        arguments |= {
            "temperature": decoding.temperature,
            "top_p": decoding.top_p,
            "top_k": decoding.top_k,
            "max_tokens": decoding.max_new_tokens,
        }
    return {
        "generation_args": arguments,
        "additional_details": _texts_of({"seed": run.manifest.settings.seed}),
    }


def _metric(run: StoredRun, name: str, share: bool) -> dict[str, Any]:
    return {
        "metric_id": f"epicene.{run.suite.name}.{_identifier(name)}",
        "metric_name": name.replace("_", " "),
        "metric_unit": "proportion" if share else "number",
        "score_type": "continuous",
        "min_score": 0 if share else "-Infinity",
        "max_score": 1 if share else "Infinity",
    }


def _judge(run: StoredRun) -> dict[str, str]:
    """How answers are judged: by the rules of the suite, under every setting of the protocol."""
    return {
        "judge": f"the rules of the suite {run.suite.name}, version {run.suite.version}",
        "protocol": to_json(run.protocol).decode(),
    }


def _llm_scoring(run: StoredRun) -> dict[str, Any]:
    """The models of the roles that judge the output of the first role, with their question."""
    others = run.suite.roles[1:]
    judges = [each for role in others for each in run.manifest.models.get(role.name, ())]
    question = _judges_question(run, {role.name for role in others}) if judges else ""
    if not question:
        return {}
    return {
        "llm_scoring": {
            "judges": [{"model_info": _model_info(each)} for each in judges],
            "input_prompt": question,
        }
    }


def _judges_question(run: StoredRun, roles: set[str]) -> str:
    """The first question that the judges were asked."""
    for item, answers in RunJudgements(run).answered():
        for stage in run.suite.stages:
            if stage.role in roles:
                for request in stage.ask(item, answers, run.protocol):
                    return request.question if isinstance(request, Look) else _prompt(request)
    return ""


def _score(estimate: Estimate, undetected: Estimate | None, coverage: object) -> dict[str, Any]:
    details = {
        "why_no_interval": estimate.why,
        "effective_groups": "" if estimate.groups is None else f"{estimate.groups:g}",
        "undetected": "" if undetected is None else str(undetected.value),
        "coverage": "" if coverage is None else str(coverage),
    }
    uncertainty: dict[str, Any] = {"num_samples": estimate.n} if estimate.n else {}
    if estimate.low is not None and estimate.high is not None:
        uncertainty["confidence_interval"] = {
            "lower": estimate.low,
            "upper": estimate.high,
            "confidence_level": 0.95,
            "method": INTERVAL,
        }
    return {
        "score": estimate.value,
        "details": {name: text for name, text in details.items() if text},
        **({"uncertainty": uncertainty} if uncertainty else {}),
    }


# --- single answers ------------------------------------------------------------------------


def _instances(
    run: StoredRun, summary: Summary, entries: Sequence[HeadlineResult]
) -> Iterator[dict[str, Any]]:
    """One record per judged answer and headline that is a mean of scores."""
    scores: dict[tuple[str, str], list[tuple[str, str, float]]] = defaultdict(list)
    for entry in entries:
        if entry.headline.item_scores is None or entry.language:
            continue
        name = _result_id(run, entry.headline.name)
        frame = entry.headline.item_scores(summary.results)
        for item, judged, score in frame.select("item", "name", "score").iter_rows():
            scores[item, judged].append((name, entry.title, float(score)))
    if not scores:
        return
    for item, answers in RunJudgements(run).answered():
        requests: dict[str, Request] = {}
        for judgement in run.suite.judge(item, answers, run.protocol):
            found = scores.get((item.id, judgement.name), ())
            if found and not requests:
                requests = _requests(run, item, answers)
            for result, title, score in found:
                shown = _interaction(judgement, answers, requests)
                yield {
                    "evaluation_name": f"{run.suite.name} ({run.protocol.name}): {title}",
                    "evaluation_result_id": result,
                    "sample_id": f"{item.id} {judgement.name}",
                    "interaction_type": "single_turn",
                    **shown,
                    "evaluation": {"score": score, "is_correct": judgement.outcome == "right"},
                    "metadata": _metadata(judgement),
                }


def _requests(run: StoredRun, item: Item, answers: Answers) -> dict[str, Request]:
    return {
        request.name: request
        for stage in run.suite.stages
        for request in stage.ask(item, answers, run.protocol)
    }


def _interaction(
    judgement: Judgement, answers: Answers, requests: Mapping[str, Request]
) -> dict[str, Any]:
    """What was asked and answered. A judgement's name is that of its request, or begins with it."""
    name = next(
        (each for each in requests if each == judgement.name),
        next((each for each in requests if judgement.name.startswith(each) and each), ""),
    ) or next(iter(requests), "")
    request = requests.get(name)
    answer = next((each.answer for each in answers if each.name == name), None)
    texts, error = [], ""
    if isinstance(answer, Texts):
        texts = [each.text for each in answer.texts]
    elif isinstance(answer, Scores) and isinstance(request, Score) and answer.best is not None:
        texts = [request.texts[answer.best]]
    elif isinstance(answer, Completions):
        texts = [each.text for each in answer.completions]
    elif isinstance(answer, Failed):
        error = answer.reason
    raw = _prompt(request)
    references = [text for text in (judgement.evidence.get("reference"),) if text]
    extracted = judgement.evidence.get("answer") or next(iter(texts), "")
    choices = list(request.texts) if isinstance(request, Score) else None
    return {
        "sample_hash": hashlib.sha256((raw + "".join(references)).encode()).hexdigest(),
        "input": {"raw": raw, "reference": references, "choices": choices},
        "output": {"raw": texts},
        "answer_attribution": [
            {
                "turn_idx": 0,
                "source": "output.raw",
                "extracted_value": extracted,
                "extraction_method": "likelihood" if choices else "rules of the suite",
                "is_terminal": True,
            }
        ],
        "error": error or None,
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


def _metadata(judgement: Judgement) -> dict[str, str]:
    found = {
        **judgement.facets,
        "group": judgement.group,
        "language": judgement.language,
        "outcome": judgement.outcome or "",
        "label": judgement.label or "",
    }
    return {name: str(value) for name, value in found.items() if value}
