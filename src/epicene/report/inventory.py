"""What was run on what: every run, and every model with all that could change its answers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from epicene.records import Column, Estimate, Row, Table
from epicene.runs.pairing import SHORT, data_files
from epicene.runs.unlike import companions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epicene.records import Identity
    from epicene.runs.results import Coverage, Finished
    from epicene.runs.summary import RunSummary, Summary

# A run that was killed could not say so.
_STATES = {"running": "running or killed"}

# A hash, whatever stands before and after it, and how much of it tells it from others.
_HASH = re.compile(r"(?<![0-9a-z])[0-9a-f]{32,}(?![0-9a-z])", re.IGNORECASE)
_DIGITS = 16


def runs_table(summaries: Sequence[Summary], groups: Sequence[Sequence[Finished]]) -> Table:
    """A row for each run: who took part, its data, how much was judged, and by which program."""
    rows = []
    beside = any(companions(run) for group in groups for run in group)
    for summary, group in zip(summaries, groups, strict=True):
        for told, run in zip(summary.runs, group, strict=True):
            settings = run.manifest.settings
            limit = f", at most {settings.limit} a part" if settings.limit else ""
            rows.append(
                Row(
                    keys=(summary.suite.card.title, summary.protocol.name, told.info.model),
                    cells=(
                        run.folder.name,
                        *((_beside(run),) if beside else ()),
                        f"{settings.data}{limit} ({data_files(run)})",
                        Estimate(value=items_of(told, run)),
                        _STATES.get(run.manifest.state, run.manifest.state),
                        _judged(told.coverage),
                        f"{settings.suite_version}, Epicene {run.manifest.epicene}",
                    ),
                )
            )
    return Table(
        name="runs",
        title="What was run on what",
        levels=("suite", "protocol", "model"),
        columns=(
            Column(name="folder", unit="text"),
            *((Column(name="other roles", unit="text"),) if beside else ()),
            Column(name="data", unit="text"),
            Column(name="items", unit="count"),
            Column(name="state", unit="text"),
            Column(name="judged", unit="text"),
            Column(name="version of the suite", unit="text"),
        ),
        rows=tuple(rows),
    )


def items_of(told: RunSummary, run: Finished) -> int:
    """How many items a run has; the manifest of one that was killed does not know."""
    return run.manifest.items if told.coverage is None else told.coverage.items


def _beside(run: Finished) -> str:
    told = (f"{role}: {models}" for role, models in companions(run).items())
    return "; ".join(told) or "none"


def _judged(coverage: Coverage | None) -> str:
    if coverage is None:
        return "not known"
    return f"all, on {coverage.answered:,} answers" if coverage.whole else str(coverage)


def models_table(runs: Sequence[Finished]) -> Table:
    """A row for each model in each role, once."""
    found: dict[tuple[str, str, str], Identity] = {}
    for run in runs:
        for role, identities in run.manifest.models.items():
            for identity in identities:
                found.setdefault((identity.label, role, identity.digest.hex()[:SHORT]), identity)
    return Table(
        name="models",
        title="The models",
        levels=("model", "role", "digest"),
        columns=(
            Column(name="kind", unit="text"),
            Column(name="parameters", unit="text"),
            Column(name="what its answers depend on", unit="text"),
        ),
        rows=tuple(
            Row(keys=keys, cells=(identity.kind, _parameters(identity), _depends(identity)))
            for keys, identity in found.items()
        ),
    )


def _parameters(identity: Identity) -> str:
    size = int(identity.about.get("parameters") or 0)
    if not size:
        return "not known"
    if size < 1_000_000:
        return f"{size:,}"
    return f"{size / 1e6:.0f} million" if size < 1_000_000_000 else f"{size / 1e9:.1f} billion"


def _depends(identity: Identity) -> str:
    told = (f"{key} {_HASH.sub(_cut, value)}" for key, value in identity.key.items() if value)
    return ", ".join(told) or "nothing"


def _cut(found: re.Match[str]) -> str:
    return f"{found.group()[:_DIGITS]}…"
