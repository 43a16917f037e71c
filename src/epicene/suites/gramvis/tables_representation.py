"""Who is shown: Tables 3 and 12–19 (shares, “neither” rates and bias scores)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from epicene.core.records import Column, Estimate, Row, Table
from epicene.stats.arrays import finite_or_none
from epicene.suites.gramvis.items import CONDITIONS, CONTROLS, LABEL_OF_GRAMMAR
from epicene.suites.gramvis.metrics import (
    Average,
    holm_adjusted,
    p_value_cell,
    paired_test,
    significance_stars,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from epicene.stats import SignificanceResult
    from epicene.suites.gramvis.metrics import AveragingRule, CountArray, WordCounts
    from epicene.suites.gramvis.protocol import GramvisProtocol

if TYPE_CHECKING:
    Cell = tuple[str, str, str]

CELL_LEVELS = ("language", "model", "grammar")
_OTHER_GENDER = "the word has the other gender"


class ShareTable(NamedTuple):
    """One of the paper's tables of shares: of which words, how averaged, how starred."""

    name: str
    title: str
    average: str
    category: str = ""
    rule: AveragingRule = "images"
    with_neither: bool = False
    tested: AveragingRule = "words"  # what a word without a share counts as in the test
    most_stars: int = 3


def _category_table(name: str, category: str) -> ShareTable:
    return ShareTable(
        name,
        f"Who is shown: {category.replace('_', ' ')}",
        "Means over words; a word without an image of a man or a woman counts as showing no men. "
        "At most two stars, none where the effect is reversed; equal differences count as p = 0.",
        category=category,
        rule="words, empty as no men",
        tested="words, empty as no men",
        most_stars=2,
    )


SHARE_TABLES = (
    ShareTable(
        "3",
        "Who is shown, without “neither”",
        "Over all images of a cell. Stars: paired t-test over words against English, none where "
        "the effect is reversed.",
    ),
    ShareTable(
        "13",
        "Who is shown, with “neither”",
        "Over all images of a cell, “neither” included. Stars as in Table 3.",
        with_neither=True,
    ),
    _category_table("15", "social_status"),
    _category_table("16", "occupation"),
    _category_table("17", "relationship_descriptors"),
    _category_table("18", "power_dynamic"),
    _category_table("19", "personal_traits"),
)

WORD_MEANS_NOTE = (
    "Means over words, words without a countable image left out; intervals resample words. "
    "p against English after Holm over the table's tests."
)


def average_for(
    protocol: GramvisProtocol, rule: AveragingRule, *, with_neither: bool = False
) -> Average:
    """The paper's average under `paper`, the mean over words with intervals otherwise."""
    printed = Average(rule, with_neither=with_neither, seed=protocol.seed)
    if protocol.averaging == "as printed":
        return printed
    return replace(printed, rule="words", intervals=True, resamples=protocol.resamples)


def representation_tables(counts: CountArray, protocol: GramvisProtocol) -> Iterator[Table]:
    """Tables 3, 13 and 15–19, those that have words."""
    for kind in SHARE_TABLES:
        cells = counts.cells(kind.category)
        if cells:
            yield _share_table(kind, cells, protocol)


def _share_table(
    kind: ShareTable, cells: list[tuple[Cell, WordCounts]], protocol: GramvisProtocol
) -> Table:
    average = average_for(protocol, kind.rule, with_neither=kind.with_neither)
    printed = protocol.averaging == "as printed"
    tests = {
        cell: paired_test(
            part,
            "english",
            LABEL_OF_GRAMMAR[cell[2]],
            with_neither=kind.with_neither,
            empty=kind.tested if printed else "words",
            infinite=printed and kind.tested != "words",
        )
        for cell, part in cells
    }
    if not printed:
        tests = holm_adjusted(tests)
    names = [f"{condition}_{letter}" for condition in CONDITIONS for letter in "mf"]
    return Table(
        name=kind.name,
        title=kind.title,
        levels=CELL_LEVELS,
        columns=(
            *(Column(name=name) for name in names),
            *(Column(name=f"gendered_{letter}_stars", unit="p", decimals=3) for letter in "mf"),
        ),
        rows=tuple(
            _share_row(cell, part, average, tests[cell], kind if printed else None)
            for cell, part in cells
        ),
        notes=(kind.average if printed else WORD_MEANS_NOTE,),
    )


