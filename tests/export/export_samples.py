"""Selections for tests of exports, and what their folders hold."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from epicene.export import selection
from epicene.suites import DataSource, choose_protocol, find_suite


def select(
    suite: str,
    *,
    limit: int | None = None,
    protocol: str = "epicene",
    path: Path | None = None,
    licence: str = "",
    settings: Mapping[str, str] | None = None,
) -> selection.Selection:
    """Items of a suite, of the starter set if there is no path."""
    found = find_suite(suite)
    how = choose_protocol(found, protocol, settings or {}, None)
    return selection.select(found, how, DataSource(path=path), limit=limit, licence=licence)


def read_front_matter(folder: Path) -> dict[str, Any]:
    """The YAML at the head of a folder's card."""
    import yaml

    opening, head, _ = (folder / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    assert opening == ""
    content: dict[str, Any] = yaml.safe_load(head)
    return content


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The records of a JSONL file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
