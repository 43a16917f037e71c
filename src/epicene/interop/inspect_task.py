"""Tasks for Inspect, written by Epicene (`epicene export data SUITE --to inspect`).

The prompts are in the JSONL files next to this one. The suite itself judges what a model writes, so
Epicene must be installed in the same environment.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from inspect_ai import Epochs, Task, task  # noqa: F401 (for the tasks below)
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessage, ChatMessageSystem, ChatMessageUser, GenerateConfig
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState, generate

from epicene.interop.judge import outcome_shares

HERE = Path(__file__).parent


@scorer(metrics={"*": [mean(), stderr(cluster="group")]})
def suite_judge() -> Scorer:
    """Whether a text is right, wrong or undetected, according to the suite's judge."""

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001
        text = state.output.completion
        return Score(value={**outcome_shares(HERE, state.metadata, [text])}, answer=text)

    return score


def _sample(document: dict[str, Any]) -> Sample:
    system = [ChatMessageSystem(content=document["system"])] if document["system"] else []
    messages: list[ChatMessage] = [*system, ChatMessageUser(content=document["prompt"])]
    return Sample(id=document["id"], input=messages, metadata=document)


def _task(name: str, samples: int, **config: Any) -> Task:
    """The documents of a file; if there are several samples, each is an epoch."""
    lines = (HERE / f"{name}.jsonl").read_text(encoding="utf-8").split("\n")
    documents = [json.loads(line) for line in lines if line]
    return Task(
        name=name,
        dataset=MemoryDataset([_sample(each) for each in documents], name=name),
        solver=generate(),
        scorer=suite_judge(),
        config=GenerateConfig(**config),
        epochs=Epochs(samples, "mean"),
    )
