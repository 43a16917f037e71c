"""Grammar and stereotype told apart: words of either gender whose stereotype is either one.

Words that diverge alone cannot tell the two: all that grammar does to them is against the
stereotype. With control words the two are crossed, and each has an effect of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from epicene.records import Column, Estimate, Row, Table
from epicene.stats.bootstrap import of_sums
from epicene.stats.checks import ratio
from epicene.suites.gramvis.analysis.averages import NOTHING, columns
from epicene.suites.gramvis.analysis.words import control_words, counts_of, stereotyped
from epicene.suites.gramvis.names import CONDITIONS, CONTROLS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import polars

    from epicene.stats.checks import Floats
    from epicene.suites.gramvis.analysis.words import Part
    from epicene.suites.gramvis.protocol import GramvisProtocol

Cell: TypeAlias = tuple[str, str]  # grammar and stereotype
Weights: TypeAlias = "Mapping[Cell, float]"

_MM, _MF, _FM, _FF = CELLS = (("M", "male"), ("M", "female"), ("F", "male"), ("F", "female"))

_ROWS: dict[Cell, Weights] = {
    **{cell: {cell: 1.0} for cell in CELLS},
    ("grammar", "M less F"): {_MM: 0.5, _MF: 0.5, _FM: -0.5, _FF: -0.5},
    ("stereotype", "male less female"): {_MM: 0.5, _FM: 0.5, _MF: -0.5, _FF: -0.5},
    ("both", "interaction"): {_MM: 1.0, _MF: -1.0, _FM: -1.0, _FF: 1.0},
}
_COLUMNS: dict[str, Mapping[str, float]] = {
    **{condition: {condition: 1.0} for condition in CONDITIONS},
    **{f"{control}_effect": {"gendered": 1.0, control: -1.0} for control in CONTROLS},
}


def stereotype_table(frame: polars.DataFrame, protocol: GramvisProtocol) -> Iterator[Table]:
    """Men's share by grammar and stereotype, and the effect of each, if there are control words."""
    frame = stereotyped(frame)
    if not len(control_words(frame)):
        return
    counts = counts_of(frame)
    controls = set(counts_of(control_words(frame)).words)
    places = {
        cell: np.array(
            [
                place
                for place, word in enumerate(counts.words)
                if (word.grammar == cell[0]) and (word in controls) == (cell in (_MM, _FF))
            ],
            dtype=np.int64,
        )
        for cell in CELLS
    }
    rows = []
    for drawer in counts.drawers:
        parts = {cell: counts.part(words, [drawer]) for cell, words in places.items()}
        for keys, weights in _ROWS.items():
            cells = [_combined(parts, weights, each, protocol) for each in _COLUMNS.values()]
            rows.append(Row(keys=(drawer, *keys), cells=tuple(cells)))
    yield Table(
        name="stereotype",
        title="Men's share by grammatical gender and stereotype",
        levels=("model", "grammar", "stereotype"),
        columns=tuple(Column(name=name) for name in _COLUMNS),
        rows=tuple(rows),
        notes=(
            "Of the images that show a man or a woman; means over words under both protocols, "
            "intervals resample words. The effect of grammar is the mean over both stereotypes of "
            "masculine less feminine words, that of the stereotype the mean over both genders; "
            "the interaction is how much more grammar moves words for men than words for women.",
            "English and Chinese prompts do not tell the grammar: what it seems to do there is how "
            "the words differ otherwise, and the `_effect` columns are net of it.",
        ),
    )


def _combined(
    parts: Mapping[Cell, Part],
    weights: Weights,
    conditions: Mapping[str, float],
    protocol: GramvisProtocol,
) -> Estimate:
    """A weighted sum of cells' shares under some conditions, words resampled."""
    blocks = []
    for cell in weights:
        sums = [columns(parts[cell], condition, "male", "words") for condition in conditions]
        blocks.append(np.column_stack([column for pair in sums for column in pair]))
    factors = np.array([w * f for w in weights.values() for f in conditions.values()])

    def combination(totals: Floats) -> Floats:
        shares = ratio(totals[:, 0::2], totals[:, 1::2])
        combined: Floats = (shares * factors).sum(axis=1)
        return combined

    return of_sums(
        _diagonal(blocks),
        combination,
        np.concatenate([parts[cell].words for cell in weights]),
        undefined=f"of some of these words {NOTHING}",
        resamples=protocol.resamples,
        seed=protocol.seed,
        bounds=(factors[factors < 0].sum(), factors[factors > 0].sum()),
    )


def _diagonal(blocks: list[Floats]) -> Floats:
    """Each block in rows and columns of its own."""
    height, width = sum(len(block) for block in blocks), sum(block.shape[1] for block in blocks)
    whole = np.zeros((height, width))
    top = left = 0
    for block in blocks:
        whole[top : top + len(block), left : left + block.shape[1]] = block
        top, left = top + len(block), left + block.shape[1]
    return whole
