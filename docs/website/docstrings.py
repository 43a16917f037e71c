"""How docstrings become pages: parameters become a list, fields of records a table."""

from __future__ import annotations

import re
from typing import Any

from griffe import Docstring, Extension

_PARAMETER = re.compile(r"^(?:or )?(\*{0,2}[a-z_]\w*): ")
_EXAMPLE = re.compile(r"^((?:>>>|\.\.\.) .*(?:\n(?!\n).*)*)", re.M)


class ParameterLists(Extension):
    """Turns the lines `name: meaning` of our docstrings into lists, and adds tables of fields."""

    def on_instance(self, *, obj: Any, **_: Any) -> None:
        """Change the docstring of a function or class."""
        if obj.docstring:
            obj.docstring = Docstring(
                markdown_docstring(obj.docstring.value), parent=obj, lineno=obj.docstring.lineno
            )

    def on_class_members(self, *, cls: Any, **_: Any) -> None:
        """Add the fields of a record, with the comments beside them, to its docstring."""
        rows = [
            f"| `{name}` | {_cell(each.annotation)} | {_cell(each.value)} | {_comment(each)} |"
            for name, each in cls.members.items()
            if each.is_attribute and each.annotation is not None and not name.startswith("_")
            if "property" not in each.labels and each.docstring is None
        ]
        if cls.docstring and rows and "__init__" not in cls.members:
            table = ["| field | type | default | |", "|---|---|---|---|", *rows]
            cls.docstring.value += "\n\n" + "\n".join(table)


def _cell(value: object) -> str:
    return "–" if value is None else f"`{value}`".replace("|", "\\|")


def _comment(attribute: Any) -> str:
    source: str = attribute.source
    return source.partition("  # ")[2].strip().replace("|", "\\|")


def markdown_docstring(text: str) -> str:
    """The docstring with lists of parameters, and examples as code."""
    blocks = [_listed(block) for block in text.split("\n\n")]
    return _EXAMPLE.sub(r"```python\n\1\n```", "\n\n".join(blocks))


def _listed(block: str) -> str:
    """A block of `name: meaning` as a list; another one as it is."""
    lines = block.splitlines()
    if not _PARAMETER.match(lines[0] if lines else ""):
        return block
    return "\n".join(
        _PARAMETER.sub(r"- **\1**: ", line) if _PARAMETER.match(line) else f"    {line.strip()}"
        for line in lines
    )
