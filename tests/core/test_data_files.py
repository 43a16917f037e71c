"""Files of rows: what a spreadsheet or a program writes is read, or refused in one sentence."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epicene.core.data_files import (
    MAX_DOCUMENT_BYTES,
    MAX_LINE_BYTES,
    escape_formula,
    read_records,
    read_rows,
    read_text,
    read_text_lines,
    read_toml_or_json,
    unescape_formula,
)
from epicene.core.errors import InputError
from epicene.core.records import Item

CELLS = st.text("ab,;\"\n' é", max_size=8)


def rows(path: Path, content: str | bytes) -> list[dict[str, object]]:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return [row.values for row in read_rows(path)]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@given(given_rows=st.lists(st.tuples(CELLS, CELLS, CELLS), max_size=5))
def test_rows_come_back_whichever_sign_separates_them(
    tmp_path_factory: pytest.TempPathFactory,
    separator: str,
    given_rows: list[tuple[str, str, str]],
) -> None:
    names = ("id", "a name", "text")
    written = io.StringIO(newline="")
    csv.writer(written, delimiter=separator).writerows([names, *given_rows])
    path = tmp_path_factory.getbasetemp() / "rows.csv"
    assert rows(path, f"\ufeff{written.getvalue()}") == [
        dict(zip(names, row, strict=True)) for row in given_rows
    ]


# As a spreadsheet writes it where a comma stands before decimals.
def test_decimal_commas(tmp_path: Path) -> None:
    (row,) = rows(tmp_path / "a.csv", "id;text;seconds\r\na;He ran, fast.;1,5\r\n")
    assert row == {"id": "a", "text": "He ran, fast.", "seconds": "1,5"}


REFUSED = [
    ("a.csv", "id,text\na,b\nc\n", "line 3, does not have the same number of columns"),
    ("a.csv", "id,id\na,b\n", "line 1, has two columns named 'id'"),
    ("a.csv", 'id,text\na,"b\nc,d\n', "line 2, is not CSV: unexpected end of data"),
    ("a.csv", b"id\n\xff\n", r"line 2, is not UTF-8 \(byte 1 of the line\)"),
    ("a.csv", "id,text\na,b\n".encode("utf-16"), r"line 1, is not UTF-8 \(byte 1"),
    ("a.txt", "id\na\n", r"unsupported file type; use one of \.csv"),
    ("a.jsonl", '{"id": "a"}\n{"id": "b", "x": 1, "x": 2}\n', "line 2, has the key 'x' twice"),
    ("a.jsonl", '{"id": {"x": 1, "x": 1}}\n', "line 1, has the key 'x' twice"),
    ("a.jsonl", '{"id": x}\n', "line 1, is not JSON: Expecting value at column 8"),
    ("a.jsonl", '"a"\n', "line 1, is not a record with named fields"),
    ("a.jsonl", '{"id": "\\ud800"}\n', "line 1, contains half a character"),
    ("a.jsonl", '{"id": ' + "9" * 5000 + "}\n", "line 1, contains a number with too many"),
    ("a.jsonl", '{"id": ' + "[" * 100_000 + "]" * 100_000 + "}", "is nested too deeply"),
    ("a.json", "{}", "is not a list of records"),
    ("a.json", '[{"id": "a"}, 1]', "record 2, is not a record with named fields"),
    ("a.parquet", "no parquet", "Could not read .*a.parquet as Parquet"),
]


@pytest.mark.parametrize(("name", "content", "message"), REFUSED)
def test_what_is_wrong_is_said_with_its_line(
    name: str, content: str | bytes, message: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=message):
        rows(tmp_path / name, content)


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet"])
def test_a_file_that_is_missing_or_a_folder(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"There is no file .*{name}"):
        list(read_rows(tmp_path / name))
    (tmp_path / name).mkdir()
    with pytest.raises(InputError, match=f"{name} is a folder, not a file"):
        list(read_rows(tmp_path / name))


def test_a_row_over_several_lines_is_named_by_its_first(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('id,text\n\na,"b\nc"\nd,e\n')
    assert [row.location for row in read_rows(path)] == [f"{path}, line 3,", f"{path}, line 5,"]


def test_columns_are_renamed(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("text,noun\na,b\n")
    (row,) = read_rows(path, {"word": "noun"})
    assert row.values == {"text": "a", "word": "b"}
    with pytest.raises(InputError, match="line 2, has no column 'verb'; it has text, noun"):
        list(read_rows(path, {"word": "verb"}))


def test_parquet(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pl.DataFrame({"id": ["a", "b"]}).write_parquet(path)
    assert [record.id for record in read_records(path, Item)] == ["a", "b"]
    assert [row.location for row in read_rows(path)][1] == f"{path}, row 2,"


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
def test_a_line_without_end_is_refused_at_its_line(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(b'{"id": "a"}\n' + b"a" * (MAX_LINE_BYTES + 1))
    with pytest.raises(InputError, match=rf"{name}, line 2, is longer than 16 MiB"):
        list(read_rows(path))


def test_a_document_that_is_too_long_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    with path.open("wb") as file:
        file.truncate(MAX_DOCUMENT_BYTES + 1)
    with pytest.raises(InputError, match=r"a\.toml is larger than 64 MiB"):
        read_toml_or_json(path)
    path.write_text("a = " + "[" * 100_000)
    with pytest.raises(InputError, match="is nested too deeply"):
        read_toml_or_json(path)
    path.write_bytes(b'a = 1\nb = "\xff"\n')
    with pytest.raises(InputError, match=r"line 2, is not UTF-8 \(byte 6 of the line\)"):
        read_text(path)


@pytest.mark.parametrize("text", ["", "a", "a\n", "a\r\nb", "a\u2028b\n\n", "\x85\nb"])
def test_lines_of_text_are_what_line_feeds_separate(tmp_path: Path, text: str) -> None:
    path = tmp_path / "lines.txt"
    path.write_bytes(text.encode())
    assert read_text_lines(path) == text.split("\n")


# --- formulas ------------------------------------------------------------------------------


@pytest.mark.parametrize("before", ["", " ", "\t", "\n", "\xa0", "\u200b", "\x1b", " \u200b"])
@pytest.mark.parametrize("sign", "=+-@＝＠")
def test_a_formula_is_guarded_whatever_invisible_stands_before_it(before: str, sign: str) -> None:
    assert escape_formula(f"{before}{sign}cmd") == f"'{before}{sign}cmd"


@given(text=st.text(st.sampled_from("'= \u200b\t+a1") | st.characters(), max_size=8))
def test_a_guarded_text_comes_back(text: str) -> None:
    assert unescape_formula(escape_formula(text)) == text


@pytest.mark.parametrize("text", ["", "a=b", "1", "0.5", "'tis", " a", "\u200ba", "’=x"])
def test_other_texts_are_left_alone(text: str) -> None:
    assert escape_formula(text) == text
