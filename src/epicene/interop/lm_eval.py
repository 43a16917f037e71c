"""Tasks for lm-evaluation-harness, and its samples (`--log_samples`)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from epicene.core.data_files import read_rows
from epicene.core.errors import InputError
from epicene.core.files import write_atomically
from epicene.core.records import Message, Text
from epicene.export.folders import YamlFunction, as_yaml, check_new_folder, new_folder, write_text
from epicene.interop.judge import OUTCOMES
from epicene.interop.logs import LoggedSample
from epicene.interop.tasks import Plan, Tool, identifier, plan_tasks, write_documents, write_readme

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.core.data_files import FileRow
    from epicene.core.records import Decoding, Prompt
    from epicene.export.selection import Selection
    from epicene.interop.tasks import Task

_JUDGING = Path(__file__).with_name("lm_eval_judging.py")
TOOL = Tool(
    "lm-evaluation-harness",
    "0.4.13",
    lambda _kind: "",
    (
        "`acc`: the right text is the likeliest of its choices; choices that are equally likely "
        "share the credit. `tied`: how often there was such a tie; depending on the suite, "
        "Epicene's own verdict on a tie may differ.",
        "`right`, `wrong`, `undetected`: the verdicts of the suite's own judge on written texts; "
        "for these tasks, Epicene must be installed in the harness's environment.",
        "Without a temperature in the protocol, texts are sampled at temperature 1, whereas "
        "Epicene uses the model's default.",
        "The harness's standard errors treat documents as independent; Epicene's intervals "
        "resample whole groups (`group`), because variants of one sentence are not independent.",
        "Chats need `--apply_chat_template` and a template with a system role; all other tasks "
        "must not have it.",
    ),
)


# --- tasks ---------------------------------------------------------------------------------


def write_tasks(selection: Selection, folder: Path) -> Plan:
    """Write the folder; `lm_eval --include_path FOLDER` runs its tasks."""
    check_new_folder(folder)
    plan = plan_tasks(selection, TOOL)
    commands = [
        "lm_eval --model hf --model_args pretrained=MODEL --include_path THIS_FOLDER --log_samples "
        f"--output_path LOGS --tasks {_tag(selection, chat)}" + " --apply_chat_template" * chat
        for chat in sorted({task.kind.chat for task in plan.tasks})
    ]
    with new_folder(folder) as unfinished:
        write_documents(selection, plan.tasks, unfinished)
        for task in plan.tasks:
            settings = _settings(task, _tag(selection, task.kind.chat))
            write_text(unfinished / f"{task.name}.yaml", [as_yaml(settings)])
        write_atomically(unfinished / "judging.py", _JUDGING.read_bytes())
        write_readme(selection, plan, TOOL, commands, unfinished)
    return plan


def _tag(selection: Selection, chat: bool) -> str:
    """The name of all tasks that can run together: chats need a chat template, and all others
    must not have one.
    """
    return identifier(selection.suite.name, "chat" * chat)


def _settings(task: Task, tag: str) -> dict[str, Any]:
    """The task's YAML."""
    decoding = task.kind.decoding
    judged = {} if decoding is None else {"judged_by_epicene": True}
    system = any(document["system"] for document in task.documents)
    return {
        "task": task.name,
        "tag": [tag],
        "custom_dataset": YamlFunction("judging.documents"),
        "dataset_kwargs": {"file": f"{task.name}.jsonl", **judged},
        "test_split": "test",
        "num_fewshot": 0,
        # A template, not the field's name, which some versions would send as the message.
        **({"description": "{{system}}"} if system else {}),
        "doc_to_text": "prompt",
        **(_choice() if decoding is None else _generation(decoding, task.kind.samples)),
        "metadata": {"version": 1},
    }


def _choice() -> dict[str, Any]:
    return {
        "output_type": "multiple_choice",
        "doc_to_choice": "choices",
        "doc_to_target": "target",
        # A text that begins with a space brings its own.
        "target_delimiter": "",
        "process_results": YamlFunction("judging.choice"),
        "metric_list": [_mean_of("acc", better=True), _mean_of("tied", better=False)],
    }


