"""A suite's requests as documents of tasks, for tools that send prompts or score choices.

A request for scores becomes a choice among texts; a request to generate becomes a text that the
suite's judge scores.
"""

from __future__ import annotations

import re
import shlex
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from epicene import __version__
from epicene.core.errors import InputError
from epicene.core.files import write_atomically
from epicene.core.records import Decoding, Generate, Score, to_json, verb
from epicene.export.folders import (
    CARD_FILE,
    fault_lines,
    file_names,
    protocol_lines,
    write_json,
    write_text,
)
from epicene.suites import Answers
from epicene.suites.paper_material import with_paper_wording
from epicene.suites.protocol_settings import adjustable
from epicene.suites.single_answer_judge import NeedsAllAnswersError, SingleAnswerJudge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from epicene.core.records import Item, Prompt, Request
    from epicene.export.selection import Selection
    from epicene.suites import Stage, Suite


class TaskKind(NamedTuple):
    """What the documents of one task share. A choice has no decoding."""

    format: str
    language: str
    chat: bool
    decoding: Decoding | None = None
    samples: int = 1


class Task(NamedTuple):
    """Documents that a tool asks and measures in the same way."""

    name: str
    kind: TaskKind
    documents: Sequence[dict[str, Any]]


class Plan(NamedTuple):
    """The tasks of a selection, and sentences on what the tool cannot ask as Epicene does."""

    tasks: list[Task]
    left_out: list[str]


class Tool(NamedTuple):
    """A tool that runs tasks: the version that exported tasks were tested with, why it cannot run
    a kind of task ("" if it can), and what to know about its numbers.
    """

    name: str
    version: str
    why_not: Callable[[TaskKind], str]
    notes: Sequence[str]


class _CannotAskError(Exception):
    """Why a tool cannot make the same request."""


_BUILT_LATER = "it is built from earlier answers"
_UNSUPPORTED = {
    "fill": "the tool cannot fill a gap with an arbitrary word",
    "translate": "each model translates in its own way, without a prompt from the suite",
    "draw": "the tool has no tasks that draw images",
    "look": "it asks about images that were drawn earlier",
}


def plan_tasks(selection: Selection, tool: Tool) -> Plan:
    """All tasks made from the items; raises if the tool can ask nothing."""
    by_kind: dict[TaskKind, list[dict[str, Any]]] = defaultdict(list)
    left_out: Counter[tuple[str, str]] = Counter()
    suite, protocol = selection.suite, selection.protocol
    suite = suite.for_protocol(protocol, [role.name for role in suite.roles])
    judge = SingleAnswerJudge(suite, protocol)
    left_out.update((each.name, _BUILT_LATER) for each in suite.stages if each.needs)
    for stage, item, request in _requests(suite, selection):
        try:
            kind, document = _document(judge, stage, item, request, protocol)
            if why := tool.why_not(kind):
                raise _CannotAskError(why)
            by_kind[kind].append(document)
        except _CannotAskError as reason:
            left_out[_format(request), str(reason)] += 1
    sentences = [
        f"{what}{f' ({times} requests)' * (times > 1)}, because {why}."
        for (what, why), times in left_out.items()
    ]
    if not by_kind:
        raise InputError(
            f"The suite {suite.name} has no items here that {tool.name} could measure as Epicene "
            f"does ({' '.join(sentences).rstrip('.') or 'it sends no request'}); `--to hf` exports "
            "the items themselves."
        )
    several = len({kind.language for kind in by_kind}) > 1
    names = file_names(
        identifier(suite.name, kind.format, kind.language * several) for kind in by_kind
    )
    return Plan(
        [Task(name, *each) for name, each in zip(names, by_kind.items(), strict=True)], sentences
    )


def identifier(*parts: str) -> str:
    """The name of a task or group of tasks, made from these parts."""
    return "_".join(re.sub(r"\W+", "_", part).strip("_") for part in ("epicene", *parts) if part)


def _format(request: Request) -> str:
    """The format of a request, which is the first part of its name."""
    return request.name.partition(" ")[0] or verb(request)


def _requests(
    suite: Suite[Any, Any], selection: Selection
) -> Iterator[tuple[Stage[Any, Any], Item, Request]]:
    """The requests that need no earlier answers. The tools have no masks, so several ways of
    masking are one request.
    """
    for stage in suite.stages:
        for item in selection.items if not stage.needs else ():
            seen = set()
            for request in stage.ask(item, Answers(), selection.protocol):
                if isinstance(request, Score):
                    asked = (_format(request), request.context, request.texts)
                    if asked in seen:
                        continue
                    seen.add(asked)
                yield stage, item, request


