"""The Python in the README and in the pages on Python runs as it is written."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PAGES = (
    pytest.param("README.md", marks=pytest.mark.embedded),
    "docs/index.md",
    "docs/guides/python.md",
)


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.filterwarnings("ignore::epicene.EpiceneWarning")
def test_the_snippets_of_a_page_run_one_after_the_other(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert blocks
    names: dict[str, Any] = {}
    for block in blocks:
        exec(compile(block, page, "exec"), names)
