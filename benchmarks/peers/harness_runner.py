"""Exported tasks run by lm-evaluation-harness itself, in a process of its own.

    python harness_runner.py MODEL_FOLDER TASK_FOLDER OUT.json chat|plain TASK…

Writes for every task its documents' ids, metrics and answers. Nothing of Epicene is imported here;
the folder's own judging.py may do so.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


def main() -> None:
    """Load the tasks from the folder, run them and write what came of each document."""
    model, folder, out, form, *names = sys.argv[1:]
    import lm_eval
    from lm_eval.tasks import TaskManager

    found = lm_eval.simple_evaluate(
        model="hf",
        model_args={"pretrained": model, "dtype": "float32"},
        tasks=names,
        task_manager=TaskManager(include_path=folder),
        device="cpu",
        batch_size=1,
        apply_chat_template=form == "chat",
        log_samples=True,
        bootstrap_iters=0,
    )
    samples = {name: list(map(_shown, of_task)) for name, of_task in found["samples"].items()}
    results = {name: found["results"][name] for name in samples}
    Path(out).write_text(
        json.dumps({"samples": samples, "results": results}, default=float), encoding="utf-8"
    )


def _shown(sample: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": sample["doc"]["id"],
        "metrics": {name: sample[name] for name in sample["metrics"]},
        "answers": sample["filtered_resps"],
    }


if __name__ == "__main__":
    main()
