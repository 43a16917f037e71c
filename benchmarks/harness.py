"""Does lm-evaluation-harness, given exported tasks, find what Epicene finds, item by item?

    python benchmarks/harness.py [--model MODEL_FOLDER] [--limit N] [--python INTERPRETER]

Every suite with texts is exported, its tasks are run by the harness on the same model in an
environment of its own (made on the first run, or named), and its verdicts are held against those of
Epicene's own scoring, writing and judging. Choices and greedy texts must give the same verdicts;
texts that are drawn are other texts, and only their shares are shown.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

from epicene.errors import RunError
from epicene.export.harness.folder import plan, write_tasks
from epicene.export.selection import Selection, select
from epicene.models import ModelOptions, embedded, open_model, parse_spec
from epicene.records import Failed
from epicene.runs.files import ImageFolder
from epicene.suites import Answers, Given, Source, choose_protocol, find_suite
from peers import environment

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from epicene.export.harness.tasks import Task
    from epicene.models import Model
    from epicene.records import Answer, Request

RUNNER = Path(__file__).parent / "peers" / "harness_runner.py"
ROOT = Path(__file__).parents[1]
BATCH = 16


class Case(NamedTuple):
    """A suite, and the settings under which it is exported."""

    suite: str
    settings: Mapping[str, str] = {}


CHOICES = (
    Case("alternations", {"formats": "acceptability"}),
    Case("alternations", {"formats": "acceptability", "measure": "per character"}),
    Case("alternations", {"formats": "acceptability", "measure": "per word"}),
    Case("misgendering"),
    Case("genform", {"formats": "probability"}),
)
WRITING = (
    Case("genform", {"new_tokens": "24"}),
    Case("apgc", {"new_tokens": "24", "tasks": "identification,rewriting"}),
    Case("alternations", {"formats": "prompt"}),
    Case("misgendering", {"samples": "2", "new_tokens": "16", "pronouns": "they"}),
)


class Verdict(NamedTuple):
    """What both made of one document: Epicene's outcome, the harness's metrics."""

    id: str
    ours: str
    theirs: Mapping[str, float]

    @property
    def same(self) -> bool:
        """Whether they agree; of a tie the harness's credit is a part of one."""
        if "acc" in self.theirs:
            share = {"right": 1.0, "wrong": 0.0}.get(self.ours)
            tied = self.theirs["tied"] == 1
            return tied if share is None else tied or self.theirs["acc"] == share
        return self.theirs[self.ours] == 1.0


class Compared(NamedTuple):
    """One task, document by document; nothing of ours where texts are drawn."""

    task: str
    verdicts: Sequence[Verdict]
    shares: Mapping[str, float]


def exported(case: Case, limit: int) -> Selection:
    """Some items of the starter set."""
    suite = find_suite(case.suite)
    protocol = choose_protocol(suite, "epicene", case.settings, None)
    return select(suite, protocol, Source(), limit=limit)


def compare(
    case: Case, model: Path, python: str, limit: int, *, writing: bool
) -> Iterator[Compared]:
    """Run what is exported in the harness and in Epicene; texts to write only if wanted."""
    selection = exported(case, limit)
    tasks = [each for each in plan(selection).tasks if writing or each.kind.decoding is None]
    ours = dict(_verdicts(selection, model, tasks))
    with TemporaryDirectory() as place:
        write_tasks(selection, Path(place) / "tasks")
        for chat in sorted({task.kind.chat for task in tasks}):
            names = [task.name for task in tasks if task.kind.chat == chat]
            found = run_harness(python, model, Path(place) / "tasks", names, chat=chat)
            for name in names:
                verdicts = [
                    Verdict(each["id"], ours[each["id"]], each["metrics"])
                    for each in found["samples"][name]
                    if each["id"] in ours
                ]
                yield Compared(name, verdicts, _shares(found["results"][name]))


def run_harness(
    python: str, model: Path, folder: Path, tasks: Sequence[str], *, chat: bool
) -> dict[str, Any]:
    """What the harness made of some tasks of a folder."""
    out = folder.parent / "found.json"
    form = "chat" if chat else "plain"
    command = [python, str(RUNNER), str(model), str(folder), str(out), form, *tasks]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RunError(f"The harness did not run {', '.join(tasks)}:\n{done.stderr[-3000:]}")
    found: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    return found


def _verdicts(
    selection: Selection, folder: Path, tasks: Sequence[Task]
) -> Iterator[tuple[str, str]]:
    """Epicene's own outcome of each document whose answer is not drawn at random."""
    fixed = {
        document["id"]
        for task in tasks
        if task.kind.decoding is None or task.kind.decoding.temperature == 0
        for document in task.documents
    }
    suite, protocol = selection.suite, selection.protocol
    suite = suite.under(protocol, [role.name for role in suite.roles])
    asked = [
        (item, stage, request)
        for stage in suite.stages
        if not stage.needs
        for item in selection.items
        for request in stage.ask(item, Answers(), protocol)
        if f"{item.id} {request.name}" in fixed
    ]
    model = open_model(parse_spec(f"hf:{folder}", ModelOptions(dtype="float32", device="cpu")))
    answers = _answers(model, [request for _, _, request in asked])
    for (item, stage, request), answer in zip(asked, answers, strict=True):
        given = Answers([Given(stage.name, stage.role, "", request.name, answer)])
        judged = [
            judgement.outcome
            for judgement in suite.judge(item, given, protocol)
            # Other measures than the protocol's are named in brackets.
            if judgement.outcome and "(" not in judgement.name
        ]
        yield f"{item.id} {request.name}", judged[0]


def _answers(model: Model, requests: Sequence[Request]) -> list[Answer]:
    numbered = list(enumerate(requests))
    batches = (numbered[start : start + BATCH] for start in range(0, len(numbered), BATCH))
    found: dict[int, Answer] = {}
    for part in model.answer(batches, ImageFolder(Path())):
        found.update(part)
    failed = [answer.reason for answer in found.values() if isinstance(answer, Failed)]
    if failed:
        raise RunError(f"Epicene failed at {len(failed)} requests: {failed[0]}.")
    return [found[place] for place in range(len(requests))]


def _shares(results: Mapping[str, Any]) -> dict[str, float]:
    return {
        name.partition(",")[0]: value
        for name, value in results.items()
        if isinstance(value, float) and "stderr" not in name
    }


def main() -> None:
    """Compare everything and print a table; fail if a verdict differs."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--model", type=Path, help="a model folder; the embedded smollm2 if none")
    parser.add_argument("--limit", type=int, default=20, help="items of each part of the data")
    parser.add_argument("--python", help="an interpreter with lm_eval and epicene")
    options = parser.parse_args()
    model = options.model or embedded.fetch("smollm2")
    python = options.python or environment.python(
        embedded.cache_folder() / "benchmarks", also=("--editable", str(ROOT))
    )
    print("| task | documents compared | same verdict | the harness's numbers |")
    print("| :-- | --: | --: | :-- |")
    differing = 0
    for case in (*CHOICES, *WRITING):
        for each in compare(case, model, python, options.limit, writing=case in WRITING):
            same = sum(verdict.same for verdict in each.verdicts)
            differing += len(each.verdicts) - same
            shares = ", ".join(f"{name} {value:.3f}" for name, value in each.shares.items())
            settings = " ".join(f"{name}={value}" for name, value in case.settings.items())
            line = f"| {each.task} ({settings}) | {len(each.verdicts)} | {same} | {shares} |"
            print(line, flush=True)
    sys.exit(1 if differing else 0)


if __name__ == "__main__":
    main()
