"""Tables of the shape of RUFF's in full, and programs that read and plan all that they give.

180 tasks and 30 contexts, written here. The programs take the numbers of distractors and print a
count and their peak memory in KiB. It is the kernel's own figure, since that of `getrusage` begins
at what the process had that started them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

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

_ORDER = """
import sys
from pathlib import Path
from epicene.models import parse_spec
from epicene.runs.run import Order
from epicene.suites import Source, choose_protocol
from epicene.suites.misgendering import suite

settings = {"distractors": sys.argv[1], "datasets": "ruff"}
order = Order(
    suite=suite,
    protocol=choose_protocol(suite, "epicene", settings, None),
    models={"model": [parse_spec("random")]},
    source=Source(path=Path("data")),
)
dataset = suite.read(order.source, order.protocol)

def tell(count):
    with open("/proc/self/status") as status:
        print(count, next(line.split()[1] for line in status if line.startswith("VmHWM")))
"""
READ = f"{_ORDER}\ntell(sum(1 for _ in dataset.items))"
PLAN = f"""{_ORDER}
from epicene.models import open_model
from epicene.runs.plan import Reader, survey
from epicene.runs.run import prepared

folder = Path("planned")
folder.mkdir()
store = prepared(folder, order, dataset)
(stage, *_) = suite.stages
section = store.section(stage.name, stage.role, open_model(parse_spec("random")).identity)
tell(survey(Reader(store, suite, order.protocol), store, stage, section).total)
"""
ASK = f"""{_ORDER}
from dataclasses import replace
from epicene.runs.run import run

class Silent:
    begin = advance = end = lambda *_: None

_, manifest = run(replace(order, limit=600, under=Path("runs")), Silent())
tell(manifest.items)
"""


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
