"""A notebook as a page: its cells, and the outputs that are stored in it."""

from __future__ import annotations

import json
from base64 import b64decode
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def notebook_markdown(notebook: Path, pictures: Path) -> str:
    """The page; pictures among the outputs are written to a folder beside it."""
    download = f"[Download this notebook]({notebook.name}){{ download }}\n"
    cells = json.loads(notebook.read_text("utf-8"))["cells"]
    parts = [part for number, cell in enumerate(cells) for part in _cell(cell, number, pictures)]
    title, *rest = parts or [f"# {notebook.stem}"]
    return "\n\n".join([title, download, *rest]) + "\n"


def _cell(cell: dict[str, Any], number: int, pictures: Path) -> Iterator[str]:
    source = "".join(cell["source"])
    if cell["cell_type"] != "code":
        yield source
        return
    yield f"```python\n{source}\n```"
    for place, output in enumerate(cell.get("outputs", ())):
        data = output.get("data", {})
        if "image/png" in data or "image/svg+xml" in data:
            pictures.mkdir(exist_ok=True)
            yield _picture(data, pictures / f"{number}-{place}", pictures.name)
        elif "text/html" in data:
            yield f'<div class="output" markdown="0">{_joined(data["text/html"])}</div>'
        elif text := _joined(output.get("text") or data.get("text/plain") or ""):
            yield f"```text\n{text.rstrip()}\n```"


def _picture(data: dict[str, Any], path: Path, folder: str) -> str:
    if "image/svg+xml" in data:
        path = path.with_suffix(".svg")
        path.write_text(_joined(data["image/svg+xml"]), "utf-8")
    else:
        path = path.with_suffix(".png")
        path.write_bytes(b64decode(_joined(data["image/png"])))
    return f"![The output of this cell]({folder}/{path.name})"


def _joined(text: str | list[str]) -> str:
    return text if isinstance(text, str) else "".join(text)
