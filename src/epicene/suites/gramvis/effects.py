"""How much grammar moves who is shown: Table 11, its aggregate, and the resource-level contrast."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from epicene.records import Column, Estimate, Row, Table
from epicene.stats.bootstrap import of_sums
from epicene.stats.checks import ratio
from epicene.stats.correction import benjamini_hochberg
from epicene.suites.gramvis.analysis.averages import NOTHING, Average, columns, mean_of_shares
from epicene.suites.gramvis.analysis.differences import (
    LEVELS as SIGNIFICANCE,
)
from epicene.suites.gramvis.analysis.differences import (
    holm_over,
    paired_test,
    shown,
    stars,
)
from epicene.suites.gramvis.names import CONTROLS, GRAMMARS, HIGH_RESOURCE, MEDIUM_RESOURCE, OWN
from epicene.suites.gramvis.representation import LEVELS, average_of

if TYPE_CHECKING:
    from epicene.stats import Test
    from epicene.stats.checks import Floats
    from epicene.suites.gramvis.analysis.words import Counts, Part
    from epicene.suites.gramvis.protocol import GramvisProtocol

    Cell = tuple[str, str, str]
    Tested = dict[tuple[Cell, str], Test]

_CELLS_ONLY = "this stands in the aggregate's rows"
_NOT_HERE = Estimate(value=None, why=_CELLS_ONLY)
_SE = (
    "SE is Epicene's, clustered by word; the paper's SE column follows from no formula over the "
    "published counts that was found."
)


def effect_table(counts: Counts, protocol: GramvisProtocol) -> Table:
    """Table 11: the own gender's share, and its change against both controls, with tests."""
    printed = protocol.averaging == "as printed"
    average = average_of(protocol, "images")
    cells = counts.cells()
    raw: Tested = {
        (cell, control): paired_test(part, control, OWN[cell[2]])
        for cell, part in cells
        for control in CONTROLS
    }
    adjusted = raw if printed else holm_over(raw)
    bh = dict(zip(raw, benjamini_hochberg([test.p for test in raw.values()]), strict=True))
    rows = []
    for cell, part in cells:
        own = OWN[cell[2]]
        rep = average.share(part, "gendered", own)
        made = [rep, average.standard_error(part, "gendered", own)]
        for control in CONTROLS:
            test = adjusted[cell, control]
            made += [average.effect(part, control, own), shown(raw[cell, control])]
            if not printed:
                made += [shown(test), Estimate(value=bh[cell, control], n=test.n, why=test.why)]
            made += [shown(test, stars(test.p)), _NOT_HERE]
        rows.append(Row(keys=cell, cells=tuple(made)))
    rows += [_aggregate(counts, grammar, average, adjusted, printed) for grammar in GRAMMARS]
    return Table(
        name="11",
        title="The effect of grammatical gender on who is shown",
        levels=LEVELS,
        columns=tuple(_columns(printed)),
        rows=tuple(rows),
        notes=(_note(printed), _SE),
    )


def _note(printed: bool) -> str:
    if printed:
        return (
            "Shares and effects over all images of a cell; the aggregate is the mean of the cells. "
            "p: paired t-tests over words, without correction; the aggregate's over all words of "
            "all models as if they were apart."
        )
    return (
        "Means over words, words without a countable image left out; intervals resample words. "
        "p: paired t-tests over words; stars after Holm over the whole table. In the aggregate a "
        "word drawn by several models is one observation."
    )


def _columns(printed: bool) -> list[Column]:
    found = [Column(name="rep"), Column(name="se", unit="number", decimals=3)]
    for control in CONTROLS:
        found += [Column(name=f"{control}_effect"), Column(name=f"{control}_p", unit="p")]
        if not printed:
            found += [Column(name=f"{control}_p_{way}", unit="p") for way in ("holm", "bh")]
        found += [
            Column(name=f"{control}_stars", unit="p"),
            Column(name=f"{control}_share_significant"),
        ]
    return found


def _aggregate(counts: Counts, grammar: str, average: Average, tests: Tested, printed: bool) -> Row:
    own = OWN[grammar]
    everything = counts.part(counts.which(grammar=grammar))
    parts = [part for cell, part in counts.cells() if cell[2] == grammar]
    if not parts:
        nothing = Estimate(value=None, why="there are no words of this gender")
        return Row(keys=("aggregate", "all", grammar), cells=(nothing,) * len(_columns(printed)))
    rep, error, *effects = _pooled(average, everything, parts, own, printed)
    made = [rep, error]
    for control, effect in zip(CONTROLS, effects, strict=True):
        test = paired_test(everything, control, own, by_word=not printed)
        family = [
            each.p
            for (cell, against), each in tests.items()
            if cell[2] == grammar and against == control
        ]
        significant = [p is not None and p < SIGNIFICANCE[0] for p in family]
        made += [effect, shown(test)]
        if not printed:
            made += [Estimate(value=None, why="the aggregate is outside the corrected family")] * 2
        made += [
            shown(test, stars(test.p)),
            Estimate(value=float(np.mean(significant)), n=len(significant)),
        ]
    return Row(keys=("aggregate", "all", grammar), cells=tuple(made))


