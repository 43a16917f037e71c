"""The secret by which links are signed: created once, whole and private."""

from __future__ import annotations

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from epicene.core.errors import RunError
from epicene.studies.collection import links
from epicene.studies.collection.links import SECRET_FILE, User, load_signer


def test_processes_that_create_it_at_once_sign_alike(tmp_path: Path) -> None:
    for place in range(20):
        folder = tmp_path / str(place)
        folder.mkdir()
        with ThreadPoolExecutor(8) as pool:
            signers = list(pool.map(load_signer, [folder] * 8))
        assert len({signer.token(User("owner")) for signer in signers}) == 1
        assert [path.name for path in folder.iterdir()] == [SECRET_FILE]


def test_only_its_owner_can_read_it(tmp_path: Path) -> None:
    load_signer(tmp_path)
    assert stat.S_IMODE((tmp_path / SECRET_FILE).stat().st_mode) == 0o600


def test_a_file_system_without_hard_links_keeps_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    token = load_signer(tmp_path).token(User("owner"))
    assert load_signer(tmp_path).token(User("owner")) == token
    assert [path.name for path in tmp_path.iterdir()] == [SECRET_FILE]


def test_nothing_is_left_if_it_cannot_be_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(links, "_create_from", refuse)
    with pytest.raises(RunError, match="Could not store the secret"):
        load_signer(tmp_path)
    assert list(tmp_path.iterdir()) == []
