"""Backups of a study, while people answer, and restoring them."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from epicene.api.studies import load_study, restore_study
from epicene.core.errors import InputError
from studies.annotate_command import command
from studies.web.page_visitors import served
from study_examples import image, misgendering


def test_a_backup_of_a_served_study_has_everything_up_to_then(tmp_path: Path) -> None:
    file = tmp_path / "backup.tar.gz"
    with served(misgendering(), tmp_path / "s") as site:
        visitor, page = site.person("ann")
        page = visitor.answer(page, label="correct")
        assert load_study(site.folder.path).backup(file) == file.stat().st_size
        visitor.answer(page, label="correct")
        link = load_study(site.folder.path).links(["ann"])
    assert file.stat().st_mode & 0o077 == 0
    again = restore_study(file, tmp_path / "again")
    assert len(again.answers()) == 1
    assert again.links(["ann"]).equals(link)
    for path in (tmp_path / "again").iterdir():
        assert path.stat().st_mode & 0o077 == 0


def test_the_commands_and_pictures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with served(image(), tmp_path / "s"):
        pass
    assert command("backup", tmp_path / "s", "-o", tmp_path / "b.tar.gz") == 0
    assert command("restore", tmp_path / "b.tar.gz", "-o", tmp_path / "t") == 0
    names = {path.relative_to(tmp_path / "s") for path in (tmp_path / "s").rglob("*")}
    assert {path.relative_to(tmp_path / "t") for path in (tmp_path / "t").rglob("*")} == names
    assert command("restore", tmp_path / "b.tar.gz", "-o", tmp_path / "s") == 2
    assert "is not empty" in capsys.readouterr().err


def test_a_damaged_backup_restores_nothing(tmp_path: Path) -> None:
    with served(misgendering(), tmp_path / "s") as site:
        load_study(site.folder.path).backup(tmp_path / "b.tar.gz")
    whole = (tmp_path / "b.tar.gz").read_bytes()
    middle = len(whole) // 2
    for place, damaged in enumerate(
        (whole[:middle], whole[:middle] + bytes(range(64)) + whole[middle + 64 :])
    ):
        file = tmp_path / f"damaged{place}"
        file.write_bytes(damaged)
        with pytest.raises(InputError, match="or it is damaged"):
            restore_study(file, tmp_path / "t")
        assert not (tmp_path / "t").exists()


def test_what_is_no_backup(tmp_path: Path) -> None:
    broken = tmp_path / "broken.tar.gz"
    broken.write_bytes(b"no archive")
    with pytest.raises(InputError, match="is not a backup of a study, or it is damaged"):
        restore_study(broken, tmp_path / "a")
    with pytest.raises(InputError, match="There is no file"):
        restore_study(tmp_path / "missing", tmp_path / "a")
    with pytest.raises(InputError, match="is a file; choose a new folder"):
        restore_study(broken, broken)
    other = tmp_path / "other.tar.gz"
    with tarfile.open(other, "w:gz") as archive:
        archive.add(broken, "x")
    with pytest.raises(InputError, match="is not a backup of a study"):
        restore_study(other, tmp_path / "b")
    assert not (tmp_path / "b").exists()
