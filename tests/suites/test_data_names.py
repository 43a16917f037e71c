"""Data are named by the last part of their path, wherever they lie and however they are reached."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from epicene.suites import DataSource, choose_protocol, find_suite
from epicene.suites.alternations.data import STARTER as PAIRS
from epicene.suites.apgc.data import STARTER as SENTENCES
from epicene.suites.data_origin import data_origin
from epicene.suites.genform.data import STARTER as FORMS

FILES = {
    "alternations": PAIRS / "agreement.jsonl",
    "apgc": SENTENCES,
    "genform": FORMS / "ar.jsonl",
}


def named(suite: str, path: Path) -> str:
    found = find_suite(suite)
    return found.read(DataSource(path=path), choose_protocol(found, "epicene", {}, None)).name


@pytest.mark.parametrize("suite", FILES)
def test_a_file(suite: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "mine.jsonl"
    shutil.copy(FILES[suite], place)
    monkeypatch.chdir(tmp_path)
    assert named(suite, place) == named(suite, Path("mine.jsonl")) == "mine.jsonl"


@pytest.mark.parametrize("suite", FILES)
def test_a_copy_of_the_starter_set_is_the_users_own(suite: str, tmp_path: Path) -> None:
    place = tmp_path / "starter (copy).jsonl"
    shutil.copy(FILES[suite], place)
    name = named(suite, place)
    assert name == "own starter (copy).jsonl"
    assert data_origin(find_suite(suite), name, [(place.name, "0" * 64)]) == "own"


def test_the_folder_one_stands_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "pairs"
    shutil.copytree(PAIRS, folder)
    monkeypatch.chdir(folder)
    assert named("alternations", Path()) == named("alternations", folder) == "pairs"
