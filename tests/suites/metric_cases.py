"""Cases of metrics, in JSON files that anybody can extend (README.md describes them)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest


def read_cases(suite: str, name: str) -> Any:
    """The content of a file of cases."""
    path = Path(__file__).parent / suite / "cases" / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8"))


def for_each_case(suite: str, name: str) -> pytest.MarkDecorator:
    """Give a test each case of a file in turn, as its argument `case`."""
    cases = read_cases(suite, name)["cases"]
    ids = [case.get("note") or f"{name}-{number}" for number, case in enumerate(cases, start=1)]
    return pytest.mark.parametrize("case", cases, ids=ids)
