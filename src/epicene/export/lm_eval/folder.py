"""Write the folder that lm-evaluation-harness reads: tasks, documents, judging.py and a README."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from epicene import __version__
from epicene.core.errors import InputError
from epicene.core.files import write_atomically
from epicene.core.records import to_json
from epicene.export.folders import (
    CARD_FILE,
    as_yaml,
    check_new_folder,
    fault_lines,
    new_folder,
    protocol_lines,
    write_json,
    write_text,
)
from epicene.export.lm_eval.tasks import (
    TESTED_VERSION,
    Document,
    LeftOut,
    Task,
    documents,
    group_name,
    group_settings,
    make_task,
)
from epicene.suites.data_cards import markdown_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from epicene.export.lm_eval.tasks import TaskKind
    from epicene.export.selection import Selection


def tasks_readme(
    selection: Selection, tasks: Sequence[Task], left_out: Mapping[LeftOut, int]
) -> Iterator[str]:
    """The page, line by line."""
    card = selection.card
    yield f"# {card.title} for lm-evaluation-harness"
    yield ""
    yield card.about
    yield ""
    rows = [
        (
            f"`{task.name}`",
            task.settings["output_type"],
            len(task.documents),
            "yes" if task.kind.chat else "no",
            ", ".join(each["metric"] for each in task.settings["metric_list"]),
        )
        for task in tasks
    ]
    yield from markdown_table(("task", "kind", "documents", "chat", "metrics"), rows)
    yield ""
    yield from _commands(selection, tasks)
    yield from _numbers(tasks)
    yield "## Protocol"
    yield ""
    yield from protocol_lines(selection.protocol, card)
    yield from closing_lines(selection, left_out)


def closing_lines(selection: Selection, left_out: Mapping[LeftOut, int]) -> Iterator[str]:
    """The last sections: what is left out, where the items come from, and known issues."""
    card = selection.card
    if left_out:
        yield "## What is left out"
        yield ""
        for (what, why), times in left_out.items():
            yield f"- {what}{f' ({times} requests)' * (times > 1)}: {why}."
        yield ""
    yield from selection.provenance_lines()
    source = "the source named above" if card.source else "the source of the data"
    yield f"Exported by Epicene {__version__}. Cite {source}, and Epicene."
    yield ""
    yield from fault_lines(card, "##")


def _commands(selection: Selection, tasks: Sequence[Task]) -> Iterator[str]:
    yield "## How to run it"
    yield ""
    yield (
        f"Tested with lm-evaluation-harness {TESTED_VERSION}. To run a single task, use its own "
        "name."
    )
    yield ""
    yield "```"
    for chat in sorted({task.kind.chat for task in tasks}):
        yield (
            "lm_eval --model hf --model_args pretrained=MODEL --include_path THIS_FOLDER "
            f"--tasks {group_name(selection.suite.name, chat=chat)}"
            + " --apply_chat_template"
            * chat
        )
    yield "```"
    yield ""
    yield (
        "With `--log_samples --output_path LOGS`, the harness writes its samples, and Epicene "
        "computes its tables from them:"
    )
    yield ""
    yield from ("```", reading_command(selection), "```", "")
    if any(task.kind.chat for task in tasks):
        yield (
            "Chats have a system message and need `--apply_chat_template`. The harness rejects a "
            "template without a system role; Epicene puts the system message before the user's "
            "message instead."
        )
        yield ""
    if not all(task.kind.chat for task in tasks):
        yield "Do not use a chat template for tasks that are not chats."
        yield ""


def reading_command(selection: Selection) -> str:
    """The command that reads the logs of exported tasks."""
    suite, protocol = selection.suite, selection.protocol
    named = f" --protocol {protocol.name}" if protocol.name != suite.score_protocol else ""
    data = "" if selection.own else " --data THE_SAME_DATA"
    given = msgspec.to_builtins(protocol)
    default = msgspec.to_builtins(suite.protocols[protocol.name])
    changed = any(given[name] != default.get(name) for name in given)
    return f"epicene score {suite.name} --answers LOGS{named}{data}" + " --set …" * changed


def _numbers(tasks: Sequence[Task]) -> Iterator[str]:
    yield "## What the numbers mean"
    yield ""
    if any(task.kind.decoding is None for task in tasks):
        yield (
            "- `acc`: the right text is the likeliest of its choices, by the protocol's measure; "
            "choices that are equally likely share the credit. `tied`: how often there was such "
            "a tie; depending on the suite, Epicene's own verdict on a tie may differ. Each text "
            "is scored after its prompt or, if there is none, after the beginning-of-sequence "
            "token."
        )
    if any(task.kind.decoding is not None for task in tasks):
        yield (
            "- `right`, `wrong`, `undetected`: the verdicts of the suite's own judge on the "
            "texts. Undetected (no pronoun, a refusal, nothing readable) counts as neither wrong "
            "nor right. For these tasks, Epicene must be installed in the harness's environment."
        )
    if any(task.kind.decoding is not None and task.kind.decoding.exact_length for task in tasks):
        yield (
            "- Texts are sampled at temperature 1, whereas Epicene uses the model's default. "
            "`min_new_tokens`, which prevents texts from ending early, works with `--model hf`."
        )
    yield (
        "- The harness's standard errors treat documents as independent; Epicene's intervals "
        "resample whole groups (`group`), because variants of one sentence are not independent."
    )
    yield ""


JUDGING = Path(__file__).with_name("judging.py")


class WrittenTasks(NamedTuple):
    """The tasks that were written, and how often each kind of request was left out."""

    tasks: list[Task]
    left_out: dict[LeftOut, int]


def write_tasks(selection: Selection, folder: Path) -> WrittenTasks:
    """Write the folder; `lm_eval --include_path FOLDER` runs its tasks."""
    check_new_folder(folder)
    made = plan_tasks(selection)
    with new_folder(folder) as unfinished:
        _write_files(selection, made, unfinished)
    return made


def _write_files(selection: Selection, made: WrittenTasks, folder: Path) -> None:
    for task in made.tasks:
        write_text(folder / f"{task.name}.yaml", [as_yaml(task.settings).rstrip("\n")])
        write_atomically(folder / f"{task.name}.jsonl", json_lines(task))
    for name, tasks in task_groups(selection.suite.name, made.tasks).items():
        write_text(
            folder / f"{name}_group.yaml", [as_yaml(group_settings(name, tasks)).rstrip("\n")]
        )
    write_atomically(folder / JUDGING.name, JUDGING.read_bytes())
    write_asked(selection, folder)
    write_text(folder / CARD_FILE, tasks_readme(selection, made.tasks, made.left_out))


def write_asked(selection: Selection, folder: Path) -> None:
    """Write what the suite's judge needs to know: the suite, its version and the protocol."""
    asked = {
        "suite": selection.suite.name,
        "version": selection.suite.version,
        "protocol": msgspec.to_builtins(selection.protocol),
    }
    if file := selection.suite.file:
        copy = f"suite{file.suffix}"
        write_atomically(folder / copy, file.read_bytes())
        asked["suite_file"] = f"{copy}:{selection.suite.name}"
    write_json(folder / "asked.json", to_json(asked))


