"""An empty working folder, and the example suites known by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import reflexives
import two_stage

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def _working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reflexives.register()
    two_stage.register()
    monkeypatch.chdir(tmp_path)