def _share_row(
    cell: Cell,
    part: WordCounts,
    average: Average,
    test: SignificanceResult,
    printed: ShareTable | None,
) -> Row:
    own = LABEL_OF_GRAMMAR[cell[2]]
    mark = significance_stars(test.p, printed.most_stars if printed else 3)
    if printed and mark and _is_reversed(average, part, own):
        mark = ""
    shares: list[Estimate] = []
    for condition in CONDITIONS:
        male = average.share(part, condition, "male")
        # Of words' means the authors take women as 1 - men, which decides some rounded halves.
        whole = average.rule != "images" and not average.with_neither
        female = complement_share(male) if whole else average.share(part, condition, "female")
        shares += [male, female]
    starred = CONDITIONS.index("gendered") * 2 + (own == "female")
    shares[starred] = msgspec.structs.replace(shares[starred], mark=mark)
    other = Estimate(value=None, why=_OTHER_GENDER)
    tested = [p_value_cell(test, mark) if own == each else other for each in ("male", "female")]
    return Row(keys=cell, cells=(*shares, *tested))


def _is_reversed(average: Average, part: WordCounts, own: str) -> bool:
    effect = replace(average, intervals=False).effect(part, "english", own).value
    return effect is not None and effect < 0


def complement_share(share: Estimate) -> Estimate:
    """Of a share of men the share of women, where there is no third."""
    return _subtracted_from(share, 1.0)


def opposite_effect(effect: Estimate) -> Estimate:
    """Of an effect on men the effect on women, where there is no third."""
    return _subtracted_from(effect, 0.0)


def _subtracted_from(estimate: Estimate, whole: float) -> Estimate:
    value, low, high = (
        None if number is None else whole - number
        for number in (estimate.value, estimate.high, estimate.low)
    )
    return msgspec.structs.replace(estimate, value=value, low=low, high=high)


def to_percentage_points(share: Estimate) -> Estimate:
    """A share in hundredths."""
    return _map_numbers(share, lambda number: 100 * number)


def to_share(points: Estimate) -> Estimate:
    """The share that hundredths are."""
    return _map_numbers(points, lambda number: number / 100)


def _map_numbers(estimate: Estimate, changed: Callable[[float], float]) -> Estimate:
    value, low, high = (
        None if number is None else changed(number)
        for number in (estimate.value, estimate.low, estimate.high)
    )
    return msgspec.structs.replace(estimate, value=value, low=low, high=high)


def bias_table(counts: CountArray, protocol: GramvisProtocol) -> Table:
    """Table 14: gendered less control in percentage points."""
    average = average_for(protocol, "images")
    rows = []
    for cell, part in counts.cells():
        scores: list[Estimate] = []
        for control in CONTROLS:
            male = to_percentage_points(average.effect(part, control, "male"))
            scores += [male, opposite_effect(male)]
        rows.append(Row(keys=cell, cells=tuple(scores)))
    printed = protocol.averaging == "as printed"
    return Table(
        name="14",
        title="Bias scores: percentage points by which the gendered prompt shifts who is shown",
        levels=CELL_LEVELS,
        columns=tuple(
            Column(name=f"gendered_minus_{control}_{letter}", unit="number", decimals=1)
            for control in CONTROLS
            for letter in "mf"
        ),
        rows=tuple(rows),
        notes=(
            "Differences of shares over all images of a cell, “neither” left out."
            if printed
            else "Differences of means over words, “neither” left out; intervals resample words.",
        ),
    )


def neither_table(counts: CountArray, protocol: GramvisProtocol) -> Table:
    """Table 12: “neither” in per cent of all images, by language and condition."""
    average = average_for(protocol, "images", with_neither=True)
    if protocol.averaging == "as printed":
        rows = _neither_rows_as_printed(counts, average)
        note = (
            "The mean of the rates of a language's cells (model × grammatical gender), each over "
            "its images; `average` is the mean of the languages. The paper's caption speaks of "
            "all images together, which gives other numbers."
        )
    else:
        rows = [
            _neither_row(language, counts.part(counts.which(language)), average)
            for language in counts.languages
        ]
        rows.append(_neither_row("average", counts.part(counts.which()), average))
        note = "Means over words and models; intervals resample words. `average` is over all words."
    return Table(
        name="12",
        title="“Neither” in per cent of all images",
        levels=CELL_LEVELS,
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


def _neither_row(language: str, part: WordCounts, average: Average) -> Row:
    rates = [average.share(part, condition, "neither") for condition in CONDITIONS]
    effects = [average.effect(part, control, "neither") for control in CONTROLS]
    return Row(
        keys=(language, "all", "all"), cells=tuple(map(to_percentage_points, [*rates, *effects]))
    )


def _neither_rows_as_printed(counts: CountArray, average: Average) -> list[Row]:
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
    value = finite_or_none(100 * rate)
    return Estimate(value=value, why="" if value is not None else "one of the cells has no image")
