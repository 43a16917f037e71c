"""Write the folder that Inspect runs: a task file, documents and a README."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from epicene.core.files import write_atomically
from epicene.export.folders import (
    CARD_FILE,
    check_new_folder,
    new_folder,
    protocol_lines,
    write_text,
)
from epicene.export.lm_eval.folder import (
    WrittenTasks,
    closing_lines,
    json_lines,
    nothing_to_export,
    reading_command,
    write_asked,
)
from epicene.export.lm_eval.tasks import Document, LeftOut, Task, documents, make_task
from epicene.suites.data_cards import markdown_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.core.records import Decoding
    from epicene.export.lm_eval.tasks import TaskKind
    from epicene.export.selection import Selection

TESTED_VERSION = "0.3.285"  # the version of Inspect that exported tasks were tested with
TASK_FILE = Path(__file__).with_name("task_file.py")
NO_LIKELIHOODS = "Inspect does not give the log-likelihoods of texts"


def write_inspect_tasks(selection: Selection, folder: Path) -> WrittenTasks:
    """Write the folder; `inspect eval FOLDER --model MODEL` runs its tasks."""
    check_new_folder(folder)
    made = _plan(selection)
    with new_folder(folder) as unfinished:
        for task in made.tasks:
            write_atomically(unfinished / f"{task.name}.jsonl", json_lines(task))
        write_text(unfinished / _file_name(selection), _task_file(made.tasks))
        write_asked(selection, unfinished)
        write_text(unfinished / CARD_FILE, _readme(selection, made))
    return made


def _file_name(selection: Selection) -> str:
    return f"epicene_{selection.suite.name}.py"


def _plan(selection: Selection) -> WrittenTasks:
    by_kind: dict[TaskKind, list[dict[str, Any]]] = defaultdict(list)
    left_out: Counter[LeftOut] = Counter()
    for each in documents(selection):
        if isinstance(each, LeftOut):
            left_out[_for_inspect(each)] += 1
        elif why := _why_not(each):
            left_out[LeftOut(each.kind.format, why)] += 1
        else:
            by_kind[each.kind].append(each.content)
    if not by_kind:
        instead = "`--to hf` exports the items themselves"
        if any(each.why == NO_LIKELIHOODS for each in left_out):
            instead = "`--to lm-eval` exports choices by log-likelihood"
        raise nothing_to_export(selection, "Inspect", left_out, instead)
    several = len({kind.language for kind in by_kind}) > 1
    tasks = [make_task(selection, kind, each, several=several) for kind, each in by_kind.items()]
    return WrittenTasks(tasks, dict(left_out))


def _for_inspect(left_out: LeftOut) -> LeftOut:
    """What lm-evaluation-harness cannot ask, Inspect cannot ask either."""
    return LeftOut(left_out.what, left_out.why.replace("the harness", "Inspect"))


def _why_not(document: Document) -> str:
    """Why Inspect cannot send the same request; "" if it can."""
    kind = document.kind
    if kind.decoding is None:
        return NO_LIKELIHOODS
    if not kind.chat:
        return "Inspect sends every prompt as a chat, and this is a text to continue"
    if kind.decoding.exact_length:
        return "Inspect cannot prevent a model from ending early"
    return ""


def _task_file(tasks: list[Task]) -> Iterator[str]:
    yield TASK_FILE.read_text(encoding="utf-8").rstrip("\n")
    for task in tasks:
        assert task.kind.decoding is not None
        arguments = [f'"{task.name}"', str(task.kind.samples), *_config(task.kind.decoding)]
        yield from ("", "", "@task", f"def {task.name}() -> Task:")
        yield f'    """{len(task.documents)} documents."""'
        yield f"    return _task({', '.join(arguments)})"


def _config(decoding: Decoding) -> Iterator[str]:
    """Decoding settings as Inspect names them; without a temperature, the model's default is
    used.
    """
    yield f"max_tokens={decoding.max_new_tokens}"
    for name, value in (
        ("temperature", decoding.temperature),
        ("top_k", decoding.top_k),
        ("top_p", decoding.top_p),
    ):
        if value is not None:
            yield f"{name}={value!r}"
    if decoding.stop:
        yield f"stop_seqs={list(decoding.stop)!r}"
    if decoding.temperature != 0:
        yield f"seed={decoding.seed}"


def _readme(selection: Selection, made: WrittenTasks) -> Iterator[str]:
    card = selection.card
    yield f"# {card.title} for Inspect"
    yield ""
    yield card.about
    yield ""
    rows = [(f"`{task.name}`", len(task.documents), task.kind.samples) for task in made.tasks]
    yield from markdown_table(("task", "documents", "epochs"), rows)
    yield ""
    yield from ("## How to run it", "")
    yield (
        f"Tested with Inspect {TESTED_VERSION}, in this folder. Epicene must be installed in the "
        "same environment."
    )
    yield ""
    yield from ("```", f"inspect eval {_file_name(selection)} --model MODEL --log-dir LOGS")
    yield reading_command(selection)
    yield from ("```", "")
    yield (
        "`right`, `wrong` and `undetected` are the verdicts of the suite's own judge on each "
        "text. Undetected (no pronoun, a refusal, nothing readable) counts as neither wrong nor "
        "right. Standard errors are clustered by `group`, because variants of one sentence are "
        "not independent. `epicene score` reads the logs and prints the suite's tables."
    )
    yield ""
    yield from ("## Protocol", "")
    yield from protocol_lines(selection.protocol, card)
    yield from closing_lines(selection, made.left_out)
