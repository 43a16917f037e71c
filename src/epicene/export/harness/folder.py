"""The folder that lm-evaluation-harness reads: tasks, documents, how they are judged, a README."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from epicene.errors import InputError
from epicene.export.folders import as_yaml, new_folder, write_text
from epicene.export.harness.documents import Document, LeftOut, documents
from epicene.export.harness.readme import readme
from epicene.export.harness.tasks import Task, group, group_name, make_task
from epicene.records import to_json
from epicene.runs.files import write_whole

if TYPE_CHECKING:
    from epicene.export.harness.documents import Kind
    from epicene.export.selection import Selection

JUDGING = Path(__file__).with_name("judging.py")


class Written(NamedTuple):
    """The tasks that were written, and how often each thing was left out."""

    tasks: list[Task]
    left_out: dict[LeftOut, int]


def write_tasks(selection: Selection, folder: Path) -> Written:
    """Write the folder; `lm_eval --include_path FOLDER` runs its tasks."""
    new_folder(folder)
    made = plan(selection)
    for task in made.tasks:
        write_text(folder / f"{task.name}.yaml", [as_yaml(task.settings).rstrip("\n")])
        write_whole(folder / f"{task.name}.jsonl", _lines(task))
    for name, tasks in groups(selection.suite.name, made.tasks).items():
        write_text(folder / f"{name}_group.yaml", [as_yaml(group(name, tasks)).rstrip("\n")])
    write_whole(folder / JUDGING.name, JUDGING.read_bytes())
    asked = {
        "suite": selection.suite.name,
        "version": selection.suite.version,
        "protocol": msgspec.to_builtins(selection.protocol),
    }
    write_whole(folder / "asked.json", msgspec.json.format(to_json(asked), indent=2) + b"\n")
    write_text(folder / "README.md", readme(selection, made.tasks, made.left_out))
    return made


def plan(selection: Selection) -> Written:
    """All tasks that the items give; raises if they give none."""
    by_kind: dict[Kind, list[dict[str, Any]]] = defaultdict(list)
    left_out: Counter[LeftOut] = Counter()
    for each in documents(selection):
        if isinstance(each, Document):
            by_kind[each.kind].append(each.content)
        else:
            left_out[each] += 1
    if not by_kind:
        reasons = "; ".join(f"{each.what}: {each.why}" for each in left_out) or "it asks nothing"
        raise InputError(
            f"The suite {selection.suite.name} has nothing here that lm-evaluation-harness could "
            f"measure as Epicene does ({reasons}); `--to hf` exports the items themselves."
        )
    languages = {kind.language for kind in by_kind}
    tasks = [
        make_task(selection, kind, contents, several=len(languages) > 1)
        for kind, contents in by_kind.items()
    ]
    if len({task.name for task in tasks}) < len(tasks):
        raise ValueError(f"Two tasks of {selection.suite.name} would have one name.")
    return Written(tasks, dict(left_out))


def groups(suite: str, tasks: list[Task]) -> dict[str, list[Task]]:
    """The tasks that can run in one go, by the name of their group."""
    found: dict[str, list[Task]] = defaultdict(list)
    for task in tasks:
        found[group_name(suite, chat=task.kind.chat)].append(task)
    return dict(found)


def _lines(task: Task) -> bytes:
    return b"".join(msgspec.json.encode(document) + b"\n" for document in task.documents)
