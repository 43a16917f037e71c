"""`epicene gate`: check that a new run is no worse than a baseline, with exit codes for a
release.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from epicene.cli.options import AsJson, AsMarkdown
from epicene.core.errors import InputError, RunError

_EXIT_CODES = {"pass": 0, "fail": 1, "undecided": 3}


def gate(
    new: Annotated[Path, typer.Argument(metavar="NEW", help="The run folder of the new model.")],
    baseline: Annotated[
        Path,
        typer.Option(
            "--baseline",
            "-b",
            metavar="OLD",
            help="The baseline: a run folder, or its results.json.",
        ),
    ],
    policy: Annotated[
        Path | None,
        typer.Option(
            "--policy",
            metavar="FILE.toml",
            help="A TOML file with rules, margins and limits (default: pass if a loss of 5 points "
            "or more is excluded).",
        ),
    ] = None,
    nights: Annotated[
        Path | None,
        typer.Option(
            "--nights",
            metavar="FILE.json",
            help="A file that counts repeated gates, so that all of them together keep one error "
            "rate.",
        ),
    ] = None,
    out: Annotated[
        list[Path] | None,
        typer.Option(
            "--out",
            "-o",
            help="Also write the outcome to a file: .md, .xml (JUnit) or .json; may be repeated.",
        ),
    ] = None,
    as_json: AsJson = False,
    as_markdown: AsMarkdown = False,
) -> int:
    """Decide whether a new run is no worse than a baseline on every headline.

    Exit codes: 0 for pass, 1 for fail, 3 for undecided, 2 for wrong input.
    """
    from epicene.api.gating import gate as gate_runs
    from epicene.api.gating import gate_writer
    from epicene.cli.output import note, print_json, print_tables
    from epicene.report.gate import gate_document, gate_markdown, gate_sentence, gate_tables

    if as_json and as_markdown:
        raise InputError("Choose one of --json and --markdown.")
    for path in out or ():
        gate_writer(path)  # before any work is done
    try:
        found = gate_runs(new, baseline, policy=policy, nights=nights)
    except RunError as error:  # a damaged run is no failure of the model
        raise InputError(str(error)) from error
    for path in out or ():
        found.write(path)
    if as_json:
        print_json(gate_document(found.result))
    elif as_markdown:
        sys.stdout.write(gate_markdown(found.result))
    else:
        typer.echo(gate_sentence(found.result) + "\n")
        print_tables(gate_tables(found.result))
        for sentence in found.notes:
            note(sentence)
    return _EXIT_CODES[found.outcome]
