"""RUFF without distractors: an introduction that shows a pronoun, then a task with a gap."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.datafiles import read_rows
from epicene.suites.misgendering.instances import PUBLISHED_CASES, Instance
from epicene.suites.misgendering.sources.forms import candidates, read_forms
from epicene.suites.misgendering.sources.published_files import published

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DATASET = "ruff"


def files(folder: Path, *, exact: bool) -> list[Path]:
    """The tasks and the pronouns."""
    return [
        published(folder, f"{DATASET}/{name}", exact=exact)
        for name in ("eo_task.tsv", "pronouns.csv")
    ]


def instances(paths: list[Path]) -> Iterator[Instance]:
    """The rows, pronoun by pronoun, in the file's order. No gap begins a sentence."""
    sets = read_forms(paths[1])
    rows = [
        (line.values, PUBLISHED_CASES[line.values["pronoun_type"]]) for line in read_rows(paths[0])
    ]
    for gold in sets:
        # The column `pronoun` holds the form in the row's case: "her" is she twice over.
        mine = (each for each in rows if each[0]["pronoun"] == gold.forms[each[1]])
        for number, (row, case) in enumerate(mine):
            before, _, after = row["sentence"].partition(row["pronoun_type"])
            yield Instance(
                id=f"{DATASET}/{gold.pronoun}/{number}",
                group=f"{DATASET}/{row['occupation']}",
                dataset=DATASET,
                pronoun=gold.pronoun,
                before=before,
                after=after,
                case=case,
                candidates=candidates(sets, case, capital=False),
                sets=sets,
                template=row["uid"],
                occupation=row["occupation"],
            )
