"""Change what a run folder holds, with checksums that fit, and show its tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from epicene.core.records import to_json
from epicene.results.summary import summarise
from epicene.runs.manifest import Manifest, write_manifest
from epicene.runs.stored_run import read_run
from epicene.show.results_document import results_document

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def tables(folder: Path) -> bytes:
    """What `epicene tables --json` prints, but for the folder's name."""
    shown = results_document(summarise([read_run(folder)]))
    for run in shown["runs"]:
        del run["run"]
    return to_json(shown)


def edit_manifest(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Let `change` alter the fields of a run's manifest."""
    fields = msgspec.json.decode((folder / "manifest.json").read_bytes())
    fields.pop("checksum")
    change(fields)
    write_manifest(folder, msgspec.convert(fields, Manifest))