def plan_tasks(selection: Selection) -> WrittenTasks:
    """All tasks made from the items; raises if there are none."""
    by_kind: dict[TaskKind, list[dict[str, Any]]] = defaultdict(list)
    left_out: Counter[LeftOut] = Counter()
    for each in documents(selection):
        if isinstance(each, Document):
            by_kind[each.kind].append(each.content)
        else:
            left_out[each] += 1
    if not by_kind:
        raise nothing_to_export(
            selection, "lm-evaluation-harness", left_out, "`--to hf` exports the items themselves"
        )
    languages = {kind.language for kind in by_kind}
    tasks = [
        make_task(selection, kind, contents, several=len(languages) > 1)
        for kind, contents in by_kind.items()
    ]
    if len({task.name for task in tasks}) < len(tasks):
        raise ValueError(f"Two tasks of {selection.suite.name} would have the same name.")
    return WrittenTasks(tasks, dict(left_out))


def nothing_to_export(
    selection: Selection, tool: str, left_out: Iterable[LeftOut], instead: str
) -> InputError:
    """The error if no request of the items can be sent in the same way by another tool."""
    reasons = "; ".join(f"{each.what}: {each.why}" for each in left_out) or "it sends no request"
    return InputError(
        f"The suite {selection.suite.name} has no items here that {tool} could measure as Epicene "
        f"does ({reasons}); {instead}."
    )


def task_groups(suite: str, tasks: list[Task]) -> dict[str, list[Task]]:
    """The tasks that can run together, by the name of their group."""
    found: dict[str, list[Task]] = defaultdict(list)
    for task in tasks:
        found[group_name(suite, chat=task.kind.chat)].append(task)
    return dict(found)


def json_lines(task: Task) -> bytes:
    """The documents of a task, one per line."""
    return b"".join(msgspec.json.encode(document) + b"\n" for document in task.documents)
