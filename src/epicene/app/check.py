"""Verify run folders against their checksums."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from epicene.app.arguments import RunLike
from epicene.app.output import Output, print_json, print_line

if TYPE_CHECKING:
    from epicene.runs.integrity import Verification

_MAX_SHOWN = 20  # damaged rows and files that are printed per run


@dataclass(frozen=True)
class Checked:
    """What was verified in a run folder, and what is damaged."""

    path: Path
    found: Verification

    @property
    def damage(self) -> tuple[str, ...]:
        """What is damaged, in sentences."""
        return self.found.damage

    def _print_(self, output: Output) -> int:
        from epicene.core.errors import pluralise

        found, damage = self.found, self.damage
        if output.json:
            print_json({"folder": str(self.path), **found._asdict()})
            return 1 if damage else 0
        counts = ", ".join(
            pluralise(number, noun)
            for number, noun in (
                (found.items, "item"),
                (found.answers, "answer"),
                (found.images, "image"),
            )
        )
        state = pluralise(len(damage), "damaged place") if damage else "no damage"
        print_line(f"{self.path}: {counts} verified; {state}.")
        for each in damage[:_MAX_SHOWN]:
            print_line(f"  {each}")
        if len(damage) > _MAX_SHOWN:
            print_line(f"  … and {len(damage) - _MAX_SHOWN} more; use --json to list them all.")
        return 1 if damage else 0


def check(run: RunLike) -> Checked:
    """Verify a run folder: manifest, items, answers, judgements and images.

    The exit code is 1 if anything is damaged. Resume a damaged run to send the damaged requests
    again.

    Args:
        run: The run folder; on the command line there may be several.

    Examples:
        >>> import epicene
        >>> run = epicene.run("alternations", model="random", limit=2, progress=False)
        >>> epicene.check(run).damage
        ()
    """
    from epicene.runs.integrity import verify_run

    folder = Path(run) if isinstance(run, str | Path) else run.path
    return Checked(folder, verify_run(folder))