def _pooled(
    average: Average, everything: Part, parts: list[Part], own: str, printed: bool
) -> list[Estimate]:
    """The share under the gendered prompt, its standard error, the effect against each control."""
    if not printed:
        return [
            average.share(everything, "gendered", own),
            average.standard_error(everything, "gendered", own),
            *(average.effect(everything, control, own) for control in CONTROLS),
        ]
    rep, error = mean_of_shares(average, parts, "gendered", own)
    controls = [mean_of_shares(average, parts, control, own)[0] for control in CONTROLS]
    return [rep, error, *(_less(rep, neutral) for neutral in controls)]


def headline_effects(counts: Counts, protocol: GramvisProtocol) -> dict[str, Estimate]:
    """The aggregate's share and effects, by name and grammatical gender."""
    average = average_of(protocol, "images")
    printed = protocol.averaging == "as printed"
    found = {}
    for grammar in GRAMMARS:
        parts = [part for cell, part in counts.cells() if cell[2] == grammar]
        if parts:
            everything = counts.part(counts.which(grammar=grammar))
            rep, _, *effects = _pooled(average, everything, parts, OWN[grammar], printed)
            found[f"rep_{grammar}"] = rep
            for control, effect in zip(CONTROLS, effects, strict=True):
                found[f"{control}_effect_{grammar}"] = effect
    return found


def _less(first: Estimate, second: Estimate) -> Estimate:
    if first.value is None or second.value is None:
        return Estimate(value=None, why=first.why or second.why)
    return Estimate(value=first.value - second.value, n=first.n)


# --- resource levels -------------------------------------------------------------------------


def resource_table(counts: Counts, protocol: GramvisProtocol) -> Table:
    """Effects in high- and medium-resource languages, and the difference of the two."""
    average = replace(average_of(protocol, "words"), intervals=True, resamples=protocol.resamples)
    levels = {"high": HIGH_RESOURCE, "medium": MEDIUM_RESOURCE}
    rows = []
    for drawer in ("all", *counts.drawers):
        drawers = () if drawer == "all" else (drawer,)
        for grammar in GRAMMARS:
            own = OWN[grammar]
            parts = {
                level: counts.part(_words(counts, codes, grammar), drawers)
                for level, codes in levels.items()
            }
            for level, part in parts.items():
                cells = [average.effect(part, control, own) for control in CONTROLS]
                rows.append(Row(keys=(level, drawer, grammar), cells=tuple(cells)))
            contrast = [
                _contrast(parts["high"], parts["medium"], control, own, protocol)
                for control in CONTROLS
            ]
            rows.append(Row(keys=("high less medium", drawer, grammar), cells=tuple(contrast)))
    return Table(
        name="resources",
        title="Effects by how well resourced a language is",
        levels=("resources", "model", "grammar"),
        columns=tuple(Column(name=f"{control}_effect") for control in CONTROLS),
        rows=tuple(rows),
        notes=(
            f"High: {', '.join(HIGH_RESOURCE)}; medium: {', '.join(MEDIUM_RESOURCE)}. Means over "
            "words under both protocols; intervals resample words. Five languages cannot tell "
            "resources from anything else that sets these languages apart.",
        ),
    )


def _words(counts: Counts, languages: tuple[str, ...], grammar: str) -> np.ndarray:
    found = [counts.which(language, grammar) for language in languages]
    return np.sort(np.concatenate(found))


def _contrast(
    high: Part, medium: Part, control: str, own: str, protocol: GramvisProtocol
) -> Estimate:
    """The difference of two effects on words apart, words drawn together."""

    def sums(part: Part) -> Floats:
        pairs = [columns(part, condition, own, "words") for condition in ("gendered", control)]
        return np.column_stack([column for pair in pairs for column in pair])

    first, second = sums(high), sums(medium)
    rows = np.block(
        [
            [first, np.zeros_like(first)],
            [np.zeros_like(second), second],
        ]
    )

    def contrast(totals: Floats) -> Floats:
        shares = [ratio(totals[:, at], totals[:, at + 1]) for at in range(0, 8, 2)]
        return (shares[0] - shares[1]) - (shares[2] - shares[3])

    return of_sums(
        rows,
        contrast,
        np.concatenate([high.words, medium.words]),
        undefined=NOTHING,
        resamples=protocol.resamples,
        seed=protocol.seed,
        bounds=(-2, 2),
    )
