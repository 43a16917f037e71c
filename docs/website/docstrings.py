"""How docstrings become pages: the parameters that they explain become a list."""

from __future__ import annotations

import re
from typing import Any

from griffe import Docstring, Extension

_PARAMETER = re.compile(r"^(?:or )?(\*{0,2}[a-z_]\w*): ")
_EXAMPLE = re.compile(r"^((?:>>>|\.\.\.) .*(?:\n(?!\n).*)*)", re.M)


class ParameterLists(Extension):
    """Turns the lines `name: meaning` of our docstrings into Markdown lists."""

    def on_instance(self, *, obj: Any, **_: Any) -> None:
        """Change the docstring of a function or class."""
        if obj.docstring:
            obj.docstring = Docstring(
                markdown_docstring(obj.docstring.value), parent=obj, lineno=obj.docstring.lineno
            )


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
