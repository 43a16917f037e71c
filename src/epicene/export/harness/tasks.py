"""Documents of one kind as a task of lm-evaluation-harness: its YAML."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from epicene.export.folders import Function
from epicene.export.harness.verdicts import OUTCOMES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from epicene.export.harness.documents import Kind
    from epicene.export.selection import Selection
    from epicene.records import Decoding

TESTED = "0.4.13"  # the harness in which exported tasks were run and compared with Epicene
VERSION = 1  # of how tasks are written; another one where the same data would give other numbers


class Task(NamedTuple):
    """A task, its documents and its YAML."""

    name: str
    kind: Kind
    documents: Sequence[dict[str, Any]]
    settings: dict[str, Any]


def group_name(suite: str, *, chat: bool) -> str:
    """What tasks that can run in one go are called together: chats want a chat template, and all
    else must not have one."""
    return _identifier("epicene", suite, "chat" if chat else "")


def make_task(
    selection: Selection, kind: Kind, documents: Sequence[dict[str, Any]], *, several: bool
) -> Task:
    """The task of one kind; its name has the language where there are several."""
    language = kind.language if several else ""
    name = _identifier("epicene", selection.suite.name, kind.format, language)
    own = _choosing() if kind.decoding is None else _writing(kind.decoding, kind.samples)
    settings: dict[str, Any] = {
        "task": name,
        "tag": ["epicene"],
        "custom_dataset": Function("judging.documents"),
        "dataset_kwargs": {
            "file": f"{name}.jsonl",
            **({} if kind.decoding is None else {"judged_by_epicene": True}),
        },
        "test_split": "test",
        "num_fewshot": 0,
        # A template and not the field's name, which some versions would send as the message.
        **({"description": "{{system}}"} if any(each["system"] for each in documents) else {}),
        "doc_to_text": "prompt",
        **own,
        "metadata": {"version": VERSION},
    }
    return Task(name, kind, documents, settings)


def _choosing() -> dict[str, Any]:
    return {
        "output_type": "multiple_choice",
        "doc_to_choice": "choices",
        "doc_to_target": "target",
        # A text brings the space that it begins with, if it does.
        "target_delimiter": "",
        "process_results": Function("judging.choice"),
        "metric_list": [_mean("acc", better=True), _mean("tied", better=False)],
    }


def _writing(decoding: Decoding, samples: int) -> dict[str, Any]:
    several = {
        "repeats": samples,
        "filter_list": [
            {"name": "all", "filter": [{"function": "take_first_k", "k": samples}]},
        ],
    }
    return {
        "output_type": "generate_until",
        "doc_to_target": "",
        "generation_kwargs": _generation(decoding),
        **(several if samples > 1 else {}),
        "process_results": Function("judging.writing"),
        "metric_list": [_mean(outcome, better=outcome == "right") for outcome in OUTCOMES],
    }


def _generation(decoding: Decoding) -> dict[str, Any]:
    """Decoding in the harness's words. It has none for a model's own temperature, so that is 1."""
    settings: dict[str, Any] = {
        "until": list(decoding.stop),
        "max_gen_toks": decoding.max_new_tokens,
    }
    if decoding.exact_length:
        settings["min_new_tokens"] = decoding.max_new_tokens
    if decoding.temperature == 0:
        return {**settings, "do_sample": False}
    settings["do_sample"] = True
    settings["temperature"] = 1.0 if decoding.temperature is None else decoding.temperature
    drawn = {"top_k": decoding.top_k, "top_p": decoding.top_p}
    return {**settings, **{name: value for name, value in drawn.items() if value is not None}}


def group(name: str, tasks: Iterable[Task]) -> dict[str, Any]:
    """Tasks that are called together."""
    return {
        "group": name,
        "task": [task.name for task in tasks],
        "metadata": {"version": VERSION},
    }


def _mean(metric: str, *, better: bool) -> dict[str, Any]:
    return {"metric": metric, "aggregation": "mean", "higher_is_better": better}


def _identifier(*parts: str) -> str:
    return "_".join(re.sub(r"\W+", "_", part).strip("_") for part in parts if part)
