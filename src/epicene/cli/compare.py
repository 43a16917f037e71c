"""`epicene compare`: what changed between two runs, and whether a new one is worse."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from epicene.cli.options import AsJson, AsMarkdown, WithItems
from epicene.core.errors import InputError, RunError

if TYPE_CHECKING:
    from epicene.runs.compare import Comparison
    from epicene.runs.margin import MarginCheck

_EXIT_CODES = {"pass": 0, "fail": 1, "undecided": 3}


def compare(
    first: Annotated[
        Path, typer.Argument(metavar="FIRST", help="The first run folder, e.g. the older model.")
    ],
    second: Annotated[
        Path,
        typer.Argument(
            metavar="SECOND", help="The second run folder. Differences are second minus first."
        ),
    ],
    margin: Annotated[
        float | None,
        typer.Option(
            help="Decide whether SECOND is no worse than FIRST by more than this, for each "
            "headline: 0.02 is 2 points. Both may be folders of runs. Exit codes: 0 for pass, 1 "
            "for fail, 3 for undecided."
        ),
    ] = None,
    agreement: Annotated[
        bool,
        typer.Option(
            "--agreement",
            help="Instead of differences, report how far the two runs agree: raw agreement, "
            "Matthews correlation and Cohen's kappa.",
        ),
    ] = False,
    names: Annotated[
        str,
        typer.Option(help="With --agreement: the two judgements to compare, A,B."),
    ] = "",
    as_json: AsJson = False,
    items: WithItems = False,
    as_markdown: AsMarkdown = False,
) -> int:
    """Compare two runs of one suite on the judgements they share."""
    from epicene.api.results import compare as compare_runs
    from epicene.cli.output import chosen_format
    from epicene.runs.margin import MarginCheck

    if names and not agreement:
        raise InputError("--names requires --agreement.")
    if items and (agreement or margin is not None or not as_json):
        raise InputError(
            "--items requires --json, and cannot be combined with --agreement or --margin, because "
            "it lists what changed."
        )
    form = chosen_format(json=as_json, markdown=as_markdown)
    try:
        result = compare_runs(
            first,
            second,
            margin=margin,
            agreement=agreement,
            names=_two_names(names) if names else None,
        ).result
    except RunError as error:
        if margin is None:
            raise
        raise InputError(str(error)) from error  # a damaged run is no failure of the model
    if isinstance(result, MarginCheck):
        _show_margin(result, form)
        return _EXIT_CODES[result.outcome]
    _show_comparison(result, form, items=items, agreement=agreement)
    return 0


def _show_margin(result: MarginCheck, form: str) -> None:
    from epicene.cli.output import note, print_json, print_tables
    from epicene.report.table_formats import escape_markdown, tables_json, tables_markdown

    if form == "json":
        print_json(
            {
                "outcome": result.outcome,
                "sentence": result.sentence,
                "margin": result.margin,
                "tables": tables_json(result.tables),
                "notes": result.notes,
            }
        )
    elif form == "markdown":
        sys.stdout.write(f"**{escape_markdown(result.sentence)}**\n\n")
        sys.stdout.write(tables_markdown(result.tables))
        sys.stdout.writelines(f"\n- {escape_markdown(sentence)}\n" for sentence in result.notes)
    else:
        typer.echo(result.sentence + "\n")
        print_tables(result.tables)
        for sentence in result.notes:
            note(sentence)


def _show_comparison(result: Comparison, form: str, *, items: bool, agreement: bool) -> None:
    from epicene.cli.output import note, print_json, print_tables, write_tables
    from epicene.report.results_document import run_json
    from epicene.report.table_formats import estimate_json, tables_json

    if form == "json":
        shown = {
            "suite": result.suite,
            "protocol": result.protocol,
            "data": result.data,
            "metrics": {name: estimate_json(each) for name, each in result.metrics.items()},
            "undetected": estimate_json(result.undetected),
            "tables": tables_json(result.tables),
            "runs": [run_json(run) for run in result.runs],
            "notes": result.notes,
        }
        print_json({**shown, "items": result.changed} if items else shown)
        return
    if form == "markdown":
        write_tables(result.tables, form)
    else:
        print_tables(result.tables)
    for sentence in result.notes:
        note(sentence)
    if not agreement:
        note(
            f"The outcome differs in {len(result.changed)} of the {result.outcomes} judgements "
            "that have an outcome in both runs. An answer may have several judgements, for "
            "example one per measure."
        )


def _two_names(names: str) -> tuple[str, str]:
    first, comma, second = names.partition(",")
    if not comma or not first or not second:
        raise InputError(f"--names takes two judgements, A,B, not {names!r}.")
    return first, second
