"""Files of the Hugging Face Hub: `eval.yaml` of a benchmark, `.eval_results/*.yaml` of a model."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from epicene.core.errors import InputError
from epicene.export.folders import as_yaml, check_new_folder, file_names, new_folder, write_text
from epicene.export.path_redaction import runs_without_paths
from epicene.runs.summary import group_by_protocol, summarise
from epicene.show.model_profiles import headline_results

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from epicene.core.records import Estimate
    from epicene.export.selection import Selection
    from epicene.runs.stored_run import StoredRun
    from epicene.runs.summary import RunSummary, Summary
    from epicene.show.model_profiles import HeadlineResult

EVAL_FILE = "eval.yaml"
FRAMEWORK = "epicene"  # the Hub knows a benchmark only if its framework is on the Hub's list
_DATASET = re.compile(r"[\w.-]+/[\w.-]+")


def task_id(suite: str, language: str = "") -> str:
    """A leaderboard of a suite: of all languages, or of one."""
    return f"{suite}_{language}" if language else suite


def benchmark(selection: Selection, configs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The content of `eval.yaml`: one task per configuration and split."""
    card = selection.card
    tasks = []
    for index, config in enumerate(configs):
        name = task_id(selection.suite.name, config["config_name"] if index else "")
        splits = [each["split"] for each in config["data_files"]]
        for split in splits:
            suffix = f"_{split}" if len(splits) > 1 else ""
            task = {"id": f"{name}{suffix}", "config": config["config_name"], "split": split}
            tasks.append(task)
    return {
        "name": card.title,
        "description": card.about,
        "evaluation_framework": FRAMEWORK,
        "tasks": tasks,
    }


def write_hub_results(
    runs: Sequence[StoredRun], folder: Path, dataset: str, revision: str = ""
) -> None:
    """Write `MODEL/.eval_results/SUITE-PROTOCOL.yaml` per run, for the model's repository."""
    if not _DATASET.fullmatch(dataset):
        raise InputError(
            "Results on the Hub belong to a benchmark, which is a dataset there: name it as "
            f"OWNER/NAME{f', not {dataset!r}' if dataset else ''} (--dataset)."
        )
    check_new_folder(folder)
    parts = [
        ("-".join(names), run, summary, entry)
        for names, group in group_by_protocol(runs_without_paths(runs)).items()
        for summary in (summarise(group),)
        for entry in (list(_leaderboards(summary)),)
        for run in summary.runs
    ]
    dates = {run.info.run: run.manifest.sessions[-1].started for run in runs_without_paths(runs)}
    models = dict(file_names(dict.fromkeys(run.info.model for _, run, _, _ in parts)))
    with new_folder(folder) as unfinished:
        for name, run, summary, entries in parts:
            about = {"id": dataset, "revision": revision}
            found = list(_results(run, summary, entries, about, dates[run.info.run]))
            if not found:
                raise InputError(f"The run {run.info.run} has no number to export.")
            path = unfinished / models[run.info.model] / ".eval_results" / f"{name}.yaml"
            write_text(path, [as_yaml_list(found).rstrip("\n")])


def as_yaml_list(content: Sequence[dict[str, Any]]) -> str:
    """Mappings as a YAML list."""
    return "".join(
        "- " + as_yaml(each).rstrip("\n").replace("\n", "\n  ") + "\n" for each in content
    )


def _leaderboards(summary: Summary) -> Iterator[HeadlineResult]:
    """The first headline with a direction (higher or lower is better), overall and by language:
    a leaderboard has one number per model.
    """
    entries = list(headline_results(summary))
    directed = [each for each in entries if each.headline.item_scores is not None]
    first = next(iter(directed or entries), None)
    if first is not None:
        yield from (each for each in entries if each.headline.name == first.headline.name)


def _results(
    run: RunSummary,
    summary: Summary,
    entries: Sequence[HeadlineResult],
    dataset: dict[str, str],
    date: str,
) -> Iterator[dict[str, Any]]:
    for entry in entries:
        estimate = entry.estimates.get(run.info.model)
        if estimate is None or estimate.value is None:
            continue
        name = task_id(summary.suite.name, entry.language)
        yield {
            "dataset": {
                "id": dataset["id"],
                "task_id": name,
                **({"revision": dataset["revision"]} if dataset["revision"] else {}),
            },
            "value": estimate.value,
            "date": date,
            "notes": "; ".join(_notes(run, summary, entry, estimate)),
        }


def _notes(
    run: RunSummary, summary: Summary, entry: HeadlineResult, estimate: Estimate
) -> Iterator[str]:
    """The notes on the number, the only text that a leaderboard shows next to it."""
    yield f"{entry.headline.name}, protocol {summary.protocol.name}, suite {summary.suite.version}"
    if estimate.low is not None and estimate.high is not None:
        yield f"95% interval {estimate.low:.4f} to {estimate.high:.4f}"
    if estimate.n:
        yield f"n = {estimate.n}"
    undetected = entry.undetected.get(run.info.model)
    if undetected is not None and undetected.value is not None:
        yield f"undetected {undetected.value:.4f}"
    if run.coverage is not None and not run.coverage.whole:
        yield f"incomplete: {run.coverage}"
