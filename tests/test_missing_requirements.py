"""Tests that want something skip with the way to get it, and fail for want of it under CI."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

INNER = """
import pytest
from epicene.models import embedded

embedded.fetched_folder = lambda name: None


@pytest.mark.browser
def test_browser(chromium):
    pass


@pytest.mark.embedded
def test_model():
    pass


@pytest.mark.published("the annotated pairs", "https://example.org/pairs")
def test_data(published_data):
    assert (published_data / "pairs.csv").exists()


@pytest.mark.published
def test_unsaid():
    pass
"""

SETTINGS = "[pytest]\nmarkers =\n    browser\n    embedded\n    published\n"

# No browser to be found, no plugins to wait for, no lines cut short.
QUIET = {"PATH": "", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "COLUMNS": "200"}

BROWSER = "needs Chromium; get it with `apt-get install chromium`"
MODEL = "needs the embedded model smollm2; get it with `epicene models fetch smollm2`"
DATA = "needs the annotated pairs (from https://example.org/pairs); set EPICENE_PUBLISHED_DATA"


def outcomes(folder: Path, **environment: str) -> str:
    (folder / "test_inner.py").write_text(INNER)
    (folder / "pytest.ini").write_text(SETTINGS)
    (folder / "conftest.py").write_text(Path(__file__).with_name("conftest.py").read_text())
    hidden = {"CI", "EPICENE_CHROMIUM", "EPICENE_PUBLISHED_DATA", "PYTEST_ADDOPTS"}
    kept = {name: value for name, value in os.environ.items() if name not in hidden}
    command = [sys.executable, "-m", "pytest", "-rA", "-p", "no:cacheprovider", str(folder)]
    run = subprocess.run(
        command,
        cwd=folder,
        env={**kept, **QUIET, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    return run.stdout


def test_on_a_bare_machine_they_skip_and_say_how(tmp_path: Path) -> None:
    shown = outcomes(tmp_path)
    assert "3 skipped" in shown
    for reason in (BROWSER, MODEL, DATA):
        (line,) = [line for line in shown.splitlines() if reason in line]
        assert line.startswith("SKIPPED")


def test_under_ci_a_missing_browser_or_model_fails(tmp_path: Path) -> None:
    (tmp_path / "pairs.csv").touch()
    shown = outcomes(tmp_path, CI="1", EPICENE_PUBLISHED_DATA=str(tmp_path))
    assert "1 passed" in shown
    assert BROWSER in shown
    assert MODEL in shown
    assert "skipped" not in shown


def test_a_published_test_says_which_data(tmp_path: Path) -> None:
    assert "Mark it published(WHICH DATA, WHERE A PERSON GETS IT)" in outcomes(tmp_path)


@pytest.mark.parametrize("folder", ["nowhere", "test_inner.py"])
def test_a_wrong_folder_is_named(tmp_path: Path, folder: str) -> None:
    shown = outcomes(tmp_path, EPICENE_PUBLISHED_DATA=str(tmp_path / folder))
    assert f"{folder}, which is not a folder" in shown
