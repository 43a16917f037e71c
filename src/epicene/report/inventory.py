"""What was run on what: every run, and every model with all that could change its answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.records import Column, Estimate, Row, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epicene.records import Identity
    from epicene.runs.results import Coverage, Finished
    from epicene.runs.summary import Summary

_HASH = 16  # characters of a hash that tell it apart


def runs_table(summaries: Sequence[Summary], groups: Sequence[Sequence[Finished]]) -> Table:
    """A row for each run: its data, how much of it was judged, and by which program."""
    rows = []
    for summary, group in zip(summaries, groups, strict=True):
        for told, run in zip(summary.runs, group, strict=True):
            settings = run.manifest.settings
            limit = f", at most {settings.limit} a part" if settings.limit else ""
            rows.append(
                Row(
                    keys=(summary.suite.card.title, summary.protocol.name, told.info.model),
                    cells=(
                        run.folder.name,
                        f"{settings.data}{limit}",
                        Estimate(value=run.manifest.items),
                        run.manifest.state,
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
            Column(name="data", unit="text"),
            Column(name="items", unit="count"),
            Column(name="state", unit="text"),
            Column(name="judged", unit="text"),
            Column(name="version of the suite", unit="text"),
        ),
        rows=tuple(rows),
    )


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
                found.setdefault((identity.label, role, identity.digest.hex()[:8]), identity)
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
    size = identity.about.get("parameters")
    return f"{int(size) / 1e6:,.0f} million" if size else "not known"


def _depends(identity: Identity) -> str:
    told = (f"{key} {value[:_HASH]}" for key, value in identity.key.items() if value)
    return ", ".join(told) or "nothing"
