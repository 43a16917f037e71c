"""A baseline that is a file of results: figures with intervals, without the judgements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from epicene.core.data_files import parse_json, read_text
from epicene.core.errors import InputError
from epicene.core.records import Estimate

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@dataclass(frozen=True)
class StoredResults:
    """The results of one run: its headlines, if the file has them, and its metrics."""

    path: Path
    suite: str
    protocol: str
    data: str
    model: str
    estimates: Mapping[str, Estimate]  # headlines and metrics by name


def read_results(path: Path) -> StoredResults:
    """Read a file with the results of one run, written by `export results` or `tables --json`."""
    found = parse_json(read_text(path), str(path))
    try:
        runs = found["runs"]
        if len(runs) != 1:
            raise InputError(
                f"{path} contains the results of {len(runs)} runs; a baseline is one run, so "
                "write the results of that run to a separate file."
            )
        model = runs[0]["model"]
        profile = found["tables"].get("profile", {}).get(model, {})
        return StoredResults(
            path=path,
            suite=found["suite"],
            protocol=found["protocol"],
            data=found["data"],
            model=model,
            estimates={
                name: _estimate(each) for name, each in {**found["metrics"], **profile}.items()
            },
        )
    except (KeyError, TypeError, AttributeError, msgspec.ValidationError):
        raise InputError(
            f"{path} contains no results of a run; `epicene export results RUN` writes such a "
            "file (results.json)."
        ) from None


def _estimate(number: Mapping[str, Any]) -> Estimate:
    fields = {name: value for name, value in number.items() if name != "origin"}
    return msgspec.convert(fields, Estimate)
