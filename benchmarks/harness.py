"""Does lm-evaluation-harness, given exported tasks, find what Epicene finds, item by item?

    python benchmarks/harness.py [--model MODEL_FOLDER] [--limit N] [--python INTERPRETER]

Every suite with texts is exported, its tasks are run by the harness on the same model in an
environment of its own (made on the first run, or named), and its verdicts are held against those of
Epicene's own scoring, writing and judging. Choices and greedy texts must give the same verdicts;
texts that are drawn are other texts, and only their shares are shown. As a verdict can be the same
by accident, what lies below it is compared too: by how much the log-likelihoods of two choices lie
further apart in one than in the other, at most, and how many greedy texts are the same letter by
letter.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

from epicene.core.errors import RunError
from epicene.core.files import ImageFolder
from epicene.core.records import Failed, Scores, Texts
from epicene.export.selection import Selection, select
from epicene.interop.lm_eval import write_tasks
from epicene.models import ModelOptions, downloads, embedded, open_model, parse_spec
from epicene.suites import AnsweredRequest, Answers, DataSource, choose_protocol, find_suite
from peers import environment

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from epicene.core.records import Answer, Request
    from epicene.interop.tasks import Task
    from epicene.models import Model

RUNNER = Path(__file__).parent / "peers" / "harness_runner.py"
ROOT = Path(__file__).parents[1]
BATCH = 16


class Case(NamedTuple):
    """A suite, the settings under which it is exported, and whether texts are written too."""

    suite: str
    settings: Mapping[str, str] = {}
    writing: bool = False


CASES = (
    Case("alternations", {"formats": "acceptability"}),
    Case("misgendering"),
    Case("genform", {"formats": "probability"}),
    Case("genform", {"new_tokens": "32"}, writing=True),
    Case("apgc", {"new_tokens": "12", "tasks": "identification,rewriting"}, writing=True),
    Case("alternations", {"formats": "prompt"}, writing=True),
    Case(
        "misgendering",
        {"samples": "2", "new_tokens": "16", "pronouns": "he,they"},
        writing=True,
    ),
)


class Ours(NamedTuple):
    """What Epicene made of one document."""

    outcome: str
    answer: Answer


class Verdict(NamedTuple):
    """What both made of one document: Epicene's outcome, the harness's metrics; and the answers
    below them."""

    id: str
    ours: str
    theirs: Mapping[str, float]
    apart: float | None = None  # of choices: how far their differences lie apart
    same_text: bool | None = None  # of greedy texts

    @property
    def same(self) -> bool:
        """Whether they agree. A tie is shared in the harness; in Epicene it is undetected, or the
        first text has it."""
        if "acc" not in self.theirs:
            return self.theirs[self.ours] == 1.0
        tied, acc = self.theirs["tied"] == 1, self.theirs["acc"]
        if self.ours == "undetected":
            return tied
        return acc > 0 if self.ours == "right" else acc < 1


class Compared(NamedTuple):
    """One task, document by document, and the harness's numbers; or why the harness refused it.

    Texts that are drawn have no verdicts, as Epicene's would be other texts.
    """

    case: Case
    task: str
    verdicts: Sequence[Verdict] = ()
    shares: Mapping[str, float] = {}
    refused: str = ""


class Job(NamedTuple):
    """Tasks of one case that the harness runs in one go, and Epicene's verdicts on them."""

    case: Case
    folder: Path
    tasks: Sequence[str]
    chat: bool
    ours: Mapping[str, Ours]


def compare(cases: Sequence[Case], model: Path, python: str, limit: int) -> Iterator[Compared]:
    """Run what is exported in Epicene, and all of it in one process of the harness."""
    opened = open_model(parse_spec(f"hf:{model}", ModelOptions(dtype="float32", device="cpu")))
    with TemporaryDirectory() as place:
        jobs = [
            job
            for number, case in enumerate(cases)
            for job in _jobs(case, Path(place) / str(number), opened, limit)
        ]
        opened.close()
        for job, found in zip(jobs, _run(python, model, Path(place), jobs), strict=True):
            for name in job.tasks:
                yield _compared(job, name, found)


def _jobs(case: Case, folder: Path, model: Model, limit: int) -> Iterator[Job]:
    """Export a case, and ask Epicene."""
    suite = find_suite(case.suite)
    protocol = choose_protocol(suite, "epicene", case.settings, None)
    selection = select(suite, protocol, DataSource(), limit=limit)
    written = write_tasks(selection, folder).tasks
    tasks = [task for task in written if case.writing or task.kind.decoding is None]
    ours = dict(_verdicts(selection, model, tasks))
    for chat in sorted({task.kind.chat for task in tasks}):
        names = [task.name for task in tasks if task.kind.chat == chat]
        yield Job(case, folder, names, chat, ours)