def _generation(decoding: Decoding, samples: int) -> dict[str, Any]:
    """Decoding settings as the harness names them. It has no model default for the temperature,
    so that is 1.
    """
    drawn: dict[str, Any] = {"temperature": 1.0}
    for name in ("temperature", "top_k", "top_p"):
        if (value := getattr(decoding, name)) is not None:
            drawn[name] = value
    greedy = decoding.temperature == 0
    all_samples = {"name": "all", "filter": [{"function": "take_first_k", "k": samples}]}
    return {
        "output_type": "generate_until",
        "doc_to_target": "",
        "generation_kwargs": {
            "until": list(decoding.stop),
            "max_gen_toks": decoding.max_new_tokens,
            **({"min_new_tokens": decoding.max_new_tokens} if decoding.exact_length else {}),
            "do_sample": not greedy,
            **({} if greedy else drawn),
        },
        **({"repeats": samples, "filter_list": [all_samples]} if samples > 1 else {}),
        "process_results": YamlFunction("judging.writing"),
        "metric_list": [_mean_of(outcome, better=outcome == "right") for outcome in OUTCOMES],
    }


def _mean_of(metric: str, *, better: bool) -> dict[str, Any]:
    return {"metric": metric, "aggregation": "mean", "higher_is_better": better}


# --- samples -------------------------------------------------------------------------------


def is_log(path: Path) -> bool:
    """Whether the first line of a JSONL file is a sample."""
    if path.suffix.lower() not in (".jsonl", ".ndjson"):
        return False
    with path.open("rb") as file:
        head = file.readline(2**20)
    # The document comes before the answers and can be long.
    return b'"doc_id"' in head and (b'"resps"' in head or len(head) == 2**20)


def read_samples(path: Path) -> Iterator[LoggedSample]:
    """The samples of a file. A sample with several filters is written once for each."""
    model, filtered = _model_name(path), None
    for row in read_rows(path, suffix=".jsonl"):
        filtered = filtered or row.values.get("filter")
        if row.values.get("filter") != filtered:
            continue
        try:
            yield _sample(row, model)
        except (ValueError, TypeError, LookupError, AttributeError):
            raise InputError(
                f"{row.location} is not a sample of lm-evaluation-harness with the prompts "
                "(`arguments`) and answers (`resps`) of choices between texts or of texts to "
                "generate."
            ) from None


def _sample(row: FileRow, model: str) -> LoggedSample:
    document, answers = row.values["doc"], row.values["resps"]
    sent = [tuple(each.values())[:2] for each in row.values["arguments"].values()]
    (prompt,) = {context for context, _ in sent}
    sample = LoggedSample(row.location, model, str(prompt))
    if isinstance(document, dict) and {"item", "request", "chat"} <= document.keys():
        sample.item, sample.request = document["item"], document["request"]
        sample.prompt = _exported_prompt(document)
    if isinstance(sent[0][1], str):
        sample.texts = tuple(str(text) for _, text in sent)
        sample.logprobs = tuple(float(each[0][0]) for each in answers)
        if len(sample.texts) != len(sample.logprobs):
            raise ValueError("not one answer per text")
    else:
        sample.written = tuple(Text(text=text + "") for each in answers for text in each)
    return sample


def _exported_prompt(document: dict[str, Any]) -> Prompt:
    """The prompt of an exported document, which the harness may send through a chat template."""
    if not document["chat"]:
        return str(document["prompt"])
    system = [Message(role="system", content=document["system"])] if document["system"] else []
    return (*system, Message(role="user", content=document["prompt"]))


def _model_name(path: Path) -> str:
    """The model in the `results_TIME.json` next to the samples, or the name of their folder."""
    time = path.stem.rpartition("_")[2]
    try:
        named = json.loads(path.with_name(f"results_{time}.json").read_bytes())["model_name"]
    except (OSError, ValueError, LookupError, TypeError):
        named = ""
    return str(named) or path.parent.resolve().name
