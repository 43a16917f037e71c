"""`epicene score`: judge external answers, without a model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from epicene.cli.options import (
    AsJson,
    Columns,
    DataPath,
    EnglishFile,
    ProtocolName,
    Settings,
    Split,
    SuiteName,
    TaskNames,
    WithItems,
    key_value_pairs,
    protocol_settings,
)
from epicene.core.errors import InputError
from epicene.core.records import Failed, Judgement

if TYPE_CHECKING:
    from epicene.runs.results import Coverage
    from epicene.suites import AnsweredRequest, Answers, Dataset, Protocol, Suite


def score(
    suite: SuiteName,
    answers: Annotated[
        Path | None,
        typer.Option(
            "--answers", "-a", help="The file of answers; not needed where the data hold outcomes."
        ),
    ] = None,
    data: DataPath = None,
    column: Columns = None,
    protocol: ProtocolName = "",
    setting: Settings = None,
    task: TaskNames = None,
    split: Split = None,
    english: EnglishFile = None,
    as_json: AsJson = False,
    items: WithItems = False,
) -> None:
    """Judge a file of answers against a suite's items and print the tables."""
    from epicene.cli.output import print_results
    from epicene.runs.summary import summarise_external_answers
    from epicene.suites import DataSource, choose_protocol, find_suite

    if items and not as_json:
        raise InputError("--items goes with --json.")
    chosen = find_suite(suite)
    how = choose_protocol(
        chosen,
        protocol or chosen.score_protocol,
        protocol_settings(setting, tasks=task, split=split, english=english),
        None,
    )
    dataset = chosen.read(DataSource(path=data, columns=key_value_pairs(column, "--column")), how)
    label = dataset.name if answers is None else answers.stem
    given = (
        _own_outcomes(chosen, dataset)
        if answers is None
        else _read_external_answers(chosen, answers, dataset, how)
    )

    def judged() -> Iterator[Judgement]:
        for item, each in given:
            yield from chosen.judge(item, each, how)

    own = answers is not None and _bring_own_items(given, dataset)
    place = answers.name if answers and own else dataset.name
    coverage = None if answers is None or own else _coverage(given, dataset)
    summary = summarise_external_answers(
        chosen, how, judged(), label=label, data=place, coverage=coverage
    )
    listed = ((label, judgement) for judgement in judged()) if items else None
    print_results(summary, as_json=as_json, items=listed)


def _own_outcomes(suite: Suite[Any, Any], dataset: Dataset) -> list[tuple[Any, Answers]]:
    """The items of data that already hold what came of them."""
    from epicene.suites import Answers

    holds = suite.holds_outcome
    found = [] if holds is None else [(item, Answers()) for item in dataset.items if holds(item)]
    if not found:
        raise InputError(f"{dataset.name} holds no outcomes; give the answers with --answers.")
    return found


def _bring_own_items(given: list[tuple[Any, Answers]], dataset: Dataset) -> bool:
    """Whether not one of the items answered is of the data: votes name their own words."""
    if not isinstance(dataset.items, Sequence):
        return False
    return {item.id for item, _ in given}.isdisjoint(item.id for item in dataset.items)


def _read_external_answers(
    suite: Suite[Any, Any], answers: Path, dataset: Dataset, protocol: Protocol
) -> list[tuple[Any, Answers]]:
    """The items that the file answers."""
    from epicene.cli.output import note
    from epicene.runs.external_answers import read_external_answers

    given = read_external_answers(suite, answers, dataset, protocol)
    if not given:
        raise InputError(f"{answers} answers every request of no item; see docs/runs.md.")
    # In a suite's own layout answers may bring items of their own.
    if suite.read_answers is None or isinstance(dataset.items, Sequence):
        asked, answered = {item.id for item in dataset.items}, {item.id for item, _ in given}
        if answered < asked:
            missing = len(asked) - len(answered)
            note(f"{missing} items have no answer in {answers} and are left out.")
    lacking = Counter(each.name for _, made in given for each in made if _is_missing(each))
    for name, count in sorted(lacking.items()):
        note(f"{count} of the {len(given)} items answered have no answer for {name!r}.")
    return given


def _is_missing(given: AnsweredRequest) -> bool:
    return isinstance(given.answer, Failed)


def _coverage(given: list[tuple[Any, Answers]], dataset: Dataset) -> Coverage | None:
    """How much of the data is answered; None where that is not known.

    Items are asked alike: as many answers as one has, or lacks, every item should have.
    """
    from epicene.runs.results import Coverage

    sizes = {len(answers) for _, answers in given}
    if not isinstance(dataset.items, Sequence) or len(sizes) != 1:
        return None
    requests = sizes.pop() * len(dataset.items)
    answered = sum(not _is_missing(each) for _, answers in given for each in answers)
    return Coverage(
        items=len(dataset.items),
        judged=len(given),
        requests=requests,
        answered=answered,
        failed=0,
    )
