"""Commands, run in this process as the program would run them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import reflexives
import two_stage
from epicene.app.commands import run_command, run_with_exit_code


class Done(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one document on standard output."""
        return json.loads(self.out)


Epicene = Callable[..., Done]


@pytest.fixture(autouse=True)
def _working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    two_stage.register()
    reflexives.register()
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def epicene(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Epicene:
    """Run a command in an empty folder."""
    two_stage.register()
    reflexives.register()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.delenv("EPICENE_DEBUG", raising=False)

    def run(*arguments: str | Path) -> Done:
        capfd.readouterr()
        code = run_with_exit_code(lambda: run_command([str(argument) for argument in arguments]))
        captured = capfd.readouterr()
        return Done(code, captured.out, captured.err)

    return run


def refused(done: Done, code: int, *parts: str) -> None:
    """One sentence on standard error, nothing on standard output."""
    assert done.code == code, done
    assert done.out == ""
    assert len(done.err.strip().splitlines()) == 1, done.err
    assert done.err.startswith("epicene: ")
    for part in parts:
        assert part in done.err, done.err
