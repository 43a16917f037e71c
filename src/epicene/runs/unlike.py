"""What makes runs differ besides the model: what they were asked, and who else took part."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from epicene.records import digest
from epicene.runs.pairing import SHORT, data_files
from epicene.runs.summary import told_apart

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from epicene.runs.results import Finished

_NAMED = 6  # runs that a sentence names one by one
_READABLE = 80  # characters of a setting; of a longer one its hash is said


def asked_unlike(runs: Sequence[Finished]) -> Iterator[str]:
    """What the runs were asked differently, in a sentence, if anything."""
    if different := differing_settings(runs):
        yield f"These runs were not asked alike: they differ in {', '.join(different)}."


def differing_settings(runs: Sequence[Finished]) -> list[str]:
    """What the runs were asked differently, with the value that each has; and the models beside
    the one that is measured (judges, a translator), where these are not the same."""
    names = [info.run for info in told_apart(runs)]
    asked = _differing(names, [_asked(run) for run in runs])
    set_to = _differing(names, [_set_to(run) for run in runs])
    settings = "; ".join(f"{name}: {values}" for name, values in set_to.items())
    return [
        *(f"{name} ({values})" for name, values in asked.items()),
        *([f"settings ({settings})"] if settings else ()),
        *_differing_roles(runs),
    ]


def _asked(run: Finished) -> dict[str, object]:
    """What a run was asked, but for the settings of its protocol."""
    settings = run.manifest.settings
    return {
        "columns": settings.columns,
        "data": settings.data,
        "files": data_files(run),
        "languages": settings.languages,
        "limit": settings.limit,
        "protocol": run.protocol.name,
        "stages": settings.stages,
        "suite version": settings.suite_version,
    }


def _set_to(run: Finished) -> dict[str, object]:
    settings: dict[str, object] = msgspec.to_builtins(run.protocol)
    return {name: value for name, value in settings.items() if name not in ("name", "about")}


def _written(value: object) -> str:
    """A value as a command would have it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        text = ",".join(f"{name}={each}" for name, each in value.items())
    else:
        text = ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    if value is None or not text:
        return "none"
    return text if len(text) <= _READABLE else f"#{digest(value).hex()[:SHORT]}"


def _differing(runs: Sequence[str], settings: Sequence[Mapping[str, object]]) -> dict[str, str]:
    """By the names of the settings that are not the same, which run has which value."""
    names = dict.fromkeys(name for each in settings for name in each)
    found = {}
    for name in names:
        having: dict[str, list[str]] = {}
        for run, each in zip(runs, settings, strict=True):
            having.setdefault(_written(each.get(name)), []).append(run)
        if len(having) > 1:
            found[name] = ", ".join(_having(value, who, len(runs)) for value, who in having.items())
    return found


def _having(value: str, runs: Sequence[str], of: int) -> str:
    if of > _NAMED and len(runs) > 1:
        return f"{len(runs)} runs {value}"
    return ", ".join(f"{run} {value}" for run in runs)


def _differing_roles(runs: Sequence[Finished]) -> Iterator[str]:
    measured = {run.suite.roles[0].name for run in runs}
    roles = dict.fromkeys(role for run in runs for role in run.manifest.models)
    for role in roles:
        told = dict.fromkeys(companions(run).get(role, "none") for run in runs)
        if role not in measured and len(told) > 1:
            yield f"{role} ({' against '.join(told)})"


def companions(run: Finished) -> dict[str, str]:
    """By role, who took part beside the model that is measured, each by label and digest."""
    return {
        role: ", ".join(sorted(f"{each.label} {each.digest.hex()[:SHORT]}" for each in identities))
        for role, identities in run.manifest.models.items()
        if role != run.suite.roles[0].name and identities
    }
