"""RUFF: an introduction that shows a pronoun, then a task with a gap; optionally with distractors.

With distractors, up to five sentences about somebody else come in between. These instances are
built from two tables and streamed, since all numbers of distractors together give 5.6 million.
`task.tsv` has a task per occupation and case; `context.tsv` has ten contexts per case, five topics
in a positive and a negative version, each as an introduction that names the person and as a
continuation that does not.
"""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, NamedTuple

from epicene.core.data_files import read_rows
from epicene.core.errors import InputError
from epicene.languages.pronouns import CASES
from epicene.suites.misgendering.items import (
    PUBLISHED_CASES,
    PUBLISHED_SETS,
    Instance,
    candidate_forms,
    read_pronoun_forms,
)
from epicene.suites.misgendering.sources import (
    all_published,
    case_of,
    check_one_gap,
    published_file,
    required_text,
)
from epicene.suites.misgendering.sources.own import OWN_OCCUPATIONS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from epicene.core.data_files import FileRow
    from epicene.suites.misgendering.items import PronounForms

DATASET = "ruff"
SLOTS = ("$NOM_PRONOUN", "$ACC_PRONOUN", "$POSS_PRONOUN")


def files(folder: Path, *, exact: bool) -> list[Path]:
    """The tasks and the pronouns."""
    return [
        published_file(folder, f"{DATASET}/{name}", exact=exact)
        for name in ("eo_task.tsv", "pronouns.csv")
    ]


def instances(paths: list[Path]) -> Iterator[Instance]:
    """The rows, pronoun by pronoun, in the file's order. No gap begins a sentence."""
    sets = read_pronoun_forms(paths[1], CASES[:3])
    rows = [
        (_checked(line, "occupation", "pronoun"), case_of(line, "pronoun_type", SLOTS))
        for line in read_rows(paths[0])
    ]
    # Other files in this layout are not RUFF, and no table may say so.
    dataset = DATASET if all_published(paths) else OWN_OCCUPATIONS
    for gold in sets:
        # The column `pronoun` holds the form in the row's case: "her" is she in two cases.
        mine = (row for row, case in rows if row["pronoun"] == gold.forms[case])
        for number, row in enumerate(mine):
            name = f"{DATASET}/{gold.pronoun}/{number}"
            uid = row.get("uid", "")
            yield _instance(name, row, gold, row["sentence"], sets, dataset=dataset, template=uid)


def _checked(line: FileRow, *columns: str) -> dict[str, str]:
    """A row whose sentence has the gap that it names, and which has these columns."""
    for column in columns:
        required_text(line, column)
    slot = required_text(line, "pronoun_type")
    check_one_gap(required_text(line, "sentence"), slot, line.location)
    return line.values


MAX_DISTRACTORS = 5
_PERSON = "$OCCUPATION/PARTICIPANT"
_TOPICS = 5  # contexts i and i + 5 of a case are the two versions of one topic


class RuffContext(NamedTuple):
    """One row of context.tsv, by its number within its case."""

    number: int
    polarity: str
    explicit: str
    implicit: str


def distractor_files(folder: Path) -> list[Path]:
    """The two tables."""
    return [
        published_file(folder, f"{DATASET}/{name}", exact=False)
        for name in ("task.tsv", "context.tsv")
    ]


def distractor_instances(paths: list[Path], wanted: Sequence[int]) -> Iterator[Instance]:
    """All instances with one of the wanted numbers of distractors."""
    if not set(wanted) <= set(range(MAX_DISTRACTORS + 1)):
        raise InputError(
            f"RUFF has 0 to {MAX_DISTRACTORS} distractors, not {', '.join(map(str, wanted))}."
        )
    contexts: dict[str, list[RuffContext]] = {}
    for line in read_rows(paths[1]):
        case_of(line, "pronoun_type", SLOTS)
        mine = contexts.setdefault(line.values["pronoun_type"], [])
        texts = [required_text(line, f"{each}_template") for each in ("explicit", "implicit")]
        mine.append(RuffContext(len(mine), required_text(line, "polarity"), *texts))
    sets = PUBLISHED_SETS[DATASET]
    for number, line in enumerate(read_rows(paths[0])):
        case_of(line, "pronoun_type", SLOTS)
        row = _checked(line, "occupation", "participant")
        slot = row["pronoun_type"]
        if slot not in contexts:
            raise InputError(
                f"{line.location} has the pronoun_type {slot}, for which {paths[1]} has no "
                "context; add one, or remove the task."
            )
        mine = contexts[slot]
        for context in mine:
            for gold in sets:
                yield from _of_task(number, row, context, gold, mine, wanted)


def _of_task(
    number: int,
    task: dict[str, str],
    introduction: RuffContext,
    gold: PronounForms,
    contexts: Sequence[RuffContext],
    wanted: Sequence[int],
) -> Iterator[Instance]:
    """One task after one introduction, without distractors and with every sequence of them."""
    slot = task["pronoun_type"]
    case = PUBLISHED_CASES[slot]
    opening = _sentence(introduction.explicit, task["occupation"], slot, gold.forms[case])
    name = f"{DATASET}/{gold.pronoun}/{number}/{introduction.number}"
    sets = PUBLISHED_SETS[DATASET]
    if 0 in wanted:
        yield _instance(name, task, gold, f"{opening} {task['sentence']}", sets)
    for other in sets:
        if other.pronoun == gold.pronoun:
            continue
        for distractor in contexts:
            # Another topic of the other polarity, so that the two people can be told apart.
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
                    numbers = "-".join(str(index) for index, _ in row)
                    texts = (opening, first, *(text for _, text in row), task["sentence"])
                    yield _instance(
                        f"{name}/{other.pronoun}/{distractor.number}/{count}/{numbers}",
                        task,
                        gold,
                        " ".join(texts),
                        sets,
                        distractors=count,
                    )


def _sentence(template: str, person: str, slot: str, form: str) -> str:
    return template.replace(_PERSON, person).replace(slot, form).capitalize()


def _instance(
    name: str,
    row: dict[str, str],
    gold: PronounForms,
    text: str,
    sets: tuple[PronounForms, ...],
    *,
    dataset: str = DATASET,
    template: str = "",
    distractors: int = 0,
) -> Instance:
    slot = row["pronoun_type"]
    case = PUBLISHED_CASES[slot]
    before, _, after = text.partition(slot)
    return Instance(
        id=name,
        group=f"{DATASET}/{row['occupation']}",
        dataset=dataset,
        pronoun=gold.pronoun,
        before=before,
        after=after,
        case=case,
        candidates=candidate_forms(sets, case, capital=False),
        sets=() if distractors else sets,
        template=template,
        occupation=row["occupation"],
        distractors=distractors,
    )
