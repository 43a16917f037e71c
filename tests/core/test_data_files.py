"""Files of rows: whatever a spreadsheet puts between the cells, the same rows come out."""

from __future__ import annotations

import csv
import io
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epicene.core.data_files import (
    MAX_COLUMNS,
    MAX_DOCUMENT_BYTES,
    MAX_LINE_BYTES,
    MAX_ROW_LINES,
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

CELLS = st.text("ab,;\"\n\r' é", max_size=8)
ROWS = st.lists(st.tuples(CELLS, CELLS, CELLS), max_size=5)


def rows_of(path: Path) -> list[dict[str, object]]:
    return [line.values for line in read_rows(path)]


def rows(path: Path, text: str) -> list[dict[str, object]]:
    path.write_bytes(text.encode())
    return rows_of(path)


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("separator", [",", ";"])
@given(given_rows=ROWS)
def test_rows_come_back_whichever_sign_separates_them(
    tmp_path_factory: pytest.TempPathFactory,
    separator: str,
    mark: str,
    given_rows: list[tuple[str, str, str]],
) -> None:
    names = ("id", "a name, with; both", "text")
    written = io.StringIO(newline="")
    # What stands between quotes separates nothing.
    csv.writer(written, delimiter=separator, quoting=csv.QUOTE_ALL).writerow(names)
    csv.writer(written, delimiter=separator).writerows(given_rows)
    path = tmp_path_factory.getbasetemp() / "rows.csv"
    assert rows(path, mark + written.getvalue()) == [
        dict(zip(names, row, strict=True)) for row in given_rows
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        # As a spreadsheet writes it where a comma stands before decimals.
        ("id;text;seconds\r\na;He ran, fast.;1,5\r\n", {"text": "He ran, fast.", "seconds": "1,5"}),
        ('id;tags\na;"x; y"\n', {"tags": "x; y"}),
        # Names with both: the first row has as many of one sign alone.
        ("id,this; that\na,b\n", {"this; that": "b"}),
        ("id;this, that\na;b\n", {"this, that": "b"}),
        ("id;this, that\r\na;b\r\n", {"this, that": "b"}),
        # Quotes within a name mean nothing.
        ('id;5" wide;more\na;b;c\n', {'5" wide': "b", "more": "c"}),
    ],
)
def test_the_names_of_columns_tell_what_separates_them(
    text: str, found: dict[str, str], tmp_path: Path
) -> None:
    assert rows(tmp_path / "a.csv", text) == [{"id": "a", **found}]


@pytest.mark.parametrize(
    "text", ["id;this,that\na;b,c\n", "id;this,that\n", "id;this,that\na;b;c,d,e\n"]
)
def test_what_may_be_separated_by_either_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a\.csv, line 1, may be separated by commas or by semi"):
        rows(tmp_path / "a.csv", text)


def test_a_row_too_long_is_named_whatever_separates_it(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 3, does not have the same number of columns"):
        rows(tmp_path / "a.csv", "id;text\na;b\na;b;c\n")


def test_semicolons_in_a_file_of_tabs_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"separated by semicolons; name it \.csv"):
        rows(tmp_path / "a.tsv", "id;text\na;b\n")
    assert rows(tmp_path / "a.tsv", "id\tthis; that, too\na\tb\n") == [
        {"id": "a", "this; that, too": "b"}
    ]


