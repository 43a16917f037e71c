"""Whom images show: Tables 3 and 12–19 (shares, “neither” rates and bias scores)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from epicene.core.records import Column, Estimate, Row, Table
from epicene.suites.gramvis.items import CONDITIONS, CONTROLS, LABEL_OF_GRAMMAR
from epicene.suites.gramvis.metrics import (
    average_for,
    complement_share,
    holm_adjusted,
    neither_percentages,
    opposite_effect,
    p_value_cell,
    paired_test,
    significance_stars,
    to_percentage_points,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.stats import SignificanceResult
    from epicene.suites.gramvis.counts import CountArray, WordCounts
    from epicene.suites.gramvis.metrics import Average, AveragingRule
    from epicene.suites.gramvis.protocol import GramvisProtocol

    Cell = tuple[str, str, str]

CELL_LEVELS = ("language", "model", "grammar")
_OTHER_GENDER = "the word has the other gender"


class ShareTable(NamedTuple):
    """One of the paper's tables of shares: its words, average and stars."""

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
        "Means are over words; a word without an image of a man or a woman counts as showing "
        "no men. At most two stars, none if the effect is reversed; equal differences count "
        "as p = 0.",
        category=category,
        rule="words, empty as no men",
        tested="words, empty as no men",
        most_stars=2,
    )


SHARE_TABLES = (
    ShareTable(
        "3",
        "Who is shown, without “neither”",
        "Computed over all images of a cell. Stars: paired t-test over words against English, "
        "none if the effect is reversed.",
    ),
    ShareTable(
        "13",
        "Who is shown, with “neither”",
        "Computed over all images of a cell, including “neither”. Stars as in Table 3.",
        with_neither=True,
    ),
    _category_table("15", "social_status"),
    _category_table("16", "occupation"),
    _category_table("17", "relationship_descriptors"),
    _category_table("18", "power_dynamic"),
    _category_table("19", "personal_traits"),
)

WORD_MEANS_NOTE = (
    "Means are over words, without words that have no countable image; intervals are over "
    "words. p is against English, after Holm's correction over the table's tests."
)


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
    printed = protocol.as_printed
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


def bias_table(counts: CountArray, protocol: GramvisProtocol) -> Table:
    """Table 14: gendered minus control, in percentage points."""
    average = average_for(protocol, "images")
    rows = []
    for cell, part in counts.cells():
        scores: list[Estimate] = []
        for control in CONTROLS:
            male = to_percentage_points(average.effect(part, control, "male"))
            scores += [male, opposite_effect(male)]
        rows.append(Row(keys=cell, cells=tuple(scores)))
    return Table(
        name="14",
        title="Bias scores: shift in who is shown under the gendered prompt, in percentage points",
        levels=CELL_LEVELS,
        columns=tuple(
            Column(name=f"gendered_minus_{control}_{letter}", unit="number", decimals=1)
            for control in CONTROLS
            for letter in "mf"
        ),
        rows=tuple(rows),
        notes=(
            "Differences of shares over all images of a cell, “neither” left out."
            if protocol.as_printed
            else "Differences of means over words, “neither” left out; intervals are over words.",
        ),
    )


def neither_table(counts: CountArray, protocol: GramvisProtocol) -> Table:
    """Table 12: “neither” in per cent of all images, by language and condition."""
    if protocol.as_printed:
        note = (
            "The mean of the rates of a language's cells (model × grammatical gender), each "
            "over its images; `average` is the mean of the languages. According to the "
            "paper's caption it is over all images together, which gives different numbers."
        )
    else:
        note = (
            "Means are over words and models; intervals are over words. `average` is over all "
            "words."
        )
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
        rows=tuple(
            Row(keys=(language, "all", "all"), cells=cells)
            for language, cells in neither_percentages(counts, protocol).items()
        ),
        notes=(note,),
    )
