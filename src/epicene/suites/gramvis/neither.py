"""How often neither a man nor a woman is seen: Table 12."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from epicene.records import Column, Estimate, Row, Table
from epicene.stats.checks import plain
from epicene.suites.gramvis.names import CONDITIONS, CONTROLS
from epicene.suites.gramvis.representation import LEVELS, average_of, points

if TYPE_CHECKING:
    from epicene.suites.gramvis.analysis.averages import Average
    from epicene.suites.gramvis.analysis.words import Counts, Part
    from epicene.suites.gramvis.protocol import GramvisProtocol


def neither_table(counts: Counts, protocol: GramvisProtocol) -> Table:
    """Table 12: “neither” in per cent of all images, by language and condition."""
    average = average_of(protocol, "images", with_neither=True)
    if protocol.averaging == "as printed":
        rows = _printed(counts, average)
        note = (
            "The mean of the rates of a language's cells (model × grammatical gender), each over "
            "its images; `average` is the mean of the languages. The paper's caption speaks of "
            "all images together, which gives other numbers."
        )
    else:
        rows = [
            _row(language, counts.part(counts.which(language)), average)
            for language in counts.languages
        ]
        rows.append(_row("average", counts.part(counts.which()), average))
        note = "Means over words and models; intervals resample words. `average` is over all words."
    return Table(
        name="12",
        title="“Neither” in per cent of all images",
        levels=LEVELS,
        columns=(
            *(
                Column(name=f"{condition}_neither_pct", unit="number", decimals=1)
                for condition in CONDITIONS
            ),
            *(
                Column(name=f"gendered_minus_{control}_pp", unit="number", decimals=1)
                for control in CONTROLS
            ),
        ),
        rows=tuple(rows),
        notes=(note,),
    )


def _row(language: str, part: Part, average: Average) -> Row:
    rates = [average.share(part, condition, "neither") for condition in CONDITIONS]
    effects = [average.effect(part, control, "neither") for control in CONTROLS]
    return Row(keys=(language, "all", "all"), cells=tuple(map(points, [*rates, *effects])))


def _printed(counts: Counts, average: Average) -> list[Row]:
    rates: dict[str, list[list[float]]] = {}
    for (language, _, _), part in counts.cells():
        shares = [average.share(part, condition, "neither").value for condition in CONDITIONS]
        rates.setdefault(language, []).append([np.nan if s is None else s for s in shares])
    means = {language: np.mean(cells, axis=0) for language, cells in rates.items()}
    means["average"] = np.mean(list(means.values()), axis=0)
    return [
        Row(
            keys=(language, "all", "all"),
            cells=tuple(map(_per_cent, (*mean, *(mean[-1] - mean[:-1])))),
        )
        for language, mean in means.items()
    ]


def _per_cent(rate: float) -> Estimate:
    value = plain(100 * rate)
    return Estimate(value=value, why="" if value is not None else "one of the cells has no image")
