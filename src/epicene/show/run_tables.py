"""Which models were run on what: one row per run, and one per model."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from epicene.core.records import Column, Estimate, Row, Table
from epicene.results.matching import SHORT_HASH, describe_data_files, describe_suite_file
from epicene.results.summary import Summary, other_role_models

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epicene.core.records import Identity
    from epicene.results.summary import RunSummary
    from epicene.runs.manifest import Coverage
    from epicene.runs.stored_run import StoredRun

# A killed run cannot change its state.
_STATE_NAMES = {"running": "running or killed"}

# A hash, and how many of its digits are shown.
_HASH = re.compile(r"(?<![0-9a-z])[0-9a-f]{32,}(?![0-9a-z])", re.IGNORECASE)
_DIGITS = 16


def runs_table(summaries: Sequence[Summary], groups: Sequence[Sequence[StoredRun]]) -> Table:
    """One row per run: its models, its data, how much was scored, and by which version."""
    rows = []
    beside = any(other_role_models(run) for group in groups for run in group)
    for summary, group in zip(summaries, groups, strict=True):
        for told, run in zip(summary.runs, group, strict=True):
            settings, file = run.manifest.settings, describe_suite_file(run)
            limit = f", at most {settings.limit} per part" if settings.limit else ""
            rows.append(
                Row(
                    keys=(summary.suite.card.title, summary.protocol.name, told.info.model),
                    cells=(
                        run.folder.name,
                        *((_other_roles(run),) if beside else ()),
                        f"{settings.data}{limit} ({describe_data_files(run)})",
                        Estimate(value=item_count(told, run)),
                        _STATE_NAMES.get(run.manifest.state, run.manifest.state),
                        _coverage_text(told.coverage),
                        f"{settings.suite_version}{file and f' ({file})'}, Epicene "
                        f"{run.manifest.epicene}",
                    ),
                )
            )
    return Table(
        name="runs",
        title="The runs",
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


def item_count(told: RunSummary, run: StoredRun) -> int:
    """How many items a run has; the manifest of a killed run does not say."""
    return run.manifest.items if told.coverage is None else told.coverage.items


def _other_roles(run: StoredRun) -> str:
    told = (f"{role}: {models}" for role, models in other_role_models(run).items())
    return "; ".join(told) or "none"


def _coverage_text(coverage: Coverage | None) -> str:
    if coverage is None:
        return "not known"
    return f"all, on {coverage.answered:,} answers" if coverage.whole else str(coverage)


def models_table(runs: Sequence[StoredRun]) -> Table:
    """One row per model and role."""
    found: dict[tuple[str, str, str], Identity] = {}
    for run in runs:
        for role, identities in run.manifest.models.items():
            for identity in identities:
                found.setdefault(
                    (identity.label, role, identity.digest.hex()[:SHORT_HASH]), identity
                )
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
            Row(
                keys=keys, cells=(identity.kind, parameters_text(identity), _identity_key(identity))
            )
            for keys, identity in found.items()
        ),
    )


def parameters_text(identity: Identity) -> str:
    size = int(identity.about.get("parameters") or 0)
    if not size:
        return "not known"
    if size < 1_000_000:
        return f"{size:,}"
    return f"{size / 1e6:.0f} million" if size < 1_000_000_000 else f"{size / 1e9:.1f} billion"


def _identity_key(identity: Identity) -> str:
    told = (f"{key} {_HASH.sub(_shortened, value)}" for key, value in identity.key.items() if value)
    return ", ".join(told) or "nothing"


def _shortened(found: re.Match[str]) -> str:
    return f"{found.group()[:_DIGITS]}…"
