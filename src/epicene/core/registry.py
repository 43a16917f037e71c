"""Find suites, models and languages by name, through entry points.

Another package can add one by declaring an entry point in the same group. A program that embeds
Epicene can `add` one without installing anything.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points, metadata
from typing import Any, Literal, TypeAlias

from epicene.core.errors import InputError, unknown

Group: TypeAlias = Literal["suites", "models", "languages"]

_added: dict[tuple[str, str], Any] = {}


@cache
def installed(group: Group) -> dict[str, EntryPoint]:
    """The entry points of installed packages, by name."""
    return {point.name: point for point in entry_points(group=f"epicene.{group}")}


def add(group: Group, name: str, thing: object) -> None:
    """Register `thing` under `name` in this process."""
    _added[group, name] = thing


def is_added(group: Group, name: str) -> bool:
    """Whether something was registered under this name in this process."""
    return (group, name) in _added


def is_installed(group: Group, name: str) -> bool:
    """Whether an installed package brings this name, and nothing was registered under it."""
    return name in installed(group) and not is_added(group, name)


def names(group: Group) -> list[str]:
    """All known names, sorted."""
    return sorted({*installed(group), *(name for kind, name in _added if kind == group)})


def _extras() -> list[str]:
    """The extras that the package declares, except those for developers."""
    declared = metadata("epicene").get_all("Provides-Extra") or []
    return [name for name in declared if name not in ("all", "dev", "docs")]


def find(group: Group, name: str) -> Any:
    """Import and return the thing with that name."""
    if (group, name) in _added:
        return _added[group, name]
    point = installed(group).get(name)
    if point is None:
        raise unknown(group.removesuffix("s"), name, names(group))
    try:
        return point.load()
    except ImportError as error:
        raise InputError(
            f"The {group.removesuffix('s')} {name!r} needs a package that is not installed "
            f"({error}); run `pip install 'epicene[all]'` to install all optional packages, or "
            f"`pip install 'epicene[EXTRA]'` with one of these extras: {', '.join(_extras())}."
        ) from error
