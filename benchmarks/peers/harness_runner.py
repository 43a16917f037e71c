"""Exported tasks run by lm-evaluation-harness itself, in a process of its own.

    python harness_runner.py MODEL_FOLDER JOBS.json OUT.json

A job is a folder, the names of tasks in it and whether they are chats; of each task come back the
ids, metrics and answers of its documents, or of a job that is refused the reason. Nothing of
Epicene is imported here; a folder's own judging.py may do so.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


def main() -> None:
    """Load the model once, then run job after job."""
    model, jobs, out = sys.argv[1:]
    from lm_eval.models.huggingface import HFLM

    loaded = HFLM(model, device="cpu", dtype="float32", batch_size=1)
    found = []
    wanted = json.loads(Path(jobs).read_text(encoding="utf-8"))
    for number, job in enumerate(wanted, start=1):
        print(f"harness, {number} of {len(wanted)}: {', '.join(job['tasks'])}", flush=True)
        found.append(_run(loaded, job))
    Path(out).write_text(json.dumps(found, default=float), encoding="utf-8")


def _run(model: Any, job: dict[str, Any]) -> dict[str, Any]:
    from lm_eval import simple_evaluate
    from lm_eval.tasks import TaskManager

    try:
        found = simple_evaluate(
            model=model,
            tasks=job["tasks"],
            # Its own tasks are thousands of files to read.
            task_manager=TaskManager(include_path=job["folder"], include_defaults=False),
            apply_chat_template=job["chat"],
            log_samples=True,
            bootstrap_iters=0,
        )
    except ImportError as error:
        return {"refused": str(error)}
    samples = {name: list(map(_shown, of_task)) for name, of_task in found["samples"].items()}
    return {"samples": samples, "results": {name: found["results"][name] for name in samples}}


def _shown(sample: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": sample["doc"]["id"],
        "metrics": {name: sample[name] for name in sample["metrics"]},
        "answers": sample["filtered_resps"],
    }


if __name__ == "__main__":
    main()
