"""`epicene score`: judge external answers, without a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

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
    TableNames,
    TaskNames,
    WithItems,
    key_value_pairs,
    protocol_settings,
)
from epicene.core.errors import InputError


def score(
    suite: SuiteName,
    answers: Annotated[
        Path | None,
        typer.Option(
            "--answers",
            "-a",
            help="The file or folder of answers: in the suite's layout, lm-eval samples, or "
            "an Inspect log. Not needed if the data contain outcomes.",
        ),
    ] = None,
    figures: Annotated[
        Path | None,
        typer.Option(
            "--figures", metavar="FOLDER", help="A folder to write every figure to, as SVG."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="RUN",
            help="Also store the answers of a log as a run, so that you can compare it.",
        ),
    ] = None,
    data: DataPath = None,
    column: Columns = None,
    protocol: ProtocolName = "",
    setting: Settings = None,
    task: TaskNames = None,
    split: Split = None,
    english: EnglishFile = None,
    table: TableNames = None,
    as_json: AsJson = False,
    items: WithItems = False,
) -> None:
    """Judge a file of answers against a suite's items and print the tables."""
    from epicene.api.results import score as score_answers
    from epicene.cli.output import note, print_results, select_tables
    from epicene.suites import find_suite

    if items and not as_json:
        raise InputError("--items requires --json.")
    chosen = find_suite(suite)
    scored = score_answers(
        chosen,
        answers,
        data=data,
        columns=key_value_pairs(column, "--column"),
        protocol=protocol,
        settings=protocol_settings(setting, suite=chosen, tasks=task, split=split, english=english),
        out=out,
    )
    chosen_tables = select_tables(scored.summary, table or (), scored.records)
    for sentence in scored.notes:
        note(sentence)
    if figures is not None:
        for name in scored.figures:
            scored.figure(name).save(figures / f"{name}.svg")
    print_results(
        scored.summary,
        as_json=as_json,
        tables=chosen_tables,
        items=scored.judgements() if items else None,
    )
