"""The effect of grammatical gender: Table 11, resource levels, and grammar crossed with stereotype.

Divergent words alone cannot separate grammar from stereotype; with control words, the two factors
are crossed and each has its own effect.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from epicene.core.records import Column, Estimate, Row, Table
from epicene.stats.arrays import safe_ratio
from epicene.stats.hypothesis_tests import benjamini_hochberg
from epicene.stats.intervals import statistic_of_sums
from epicene.suites.gramvis.counts import control_words, count_array, with_stereotype
from epicene.suites.gramvis.items import (
    CONDITIONS,
    CONTROLS,
    GRAMMARS,
    HIGH_RESOURCE,
    LABEL_OF_GRAMMAR,
    MEDIUM_RESOURCE,
)
from epicene.suites.gramvis.metrics import (
    NO_GENDERED_IMAGE,
    SIGNIFICANCE_LEVELS,
    average_for,
    holm_adjusted,
    p_value_cell,
    paired_test,
    pooled_estimates,
    ratio_terms,
    significance_stars,
    word_average,
)
from epicene.suites.gramvis.tables_representation import CELL_LEVELS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import polars

    from epicene.stats import SignificanceResult
    from epicene.stats.arrays import Floats
    from epicene.suites.gramvis.counts import CountArray, WordCounts
    from epicene.suites.gramvis.metrics import Average
    from epicene.suites.gramvis.protocol import GramvisProtocol

    EffectCell = tuple[str, str, str]
    Tested = dict[tuple[EffectCell, str], SignificanceResult]

_AGGREGATE_ONLY = "this stands in the aggregate's rows"  # words: allow
_NOT_IN_CELLS = Estimate(value=None, why=_AGGREGATE_ONLY)
_SE_NOTE = (
    "SE is Epicene's, clustered by word; no formula was found that gives the paper's SE "
    "column from the published counts."
)


def effect_table(counts: CountArray, protocol: GramvisProtocol) -> Table:
    """Table 11: the share of the word's own gender, and its change against both controls, with
    tests."""
    printed = protocol.as_printed
    average = average_for(protocol, "images")
    cells = counts.cells()
    raw: Tested = {
        (cell, control): paired_test(part, control, LABEL_OF_GRAMMAR[cell[2]])
        for cell, part in cells
        for control in CONTROLS
    }
    adjusted = raw if printed else holm_adjusted(raw)
    bh = dict(zip(raw, benjamini_hochberg([test.p for test in raw.values()]), strict=True))
    rows = []
    for cell, part in cells:
        own = LABEL_OF_GRAMMAR[cell[2]]
        rep = average.share(part, "gendered", own)
        made = [rep, average.standard_error(part, "gendered", own)]
        for control in CONTROLS:
            test = adjusted[cell, control]
            made += [average.effect(part, control, own), p_value_cell(raw[cell, control])]
            if not printed:
                made += [
                    p_value_cell(test),
                    Estimate(value=bh[cell, control], n=test.n, why=test.why),
                ]
            made += [p_value_cell(test, significance_stars(test.p)), _NOT_IN_CELLS]
        rows.append(Row(keys=cell, cells=tuple(made)))
    rows += [_aggregate_row(counts, grammar, average, adjusted, printed) for grammar in GRAMMARS]
    return Table(
        name="11",
        title="Effect of grammatical gender on who is shown",
        levels=CELL_LEVELS,
        columns=tuple(_effect_columns(printed)),
        rows=tuple(rows),
        notes=(_effect_note(printed), _SE_NOTE),
    )


def _effect_note(printed: bool) -> str:
    if printed:
        return (
            "Shares and effects are over all images of a cell; the aggregate is the mean of "
            "the cells. p: paired t-tests over words, without correction; for the aggregate, "
            "over all words of all models as if they were independent."
        )
    return (
        "Means are over words, without words that have no countable image; intervals are over "
        "words. p: paired t-tests over words; stars after Holm's correction over the whole "
        "table. In the aggregate, a word drawn by several models is one observation."
    )


def _effect_columns(printed: bool) -> list[Column]:
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


def _aggregate_row(
    counts: CountArray, grammar: str, average: Average, tests: Tested, printed: bool
) -> Row:
    own = LABEL_OF_GRAMMAR[grammar]
    everything = counts.select(counts.word_indices(grammar=grammar))
    parts = [part for cell, part in counts.cells() if cell[2] == grammar]
    if not parts:
        nothing = Estimate(value=None, why="there are no words of this gender")
        return Row(
            keys=("aggregate", "all", grammar), cells=(nothing,) * len(_effect_columns(printed))
        )
    rep, error, *effects = pooled_estimates(average, everything, parts, own, printed)
    made = [rep, error]
    for control, effect in zip(CONTROLS, effects, strict=True):
        test = paired_test(everything, control, own, by_word=not printed)
        family = [
            each.p
            for (cell, against), each in tests.items()
            if cell[2] == grammar and against == control
        ]
        significant = [p is not None and p < SIGNIFICANCE_LEVELS[0] for p in family]
        made += [effect, p_value_cell(test)]
        if not printed:
            made += [Estimate(value=None, why="the aggregate is outside the corrected family")] * 2
        made += [
            p_value_cell(test, significance_stars(test.p)),
            Estimate(value=float(np.mean(significant)), n=len(significant)),
        ]
    return Row(keys=("aggregate", "all", grammar), cells=tuple(made))


# --- resource levels -------------------------------------------------------------------------


def resource_table(counts: CountArray) -> Table:
    """Effects in high- and medium-resource languages, and the difference of the two."""
    average = word_average()
    levels = {"high": HIGH_RESOURCE, "medium": MEDIUM_RESOURCE}
    rows = []
    for drawer in ("all", *counts.drawers):
        drawers = () if drawer == "all" else (drawer,)
        for grammar in GRAMMARS:
            own = LABEL_OF_GRAMMAR[grammar]
            parts = {
                level: counts.select(_words_of_languages(counts, codes, grammar), drawers)
                for level, codes in levels.items()
            }
            absent = next((level for level, part in parts.items() if not len(part.counts)), "")
            for level, part in parts.items():
                cells = [average.effect(part, control, own) for control in CONTROLS]
                if not len(part.counts):
                    cells = [_no_words(level)] * len(CONTROLS)
                rows.append(Row(keys=(level, drawer, grammar), cells=tuple(cells)))
            contrast = [
                _effect_contrast(parts["high"], parts["medium"], control, own)
                for control in CONTROLS
            ]
            if absent:
                contrast = [_no_words(absent)] * len(CONTROLS)
            rows.append(Row(keys=("high less medium", drawer, grammar), cells=tuple(contrast)))
    return Table(
        name="resources",
        title="Effects by language resource level",
        levels=("resources", "model", "grammar"),
        columns=tuple(Column(name=f"{control}_effect") for control in CONTROLS),
        rows=tuple(rows),
        notes=(
            f"High: {', '.join(HIGH_RESOURCE)}; medium: {', '.join(MEDIUM_RESOURCE)}. Means "
            "are over words under both protocols; intervals are over words. With five "
            "languages, resources cannot be separated from other differences between these "
            "languages.",
        ),
    )


def _no_words(level: str) -> Estimate:
    return Estimate(value=None, why=f"no such word in a {level}-resource language was drawn")


def _words_of_languages(counts: CountArray, languages: tuple[str, ...], grammar: str) -> np.ndarray:
    found = [counts.word_indices(language, grammar) for language in languages]
    return np.sort(np.concatenate(found))


def _effect_contrast(high: WordCounts, medium: WordCounts, control: str, own: str) -> Estimate:
    """The difference of two effects on different words."""
    from scipy.linalg import block_diag

    def sums(part: WordCounts) -> Floats:
        pairs = [ratio_terms(part, condition, own, "words") for condition in ("gendered", control)]
        return np.column_stack([column for pair in pairs for column in pair])

    def contrast(totals: Floats) -> Floats:
        shares = [safe_ratio(totals[:, at], totals[:, at + 1]) for at in range(0, 8, 2)]
        return (shares[0] - shares[1]) - (shares[2] - shares[3])

    return statistic_of_sums(
        block_diag(sums(high), sums(medium)),
        contrast,
        np.concatenate([high.words, medium.words]),
        undefined=NO_GENDERED_IMAGE,
        scale="difference",
        bounds=(-2, 2),
    )


Cell: TypeAlias = tuple[str, str]  # grammar and stereotype
Weights: TypeAlias = "Mapping[Cell, float]"

_MM, _MF, _FM, _FF = CROSSED_CELLS = (
    ("M", "male"),
    ("M", "female"),
    ("F", "male"),
    ("F", "female"),
)

_ROW_WEIGHTS: dict[Cell, Weights] = {
    **{cell: {cell: 1.0} for cell in CROSSED_CELLS},
    ("grammar", "M less F"): {_MM: 0.5, _MF: 0.5, _FM: -0.5, _FF: -0.5},
    ("stereotype", "male less female"): {_MM: 0.5, _FM: 0.5, _MF: -0.5, _FF: -0.5},
    ("both", "interaction"): {_MM: 1.0, _MF: -1.0, _FM: -1.0, _FF: 1.0},
}
_COLUMN_WEIGHTS: dict[str, Mapping[str, float]] = {
    **{condition: {condition: 1.0} for condition in CONDITIONS},
    **{f"{control}_effect": {"gendered": 1.0, control: -1.0} for control in CONTROLS},
}


def stereotype_table(frame: polars.DataFrame) -> Iterator[Table]:
    """Men's share by grammar and stereotype, and the effect of each, if there are control words."""
    frame = with_stereotype(frame)
    if not len(control_words(frame)):
        return
    counts = count_array(frame)
    controls = set(count_array(control_words(frame)).words)
    indices = {
        cell: np.array(
            [
                index
                for index, word in enumerate(counts.words)
                if (word.grammar == cell[0]) and (word in controls) == (cell in (_MM, _FF))
            ],
            dtype=np.int64,
        )
        for cell in CROSSED_CELLS
    }
    rows = []
    for drawer in counts.drawers:
        parts = {cell: counts.select(words, [drawer]) for cell, words in indices.items()}
        for keys, weights in _ROW_WEIGHTS.items():
            cells = [_weighted_sum(parts, weights, each) for each in _COLUMN_WEIGHTS.values()]
            rows.append(Row(keys=(drawer, *keys), cells=tuple(cells)))
    yield Table(
        name="stereotype",
        title="Men's share by grammatical gender and stereotype",
        levels=("model", "grammar", "stereotype"),
        columns=tuple(Column(name=name) for name in _COLUMN_WEIGHTS),
        rows=tuple(rows),
        notes=(
            "Shares are of the images that show a man or a woman; means are over words under "
            "both protocols, and intervals are over words. The effect of grammar is masculine "
            "minus feminine words, averaged over both stereotypes; that of the stereotype is "
            "averaged over both genders; the interaction is how much larger the effect of "
            "grammar is for male-stereotyped than for female-stereotyped words.",
            "English and Chinese prompts do not show the grammar: its apparent effect there "
            "is due to other differences between the words, and the `_effect` columns have it "
            "subtracted.",
        ),
    )


def _weighted_sum(
    parts: Mapping[Cell, WordCounts],
    weights: Weights,
    conditions: Mapping[str, float],
) -> Estimate:
    """A weighted sum of cells' shares under some conditions, with an interval over words."""
    from scipy.linalg import block_diag

    blocks = []
    for cell in weights:
        sums = [ratio_terms(parts[cell], condition, "male", "words") for condition in conditions]
        blocks.append(np.column_stack([column for pair in sums for column in pair]))
    factors = np.array([w * f for w in weights.values() for f in conditions.values()])

    def combination(totals: Floats) -> Floats:
        shares = safe_ratio(totals[:, 0::2], totals[:, 1::2])
        combined: Floats = (shares * factors).sum(axis=1)
        return combined

    return statistic_of_sums(
        block_diag(*blocks),
        combination,
        np.concatenate([parts[cell].words for cell in weights]),
        undefined=f"for some of these words {NO_GENDERED_IMAGE}",
        scale="difference",
        bounds=(factors[factors < 0].sum(), factors[factors > 0].sum()),
    )
