"""All GramVis tables in order; Tables 4–9 on the word list, and the mixed model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.core.records import Column, Estimate, Row, Table
from epicene.suites.gramvis.counts import count_array, divergent_words, with_drawer
from epicene.suites.gramvis.items import CATEGORIES, GRAMMARS
from epicene.suites.gramvis.tables_effects import effect_table, resource_table, stereotype_table
from epicene.suites.gramvis.tables_judges import judge_tables
from epicene.suites.gramvis.tables_representation import (
    CELL_LEVELS,
    bias_table,
    neither_table,
    representation_tables,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from epicene.suites import Results
    from epicene.suites.gramvis.counts import CountArray
    from epicene.suites.gramvis.protocol import GramvisProtocol

    Keys = tuple[str, str, str]  # language, model and grammar

_ALL = "all"
_COUNT = Column(name="count", unit="count", decimals=0)
_PER_CENT = Column(name="pct", unit="number", decimals=2)


def word_tables(counts: CountArray) -> Iterator[Table]:
    """Tables 4 to 9."""
    everything = (_ALL, _ALL, _ALL)
    total = _word_count(counts, everything)
    grammars: list[Keys] = [(_ALL, _ALL, grammar) for grammar in reversed(GRAMMARS)]
    languages: list[Keys] = [(code, _ALL, _ALL) for code in counts.languages]
    yield _word_table(
        "4",
        "Words by grammatical gender",
        [_COUNT, _PER_CENT],
        {keys: _count_and_per_cent(counts, keys, total) for keys in grammars},
    )
    yield _word_table(
        "5",
        "Words by language",
        [_COUNT, _PER_CENT],
        {keys: _count_and_per_cent(counts, keys, total) for keys in languages},
    )
    yield _word_table(
        "6",
        "Words by language and grammatical gender",
        [Column(name="total", unit="count", decimals=0), _PER_CENT],
        {
            keys: _count_and_per_cent(counts, keys, _word_count(counts, language))
            for language in languages
            for keys in (language, *((language[0], _ALL, grammar) for grammar in GRAMMARS))
        },
    )
    yield _word_table(
        "7",
        "Words by category",
        [
            Column(name=f"{category}_{column.name}", unit=column.unit, decimals=column.decimals)
            for category in CATEGORIES
            for column in (_COUNT, _PER_CENT)
        ],
        {
            everything: [
                cell
                for category in CATEGORIES
                for cell in _count_and_per_cent(counts, everything, total, category)
            ]
        },
    )
    shares = [Column(name=f"{name}_pct", unit="number", decimals=2) for name in CATEGORIES]
    yield _word_table(
        "8",
        "Categories by grammatical gender, in per cent",
        shares,
        {keys: _category_shares(counts, keys) for keys in grammars},
    )
    yield _word_table(
        "9",
        "Categories by language, in per cent",
        shares,
        {keys: _category_shares(counts, keys) for keys in languages},
    )


def _word_table(
    name: str, title: str, columns: Sequence[Column], rows: Mapping[Keys, Sequence[Estimate]]
) -> Table:
    return Table(
        name=name,
        title=title,
        levels=CELL_LEVELS,
        columns=tuple(columns),
        rows=tuple(Row(keys=keys, cells=tuple(cells)) for keys, cells in rows.items()),
    )


def _word_count(counts: CountArray, keys: Keys, category: str = "") -> int:
    language, _, grammar = ("" if key == _ALL else key for key in keys)
    return len(counts.word_indices(language, grammar, category))


def _count_and_per_cent(
    counts: CountArray, keys: Keys, whole: int, category: str = ""
) -> list[Estimate]:
    number = _word_count(counts, keys, category)
    return [Estimate(value=float(number), n=whole), _per_cent(number, whole)]


def _category_shares(counts: CountArray, keys: Keys) -> list[Estimate]:
    whole = _word_count(counts, keys)
    return [_per_cent(_word_count(counts, keys, category), whole) for category in CATEGORIES]


def _per_cent(number: int, whole: int) -> Estimate:
    if not whole:
        return Estimate(value=None, why="there are no such words")
    return Estimate(value=100 * number / whole, n=whole)


def tables(results: Results[GramvisProtocol]) -> Iterator[Table]:
    """Tables 3–9 and 11–19, then our own. Control words are in those of stereotype and judges."""
    frame, protocol = with_drawer(results), results.protocol
    counts = count_array(divergent_words(frame))
    if counts.words:
        yield from _tables_of_counts(counts, protocol)
    yield from stereotype_table(frame)
    yield from judge_tables(frame)


def _tables_of_counts(counts: CountArray, protocol: GramvisProtocol) -> Iterator[Table]:
    made = [
        *representation_tables(counts, protocol),
        *word_tables(counts),
        effect_table(counts, protocol),
        neither_table(counts, protocol),
        bias_table(counts, protocol),
    ]
    yield from sorted(made, key=lambda table: int(table.name))
    yield resource_table(counts)
    if protocol.mixed:
        yield mixed_table(counts)


def mixed_table(counts: CountArray) -> Table:
    """The pooled estimates of the mixed model, next to the GEE's."""
    from epicene.suites.gramvis.mixed_model import fit_mixed_model

    fitted = fit_mixed_model(counts)
    spread = ", ".join(f"{name} {value:.2f}" for name, value in fitted.spread.items())
    return Table(
        name="mixed",
        title="Log-odds of the word's own gender in a model with words as random effects",
        levels=("term",),
        columns=tuple(
            Column(name=name, unit="number", decimals=2) for name in ("mixed model", "GEE")
        ),
        rows=tuple(
            Row(keys=(name,), cells=(estimate, fitted.gee[name]))
            for name, estimate in fitted.mixed.items()
        ),
        notes=(
            "`level` is under English prompts; the other terms are shifts relative to it, and "
            f"models are relative to {counts.drawers[0]}. Standard deviations between words: "
            f"{spread}.",
            "The marginal likelihood uses Laplace's approximation. The GEE's effects are "
            "averaged over words and therefore closer to 0; its errors are clustered by word. "
            "For the shifts of models, use the GEE's: the mixed model does not include that "
            "words differ by model.",
        ),
    )
