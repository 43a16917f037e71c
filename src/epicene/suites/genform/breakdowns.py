"""Scores by rule, family and number of gendered terms; interference; what answers look like."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.records import Column, Row, Table
from epicene.suites.genform import measures
from epicene.suites.genform.census import rules_in
from epicene.suites.genform.measures import RESAMPLES_OF_PARTS, Part
from epicene.suites.tabulate import share

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import polars

    from epicene.suites.genform.measures import Measure

    # The keys of a table's rows in a language, in order.
    Order = Callable[[polars.DataFrame, str], list[str]]

CLUSTERS = "Intervals resample pairs, both directions of a pair together."

_SCORES: tuple[tuple[str, Measure], ...] = (
    ("GIoU", measures.giou),
    ("SGA", measures.sga),
    ("ΔSGA", measures.delta_sga),
    ("CGA", measures.cga),
    ("left alone", measures.left_alone),
)
_INTERFERENCE: tuple[tuple[str, Measure], ...] = (
    ("SGA − GIoU", measures.interference),
    ("others' words changed", measures.others_changed),
)


def parts_of(
    frame: polars.DataFrame, *columns: str
) -> Iterator[tuple[tuple[str, ...], polars.DataFrame]]:
    """The parts of a frame by the values of some columns, in order."""
    import polars as pl

    keyed = frame.with_columns(pl.col(columns).cast(pl.String))
    parts = keyed.partition_by(columns, as_dict=True, maintain_order=True)
    for keys in sorted(parts, key=lambda each: tuple(map(str, each))):
        yield tuple(map(str, keys)), parts[keys]


def part_tables(frame: polars.DataFrame) -> Iterator[Table]:
    """The scores by rule, by family, and by number of gendered terms."""
    notes = (
        "Where every sentence was asked in both directions, SGA towards the masculine is SGA + "
        "ΔSGA / 2 and towards the feminine SGA − ΔSGA / 2.",
        CLUSTERS,
    )
    for name, title, column, order in (
        ("rules", "Scores by rule", "rule", rules_in),
        ("families", "Scores by family of rules", "family", _families),
        ("terms", "Scores by number of gendered terms", "terms", _numbers),
    ):
        yield Table(
            name=name,
            title=title,
            levels=("model", "language", column),
            columns=tuple(Column(name=head) for head, _ in _SCORES),
            rows=tuple(_rows(frame, column, order, _SCORES)),
            notes=notes,
        )


def interference_table(frame: polars.DataFrame) -> Table:
    """Changes that nobody asked for, in all and by family."""
    return Table(
        name="interference",
        title="Changes to words that are not the speaker's",
        levels=("model", "language", "family"),
        columns=tuple(Column(name=head) for head, _ in _INTERFERENCE),
        rows=tuple(_rows(frame, "family", _families, _INTERFERENCE, with_all=True)),
        notes=(
            "others' words changed: answers in which a word that is no gendered term has another "
            "form of the same word.",
        ),
    )


def _rows(
    frame: polars.DataFrame,
    column: str,
    order: Order,
    columns: tuple[tuple[str, Measure], ...],
    *,
    with_all: bool = False,
) -> Iterator[Row]:
    """A row for each value of a column, by model and language."""
    for (model, language), mine in parts_of(frame, "model", "language"):
        whole = Part.of(mine, RESAMPLES_OF_PARTS)
        keys = mine.select(_text(column))[column].to_numpy()
        parts = {"all": whole} if with_all else {}
        parts |= {key or "–": whole.where(keys == key) for key in order(mine, language)}
        for key, part in parts.items():
            cells = tuple(measure(part) for _, measure in columns)
            yield Row(keys=(model, language, key), cells=cells)


def _text(column: str) -> polars.Expr:
    """A column of names, or of whole numbers, as text."""
    import polars as pl

    return pl.col(column).cast(pl.String).str.strip_suffix(".0").fill_null("")


def _families(frame: polars.DataFrame, _language: str) -> list[str]:
    return sorted(frame["family"].cast(str).fill_null("").unique().to_list())


def _numbers(frame: polars.DataFrame, _language: str) -> list[str]:
    return [f"{number:.0f}" for number in sorted(frame["terms"].unique().to_list())]


def answer_table(frame: polars.DataFrame) -> Table:
    """Which gender the answers have, and what stood around them."""
    import polars as pl

    labels = ("masculine", "feminine", "mixed", "neither")
    around = ("fence", "label", "quotes")
    rows = []
    for keys, mine in parts_of(frame, "model", "language", "target"):
        terms = mine.filter(pl.col("terms") > 0)
        part = Part.of(mine)
        cells = (
            *(share(terms, pl.col("label").eq_missing(pl.lit(label))) for label in labels),
            measures.undetected(part),
            measures.cleaned(part),
            *(share(mine, pl.col("cleaned").cast(pl.String).str.contains(kind)) for kind in around),
        )
        rows.append(Row(keys=keys, cells=cells))
    return Table(
        name="answers",
        title="The gender of the answers, and what was taken from around them",
        levels=("model", "language", "target"),
        columns=tuple(Column(name=head) for head in (*labels, "undetected", "cleaned", *around)),
        rows=tuple(rows),
        notes=(
            "By the gendered terms found: all of one form, some of each (mixed), or neither form. "
            "cleaned: a code fence, a label or quotes around the sentence were dropped.",
        ),
    )
