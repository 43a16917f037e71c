"""The Python of docs/guides/python_models.md runs as it is written, on a tiny checkpoint."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from models.hf.tiny_causal import llama, save, smollm2_like

PAGE = Path(__file__).parents[2] / "docs" / "guides" / "python_models.md"


@pytest.mark.filterwarnings("ignore::epicene.EpiceneWarning")
def test_the_snippets_run_one_after_the_other() -> None:
    save(Path("path/to/checkpoint"), llama(), smollm2_like())
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    names: dict[str, Any] = {}
    for block in blocks:
        exec(compile(block, PAGE.name, "exec"), names)
    assert len(blocks) > 3
