"""Write a frame for analysis as CSV, TSV, JSON lines, XLSX or Parquet."""

from __future__ import annotations

import io
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import msgspec

from epicene.core.control_characters import escape_controls
from epicene.core.errors import InputError
from epicene.studies.exchange.response_files import to_csv

if TYPE_CHECKING:
    import polars

TableFormat: TypeAlias = Literal["csv", "tsv", "jsonl", "xlsx", "parquet"]
UTF8_BOM = b"\xef\xbb\xbf"  # makes spreadsheets read UTF-8


def table_bytes(frame: polars.DataFrame, codebook: polars.DataFrame, form: TableFormat) -> bytes:
    """The content of a file; an XLSX file has the codebook on a second sheet."""
    if form == "parquet":
        buffer = io.BytesIO()
        frame.write_parquet(buffer)
        return buffer.getvalue()
    if form == "xlsx":
        return _workbook({"answers": frame, "codebook": codebook})
    rows = frame.iter_rows(named=True)
    if form == "jsonl":
        return b"".join(msgspec.json.encode(row) + b"\n" for row in rows)
    cells = ({name: _cell(value) for name, value in row.items()} for row in rows)
    return to_csv(frame.columns, cells, "\t" if form == "tsv" else ",").encode()


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _workbook(sheets: dict[str, polars.DataFrame]) -> bytes:
    try:
        from openpyxl import Workbook
        from openpyxl.cell import WriteOnlyCell
    except ImportError:
        raise InputError(
            "Writing .xlsx requires the package openpyxl; install it with "
            "`pip install 'epicene[study]'`, or write .csv."
        ) from None
    book = Workbook(write_only=True)
    for name, frame in sheets.items():
        sheet = book.create_sheet(name)
        sheet.freeze_panes = "A2"
        sheet.append(frame.columns)
        for row in frame.iter_rows():
            cells = []
            for value in row:
                if isinstance(value, datetime):
                    value = value.isoformat()  # a workbook has no time zones
                if isinstance(value, str):
                    value = escape_controls(value)  # which a workbook cannot hold
                cell = WriteOnlyCell(sheet, value)
                if isinstance(value, str):
                    cell.data_type = "s"  # never a formula
                cells.append(cell)
            sheet.append(cells)
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()
