"""Files of rows: whatever a spreadsheet puts between the cells, the same rows come out."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epicene.core.data_files import read_rows
from epicene.core.errors import InputError

CELLS = st.text("ab,;\"\n\r' é", max_size=8)
ROWS = st.lists(st.tuples(CELLS, CELLS, CELLS), max_size=5)


def rows(path: Path, text: str) -> list[dict[str, object]]:
    path.write_bytes(text.encode())
    return [line.values for line in read_rows(path)]


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
    with pytest.raises(InputError, match="line 3, has another number of columns"):
        rows(tmp_path / "a.csv", "id;text\na;b\na;b;c\n")


def test_semicolons_in_a_file_of_tabs_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"separated by semicolons; name it \.csv"):
        rows(tmp_path / "a.tsv", "id;text\na;b\n")
    assert rows(tmp_path / "a.tsv", "id\tthis; that, too\na\tb\n") == [
        {"id": "a", "this; that, too": "b"}
    ]
