"""Epicene measures what generative models do with grammatical gender and agreement.

Everything a command can do has a function here. Nothing is imported before it is used:
`__init__.pyi` says where each name is defined.
"""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path
from typing import Any

__version__ = "0.2.0"

_HOMES = {
    name.name: node.module
    for node in ast.parse(Path(__file__).with_suffix(".pyi").read_text("utf-8")).body
    if isinstance(node, ast.ImportFrom) and node.module and node.module != "typing"
    for name in node.names
}
__all__ = ["__version__", *sorted(_HOMES)]
# Packages that are also functions; see core/callable_package.py.
_CALLABLE_PACKAGES = ("models", "suites")


def function(name: str) -> Any:
    """The object of that name, imported now; `annotate` is a module."""
    home = import_module(_HOMES[name])
    return getattr(home, name, None) or import_module(f"{home.__name__}.{name}")


def __getattr__(name: str) -> Any:
    if name in _CALLABLE_PACKAGES:
        return import_module(f"epicene.{name}")
    if name in _HOMES:
        return function(name)
    raise AttributeError(f"module 'epicene' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