def _run(python: str, model: Path, place: Path, jobs: Sequence[Job]) -> list[dict[str, Any]]:
    """What the harness made of the jobs."""
    asked = [
        {"folder": str(job.folder), "tasks": list(job.tasks), "chat": job.chat} for job in jobs
    ]
    (place / "jobs.json").write_text(json.dumps(asked), encoding="utf-8")
    command = [python, RUNNER, model, place / "jobs.json", place / "found.json"]
    with (place / "harness.log").open("w+", encoding="utf-8") as log:
        # What it is at is seen; what it logs is read if it fails.
        done = subprocess.run(list(map(str, command)), stdout=2, stderr=log, check=False)
        if done.returncode:
            log.seek(0)
            raise RunError(f"The harness did not run:\n{log.read()[-3000:]}")
    found: list[dict[str, Any]] = json.loads((place / "found.json").read_text(encoding="utf-8"))
    return found


def _compared(job: Job, task: str, found: Mapping[str, Any]) -> Compared:
    if "refused" in found:
        return Compared(job.case, task, refused=found["refused"])
    verdicts = [
        _verdict(each, job.ours[each["id"]])
        for each in found["samples"][task]
        if each["id"] in job.ours
    ]
    return Compared(job.case, task, verdicts, _shares(found["results"][task]))


def _verdict(sample: Mapping[str, Any], ours: Ours) -> Verdict:
    verdict = Verdict(sample["id"], ours.outcome, sample["metrics"])
    answer, theirs = ours.answer, sample["answers"]
    if isinstance(answer, Scores):
        # The harness may score the white space before a text with it: of all choices alike.
        found = [(text.sum, score) for text, (score, _) in zip(answer.texts, theirs, strict=True)]
        apart = max(abs((a - found[0][0]) - (b - found[0][1])) for a, b in found)
        return verdict._replace(apart=apart)
    assert isinstance(answer, Texts)
    return verdict._replace(same_text=answer.texts[0].text.strip() == theirs[0].strip())


def _verdicts(
    selection: Selection, model: Model, tasks: Sequence[Task]
) -> Iterator[tuple[str, Ours]]:
    """Epicene's own outcome and answer of each document whose answer is not drawn at random."""
    fixed = {
        document["id"]
        for task in tasks
        if task.kind.decoding is None or task.kind.decoding.temperature == 0
        for document in task.documents
    }
    suite, protocol = selection.suite, selection.protocol
    suite = suite.for_protocol(protocol, [role.name for role in suite.roles])
    asked = [
        (item, stage, request)
        for stage in suite.stages
        if not stage.needs
        for item in selection.items
        for request in stage.ask(item, Answers(), protocol)
        if f"{item.id} {request.name}" in fixed
    ]
    answers = _answers(model, [request for _, _, request in asked])
    for (item, stage, request), answer in zip(asked, answers, strict=True):
        given = Answers([AnsweredRequest(stage.name, stage.role, "", request.name, answer)])
        judged = [
            judgement.outcome
            for judgement in suite.judge(item, given, protocol)
            # Other measures than the protocol's are named in brackets.
            if judgement.outcome and "(" not in judgement.name
        ]
        yield f"{item.id} {request.name}", Ours(judged[0], answer)


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


def _below(verdicts: Sequence[Verdict]) -> str:
    """How far the answers themselves are the same."""
    apart = [each.apart for each in verdicts if each.apart is not None]
    texts = [each.same_text for each in verdicts if each.same_text is not None]
    told = [f"{max(apart):.1e} apart at most"] if apart else []
    return ", ".join([*told, f"{sum(texts)} of {len(texts)} texts the same"] if texts else told)


def main() -> None:
    """Compare everything and print a table; fail if a verdict differs."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--model", type=Path, help="a model folder; the embedded smollm2 if none")
    parser.add_argument("--limit", type=int, default=20, help="items of each part of the data")
    parser.add_argument("--python", help="an interpreter with lm_eval and epicene")
    options = parser.parse_args()
    model = options.model or embedded.fetch("smollm2")
    python = options.python or environment.python(
        downloads.cache_folder() / "benchmarks", also=("--editable", str(ROOT))
    )
    print("| task | documents compared | same verdict | below it | the harness's numbers |")
    print("| :-- | --: | --: | :-- | :-- |")
    differing = 0
    for each in compare(CASES, model, python, options.limit):
        same = sum(verdict.same for verdict in each.verdicts)
        differing += len(each.verdicts) - same
        shares = ", ".join(f"{name} {value:.3f}" for name, value in each.shares.items())
        settings = " ".join(f"{name}={value}" for name, value in each.case.settings.items())
        told = f"{_below(each.verdicts)} | {each.refused or shares}"
        print(f"| {each.task} ({settings}) | {len(each.verdicts)} | {same} | {told} |")
    sys.exit(1 if differing else 0)


if __name__ == "__main__":
    main()