# --- limits --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.jsonl", "a.ndjson"])
def test_a_long_line_is_refused_at_its_line_and_before_it_is_read(
    name: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    first = '{"id": "a"}' if "json" in name else "id"
    with path.open("w") as file:
        file.write(f"{first}\n")
        for _ in range(8):
            file.write("a" * (MAX_LINE_BYTES // 2))
        file.write(f"\n{first}\n")
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match=rf"{name}, line 2, is longer than 16 MiB"):
            list(read_rows(path))
        assert tracemalloc.get_traced_memory()[1] < 3 * MAX_LINE_BYTES
    finally:
        tracemalloc.stop()
    with pytest.raises(InputError, match="line 2, is longer"):
        read_text_lines(path)


def test_a_line_of_the_greatest_length_is_read(tmp_path: Path) -> None:
    text = "é" * (MAX_LINE_BYTES // 2 - 1)
    assert rows(tmp_path / "a.csv", f"id\n{text}\n") == [{"id": text}]


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.parquet"])
def test_a_file_of_too_many_columns_is_refused(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    names = [f"c{number}" for number in range(200_000)]
    if name == "a.parquet":
        polars = pytest.importorskip("polars")
        polars.DataFrame({name: [1] for name in names[: MAX_COLUMNS + 1]}).write_parquet(path)
    else:
        sign = "\t" if name == "a.tsv" else ","
        path.write_text(f"{sign.join(names)}\n{sign.join(names)}\n")
    with pytest.raises(InputError, match=rf"columns, and the limit is {MAX_COLUMNS}"):
        list(read_rows(path))


def test_as_many_columns_as_a_spreadsheet_has_are_read(tmp_path: Path) -> None:
    names = ",".join(f"c{number}" for number in range(MAX_COLUMNS))
    assert len(rows(tmp_path / "a.csv", f"{names}\n{names}\n")[0]) == MAX_COLUMNS


@pytest.mark.parametrize(
    "rest", ["x,y\n" * (MAX_ROW_LINES + 1), ("x" * 1000 + "\n") * (MAX_LINE_BYTES // 1000)]
)
def test_a_missing_quote_is_named_where_its_row_begins(rest: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f'id,text\na,b\nc,"d\n{rest}')
    with pytest.raises(InputError, match=r"a\.csv, line 3, starts a row .* closing quote missing"):
        list(read_rows(path))


def test_a_short_file_with_a_missing_quote_names_the_line_too(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a\.csv, line 2, is not CSV: unexpected end of data"):
        rows(tmp_path / "a.csv", 'id,text\na,"b\nc,d\n')


def test_a_row_over_several_lines_is_named_by_its_first(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('id,text\n\na,"b\nc"\nd,e\n')
    assert [row.location for row in read_rows(path)] == [f"{path}, line 3,", f"{path}, line 5,"]


@pytest.mark.parametrize("name", ["a.json", "a.toml"])
def test_a_document_too_long_is_refused_before_it_is_read(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    with path.open("wb") as file:
        file.truncate(MAX_DOCUMENT_BYTES + 1)
    with pytest.raises(InputError, match=rf"{name} is larger than 64 MiB"):
        read_toml_or_json(path)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", "[" * 100_000),
        ("a.jsonl", '{"id": ' + "[" * 100_000 + "]" * 100_000 + "}"),
        ("a.toml", "a = " + "[" * 100_000 + "]" * 100_000),
    ],
)
def test_deep_nesting_is_a_clear_error(name: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text)
    read = read_toml_or_json if name == "a.toml" else rows_of
    with pytest.raises(InputError, match="is nested too deeply"):
        read(path)


def test_parquet_is_read_whole_though_piece_by_piece(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    polars = pytest.importorskip("polars")
    monkeypatch.setattr("epicene.core.data_files._PARQUET_ROWS", 3)
    path = tmp_path / "a.parquet"
    polars.DataFrame({"id": [str(number) for number in range(7)]}).write_parquet(path)
    assert [record.id for record in read_records(path, Item)] == list("0123456")
    assert [row.location for row in read_rows(path)][6] == f"{path}, row 7,"


@pytest.mark.parametrize("kind", ["String", "Binary", "Categorical"])
def test_a_row_of_parquet_that_is_too_long_is_named(kind: str, tmp_path: Path) -> None:
    polars = pytest.importorskip("polars")
    path = tmp_path / "a.parquet"
    for length, refused in ((MAX_LINE_BYTES - 1, False), (MAX_LINE_BYTES, True)):
        text = polars.Series("text", ["x" * length]).cast(getattr(polars, kind))
        short = polars.Series("text", ["x"]).cast(getattr(polars, kind))
        both = polars.concat([short.to_frame(), text.to_frame()])
        both.with_columns(id=polars.lit("i")).write_parquet(path)
        if refused:
            with pytest.raises(InputError, match=r"a\.parquet, row 2, is longer than 16 MiB\."):
                list(read_rows(path))
        else:
            assert [len(row.values["text"]) for row in read_rows(path)] == [1, length]


def test_rows_of_parquet_that_share_a_text_are_not_all_in_memory_at_once(tmp_path: Path) -> None:
    """Such a file of two kilobytes (8 MiB with polars 1) holds 200 MiB."""
    polars = pytest.importorskip("polars")
    path = tmp_path / "a.parquet"
    text = polars.lit("x" * 2**20).repeat_by(1).list.first()
    polars.select(id=polars.int_range(200)).with_columns(text=text).write_parquet(path)
    assert path.stat().st_size < 16 * 2**20  # polars 1 does not compress the text that rows share
    tracemalloc.start()
    try:
        assert sum(len(row.values["text"]) for row in read_rows(path)) == 200 * 2**20
        assert tracemalloc.get_traced_memory()[1] < 64 * 2**20
    finally:
        tracemalloc.stop()


# --- encodings -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
def test_bytes_that_are_not_utf8_are_named_by_line_and_byte(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(b'{"id": "a"}\n{"id": "\xff"}\n')
    with pytest.raises(InputError, match=rf"{name}, line 2, is not UTF-8 \(byte 9 of the line\)"):
        list(read_rows(path))
    with pytest.raises(InputError, match=r"line 2, is not UTF-8 \(byte 9 of the line\)"):
        read_text(path)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.json"])
def test_utf16_is_recognised(encoding: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes("id,text\na,b\n".encode(encoding))
    with pytest.raises(InputError, match="line 1, is not UTF-8 \\(it looks like UTF-16\\)"):
        list(read_rows(path))


def test_lines_that_end_with_cr_alone_are_read_as_rows_and_refused_as_text(tmp_path: Path) -> None:
    assert rows(tmp_path / "a.csv", "id,text\ra,b\rc,d\r") == [
        {"id": "a", "text": "b"},
        {"id": "c", "text": "d"},
    ]
    assert rows(tmp_path / "a.jsonl", '{"id": "a"}\r{"id": "b"}\r') == [{"id": "a"}, {"id": "b"}]
    with pytest.raises(InputError, match=r"a\.jsonl has CR line endings"):
        read_text_lines(tmp_path / "a.jsonl")


@given(text=st.text("ab\r\n\u2028\x85", max_size=12).filter(lambda text: "\n" in text))
def test_lines_of_text_are_what_line_feeds_separate(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    path = tmp_path_factory.getbasetemp() / "lines.txt"
    path.write_bytes(text.encode())
    whole = text.split("\n")
    if len(whole) == 2 and not whole[1] and "\r" in whole[0].rstrip("\r"):
        return  # one line, with CR inside it
    assert read_text_lines(path) == whole


# --- formulas ------------------------------------------------------------------------------

_BEFORE = ["", " ", "\t", "\r", "\n", "\xa0", "\u200b", "\ufeff", "\u202e", "\u2060", "\u3000"]
_BEFORE += ["\u3164", "\ufe0f", "\u2800", "\x00", "\x1b", " \u200b \xad"]


@pytest.mark.parametrize("before", _BEFORE)
@pytest.mark.parametrize("sign", "=+-@＝＋－＠")
def test_a_formula_is_guarded_whatever_invisible_stands_before_it(before: str, sign: str) -> None:
    text = f"{before}{sign}cmd"
    assert escape_formula(text) == f"'{text}"
    assert unescape_formula(escape_formula(text)) == text


@given(text=st.text(st.sampled_from("'= \u200b\t+a1") | st.characters(), max_size=8))
def test_a_guarded_text_comes_back(text: str) -> None:
    assert unescape_formula(escape_formula(text)) == text


@pytest.mark.parametrize("text", ["", "a=b", "1", "0.5", "'tis", " a", "\u200ba", "’=x"])
def test_other_texts_are_left_alone(text: str) -> None:
    assert escape_formula(text) == text


def test_a_number_with_too_many_digits_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "items.jsonl"
    path.write_text('{"id": ' + "9" * 5000 + "}\n")
    with pytest.raises(InputError, match="line 1, contains a number with too many digits"):
        list(read_rows(path))
