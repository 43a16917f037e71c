"""Plans of sweeps over the two-stage suite."""

from __future__ import annotations

from collections.abc import Sequence


def plan(
    *models: str,
    protocols: Sequence[str] = ("epicene",),
    limit: int = 4,
    reader: str = "random",
    max_cost: str = "",
) -> str:
    """Each model, two scripted ones if none is named, writes what the reader reads."""
    names = models or ("scripted:a", "scripted:b")
    return "\n".join(
        [
            max_cost and f"max_cost = {max_cost}",
            *(f'[[models]]\nspec = "{name}"' for name in names),
            f'[[suites]]\nname = "two-stage"\nprotocols = {list(protocols)}\nlimit = {limit}',
            f'[suites.roles]\nreader = ["{reader}"]\n',
        ]
    )
