"""The worked examples of docs/guides/own_suite.md, as files."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "guides" / "own_suite.md"
_BLOCK = re.compile(r"^`([\w.]+)`:\n\n```\w+\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def examples() -> dict[str, str]:
    """The content of each file that the page shows, by name."""
    return dict(_BLOCK.findall(PAGE.read_text(encoding="utf-8")))


def write_examples(folder: Path) -> None:
    """All files of the page."""
    for name, content in examples().items():
        (folder / name).write_text(content, "utf-8")
