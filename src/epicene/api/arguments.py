"""Arguments that several functions take: files, data and languages."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from epicene.api.results import PathLike
    from epicene.suites import DataSource


def paths_of(files: PathLike | Iterable[PathLike]) -> list[Path]:
    """The paths of one file or of several."""
    return [Path(each) for each in ([files] if isinstance(files, str | Path) else files)]


def data_source(data: PathLike | None, columns: Mapping[str, str] | None = None) -> DataSource:
    """Where a suite reads its items from: the user's data with their columns, or its own."""
    from epicene.suites import DataSource

    return DataSource(path=None if data is None else Path(data), columns=dict(columns or {}))


def language_codes(language: str | Sequence[str] | None) -> tuple[str, ...]:
    """The languages to which items are limited; empty for all."""
    return (language,) if isinstance(language, str) else tuple(language or ())
