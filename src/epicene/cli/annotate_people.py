"""`epicene annotate forget`: who takes part may withdraw."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from epicene.cli.annotate_options import StudyPath
from epicene.errors import InputError


def forget(
    study: StudyPath,
    person: Annotated[str, typer.Argument(metavar="PERSON", help="Who withdraws.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Delete without asking.")] = False,
) -> None:
    """Delete a person who withdraws, with all that they answered, for good."""
    from epicene.annotate.counting import counted
    from epicene.annotate.folder import RESPONSES, read_folder
    from epicene.annotate.reception import forget as forget_person
    from epicene.cli.output import note

    folder = read_folder(study)
    given = sum(response.participant == person for response in folder.responses())
    if not yes and not _agrees(f"{person}, with {counted(given, 'answer')}"):
        note("Nothing was deleted.")
        return
    gone = forget_person(folder.path / RESPONSES, person)
    note(
        f"Deleted {person}, with {counted(gone, 'answer')}. Whatever was exported before is as it "
        "was."
    )


def _agrees(what: str) -> bool:
    """Whether somebody at a terminal wants it gone."""
    if not sys.stdin.isatty():
        raise InputError(f"This would delete {what}, and nobody is there to ask; give --yes.")
    return typer.confirm(f"Delete {what}, for good?", err=True)
