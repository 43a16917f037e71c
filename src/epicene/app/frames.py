"""Estimates, tables, judgements and answers as polars frames."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from epicene.core.errors import unknown
from epicene.core.records import Choice, Completions, Estimate, Failed, Images, Texts, to_json
from epicene.show.layout import check_table, reason_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import polars

    from epicene.core.records import Answer, Judgement, Table

_CHUNK = 20_000  # rows turned into columns at a time


def estimates_frame(estimates: Mapping[str, Estimate]) -> polars.DataFrame:
    """One row per metric: metric, value, low, high, n, why, groups."""
    import polars as pl

    return pl.DataFrame(
        [(name, e.value, e.low, e.high, e.n, e.why, e.groups) for name, e in estimates.items()],
        schema={
            "metric": pl.String,
            "value": pl.Float64,
            "low": pl.Float64,
            "high": pl.Float64,
            "n": pl.Int64,
            "why": pl.String,
            "groups": pl.Float64,
        },
        orient="row",
    )


def table_frame(table: Table) -> polars.DataFrame:
    """One row per row of the table: its keys, `origin`, and one column per column.

    A column of numbers is followed by NAME low, NAME high, NAME n, NAME why and NAME groups.
    Numbers are not rounded; shares are between 0 and 1.
    """
    import polars as pl

    check_table(table)
    rows = []
    schema: dict[str, Any] = dict.fromkeys((*table.levels, "origin"), pl.String)
    for column in table.columns:
        schema[column.name] = pl.String if column.unit == "text" else pl.Float64
        if column.unit != "text":
            schema |= {f"{column.name} low": pl.Float64, f"{column.name} high": pl.Float64}
            schema |= {f"{column.name} n": pl.Int64, f"{column.name} why": pl.String}
            schema |= {f"{column.name} groups": pl.Float64}
    for row in table.rows:
        fields: list[Any] = [*row.keys, row.origin]
        for column, cell in zip(table.columns, row.cells, strict=True):
            if isinstance(cell, str):
                empty = () if column.unit == "text" else (None, None, None, cell, None)
                fields += [cell if column.unit == "text" else None, *empty]
            elif column.unit == "text":
                fields.append(None if cell.value is None else str(cell.value))
            else:
                reason = reason_for(cell, row)
                fields += [cell.value, cell.low, cell.high, cell.n, reason, cell.groups]
        rows.append(fields)
    return pl.DataFrame(rows, schema=schema, orient="row")


def rows_frame(
    rows: Iterable[Mapping[str, Any]],
    columns: Sequence[str] | None = None,
    where: polars.Expr | None = None,
) -> polars.DataFrame:
    """The rows as a frame, built in chunks: only the rows and columns selected by `where` and
    `columns` are kept in memory.
    """
    import polars as pl

    stream = iter(rows)
    pieces = []
    known: dict[str, None] = {}
    for chunk in iter(lambda: list(islice(stream, _CHUNK)), []):
        names = dict.fromkeys(name for row in chunk for name in row)
        known |= names
        # By rows: by columns, only the keys of the first of nested tables would be kept.
        piece = pl.DataFrame(list(map(dict, chunk)), infer_schema_length=None)
        wanted = {*(columns or ()), *(where.meta.root_names() if where is not None else ())}
        piece = piece.with_columns(
            pl.lit(None).alias(name) for name in sorted(wanted - names.keys())
        )
        if where is not None:
            piece = piece.filter(where)
        pieces.append(piece if columns is None else piece.select(columns))
    for name in columns or ():
        if pieces and name not in known:
            raise unknown("column", name, known, every=True)
    if not pieces:
        return pl.DataFrame({name: [] for name in columns or ()})
    return pl.concat(pieces, how="diagonal_relaxed")


def judgement_rows(
    judgements: Iterable[tuple[str, Judgement]],
) -> Iterator[dict[str, Any]]:
    """One row per judgement, which is given with its model: its fields, facets and counts, and
    its evidence in columns that start with `evidence_`.
    """
    for model, judgement in judgements:
        yield {
            "model": model,
            "item": judgement.item,
            "group": judgement.group or judgement.item,
            "language": judgement.language,
            "name": judgement.name,
            "outcome": judgement.outcome,
            "label": judgement.label,
            "value": None if judgement.value is None else float(judgement.value),
            **judgement.facets,
            **{name: float(count) for name, count in judgement.counts.items()},
            **{f"evidence_{name}": text for name, text in judgement.evidence.items()},
        }


def answer_fields(answer: Answer) -> dict[str, Any]:
    """An answer as columns: the `texts` that were written, filled in or chosen, or the hashes of
    images; the reason if it `failed`; and the whole `answer` as JSON.
    """
    texts: list[str] = []
    match answer:
        case Texts():
            texts = [text.text for text in answer.texts]
        case Choice(choice=str(choice)):
            texts = [choice]
        case Completions():
            texts = [each.text for each in answer.completions]
        case Images():
            texts = [image.sha256 for image in answer.images]
    return {
        "kind": str(answer.__struct_config__.tag),
        "texts": texts,
        "failed": answer.reason if isinstance(answer, Failed) else None,
        "answer": to_json(answer).decode(),
    }
