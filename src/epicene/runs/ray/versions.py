"""Versions of what could change an answer, on the machines of a cluster."""

from __future__ import annotations

import platform

from epicene.runs.settings import library_versions

# Libraries that compute answers, or write the images that are known by their bytes.
_COMPUTING = frozenset({"torch", "transformers", "tokenizers", "diffusers", "numpy", "pillow"})


def versions_here() -> dict[str, str]:
    """Those of this process."""
    libraries = {name: v for name, v in library_versions().items() if name in _COMPUTING}
    return {"python": platform.python_version(), **libraries}


class Versions:
    """Who has which version of what. What somebody has not is no difference."""

    def __init__(self) -> None:
        self._holders: dict[str, dict[str, set[str]]] = {}  # by library and version

    def add(self, holder: str, versions: dict[str, str]) -> list[str]:
        """Take in somebody's versions; a sentence on each that nobody before had."""
        news = []
        for name, version in versions.items():
            known = self._holders.setdefault(name, {})
            if known and version not in known:
                others = " and ".join(f"{other} on {_few(on)}" for other, on in known.items())
                news.append(
                    f"{name} is {version} on {holder} and {others}: answers may differ in their "
                    "last digits; install the same on every machine."
                )
            known.setdefault(version, set()).add(holder)
        return news

    def differing(self) -> dict[str, dict[str, list[str]]]:
        """Who has which version of what is not the same for all."""
        return {
            name: {version: sorted(holders) for version, holders in known.items()}
            for name, known in self._holders.items()
            if len(known) > 1
        }


def _few(holders: set[str]) -> str:
    first, *others = sorted(holders)
    return f"{first} and {len(others)} more" if others else first
