"""A kind of model in another package: that of docs/guides/models.md, really installed and run."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import epicene

PAGE = Path(__file__).parents[2] / "docs" / "guides" / "models.md"
BUILD = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[tool.hatch.build.targets.wheel]
only-include = ["shouting.py"]
"""


def _first_block(kind: str) -> str:
    """The first block of a kind of code in the section on kinds of one's own."""
    section = PAGE.read_text(encoding="utf-8").partition("## A kind of your own")[2]
    found = re.search(rf"^```{kind}\n(.*?)^```", section, re.DOTALL | re.MULTILINE)
    assert found
    return found[1]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a process that has the package."""
    package = tmp_path_factory.mktemp("package")
    target = tmp_path_factory.mktemp("installed")
    (package / "pyproject.toml").write_text(_first_block("toml") + BUILD, encoding="utf-8")
    (package / "shouting.py").write_text(_first_block("python"), encoding="utf-8")
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check"]
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "-q", *options, "-t", target, package], check=True
    )
    source = str(Path(epicene.__file__).parents[1])
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(target), source])}


def _epicene(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from epicene.app.commands import main; main()", *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_an_installed_kind_is_run(installed: dict[str, str], tmp_path: Path) -> None:
    done = _epicene(
        installed, "run", "genform", "--limit=2", "--model=shouting:!", f"--out={tmp_path / 'run'}"
    )
    assert done.returncode == 0, done.stderr
    run = epicene.load(tmp_path / "run")
    (identity,) = run.manifest.models["model"]
    assert (identity.kind, identity.label) == ("Shouting", "Shouting-!")
    assert identity.key == {"name": "!", "version": "1"}
    texts = [text for row in run.answers().to_dicts() for text in row["texts"]]
    assert texts
    assert all(text == text.upper() for text in texts)
    assert run.complete


def test_an_installed_kind_is_listed_and_opened(installed: dict[str, str]) -> None:
    rows = json.loads(_epicene(installed, "models", "--json").stdout)["rows"]
    assert "shouting" in {row["kind"] for row in rows}
    program = (
        "import epicene; m = epicene.open_model('shouting:!', label='loud'); "
        "print(m.identity.label, m.generate('hello', max_new_tokens=9)['text'].item())"
    )
    shown = subprocess.run(
        [sys.executable, "-c", program], env=installed, capture_output=True, text=True, check=True
    ).stdout
    assert shown == "loud HELLO!\n"


def test_an_unknown_setting_of_an_installed_kind_is_one_sentence(installed: dict[str, str]) -> None:
    done = _epicene(installed, "run", "genform", "--limit=1", "--model=shouting:x?nonsense=1")
    assert done.returncode == 2
    assert "nonsense" in done.stderr
    assert "Traceback" not in done.stderr
