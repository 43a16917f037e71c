"""Cases worked out by hand: JSON files that a linguist can extend, in each suite's `cases/`.

A file is {"about": …, "cases": [{…}, …]}: `about` says what a case holds, and a case may say `why`
it is there. A new case is one more line; no Python has to change.
"""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

Case = dict[str, Any]


def read_cases(suite: str, name: str) -> Any:
    """A whole file of cases."""
    path = Path(__file__).parent / suite / "cases" / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8"))


def each_case(suite: str, name: str) -> pytest.MarkDecorator:
    """Run a test on every case of a file, as its argument `case`."""
    cases = read_cases(suite, name)["cases"]
    return pytest.mark.parametrize("case", cases, ids=_case_id)


def _case_id(case: Case) -> str:
    texts = [value for key, value in case.items() if isinstance(value, str) and key != "why"]
    return " ".join([*texts[:3], case.get("why", "")]).strip()[:60]


def as_number(value: float | str | None) -> float | None:
    """A number of a case, which may be written as a fraction: "11/14"."""
    return float(Fraction(value)) if isinstance(value, str) else value
