"""Statistics of a set of pairs: the paper's Tables 1–7 and the counts of its Figures 3 and 4."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.core.records import Column, Estimate, Row, Table
from epicene.stats.tabulate import parts_by
from epicene.suites.genform.gendered_terms import reference_of
from epicene.suites.genform.items import TARGETS, family_of, other_gender, rules_of
from epicene.suites.genform.published import data_rows
from epicene.suites.genform.rule_inventory import rule_tables
from epicene.suites.genform.words import TOKENISATIONS, tokenise
from epicene.suites.wordings import one_wording

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import polars

    from epicene.suites.genform.items import Pair
    from epicene.suites.genform.protocol import GenformProtocol
    from epicene.suites.genform.words import Tokenisation

TOKENISATION_NOTES = {
    "whitespace": "Words are separated by spaces, without outer punctuation.",
    "epicene": "Words are those of Epicene's segmenter: elided and enclitic words are separate.",
}


def statistics(pairs: Sequence[Pair], _protocol: GenformProtocol | None = None) -> Iterator[Table]:
    """Table 1 by both tokenisations, the rules (Tables 2–7), the numbers of Figures 3 and 4."""
    frames = {each: sentence_frame(pairs, each) for each in TOKENISATIONS}
    yield data_table(frames["whitespace"], "1", TOKENISATION_NOTES["whitespace"])
    yield data_table(frames["epicene"], "1 (Epicene's words)", TOKENISATION_NOTES["epicene"])
    yield from rule_tables(pairs)
    yield rule_table(frames["whitespace"])
    yield term_table(frames["whitespace"])


def sentence_frame(pairs: Sequence[Pair], tokenisation: Tokenisation) -> polars.DataFrame:
    """A row for each form of each pair: its language, rule, gendered terms and length."""
    import polars as pl

    rows = []
    for pair in pairs:
        for target in TARGETS:
            words, other = (
                tokenise(pair.form(gender), pair.language, tokenisation)
                for gender in (target, other_gender(target))
            )
            terms = reference_of(words, other).terms
            rows.append((pair.language, pair.id, pair.rule, terms, len(words)))
    schema = {
        "language": pl.String,
        "item": pl.String,
        "rule": pl.String,
        "terms": pl.Int64,
        "length": pl.Int64,
    }
    return _by_pair(pl.DataFrame(rows, schema=schema, orient="row"))


def sentence_frame_from_answers(answers: polars.DataFrame) -> polars.DataFrame:
    """The frame of `sentence_frame`, made from judged answers."""
    import polars as pl

    sentences = (
        one_wording(answers)
        .unique(["item", "target"], maintain_order=True)
        .select(
            pl.col("language", "rule").cast(pl.String),
            "item",
            pl.col("terms", "length").cast(pl.Int64),
        )
    )
    return _by_pair(sentences)


def _by_pair(frame: polars.DataFrame) -> polars.DataFrame:
    """The frame with the larger number of gendered terms for both forms of a pair."""
    import polars as pl

    return frame.with_columns(pl.col("terms").max().over("item"))


def data_table(frame: polars.DataFrame, name: str, note: str) -> Table:
    """The numbers of sentences, rules, gendered terms and words, with the paper's figures."""
    rows = []
    for (language,), part in parts_by(frame, "language"):
        cells = _size_cells(part)
        rows += [Row(keys=(language, "these sentences"), cells=cells), *data_rows(language)]
    counts = Column(name="sentences", unit="count"), Column(name="rules", unit="count")
    sizes = (
        Column(name=f"{what} ({which})", unit="number", decimals=decimals)
        for what in ("gendered terms", "words")
        for which, decimals in (("mean", 2), ("most", 0))
    )
    return Table(
        name=name,
        title="Sentences, rules, gendered terms and words",
        levels=("language", "data"),
        columns=(*counts, *sizes),
        rows=tuple(rows),
        notes=(
            note,
            "A sentence's length is the mean of its two forms, and its gendered terms are "
            "those of the form that has more; sentences without any are included in all "
            "means.",
            "The paper counts 12, 14 and 13 rules; its Tables 3–7 name 15, 14 and 21.",
        ),
    )


def _size_cells(frame: polars.DataFrame) -> tuple[Estimate, ...]:
    import polars as pl

    each = frame.group_by("item").agg(pl.col("terms").first(), pl.col("length").mean())
    rules = frame["rule"].drop_nulls()
    return (
        _number(len(each)),
        _number(rules.filter(rules != "").n_unique()),
        *(
            _number(value)
            for column in (each["terms"], each["length"])
            for value in (column.mean(), column.max())
        ),
    )


def _number(value: object) -> Estimate:
    assert isinstance(value, int | float)
    return Estimate(value=float(value))


def rule_table(frame: polars.DataFrame) -> Table:
    """The number of sentences of each rule, and of those without a gendered term (Figure 3)."""
    rows = []
    for (language,), part in parts_by(frame, "language"):
        for rule in rules_in(part, language):
            mine = part.filter(part["rule"].fill_null("") == rule)
            neutral = mine.filter(mine["terms"] == 0)["item"].n_unique()
            cells = (_number(mine["item"].n_unique()), _number(neutral))
            keys = (language, family_of(language, rule) or "–", rule or "–")
            rows.append(Row(keys=keys, cells=cells))
    return Table(
        name="Figure 3",
        title="Sentences by rule",
        levels=("language", "family", "rule"),
        columns=(
            Column(name="sentences", unit="count"),
            Column(name="without a gendered term", unit="count"),
        ),
        rows=tuple(rows),
    )


def term_table(frame: polars.DataFrame) -> Table:
    """The number of sentences by their number of gendered terms (Figure 4)."""
    numbers = sorted(frame["terms"].unique().to_list())
    rows = []
    for (language,), part in parts_by(frame, "language"):
        cells = [_number(part.filter(part["terms"] == n)["item"].n_unique()) for n in numbers]
        rows.append(Row(keys=(language,), cells=tuple(cells)))
    return Table(
        name="Figure 4",
        title="Sentences by number of gendered terms",
        levels=("language",),
        columns=tuple(Column(name=str(number), unit="count") for number in numbers),
        rows=tuple(rows),
        notes=(TOKENISATION_NOTES["whitespace"],),
    )


def rules_in(frame: polars.DataFrame, language: str) -> list[str]:
    """The rules that occur, those of the paper first and in its order."""
    there = set(frame["rule"].cast(str).fill_null("").unique().to_list())
    known = [rule for rule in rules_of(language) if rule in there]
    return [*known, *sorted(there - set(known))]
