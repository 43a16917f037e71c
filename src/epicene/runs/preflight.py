"""Checks before the first request: roles, labels, and which run the folder belongs to."""

from __future__ import annotations

import os
from errno import EACCES, ENOTDIR
from typing import TYPE_CHECKING, Any

import msgspec

from epicene.core.data_files import sha256_of
from epicene.core.errors import InputError, RunError
from epicene.core.records import to_json
from epicene.runs.manifest import (
    STORE_FILE,
    DataFile,
    Manifest,
    RunSettings,
    fixed_models,
    read_manifest,
)
from epicene.runs.store import is_store, open_store

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from epicene.core.records import Identity
    from epicene.models import ModelSpec
    from epicene.runs.config import RunConfig
    from epicene.suites import Dataset, Suite


def multi_model_roles(suite: Suite[Any, Any]) -> set[str]:
    """The roles that take several models."""
    return {role.name for role in suite.roles if role.many}


def check_roles(
    suite: Suite[Any, Any],
    models: Mapping[str, Sequence[ModelSpec]],
    whole: Suite[Any, Any] | None = None,
) -> None:
    """Raise unless every role has its model, and no role has too many models or is never asked.

    `whole` is the suite with all its stages.
    """
    asked = [role.name for role in suite.roles]
    for name, specs in models.items():
        if whole is not None and name not in asked and whole.role(name):
            raise InputError(
                f"With these settings the suite {suite.name} does not use the role {name}, only "
                f"{', '.join(asked)}; leave out its model, or change the settings."
            )
        role = suite.role(name)
        if len(set(specs)) < len(specs):
            raise InputError(f"The role {name} names the same model twice; name each model once.")
        if len(specs) > 1 and not role.many:
            raise InputError(
                f"The role {name} of the suite {suite.name} takes one model per run, not "
                f"{len(specs)}; run each model separately and pass all the folders to `epicene "
                "tables`."
            )
    for role in suite.roles:
        if not models.get(role.name):
            raise InputError(
                f"The suite {suite.name} needs a model in the role {role.name} ({role.about}); "
                f"use --model {role.name}=SPEC."
            )


def check_usable(folder: Path) -> None:
    """Raise if the folder cannot be created or written to."""
    place = folder.absolute()
    while not place.exists() and place != place.parent:
        place = place.parent
    why = ENOTDIR if not place.is_dir() else 0 if os.access(place, os.W_OK | os.X_OK) else EACCES
    if why:
        raise RunError(f"Could not use the folder {folder}: {os.strerror(why)}.")


def check_no_orphaned_answers(folder: Path) -> None:
    """Raise if there is no manifest but answers, or a file of another program."""
    path = folder / STORE_FILE
    if not path.exists() or path.stat().st_size == 0 or not is_store(path):
        return
    with open_store(folder) as store:
        answered = store.has_answers()
    if answered:
        raise RunError(
            f"{folder} contains answers but no manifest.json; restore it, or choose another --out."
        )


def check_distinct_labels(models: Mapping[str, Sequence[Identity]]) -> None:
    """Raise if two models of a role would have the same name in a table."""
    for role, identities in models.items():
        if len({identity.digest for identity in identities}) < len(identities):
            raise InputError(
                f"The role {role} names the same model twice, under different labels; its answers "
                "would count twice. Name each model once."
            )
        labels = [identity.label for identity in identities]
        for label in labels:
            if labels.count(label) > 1:
                raise InputError(
                    f"Two models in the role {role} are called {label}; rename one with "
                    "SPEC?label=NAME."
                )


def run_settings(config: RunConfig, dataset: Dataset) -> RunSettings:
    """All settings that determine what is asked. Files are compared by content, not by path."""
    return RunSettings(
        suite=config.suite.name,
        suite_version=config.suite.version,
        protocol=msgspec.json.decode(to_json(config.protocol)),
        data=dataset.name,
        files=(
            *(DataFile(name=f.name, sha256=sha256_of(f)) for f in dataset.files),
            *([DataFile(name=dataset.name, sha256=dataset.sha256)] if dataset.sha256 else ()),
        ),
        columns=dict(config.source.columns),
        languages=config.languages,
        stages=tuple(stage.name for stage in config.suite.stages),
        limit=config.limit,
        seed=config.protocol.seed,
    )


def differences(
    manifest: Manifest,
    settings: RunSettings,
    models: dict[str, tuple[Identity, ...]],
    many: set[str],
) -> list[str]:
    """How a run differs from another: the names of settings, or the model."""
    old, new = msgspec.to_builtins(manifest.settings), msgspec.to_builtins(settings)
    changed = [name for name in new if name != "limit" and old.get(name) != new[name]]
    if "protocol" in changed and old["protocol"].get("name") == new["protocol"].get("name"):
        before, after = old["protocol"], new["protocol"]
        names = [name for name in {**before, **after} if before.get(name) != after.get(name)]
        at = changed.index("protocol")
        changed[at : at + 1] = [name for name in names if name not in changed]
    if fixed_models(manifest.models, many) != fixed_models(models, many):
        changed.append("model")
    return changed


def check_same_run(
    folder: Path,
    manifest: Manifest,
    settings: RunSettings,
    models: dict[str, tuple[Identity, ...]],
    many: set[str],
) -> None:
    """Raise if the folder contains a different run: never mix in another model's answers."""
    if changed := differences(manifest, settings, models, many):
        raise InputError(
            f"{folder} contains another run (different {', '.join(changed)}); choose another "
            "--out, or omit --out so that each run gets its own folder."
        )
    before, now = manifest.settings.limit, settings.limit
    if now is not None and (before is None or now < before):
        has = "all items" if before is None else f"--limit {before}"
        raise InputError(
            f"{folder} contains this run with {has}; to run it with --limit {now}, choose another "
            "--out."
        )


def existing_manifest(
    folder: Path,
    settings: RunSettings,
    models: dict[str, tuple[Identity, ...]],
    many: set[str],
) -> Manifest | None:
    """The manifest of the run in the folder, None if there is none; raises if it is another run."""
    if not (folder / "manifest.json").exists():
        return None
    manifest = read_manifest(folder)
    check_same_run(folder, manifest, settings, models, many)
    return manifest
