"""Word lists and dictionaries as files: formulas, long lines, damaged archives."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from epicene.core.data_files import MAX_LINE_BYTES
from epicene.core.errors import InputError
from epicene.suites.gramvis.construction.dictionaries import look_up
from epicene.suites.gramvis.construction.elicitation import GramvisBuild
from epicene.suites.gramvis.construction.export import export
from epicene.suites.gramvis.word_lists import read_words

GLOSSES = ["a sentry", "=1+1", " =1+1", "-a", "\u200b@a", "'=a", "'tis"]


def test_built_words_hold_no_formula_and_are_read_as_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(export.__globals__, "data_card", lambda *_: "card")
    rows = [
        {"language": "FR", "word": f"mot{'a' * n}", "grammar": "M", "stereotype": "male",
         "category": "occupation", "english": gloss, "chinese": None, "dropped": ""}
        for n, gloss in enumerate(GLOSSES)
    ]  # fmt: skip
    data, _ = export({"check": rows}, GramvisBuild(), tmp_path)
    written = data.read_text(encoding="utf-8")
    assert ",=1+1" not in written
    assert ", =1+1" not in written
    assert [word.english for word in read_words(data)] == [gloss.strip() for gloss in GLOSSES]
    assert {word.chinese for word in read_words(data)} == {""}


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_a_line_without_an_end_is_named(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"words.jsonl{suffix}"
    open_file = gzip.open if suffix else open
    with open_file(path, "wb") as file:
        file.write(b'{"word": "mot"}\n\n')
        file.write(b"a" * (3 * MAX_LINE_BYTES))
    with pytest.raises(InputError, match="line 3, is longer than 16 MiB"):
        look_up({"FR": {"mot"}}, [str(path)])


def test_a_damaged_archive_is_named(tmp_path: Path) -> None:
    path = tmp_path / "words.jsonl.gz"
    whole = gzip.compress(b'{"word": "mot"}\n' * 1000)
    for data in (whole[:40], whole[:30] + b"x" * 20 + whole[50:]):
        path.write_bytes(data)
        with pytest.raises(InputError, match=r"words\.jsonl\.gz"):
            look_up({"FR": {"mot"}}, [str(path)])
