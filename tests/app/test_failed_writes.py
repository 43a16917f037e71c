"""What cannot be written ends with exit code 1 and says so."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.conftest import Epicene


@pytest.fixture
def run_folder(epicene: Epicene, tmp_path: Path) -> Path:
    assert epicene("run", "alternations", "-m", "random", "--limit=2", "--out=run").code == 0
    return tmp_path / "run"


def tables(
    folder: Path, *options: str, stdout: int, stderr: int = subprocess.PIPE
) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "epicene", "tables", str(folder), *options]
    return subprocess.run(command, stdout=stdout, stderr=stderr, check=False)


@pytest.mark.parametrize("form", ["--list", "--json", "--csv"])
def test_tables_on_a_full_disk(form: str, run_folder: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = tables(run_folder, form, stdout=full.fileno())
    assert done.returncode == 1
    assert done.stderr == b"epicene: No space left on device.\n"


def test_a_reader_that_ends_gets_no_message(run_folder: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as pipe:
        done = tables(run_folder, "--json", stdout=pipe.fileno())
    assert (done.returncode, done.stderr) == (1, b"")


def test_an_error_that_cannot_be_said_still_has_its_code(run_folder: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = tables(run_folder / "missing", stdout=subprocess.PIPE, stderr=full.fileno())
    assert done.returncode == 2


def test_output_is_utf8_where_ascii_alone_is_spoken() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "epicene", "data", "show", "alternations", "--limit=1"],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "मेरी" in done.stdout.decode()
