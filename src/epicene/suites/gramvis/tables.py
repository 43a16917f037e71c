"""The paper's tables from counts or votes, and Epicene's own beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.records import Column, Estimate, Row, Table
from epicene.suites.gramvis.analysis.words import counts_of, divergent, drawn
from epicene.suites.gramvis.effects import effect_table, headline_effects, resource_table
from epicene.suites.gramvis.judge_tables import judge_tables
from epicene.suites.gramvis.neither import neither_table
from epicene.suites.gramvis.representation import bias_table, representation_tables, share_of
from epicene.suites.gramvis.stereotypes import stereotype_table
from epicene.suites.gramvis.word_tables import word_tables

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.suites import Results
    from epicene.suites.gramvis.analysis.words import Counts
    from epicene.suites.gramvis.protocol import GramvisProtocol

    Outcomes = Results[GramvisProtocol]


def tables(results: Outcomes) -> Iterator[Table]:
    """Tables 3–9 and 11–19, then our own. Control words are in those of stereotype and judges."""
    frame, protocol = drawn(results), results.protocol
    counts = counts_of(divergent(frame))
    if counts.words:
        yield from _of_words(counts, protocol)
    yield from stereotype_table(frame, protocol)
    yield from judge_tables(frame, protocol)


def _of_words(counts: Counts, protocol: GramvisProtocol) -> Iterator[Table]:
    made = [
        *representation_tables(counts, protocol),
        *word_tables(counts),
        effect_table(counts, protocol),
        neither_table(counts, protocol),
        bias_table(counts, protocol),
    ]
    yield from sorted(made, key=lambda table: int(table.name))
    yield resource_table(counts, protocol)
    if protocol.mixed:
        yield mixed_table(counts)


def metrics(results: Outcomes) -> dict[str, Estimate]:
    """The aggregate of Table 11 and the last row of Table 12, by what they say.

    A metric is a share of 1, as in every suite; the table has the paper's per cent.
    """
    counts, protocol = counts_of(divergent(drawn(results))), results.protocol
    if not counts.words:
        return {}
    rates = neither_table(counts, protocol)
    average = zip(rates.columns, rates.rows[-1].cells, strict=True)
    return headline_effects(counts, protocol) | {
        column.name.removesuffix("_pct"): share_of(cell)
        for column, cell in average
        if isinstance(cell, Estimate) and column.name.endswith("_pct")
    }


def mixed_table(counts: Counts) -> Table:
    """The pooled estimates of the mixed model, with the GEE's beside them."""
    from epicene.suites.gramvis.analysis.mixed import fit

    fitted = fit(counts)
    spread = ", ".join(f"{name} {value:.2f}" for name, value in fitted.spread.items())
    return Table(
        name="mixed",
        title="The own gender's log-odds in a model with words as random effects",
        levels=("term",),
        columns=tuple(
            Column(name=name, unit="number", decimals=2) for name in ("mixed model", "GEE")
        ),
        rows=tuple(
            Row(keys=(name,), cells=(estimate, fitted.gee[name]))
            for name, estimate in fitted.mixed.items()
        ),
        notes=(
            "`level` is under English prompts, the other terms are shifts against it; models "
            f"against {counts.drawers[0]}. Standard deviations between words: {spread}.",
            "Marginal likelihood by Laplace's approximation. The GEE's effects are averaged over "
            "words and therefore nearer to 0; its errors are clustered by word. For the shifts "
            "of models take the GEE's: that words differ by model is not in the mixed model.",
        ),
    )
