"""Which files of a folder are read, and how their pairs are called."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from epicene.core.errors import InputError
from epicene.suites.alternations.data import PairStream

PAIR = {"good": "The cats sleep.", "bad": "The cats sleeps."}


@pytest.mark.parametrize("note", ["", "True\tThe cat sleeps.\nFalse\tThe cat sleep.\n"])
def test_a_text_file_beside_a_table_changes_nothing(tmp_path: Path, note: str) -> None:
    (tmp_path / "pairs.jsonl").write_text(json.dumps(PAIR), "utf-8")
    alone = [pair.id for pair in PairStream(tmp_path, {}, "en")]
    (tmp_path / "notes.txt").write_text(note, "utf-8")
    assert [pair.id for pair in PairStream(tmp_path, {}, "en")] == alone


def test_a_row_without_a_column_of_its_layout_is_named(tmp_path: Path) -> None:
    row = {
        "Grammaticality": "Grammatical",
        "Sentence": "De kat slaapt.",
        "Phenomenon": "agreement",
        "Paradigm": "verbs",
    }
    path = tmp_path / "nl.jsonl"
    path.write_text("\n".join(json.dumps(each) for each in (row, {"Sentence": "x"})), "utf-8")
    with pytest.raises(InputError, match="line 2"):
        list(PairStream(path, {}, "nl"))
