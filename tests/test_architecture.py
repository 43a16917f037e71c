"""The layers of `pyproject.toml`: they cover every package, hold, and fail when broken."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "epicene"


def lint_imports(tree: Path) -> subprocess.CompletedProcess[str]:
    """Run the linter on a tree that has its own `src` and `pyproject.toml`."""
    command = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    return subprocess.run(
        [sys.executable, "-c", command, "--no-cache"],
        cwd=tree,
        env=os.environ | {"PYTHONPATH": str(tree / "src"), "PYTHONSAFEPATH": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


def contract(name: str) -> dict[str, list[str]]:
    """A contract of the linter, by its name."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (found,) = (
        each for each in config["tool"]["importlinter"]["contracts"] if each["name"] == name
    )
    return found  # type: ignore[no-any-return]


def test_every_package_has_a_layer() -> None:
    """A new package cannot be forgotten in the contract."""
    named = {name.strip() for layer in contract("Layers")["layers"] for name in layer.split("|")}
    packages = {
        f"epicene.{folder.relative_to(PACKAGE).as_posix().replace('/', '.')}"
        for parent in (PACKAGE, PACKAGE / "studies")
        for folder in parent.iterdir()
        if (folder / "__init__.py").is_file()
    }
    assert named == packages - {"epicene.studies"}


@pytest.mark.parametrize(
    ("name", "parent", "excepted"),
    [
        ("No suite knows another suite", "suites", set()),
        # What Spanish, Portuguese and Italian share is no language, nor is mark-up.
        ("No language knows another language", "rewriting", {"protected", "romance"}),
        # The rest of models is shared, or builds on `hf`.
        ("No kind of model knows another kind", "models", {"http"}),
    ],
)
def test_every_suite_language_and_kind_is_independent(
    name: str, parent: str, excepted: set[str]
) -> None:
    """A new folder cannot be forgotten in the contracts of independence."""
    folders = {
        folder.name for folder in (PACKAGE / parent).iterdir() if (folder / "__init__.py").is_file()
    }
    named = {module.rpartition(".")[2] for module in contract(name)["modules"]}
    assert folders - excepted <= named


@pytest.mark.parametrize(
    ("module", "line", "broken"),
    [
        ("core/records.py", "from epicene.suites import Suite", "Layers"),
        ("suites/genform/judge.py", "from epicene.models import open_model", "Layers"),
        ("runs/stored_run.py", "from epicene.runs.run import run", "A stored run"),
        (
            "suites/genform/judge.py",
            "from epicene.suites.apgc.items import Sentence",
            "No suite knows another suite",
        ),
    ],
)
def test_a_forbidden_import_fails(tmp_path: Path, module: str, line: str, broken: str) -> None:
    """`make check` shows that the tree passes as it is; with one more import it does not."""
    shutil.copytree(PACKAGE, tmp_path / "src" / "epicene", ignore=shutil.ignore_patterns("*.json*"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    importer = tmp_path / "src" / "epicene" / module
    text = importer.read_text(encoding="utf-8")
    importer.write_text(f"{text}\n\ndef _added() -> None:\n    {line}\n", encoding="utf-8")
    result = lint_imports(tmp_path)
    assert result.returncode == 1, result.stderr
    assert re.search(rf"{broken}.* BROKEN", result.stdout)


def test_the_guide_names_files_that_exist() -> None:
    """Paths in ARCHITECTURE.md do not go stale."""
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:[a-z_]+/)+[a-z_]+(?:\.py|/))`", text)
    assert len(named) > 10
    missing = [path for path in named if not ((PACKAGE / path).exists() or (ROOT / path).exists())]
    assert missing == []
