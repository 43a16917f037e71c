"""What Epicene's requirements bring, read from the packages that are installed here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


def required_packages(requirements: Iterable[str]) -> dict[str, Distribution]:
    """The installed packages that these requirements need, directly or not, by name."""
    found: dict[str, Distribution] = {}
    seen = set()
    waiting = [Requirement(each) for each in requirements]
    while waiting:
        wanted = waiting.pop()
        name = canonicalize_name(wanted.name)
        key = (name, frozenset(wanted.extras))
        if key in seen:
            continue
        seen.add(key)
        try:
            found[name] = distribution(name)
        except PackageNotFoundError:
            continue
        waiting += _needs(found[name], wanted.extras)
    return found


def _needs(package: Distribution, extras: Iterable[str]) -> Iterator[Requirement]:
    for each in map(Requirement, package.requires or ()):
        if each.marker is None or any(
            each.marker.evaluate({"extra": extra}) for extra in ("", *extras)
        ):
            yield each


def link(package: Distribution, site: Path) -> None:
    """Make an installed package importable from another folder too."""
    for file in package.files or ():
        top = file.parts[0]
        if top not in ("..", "__pycache__") and not (site / top).exists():
            (site / top).symlink_to(Path(str(package.locate_file(top))))
