"""What the commands of `epicene annotate` share: options, and what they say and write."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

if TYPE_CHECKING:
    from epicene.annotate.fitting import Fitting
    from epicene.annotate.folder import StudyFolder
    from epicene.annotate.leaving_out import LeftOut

StudyPath: TypeAlias = Annotated[Path, typer.Argument(metavar="STUDY", help="A study's folder.")]
Without: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--without", metavar="NAME", help="Leave this person's answers out."),
]
Passed: TypeAlias = Annotated[
    bool,
    typer.Option("--passed", help="Leave out the answers of who failed the attention checks."),
]


def names_in(people: str) -> list[str]:
    """The names that an option lists with commas."""
    return [name.strip() for name in people.split(",") if name.strip()]


def chosen(
    folder: StudyFolder, without: list[str] | None, *, passed: bool
) -> tuple[Fitting, LeftOut]:
    """The answers that fit the study, but those of people whom its owner leaves out."""
    from epicene.annotate.leaving_out import LeftOut, leave_out
    from epicene.cli.output import note

    found = folder.fitting()
    if not without and not passed:
        return found, LeftOut()
    gone = leave_out(folder.study, found.responses, without or (), failed=passed)
    if passed and not gone.failed:
        note(f"Nobody {'else ' if without else ''}failed the attention checks.")
    return folder.fitting(without=gone.people), gone


def say_left_out(fitting: Fitting) -> None:
    """Nothing is left out unseen."""
    from epicene.cli.output import note

    if fitting.note:
        note(fitting.note)


def put(text: str, out: Path | None) -> None:
    """Into a file, or onto standard output."""
    from epicene.runs.files import write_whole

    if out is None:
        sys.stdout.write(text)
    else:
        write_whole(out, text.encode())
