"""How lm-evaluation-harness reads and judges the documents of this folder.

Written by Epicene (`epicene export data SUITE --to lm-eval`). This file judges choices; the suite
itself judges texts that a model wrote, so those tasks need Epicene in the same environment, and say
so before anything is generated.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

HERE = Path(__file__).parent


def documents(file: str, judged_by_epicene: bool = False, **_metadata: Any) -> dict[str, Any]:
    """The documents of a file next to this one."""
    from datasets import Dataset

    if judged_by_epicene:
        _suite_judge()
    lines = (HERE / file).read_text(encoding="utf-8").split("\n")
    return {"test": Dataset.from_list([json.loads(line) for line in lines if line])}


def choice(document: Mapping[str, Any], results: Sequence[tuple[float, bool]]) -> dict[str, float]:
    """Whether the right text is the likeliest; texts that are equally likely share the credit."""
    scores = [score for score, _ in results]
    best = [index for index, score in enumerate(scores) if score == max(scores)]
    right = document["target"] in best
    return {"acc": right / max(len(best), 1), "tied": float(len(best) > 1)}


def writing(document: Mapping[str, Any], results: Sequence[Any]) -> dict[str, float]:
    """The shares of texts that are right, wrong and undetected, according to the suite's judge."""
    texts = results[0] if isinstance(results[0], list) else results
    judged: dict[str, float] = _suite_judge()(HERE, document, list(texts))
    return judged


def _suite_judge() -> Any:
    try:
        from epicene.interop.judge import outcome_shares
    except ImportError as error:
        raise ImportError(
            "Epicene judges what a model wrote: install it in this environment (`pip install "
            f"epicene`), or run only the tasks with choices ({error})."
        ) from error
    return outcome_shares
