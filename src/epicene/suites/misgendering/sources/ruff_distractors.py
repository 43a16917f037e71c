"""RUFF in full: the same tasks with up to five sentences about somebody else in between.

Built from two tables and never held: with all numbers of distractors it is 5.6 million instances.
`task.tsv` has a task per occupation and case; `context.tsv` ten contexts per case, five topics in
a positive and a negative version, each as an introduction that names the person and as a
continuation that does not.
"""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, NamedTuple

from epicene.datafiles import read_rows
from epicene.errors import InputError
from epicene.suites.misgendering.instances import PUBLISHED_CASES, Instance
from epicene.suites.misgendering.sources.forms import PUBLISHED_SETS, candidates
from epicene.suites.misgendering.sources.published_files import published
from epicene.suites.misgendering.sources.ruff import DATASET

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from epicene.suites.misgendering.instances import Forms

MOST = 5
_PERSON = "$OCCUPATION/PARTICIPANT"
_TOPICS = 5  # contexts i and i + 5 of a case are the two versions of one topic


class Context(NamedTuple):
    """One row of context.tsv, by its number within its case."""

    number: int
    polarity: str
    explicit: str
    implicit: str


def files(folder: Path) -> list[Path]:
    """The two tables."""
    return [
        published(folder, f"{DATASET}/{name}", exact=False) for name in ("task.tsv", "context.tsv")
    ]


def instances(paths: list[Path], wanted: Sequence[int]) -> Iterator[Instance]:
    """All instances with one of the wanted numbers of distractors, in the order they are built."""
    if not set(wanted) <= set(range(MOST + 1)):
        raise InputError(f"RUFF has 0 to {MOST} distractors, not {', '.join(map(str, wanted))}.")
    contexts: dict[str, list[Context]] = {}
    for line in read_rows(paths[1]):
        mine = contexts.setdefault(line.values["pronoun_type"], [])
        texts = line.values["explicit_template"], line.values["implicit_template"]
        mine.append(Context(len(mine), line.values["polarity"], *texts))
    sets = PUBLISHED_SETS[DATASET]
    for number, line in enumerate(read_rows(paths[0])):
        mine = contexts[line.values["pronoun_type"]]
        for context in mine:
            for gold in sets:
                yield from _of_task(number, line.values, context, gold, mine, wanted)


def _of_task(
    number: int,
    task: dict[str, str],
    introduction: Context,
    gold: Forms,
    contexts: Sequence[Context],
    wanted: Sequence[int],
) -> Iterator[Instance]:
    """One task after one introduction: alone, and with every row of distractors."""
    slot = task["pronoun_type"]
    case = PUBLISHED_CASES[slot]
    opening = _sentence(introduction.explicit, task["occupation"], slot, gold.forms[case])
    name = f"{DATASET}/{gold.pronoun}/{number}/{introduction.number}"
    if 0 in wanted:
        yield _instance(name, task, gold, [opening], 0)
    for other in PUBLISHED_SETS[DATASET]:
        if other.pronoun == gold.pronoun:
            continue
        for distractor in contexts:
            # Another topic in the other mood, so that the two people are told apart.
            same_topic = distractor.number % _TOPICS == introduction.number % _TOPICS
            if same_topic or distractor.polarity == introduction.polarity:
                continue
            form = other.forms[case]
            first = _sentence(distractor.explicit, task["participant"], slot, form)
            going_on = [
                (each.number, _sentence(each.implicit, task["participant"], slot, form))
                for each in contexts
                if each.polarity == distractor.polarity and each.number != distractor.number
            ]
            for count in wanted:
                for row in permutations(going_on, count - 1) if count else ():
                    numbers = "-".join(str(place) for place, _ in row)
                    yield _instance(
                        f"{name}/{other.pronoun}/{distractor.number}/{count}/{numbers}",
                        task,
                        gold,
                        [opening, first, *(text for _, text in row)],
                        count,
                    )


def _sentence(template: str, person: str, slot: str, form: str) -> str:
    return template.replace(_PERSON, person).replace(slot, form).capitalize()


def _instance(
    name: str, task: dict[str, str], gold: Forms, sentences: list[str], distractors: int
) -> Instance:
    slot = task["pronoun_type"]
    case = PUBLISHED_CASES[slot]
    before, _, after = " ".join([*sentences, task["sentence"]]).partition(slot)
    sets = PUBLISHED_SETS[DATASET]
    return Instance(
        id=name,
        group=f"{DATASET}/{task['occupation']}",
        dataset=DATASET,
        pronoun=gold.pronoun,
        before=before,
        after=after,
        case=case,
        candidates=candidates(sets, case, capital=False),
        sets=() if distractors else sets,
        occupation=task["occupation"],
        distractors=distractors,
    )
