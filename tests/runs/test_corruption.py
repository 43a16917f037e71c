"""Random damage to a run folder: no table changes without a word, and no error is ours."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from epicene.core.errors import RunError
from epicene.runs.integrity import verify_run
from epicene.runs.manifest import read_manifest
from runs.corruptions import CHANGES, Outcomes, Victim, make_victims, try_corruption

CORRUPTIONS = 60


@pytest.fixture(scope="module")
def victims(tmp_path_factory: pytest.TempPathFactory) -> list[Victim]:
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("victims")
        patch.chdir(folder)
        return make_victims(folder)


def test_no_corruption_changes_a_table_without_a_word(
    victims: list[Victim], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(victims[0].folder.parent)
    rng, outcomes = random.Random(18), Outcomes()
    for number in range(CORRUPTIONS):
        try_corruption(victims[number % len(victims)], tmp_path / "work", rng, outcomes)
    assert outcomes.problems == []
    assert {"same", "refused"} <= outcomes.tables.keys()
    assert outcomes.resumed["same"] > CORRUPTIONS / 2


@pytest.mark.parametrize("damaged", [b'{"a\xe1', b"[" * 100_000, b"7", b""])
def test_a_manifest_that_is_no_json_is_one_sentence(
    victims: list[Victim], tmp_path: Path, damaged: bytes
) -> None:
    """Bytes that are no UTF-8, and brackets without end, were internal errors."""
    run = tmp_path / "run"
    shutil.copytree(victims[0].folder, run)
    (run / "manifest.json").write_bytes(damaged)
    with pytest.raises(RunError, match=r"manifest\.json is damaged"):
        read_manifest(run)
    (found,) = verify_run(run).damage
    assert "manifest.json is damaged" in found


def test_all_changes_are_tried() -> None:
    rng = random.Random(1)
    for change in CHANGES.values():
        data = bytearray(rng.randbytes(5 * 4096))
        before = bytes(data)
        for _ in range(10):
            change(data, rng)
        assert data != before
