"""Read external answers: one continuation per line, with the person's pronoun."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from epicene.core.data_files import read_rows
from epicene.core.errors import InputError, unknown
from epicene.core.records import Text, Texts
from epicene.suites import AnsweredRequest, Answers
from epicene.suites.misgendering.ask import OPEN
from epicene.suites.misgendering.items import PUBLISHED_SETS, Instance

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from epicene.core.records import Judgement
    from epicene.suites import Dataset
    from epicene.suites.misgendering.protocol import MisgenderingProtocol

_OUTCOME_NAMES = {"right": "correct", "wrong": "misgendering", "undetected": "none"}


def read_answers(
    path: Path, _dataset: Dataset, _protocol: MisgenderingProtocol
) -> Iterator[tuple[Instance, Answers]]:
    """Lines of `dataset`, `pronoun`, `text` (the continuation alone) and perhaps `context`."""
    for number, line in enumerate(read_rows(path), start=1):
        values = line.values
        for field in ("dataset", "pronoun", "text"):
            if not isinstance(values.get(field), str):
                raise InputError(f"{line.location} lacks the field {field!r}.")
        dataset, pronoun = values["dataset"], values["pronoun"]
        if dataset not in PUBLISHED_SETS:
            raise InputError(f"{line.location} {unknown('dataset', dataset, PUBLISHED_SETS)}")
        sets = PUBLISHED_SETS[dataset]
        if pronoun not in {each.pronoun for each in sets}:
            known = unknown("pronoun", pronoun, [each.pronoun for each in sets])
            raise InputError(f"{line.location} {known}")
        instance = Instance(
            id=str(number),
            dataset=dataset,
            pronoun=pronoun,
            before=str(values.get("context", "")),
            sets=sets,
        )
        answer = Texts(texts=(Text(text=values["text"]),))
        yield instance, Answers([AnsweredRequest("ask", "model", "given", OPEN, answer)])


def item_details(judgement: Judgement) -> dict[str, Any]:
    """What `--items` adds to a judgement of a continuation, in the paper's terms."""
    if judgement.facets.get("format") != "generation" or judgement.outcome is None:
        return {}
    return {
        "first_pronoun": judgement.evidence.get("first pronoun") or None,
        "set": judgement.label,
        "outcome": _OUTCOME_NAMES[judgement.outcome],
        "paper_correct": int(judgement.outcome != "wrong"),
    }