def _document(
    judge: SingleAnswerJudge, stage: Stage[Any, Any], item: Item, request: Request, protocol: Any
) -> tuple[TaskKind, dict[str, Any]]:
    """A document, and the kind of task it belongs to."""
    if not isinstance(request, Score | Generate):
        raise _CannotAskError(_UNSUPPORTED[verb(request)])
    prompt = request.context if isinstance(request, Score) else request.prompt
    kind = TaskKind(_format(request), item.language, not isinstance(prompt, str))
    document = {
        "id": f"{item.id} {request.name}".strip(),
        "item": item.id,
        "request": request.name,
        "group": item.cluster,
        "language": item.language,
        "chat": kind.chat,
        **_turns(prompt),
    }
    try:
        if isinstance(request, Score):
            target = _target(judge, stage, item, request, getattr(protocol, "measure", "sum"))
            return kind, {**document, "choices": list(request.texts), "target": target}
        if not judge.takes_texts(item, stage, request):
            raise _CannotAskError("the suite does not judge answers to it as right or wrong")
    except NeedsAllAnswersError:
        raise _CannotAskError(
            "the suite judges all answers of an item together, but the tool judges one at a time"
        ) from None
    judged = {"stage": stage.name, "role": stage.role, "record": to_json(item).decode()}
    kind = kind._replace(decoding=request.decoding, samples=request.samples)
    return kind, {**document, **judged}


def _target(
    judge: SingleAnswerJudge, stage: Stage[Any, Any], item: Item, request: Score, measure: str
) -> int:
    """The index of the right text."""
    if isinstance(request.decoding, Decoding):
        raise _CannotAskError("it asks how likely a text is to be sampled, which is no choice")
    if len(request.texts) < 2:
        raise _CannotAskError("it has only one text, so there is no choice")
    if measure != "sum":
        raise _CannotAskError(
            f"the tool compares sums of log-probabilities, not the measure `{measure}` "
            "(--set measure=sum)"
        )
    if not request.context and request.first_token != "bos":
        raise _CannotAskError(
            "the tool puts a beginning-of-sequence token before every text, but the protocol "
            "does not (--set first_token=bos)"
        )
    target = judge.right_text(item, stage, request)
    if target is None:
        raise _CannotAskError("none of its texts is the only right one")
    return target


def _turns(prompt: Prompt) -> dict[str, str]:
    """The system message and the rest of a prompt."""
    if isinstance(prompt, str):
        return {"system": "", "prompt": prompt}
    if [turn.role for turn in prompt] not in (["user"], ["system", "user"]):
        raise _CannotAskError("its chat has turns other than a system message and a user message")
    return {
        "system": "".join(turn.content for turn in prompt[:-1]),
        "prompt": prompt[-1].content,
    }


# --- files ---------------------------------------------------------------------------------


def write_documents(selection: Selection, tasks: Sequence[Task], folder: Path) -> None:
    """Write the documents, and what the suite's judge needs to know in asked.json."""
    for task in tasks:
        lines = b"".join(to_json(document) + b"\n" for document in task.documents)
        write_atomically(folder / f"{task.name}.jsonl", lines)
    suite = selection.suite
    asked = {
        "suite": suite.name,
        "version": suite.version,
        "protocol": msgspec.to_builtins(selection.protocol),
    }
    if suite.file:
        copy = f"suite{suite.file.suffix}"
        write_atomically(folder / copy, suite.file.read_bytes())
        asked["suite_file"] = f"{copy}:{suite.name}"
    write_json(folder / "asked.json", to_json(asked))


def write_readme(
    selection: Selection, plan: Plan, tool: Tool, commands: Sequence[str], folder: Path
) -> None:
    """Write the README; `commands` run the tasks."""
    write_text(folder / CARD_FILE, _readme(selection, plan, tool, commands))


def _readme(selection: Selection, plan: Plan, tool: Tool, commands: Sequence[str]) -> Iterator[str]:
    """Tasks, how to run them, what the numbers mean, what is left out, where the items are from."""
    card = selection.card
    yield from (f"# {card.title} for {tool.name}", "", card.about, "")
    for task in plan.tasks:
        samples = f", {task.kind.samples} samples each" if task.kind.samples > 1 else ""
        yield f"- `{task.name}`: {len(task.documents)} documents{samples}"
    yield from ("", "## How to run it", "", f"Tested with {tool.name} {tool.version}.", "")
    yield from ("```", *commands, _reading_command(selection), "```", "")
    yield from ("The last command prints the suite's tables from the logs.", "")
    yield from ("## What the numbers mean", "", *(f"- {note}" for note in tool.notes), "")
    yield from ("## Protocol", "", *protocol_lines(selection.protocol, card))
    if plan.left_out:
        yield from ("## What is left out", "", *(f"- {each}" for each in plan.left_out), "")
    yield from selection.provenance_lines()
    source = "the source named above" if card.source else "the source of the data"
    yield from (f"Exported by Epicene {__version__}. Cite {source}, and Epicene.", "")
    yield from fault_lines(card, "##")


def _reading_command(selection: Selection) -> str:
    """The command that reads the logs of exported tasks."""
    suite, protocol = selection.suite, selection.protocol
    words = ["epicene", "score", suite.name, "--answers", "LOGS", "--protocol", protocol.name]
    if not selection.own:
        words += ["--data", selection.data]
    default = with_paper_wording(suite, suite.protocols[protocol.name])
    for name in adjustable(type(protocol)):
        value = getattr(protocol, name)
        if value != getattr(default, name):
            given = ",".join(map(str, value)) if isinstance(value, tuple | list) else value
            words += ["--set", f"{name}={given}"]
    return shlex.join(words)
