"""Tables of the shape of RUFF's in full, and a program that reads and plans all that they give.

180 tasks and 30 contexts, written here. The program takes what to do (`read`, `plan` or `ask`) with
the numbers of distractors in the folder data/, and prints a count and its peak memory in KiB. It is
the kernel's own figure, since that of `getrusage` begins at that of the parent process.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from epicene.models import open_model, parse_spec
from epicene.runs.config import RunConfig
from epicene.runs.estimate import estimate_run
from epicene.runs.items import select_items
from epicene.runs.plan import Plan
from epicene.runs.run import run
from epicene.runs.store import AnswerStore
from epicene.suites import Dataset, DataSource, choose_protocol
from epicene.suites.misgendering import suite
from epicene.suites.misgendering.protocol import MisgenderingProtocol

TASKS = {
    "$NOM_PRONOUN": "The {who} said that $NOM_PRONOUN had closed the shop.",
    "$ACC_PRONOUN": "The {who} knew that the manager would call $ACC_PRONOUN back.",
    "$POSS_PRONOUN": "The {who} carried $POSS_PRONOUN own ladder upstairs.",
}
TOPICS = {
    "positive": ("slept well", "won a prize", "heard good news", "ate a warm meal", "met a friend"),
    "negative": ("slept badly", "lost a bet", "heard bad news", "skipped lunch", "missed a friend"),
}
CLAUSES = {
    "$NOM_PRONOUN": "and $NOM_PRONOUN said so",
    "$ACC_PRONOUN": "and it showed on $ACC_PRONOUN",
    "$POSS_PRONOUN": "and $POSS_PRONOUN mood showed it",
}


def write_tables(root: Path) -> None:
    """Write ruff/task.tsv and ruff/context.tsv."""
    (root / "ruff").mkdir()
    tasks = ["occupation\tparticipant\tsentence\tpronoun_type\tword"]
    for number in range(60):
        for slot, text in TASKS.items():
            who = f"worker-{number}"
            tasks.append(f"{who}\tguest-{number}\t{text.format(who=who)}\t{slot}\t{who}")
    contexts = ["pronoun_type\tpolarity\texplicit_template\timplicit_template"]
    for slot, clause in CLAUSES.items():
        for polarity, topics in TOPICS.items():
            for topic in topics:
                named = f"the $OCCUPATION/PARTICIPANT {topic} {clause}."
                contexts.append(
                    f"{slot}\t{polarity}\t{named}\tonce more it was true: {topic} {clause}."
                )
    for name, lines in (("task", tasks), ("context", contexts)):
        (root / "ruff" / f"{name}.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def read(numbers: str) -> int:
    """Read all instances with those numbers of distractors; how many there are."""
    _, dataset = _config_and_data(numbers)
    return sum(1 for _ in dataset.items)


def plan(numbers: str) -> int:
    """Do what a run does before it asks a model; how many requests there are."""
    config, dataset = _config_and_data(numbers)
    folder = Path("planned")
    folder.mkdir()
    store = AnswerStore(folder / "answers.sqlite", create=True)
    with store.all_or_nothing():
        store.put_items(select_items(config, dataset), dataset.name)
    model = open_model(parse_spec("random"))
    walked = Plan(store, config.suite, config.protocol, {"model": (model.identity,)})
    return estimate_run(config, walked, {"model": [model]}, store).left


def ask(numbers: str) -> int:
    """Run `random` on a part; of how many items."""
    from runs.conftest import Silent  # with pytest, which takes memory

    config, _ = _config_and_data(numbers)
    _, manifest = run(replace(config, limit=600, under=Path("runs")), Silent())
    return manifest.items


def _config_and_data(numbers: str) -> tuple[RunConfig, Dataset]:
    settings = {"distractors": numbers, "datasets": "ruff"}
    protocol = choose_protocol(suite, "epicene", settings, None)
    assert isinstance(protocol, MisgenderingProtocol)
    config = RunConfig(
        suite=suite.for_protocol(protocol, ["model"]),
        protocol=protocol,
        models={"model": [parse_spec("random")]},
        source=DataSource(path=Path("data")),
    )
    return config, config.suite.read(config.source, config.protocol)


if __name__ == "__main__":
    count = {"read": read, "plan": plan, "ask": ask}[sys.argv[1]](sys.argv[2])
    with Path("/proc/self/status").open() as status:
        peak = next(line.split()[1] for line in status if line.startswith("VmHWM"))
    sys.stdout.write(f"{count} {peak}\n")
