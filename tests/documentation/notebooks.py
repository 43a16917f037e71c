"""Runs the notebooks in docs/notebooks and writes their outputs.

`python tests/documentation/notebooks.py` runs all of them again and stores what they show.
Cells are run in this process, one after the other in an empty folder, as Jupyter does: a cell
shows what it prints and the value of its last line.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import tempfile
from pathlib import Path
from typing import Any

NOTEBOOKS = Path(__file__).parents[2] / "docs" / "notebooks"


def code_cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    """The cells with code."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def run_cells(notebook: dict[str, Any], name: str) -> None:
    """Run every cell in the working folder and put its outputs into it."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for number, cell in enumerate(code_cells(notebook), 1):
        tree = ast.parse("".join(cell["source"]), f"{name}, cell {number}")
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(tree, f"{name}, cell {number}", "exec"), names)
            value = None
            if isinstance(last, ast.Expr):
                code = compile(ast.Expression(last.value), f"{name}, cell {number}", "eval")
                value = eval(code, names)
        cell["execution_count"] = number
        cell["outputs"] = [*_stream(printed.getvalue()), *_shown(value, number)]


def _stream(text: str) -> list[dict[str, Any]]:
    if not text:
        return []
    return [{"output_type": "stream", "name": "stdout", "text": text.splitlines(keepends=True)}]


def _shown(value: object, number: int) -> list[dict[str, Any]]:
    """The value in the forms that Jupyter asks an object for."""
    if value is None:
        return []
    data: dict[str, Any] = {"text/plain": repr(value).splitlines(keepends=True)}
    if hasattr(value, "_repr_mimebundle_"):
        data |= value._repr_mimebundle_()
    elif hasattr(value, "_repr_svg_"):
        data["image/svg+xml"] = value._repr_svg_().splitlines(keepends=True)
    elif hasattr(value, "_repr_html_"):
        data["text/html"] = value._repr_html_().splitlines(keepends=True)
    return [
        {"output_type": "execute_result", "execution_count": number, "data": data, "metadata": {}}
    ]


def main() -> None:
    """Run all notebooks and store their outputs."""
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        notebook = json.loads(path.read_text("utf-8"))
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            run_cells(notebook, path.name)
            os.chdir("/")
        path.write_text(json.dumps(notebook, ensure_ascii=False, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
