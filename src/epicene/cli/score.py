"""`epicene score`: judge answers that were made elsewhere, with no model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from epicene.cli.options import (
    AsJson,
    Columns,
    DataPath,
    English,
    ProtocolName,
    Settings,
    Split,
    SuiteName,
    Tasks,
    WithItems,
    pairs,
    protocol_settings,
)
from epicene.errors import InputError
from epicene.records import Judgement


def score(
    suite: SuiteName,
    answers: Annotated[Path, typer.Option("--answers", "-a", help="The file of answers.")],
    data: DataPath = None,
    column: Columns = None,
    protocol: ProtocolName = "epicene",
    setting: Settings = None,
    task: Tasks = None,
    split: Split = None,
    english: English = None,
    as_json: AsJson = False,
    items: WithItems = False,
) -> None:
    """Judge a file of answers against a suite's items and print the tables."""
    from epicene.cli.output import note, print_results
    from epicene.runs.given import read_given
    from epicene.runs.summary import summarise_given
    from epicene.suites import Source, choose_protocol, find_suite

    if items and not as_json:
        raise InputError("--items goes with --json.")
    chosen = find_suite(suite)
    how = choose_protocol(
        chosen, protocol, protocol_settings(setting, tasks=task, split=split, english=english), None
    )
    dataset = chosen.read(Source(path=data, columns=pairs(column, "--column")), how)
    given = read_given(chosen, answers, dataset, how)
    if not given:
        raise InputError(f"{answers} answers every request of no item; see docs/runs.md.")
    # In a suite's own layout answers may bring items of their own.
    if chosen.read_answers is None or isinstance(dataset.items, Sequence):
        asked, answered = {item.id for item in dataset.items}, {item.id for item, _ in given}
        if answered < asked:
            missing = len(asked) - len(answered)
            note(f"{missing} items have no answer in {answers} and are left out.")

    def judged() -> Iterator[Judgement]:
        for item, each in given:
            yield from chosen.judge(item, each, how)

    summary = summarise_given(chosen, how, judged(), label=answers.stem, data=dataset.name)
    listed = ((answers.stem, judgement) for judgement in judged()) if items else None
    print_results(summary, as_json=as_json, items=listed)
