"""Which words there are: Tables 4–9, counts of distinct words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.records import Column, Estimate, Row, Table
from epicene.suites.gramvis.names import CATEGORIES, GRAMMARS
from epicene.suites.gramvis.representation import LEVELS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.suites.gramvis.analysis.words import Counts

_COUNT = Column(name="count", unit="count", decimals=0)
_PER_CENT = Column(name="pct", unit="number", decimals=2)


def word_tables(counts: Counts) -> Iterator[Table]:
    """Tables 4 to 9."""
    total = len(counts.words)
    by_grammar = [
        (("all", "all", grammar), _both(counts, total, grammar=grammar))
        for grammar in reversed(GRAMMARS)
    ]
    yield _table("4", "Words by grammatical gender", [_COUNT, _PER_CENT], by_grammar)
    languages = counts.languages
    yield _table(
        "5",
        "Words by language",
        [_COUNT, _PER_CENT],
        [((code, "all", "all"), _both(counts, total, language=code)) for code in languages],
    )
    yield _table(
        "6",
        "Words by language and grammatical gender",
        [Column(name="total", unit="count", decimals=0), _PER_CENT],
        [row for code in languages for row in _of_language(counts, code)],
    )
    yield _table(
        "7",
        "Words by category",
        [
            Column(name=f"{category}_{column.name}", unit=column.unit, decimals=column.decimals)
            for category in CATEGORIES
            for column in (_COUNT, _PER_CENT)
        ],
        [
            (
                ("all", "all", "all"),
                [each for name in CATEGORIES for each in _both(counts, total, category=name)],
            )
        ],
    )
    shares = [Column(name=f"{name}_pct", unit="number", decimals=2) for name in CATEGORIES]
    yield _table(
        "8",
        "Categories by grammatical gender, in per cent",
        shares,
        [
            (("all", "all", grammar), _categories(counts, grammar=grammar))
            for grammar in reversed(GRAMMARS)
        ],
    )
    yield _table(
        "9",
        "Categories by language, in per cent",
        shares,
        [((code, "all", "all"), _categories(counts, language=code)) for code in languages],
    )


def _table(
    name: str,
    title: str,
    columns: Sequence[Column],
    rows: Sequence[tuple[tuple[str, str, str], Sequence[Estimate]]],
) -> Table:
    return Table(
        name=name,
        title=title,
        levels=LEVELS,
        columns=tuple(columns),
        rows=tuple(Row(keys=keys, cells=tuple(cells)) for keys, cells in rows),
    )


def _number(counts: Counts, language: str = "", grammar: str = "", category: str = "") -> int:
    return len(counts.which(language, grammar, category))


def _both(
    counts: Counts, whole: int, language: str = "", grammar: str = "", category: str = ""
) -> list[Estimate]:
    number = _number(counts, language, grammar, category)
    return [Estimate(value=float(number), n=whole), _per_cent(number, whole)]


def _per_cent(number: int, whole: int) -> Estimate:
    if not whole:
        return Estimate(value=None, why="there are no such words")
    return Estimate(value=100 * number / whole, n=whole)


def _of_language(
    counts: Counts, language: str
) -> Iterator[tuple[tuple[str, str, str], list[Estimate]]]:
    whole = _number(counts, language)
    yield (language, "all", "all"), _both(counts, whole, language)
    for grammar in GRAMMARS:
        yield (language, "all", grammar), _both(counts, whole, language, grammar)


def _categories(counts: Counts, language: str = "", grammar: str = "") -> list[Estimate]:
    whole = _number(counts, language, grammar)
    return [
        _per_cent(_number(counts, language, grammar, category), whole) for category in CATEGORIES
    ]
