"""`import epicene`: its names, what it imports, and a user's script."""

from __future__ import annotations

import ast
import doctest
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import epicene
import epicene.api as api_package
from app.user_script import measure

SOURCE = Path(epicene.__file__)


def _imported_for_types() -> dict[str, str]:
    """The names that `epicene/__init__.py` imports for type checkers, with their modules."""
    (block,) = [
        node
        for node in ast.parse(SOURCE.read_text(encoding="utf-8")).body
        if isinstance(node, ast.If)
    ]
    return {
        str(alias.asname): str(node.module)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def test_every_name_is_listed_resolves_and_is_known_to_type_checkers() -> None:
    homes: dict[str, str] = epicene._HOME_OF
    assert set(epicene.__all__) == {*homes, "__version__"}
    assert _imported_for_types() == homes
    for name, home in homes.items():
        defined = getattr(import_module(home), name)
        assert epicene.api_function(name) is defined
        assert getattr(defined, "__doc__", None), f"{name} has no docstring"
    assert set(dir(epicene)) == set(epicene.__all__)
    with pytest.raises(AttributeError, match="no attribute 'no_such_name'"):
        epicene.no_such_name  # noqa: B018


def test_packages_that_share_a_functions_name_are_both() -> None:
    assert epicene.suites.find_suite("genform").name == "genform"  # type: ignore[attr-defined]
    assert "genform" in epicene.suites()["suite"]


def test_importing_it_imports_nothing_heavy() -> None:
    code = "import sys, epicene; print(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "epicene" in loaded
    assert not loaded & {"msgspec", "numpy", "polars", "torch", "typer", "rich", "scipy"}


def test_a_users_script_runs(tmp_path: Path) -> None:
    metrics = measure(tmp_path)
    assert metrics.columns == ["metric", "value", "low", "high", "n", "why", "groups"]
    assert metrics.height


def _api_modules() -> list[str]:
    folder = Path(str(api_package.__file__)).parent
    return sorted(f"epicene.api.{path.stem}" for path in folder.glob("[a-z]*.py"))


@pytest.mark.parametrize("name", ["epicene", "epicene.suites.definition", *_api_modules()])
def test_the_examples_in_docstrings_run(name: str) -> None:
    module = import_module(name)
    names: dict[str, Any] = {"epicene": epicene}
    result = doctest.testmod(
        module, extraglobs=names, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    )
    assert result.failed == 0
