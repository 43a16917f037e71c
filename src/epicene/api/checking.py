"""Verify run folders against their checksums."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from epicene.api.wording import keyword_errors

if TYPE_CHECKING:
    from epicene.app.results import RunLike
    from epicene.runs.integrity import Verification


@keyword_errors
def check(run: RunLike) -> Verification:
    """Verify that nothing in a run folder is damaged: manifest, items, answers and images.

    Resume a damaged run to send the damaged requests again.

    >>> import epicene
    >>> run = epicene.run("alternations", model="random", limit=2, progress=False)
    >>> epicene.check(run).damage
    ()
    """
    from epicene.runs.integrity import verify_run

    return verify_run(Path(run) if isinstance(run, str | Path) else run.path)
