"""Names in place of paths, so that an export does not say where files lie on a machine.

Neither commands nor the addresses of servers are exported. What names a file, in the settings of a
run or of a model, is exported as the file's name; its hash, in the same card, identifies it.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import PureWindowsPath
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from epicene.core.records import Identity
    from epicene.runs.stored_run import StoredRun
    from epicene.suites import Protocol

ProtocolT = TypeVar("ProtocolT", bound="Protocol")

_PATH = re.compile(r"[/~\\]|\.{1,2}[/\\]|[A-Za-z]:[/\\]")


def base_name(path: str) -> str:
    """The last part of a path of any operating system."""
    return PureWindowsPath(path).name or "."  # which knows both separators


def public_settings(settings: Mapping[str, Any], files: Collection[str] = ()) -> dict[str, Any]:
    """Settings without folders; `files` are the names of files that were read."""
    return {
        name: base_name(value)
        if isinstance(value, str) and (_PATH.match(value) or base_name(value) in files)
        else value
        for name, value in settings.items()
    }


def public_protocol(protocol: ProtocolT, files: Collection[str]) -> ProtocolT:
    """A protocol whose settings name files without their folders."""
    named = public_settings(msgspec.structs.asdict(protocol), files)
    return msgspec.structs.replace(protocol, **named)


def public_runs(runs: Sequence[StoredRun]) -> list[StoredRun]:
    """Runs without paths; runs whose folders share a name are numbered."""
    names = [run.folder.resolve().name for run in runs]
    numbered = [
        name if names.count(name) == 1 else f"{name} ({names[:index].count(name) + 1})"
        for index, name in enumerate(names)
    ]
    return [_public_run(run, name) for run, name in zip(runs, numbered, strict=True)]


def _public_run(run: StoredRun, name: str) -> StoredRun:
    settings = run.manifest.settings
    files = {file.name for file in settings.files}
    settings = msgspec.structs.replace(
        settings,
        protocol=public_settings(settings.protocol, files),
        data=base_name(settings.data),
    )
    return replace(
        run,
        manifest=msgspec.structs.replace(run.manifest, settings=settings),
        protocol=public_protocol(run.protocol, files),
        name=name,
    )


def model_facts(identity: Identity) -> dict[str, Any]:
    """Everything known of a model that could change its answers."""
    facts = public_settings({"kind": identity.kind, **identity.about, **identity.key})
    return {name: value for name, value in facts.items() if value not in (None, "")}
