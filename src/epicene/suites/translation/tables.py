"""Gender accuracy by set and language, next to the published numbers; sources that leave it
open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.core.records import Column, Estimate, Row, Table
from epicene.stats.tabulate import accuracy, distinct_values, parts_by, rows_where, undetected_share
from epicene.suites.translation.entities import PRONOUN_LANGUAGES
from epicene.suites.translation.items import FEMININE, MASCULINE, WINOMT
from epicene.suites.translation.judge import MIXED, PUBLISHED, REFERENCES
from epicene.suites.translation.metrics import (
    both_right,
    delta_g,
    delta_s,
    gender_accuracy,
    judge_agreement,
    open_sources,
    scored,
    share_of_label,
)
from epicene.suites.translation.protocol import NOUN, PERSON
from epicene.suites.translation.published import LOGS, published_row

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars

    from epicene.suites.translation.metrics import Outcomes

_COLUMNS = (
    Column(name="items", unit="count"),
    Column(name="accuracy"),
    Column(name=MASCULINE),
    Column(name=FEMININE),
    Column(name="neutral"),
    Column(name="ΔG", unit="number", decimals=3),
    Column(name="ΔS", unit="number", decimals=3),
    Column(name="both of a pair"),
    Column(name="undetected"),
    Column(name="judge"),
)
_NAMES = [column.name for column in _COLUMNS]

_NOTES = (
    "Undetected translations count as not right: the person was not found, or no word shows a "
    "gender.",
    "ΔG: F1 of masculine minus F1 of feminine. ΔS: mean F1 in roles with their stereotypical "
    "gender minus mean F1 in roles with the other gender.",
    "judge: how often our scoring, with the same reading, finds the gender that people found "
    "in translations of WinoMT; the data must include their annotations.",
)
_READING_NOTES = {
    NOUN: "noun: the noun for the role and its article, as WinoMT measures it.",
    PERSON: "person: the noun and its article and, in French, German, Hindi and Russian, also the "
    "pronoun or its verb.",
    REFERENCES: "references: a word that only the right reference has, and none that only the "
    "other has; sentences are left out if one reference has no word of its own.",
    PUBLISHED: "as published: no word of the wrong reference; an empty translation is right.",
}
_ORDER = list(_READING_NOTES)


def tables(results: Outcomes) -> Iterator[Table]:
    """The tables of one or more runs."""
    frame = scored(results)
    if len(frame):
        yield _gender_table(results, frame)
    frame = open_sources(results)
    if len(frame):
        yield _open_table(frame)


def _gender_table(results: Outcomes, frame: polars.DataFrame) -> Table:
    rows: list[Row] = []
    for (model, origin, language), read in parts_by(frame, "model", "set", "language"):
        there = distinct_values(read, "reading")
        for reading in sorted(there, key=_ORDER.index):
            # A language without pronouns to read has one reading.
            if reading == PERSON and language not in PRONOUN_LANGUAGES and NOUN in there:
                continue
            part = rows_where(read, reading=reading)
            cells = _cells(results, part, language, reading)
            rows.append(Row(keys=(model, origin, language, reading), cells=cells))
    shown = {row.keys[1:] for row in rows}
    for language in LOGS:
        keys = (WINOMT, language, NOUN)
        if keys in shown or (WINOMT, language, PERSON) in shown:
            rows.append(published_row(keys, language, _NAMES))
    readings = [name for name in _ORDER if any(row.keys[3] == name for row in rows)]
    return Table(
        name="gender",
        title="Gender accuracy by set and language",
        levels=("model", "set", "language", "reading"),
        columns=_COLUMNS,
        rows=tuple(rows),
        notes=(*_NOTES, *(_READING_NOTES[name] for name in readings)),
    )


def _cells(
    results: Outcomes, part: polars.DataFrame, language: str, reading: str
) -> tuple[Estimate, ...]:
    judge = Estimate(value=None, why="words are compared with references, not judged")
    if reading in (NOUN, PERSON):
        judge = judge_agreement(results, language, reading)
    return (
        Estimate(value=len(part), n=len(part)),
        accuracy(part),
        *(gender_accuracy(part, gender) for gender in (MASCULINE, FEMININE, "neutral")),
        delta_g(part),
        delta_s(part),
        both_right(part),
        undetected_share(part),
        judge,
    )


def _open_table(frame: polars.DataFrame) -> Table:
    labels = (MASCULINE, FEMININE, "neutral", MIXED, None)
    rows = [
        Row(
            keys=keys,
            cells=(
                Estimate(value=len(part), n=len(part)),
                *(share_of_label(part, label) for label in labels),
            ),
        )
        for keys, part in parts_by(frame, "model", "set", "language")
    ]
    return Table(
        name="open",
        title="Gender given to people whose gender the source leaves open",
        levels=("model", "set", "language"),
        columns=(
            Column(name="people", unit="count"),
            *(Column(name=label or "undetected") for label in labels),
        ),
        rows=tuple(rows),
        notes=(
            "Neither gender is wrong here; the table shows how one-sided the choice is.",
            "Where there are alternatives, people are left out if one gender has no word of "
            "its own.",
        ),
    )
