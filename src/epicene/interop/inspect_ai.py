"""Tasks for Inspect, and its logs.

Inspect sends every prompt as a chat and does not give the log-likelihoods of given texts, so
requests for scores and texts to continue are left out and listed.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from epicene.core.errors import InputError
from epicene.core.files import write_atomically
from epicene.core.records import Message, Text
from epicene.core.requirements import require
from epicene.export.folders import check_new_folder, new_folder
from epicene.interop.logs import LoggedSample
from epicene.interop.tasks import Plan, Tool, identifier, plan_tasks, write_documents, write_readme

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Literal

    from epicene.core.records import Decoding, Prompt
    from epicene.export.selection import Selection
    from epicene.interop.tasks import TaskKind

_TASK_FILE = Path(__file__).with_name("inspect_task.py")


def _why_not(kind: TaskKind) -> str:
    """Why Inspect cannot send the same request; "" if it can."""
    if kind.decoding is None:
        return "Inspect does not give the log-likelihoods of texts (`--to lm-eval` exports choices)"
    if not kind.chat:
        return "Inspect sends every prompt as a chat, and this is a text to continue"
    if kind.decoding.exact_length:
        return "Inspect cannot prevent a model from ending early"
    return ""


TOOL = Tool(
    "Inspect",
    "0.3.285",
    _why_not,
    (
        "`right`, `wrong`, `undetected`: the verdicts of the suite's own judge on each text, so "
        "Epicene must be installed in the same environment.",
        "Several samples of a prompt are epochs. Standard errors are clustered by `group`, because "
        "variants of one sentence are not independent.",
    ),
)


# --- tasks ---------------------------------------------------------------------------------


def write_inspect_tasks(selection: Selection, folder: Path) -> Plan:
    """Write the folder; `inspect eval` runs its tasks."""
    check_new_folder(folder)
    plan = plan_tasks(selection, TOOL)
    file = f"{identifier(selection.suite.name)}.py"
    written = [_TASK_FILE.read_text(encoding="utf-8")]
    for task in plan.tasks:
        assert task.kind.decoding is not None
        config = ", ".join(f"{name}={value!r}" for name, value in _config(task.kind.decoding))
        written.append(
            f"\n\n@task\ndef {task.name}() -> Task:\n"
            f'    """{len(task.documents)} documents."""\n'
            f'    return _task("{task.name}", {task.kind.samples}, {config})\n'
        )
    command = f"inspect eval {file} --model MODEL --log-dir LOGS"
    with new_folder(folder) as unfinished:
        write_documents(selection, plan.tasks, unfinished)
        write_atomically(unfinished / file, "".join(written).encode())
        write_readme(selection, plan, TOOL, [command], unfinished)
    return plan


def _config(decoding: Decoding) -> Iterator[tuple[str, Any]]:
    """Decoding settings as Inspect names them; those that are not set are the model's own."""
    yield "max_tokens", decoding.max_new_tokens
    for name in ("temperature", "top_k", "top_p"):
        if (value := getattr(decoding, name)) is not None:
            yield name, value
    if decoding.stop:
        yield "stop_seqs", list(decoding.stop)
    if decoding.temperature != 0:
        yield "seed", decoding.seed


# --- logs ----------------------------------------------------------------------------------


def is_log(path: Path) -> bool:
    """Whether it is called .eval, or is a JSON file that starts like a log."""
    if path.suffix.lower() != ".json":
        return path.suffix.lower() == ".eval"
    with path.open("rb") as file:
        head = file.read(4096)
    return all(mark in head for mark in (b'"version"', b'"status"', b'"eval"'))


def read_samples(path: Path) -> Iterator[LoggedSample]:
    """The samples of a log; each epoch is another text of the same sample."""
    require("inspect_ai", "An Inspect log", "inspect", "read it where Inspect is installed")
    from inspect_ai.log import read_eval_log

    try:
        log = read_eval_log(path, resolve_attachments=True)
    except Exception as error:  # the library raises whatever its parsers do
        why = str(error).partition("\n")[0]
        raise InputError(f"{path} is not an Inspect log, or is damaged: {why}.") from None
    epochs: dict[str, list[Any]] = defaultdict(list)
    for sample in log.samples or []:
        epochs[str(sample.id)].append(sample)
    for name, samples in epochs.items():
        samples.sort(key=lambda sample: sample.epoch)
        first = samples[0]
        found = LoggedSample(f"{path}, sample {name},", log.eval.model, _prompt(first))
        if {"item", "request"} <= (first.metadata or {}).keys():
            found.item, found.request = first.metadata["item"], first.metadata["request"]
        if any(sample.error or not sample.output.choices for sample in samples):
            found.why_missing = "it ended with an error or without output"
        else:
            found.written = tuple(_written(sample.output) for sample in samples)
        yield found


def _prompt(sample: Any) -> Prompt:
    """All messages before the answer, or the input if the sample did not get that far."""
    messages = list(sample.messages)
    if messages and messages[-1].role == "assistant":
        messages.pop()
    if not messages and isinstance(sample.input, str):
        return (Message(role="user", content=sample.input),)
    return tuple(Message(role=each.role, content=each.text) for each in messages or sample.input)


def _written(output: Any) -> Text:
    """The first answer, without reasoning."""
    finishes: dict[str, Literal["length", "refused"]] = {
        "max_tokens": "length", "model_length": "length", "content_filter": "refused",
    }  # fmt: skip
    choice = output.choices[0]
    return Text(text=choice.message.text, finish=finishes.get(choice.stop_reason, "stop"))
