"""Python can do everything a command can: each command has its function here."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from typing import Any

import pytest
import typer.main

import epicene
from epicene.app.commands import app

FUNCTIONS = {
    "annotate activity": ["Study.activity"],
    "annotate adjudicate": ["Study.adjudicate"],
    "annotate backup": ["Study.backup"],
    "annotate check": ["check_study_file"],
    "annotate exclude": ["Study.exclude", "Study.readmit", "Study.apply_rule"],
    "annotate export": [
        *("StudyAnswers.export", "StudyAnswers.write_table", "StudyAnswers.codebook"),
        *("Study.write_sheets", "Study.write_project"),
    ],
    "annotate forget": ["Study.forget"],
    "annotate import": ["Study.import_answers"],
    "annotate links": ["Study.links", "Study.revoke"],
    "annotate new": ["new_study"],
    "annotate owners": ["Study.owners"],
    "annotate pilot": ["Study.pilot"],
    "annotate preview": ["Study.preview"],
    "annotate restore": ["restore_study"],
    "annotate sample": ["sample_study"],
    "annotate serve": ["Study.serve", "serve_studies"],
    "annotate tables": ["StudyAnswers.results", "StudyResults.table", "StudyResults.figure"],
    "audit": ["audit", "Audit.write"],
    "check": ["check"],
    "compare": ["compare"],
    "data": [
        *("read_data", "SuiteData.check", "SuiteData.table", "build_data", "collect_data"),
        "extract_wording",
    ],
    "demo": ["demo"],
    "export data": ["export_data"],
    "export results": ["export_results"],
    "gate": ["gate", "Gate.write"],
    "models": ["models"],
    "models fetch": ["fetch_model"],
    "plan": ["plan", "Plan.table"],
    "report": ["report"],
    "rewrite": ["rewrite", "rewrite_files"],
    "run": ["run"],
    "score": ["score"],
    "select": [
        "make_selectors",
        "make_selectors_in_files",
        "check_selectors",
        "check_selectors_in_files",
    ],
    "suites": ["suites"],
    "sweep": ["sweep"],
    "tables": ["load", "tabulate", "Run.table"],
    "train": ["train"],
}


def commands(group: Any, path: str = "") -> Iterator[str]:
    """Every command that does something."""
    for name, command in group.commands.items():
        whole = f"{path} {name}".strip()
        inner = getattr(command, "commands", None)
        if inner is None or command.invoke_without_command:
            yield whole
        if inner is not None:
            yield from commands(command, whole)


def test_every_command_has_its_function() -> None:
    assert sorted(commands(typer.main.get_command(app))) == sorted(FUNCTIONS)


@pytest.mark.parametrize("path", sorted({each for names in FUNCTIONS.values() for each in names}))
def test_every_function_is_there_and_explained(path: str) -> None:
    name, *inner = path.split(".")
    assert name in epicene.__all__
    function = reduce(getattr, inner, epicene.api_function(name))
    assert callable(function)
    assert function.__doc__
