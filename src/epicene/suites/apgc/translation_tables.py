"""BLEU of translations, the paper's Tables 5 and 6; what BLEU hides; before and after editing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.records import Column, Estimate, Row, Table
from epicene.suites.apgc.english import uses_tagger
from epicene.suites.apgc.estimates import bleu_difference, bleu_of, cleaned, empty
from epicene.suites.apgc.judge import MULTI
from epicene.suites.apgc.labels import TARGETS
from epicene.suites.apgc.published import (
    logged_post_editing,
    printed_table_5,
    printed_table_6,
)
from epicene.suites.tabulate import only, share, undetected, values_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars

# The rows of Table 5: which sentences, by their condensed labels.
GROUPS: dict[str, tuple[str, ...]] = {
    "ALL": ("BB", "BM", "BF", "MB", "FB", "MM", "FM", "MF", "FF"),
    "BB": ("BB",),
    "ALL-BB": ("BM", "BF", "MB", "FB", "MM", "FM", "MF", "FF"),
    "BM BF": ("BM", "BF"),
    "MB FB": ("MB", "FB"),
    "MM FM MF FF": ("MM", "FM", "MF", "FF"),
}

# What every table of answers ends with.
UNREAD = (Column(name="undetected"), Column(name="cleaned"))


def of_labels(frame: polars.DataFrame, labels: Sequence[str]) -> polars.DataFrame:
    """The rows of sentences with these labels."""
    import polars as pl

    return frame.filter(pl.col("sentence label").cast(pl.String).is_in(list(labels)))


def _bleu_cells(frame: polars.DataFrame) -> tuple[Estimate | str, ...]:
    parts = {reference: only(frame, reference=reference) for reference in (*TARGETS, MULTI)}
    number = Estimate(value=len(parts["MM"]), n=len(parts["MM"]))
    return (
        number,
        *(bleu_of(part) for part in parts.values()),
        bleu_difference(parts["MM"], parts["FF"]),
        empty(parts[MULTI]),
    )


_BLEU_COLUMNS = (
    Column(name="n", unit="count"),
    *(Column(name=name, unit="number", decimals=2) for name in (*TARGETS, MULTI, "MM − FF")),
    Column(name="undetected"),
)


def table_5(frame: polars.DataFrame, name: str) -> Table:
    """By the labels of the Arabic sentences, letters folded (`5`) or as written."""
    rows = [
        Row(keys=(model, group), cells=_bleu_cells(of_labels(only(frame, model=model), labels)))
        for model in values_of(frame, "model")
        for group, labels in GROUPS.items()
    ]
    folded = name == "5"
    return Table(
        name=name,
        title="BLEU of translations against each form, by label"
        + ("" if folded else ", letters as written"),
        levels=("model", "sentences"),
        columns=_BLEU_COLUMNS,
        rows=(*rows, *(printed_table_5() if folded else ())),
        notes=(
            "Alif, ya and ta marbuta folded, as in the paper."
            if folded
            else "No letter folded: ta marbuta, which marks gender, counts.",
            "MM − FF is resampled as one, so its interval tells whether the two differ. "
            "Undetected are empty translations.",
        ),
    )


def table_6(frame: polars.DataFrame) -> Table:
    """By the gender of English nouns, of the sentences that show gender."""
    frame = of_labels(frame, GROUPS["ALL-BB"])
    rows = []
    for model in values_of(frame, "model"):
        part = only(frame, model=model)
        rows.append(Row(keys=(model, "ALL"), cells=_bleu_cells(part)))
        rows += [
            Row(keys=(model, gender), cells=_bleu_cells(only(part, english_gender=gender)))
            for gender in ("B", "M", "F")
        ]
    return Table(
        name="6",
        title="BLEU of translations of gendered sentences, by the gender of English nouns",
        levels=("model", "English"),
        columns=_BLEU_COLUMNS,
        rows=(*rows, *printed_table_6()),
        notes=(
            "Nouns are told by a tagger."
            if uses_tagger()
            else "No tagger is installed: words are taken for nouns by their form alone.",
        ),
    )


def genders_of_words(frame: polars.DataFrame, models: Sequence[str]) -> Table:
    """Of the words that show gender in the reference, how they came out."""
    import polars as pl

    labels = ("masculine", "feminine", "neither")
    rows = []
    for model in models:
        part = only(frame, model=model)
        people = {
            "both": part,
            "speaker": only(part, person="1"),
            "listener": only(part, person="2"),
        }
        for person, each in people.items():
            number = Estimate(value=len(each), n=len(each))
            cells = [share(each, pl.col("label") == label) for label in labels]
            rows.append(Row(keys=(model, person), cells=(number, *cells)))
    return Table(
        name="words",
        title="Gender of the words that show one, in translations",
        levels=("model", "person"),
        columns=(Column(name="words", unit="count"), *(Column(name=label) for label in labels)),
        rows=tuple(rows),
        notes=(
            "Each gendered word of a group counts once; a word whose two forms are both absent, "
            "or both there, is neither.",
        ),
    )


def post_editing(frame: polars.DataFrame) -> Table:
    """Before and after the rewriting, for each pair of people."""
    rows = []
    for model in values_of(frame, "model"):
        for target in TARGETS:
            part = only(frame, model=model, target=target)
            cells = (
                bleu_of(part, "before_"),
                bleu_of(part),
                bleu_difference(part, part, before=True),
                undetected(part),
                cleaned(part),
            )
            rows.append(Row(keys=(model, target), cells=cells))
    return Table(
        name="post-editing",
        title="BLEU of translations before and after rewriting, for each pair of people",
        levels=("model", "target"),
        columns=(
            *(Column(name=name, unit="number", decimals=2) for name in ("before", "after", "gain")),
            *UNREAD,
        ),
        rows=(*rows, *logged_post_editing()),
        notes=("Alif, ya and ta marbuta folded, as in the paper.",),
    )
