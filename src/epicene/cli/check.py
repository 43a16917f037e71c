"""`epicene check`: verify run folders against their checksums."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from epicene.cli.options import AsJson, RunFolders

if TYPE_CHECKING:
    from pathlib import Path

    from epicene.runs.integrity import Verification

_MAX_SHOWN = 20  # damaged rows and files that are printed per run


def check(runs: RunFolders, as_json: AsJson = False) -> int:
    """Verify that nothing in a run folder is damaged: manifest, items, answers and images.

    The exit code is 1 if anything is damaged. Resume a damaged run to send the damaged requests
    again.
    """
    from epicene.api.checking import check as verify
    from epicene.cli.output import print_json

    found = {str(folder): verify(folder) for folder in runs}
    if as_json:
        print_json({"runs": [_as_json(folder, each) for folder, each in found.items()]})
    else:
        for folder, verification in zip(runs, found.values(), strict=True):
            _print(folder, verification)
    return 1 if any(each.damage for each in found.values()) else 0


def _as_json(folder: str, found: Verification) -> dict[str, object]:
    return {"folder": folder, **found._asdict()}


def _print(folder: Path, found: Verification) -> None:
    from epicene.core.errors import pluralise

    counts = ", ".join(
        pluralise(number, noun)
        for number, noun in (
            (found.items, "item"),
            (found.answers, "answer"),
            (found.images, "image"),
        )
    )
    state = pluralise(len(found.damage), "damaged place") if found.damage else "no damage"
    typer.echo(f"{folder}: {counts} verified; {state}.")
    for each in found.damage[:_MAX_SHOWN]:
        typer.echo(f"  {each}")
    if len(found.damage) > _MAX_SHOWN:
        typer.echo(f"  … and {len(found.damage) - _MAX_SHOWN} more; use --json to list them all.")
