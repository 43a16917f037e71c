"""Who is shown: Tables 3 and 13, the same by category (15–19), and the bias scores of Table 14."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from epicene.records import Column, Estimate, Row, Table
from epicene.suites.gramvis.analysis.averages import Average
from epicene.suites.gramvis.analysis.differences import holm_over, paired_test, shown, stars
from epicene.suites.gramvis.names import CONDITIONS, CONTROLS, OWN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from epicene.stats import Test
    from epicene.suites.gramvis.analysis.averages import Rule
    from epicene.suites.gramvis.analysis.words import Counts, Part
    from epicene.suites.gramvis.protocol import GramvisProtocol

    Cell = tuple[str, str, str]

LEVELS = ("language", "model", "grammar")
_OTHER_GENDER = "the word has the other gender"


class Kind(NamedTuple):
    """One of the paper's tables of shares: of which words, how averaged, how starred."""

    name: str
    title: str
    average: str
    category: str = ""
    rule: Rule = "images"
    with_neither: bool = False
    tested: Rule = "words"  # what a word without a share counts as in the test
    most_stars: int = 3


def _of_category(name: str, category: str) -> Kind:
    return Kind(
        name,
        f"Who is shown: {category.replace('_', ' ')}",
        "Means over words; a word without an image of a man or a woman counts as showing no men. "
        "At most two stars, none where the effect is reversed; equal differences count as p = 0.",
        category=category,
        rule="words, empty as no men",
        tested="words, empty as no men",
        most_stars=2,
    )


KINDS = (
    Kind(
        "3",
        "Who is shown, without “neither”",
        "Over all images of a cell. Stars: paired t-test over words against English, none where "
        "the effect is reversed.",
    ),
    Kind(
        "13",
        "Who is shown, with “neither”",
        "Over all images of a cell, “neither” included. Stars as in Table 3.",
        with_neither=True,
    ),
    _of_category("15", "social_status"),
    _of_category("16", "occupation"),
    _of_category("17", "relationship_descriptors"),
    _of_category("18", "power_dynamic"),
    _of_category("19", "personal_traits"),
)

ONE_RULE = (
    "Means over words, words without a countable image left out; intervals resample words. "
    "p against English after Holm over the table's tests."
)


def average_of(protocol: GramvisProtocol, rule: Rule, *, with_neither: bool = False) -> Average:
    """The paper's average under `paper`, the mean over words with intervals otherwise."""
    printed = Average(rule, with_neither=with_neither, seed=protocol.seed)
    if protocol.averaging == "as printed":
        return printed
    return replace(printed, rule="words", intervals=True, resamples=protocol.resamples)


def representation_tables(counts: Counts, protocol: GramvisProtocol) -> Iterator[Table]:
    """Tables 3, 13 and 15–19, those that have words."""
    for kind in KINDS:
        cells = counts.cells(kind.category)
        if cells:
            yield _table(kind, cells, protocol)


def _table(kind: Kind, cells: list[tuple[Cell, Part]], protocol: GramvisProtocol) -> Table:
    average = average_of(protocol, kind.rule, with_neither=kind.with_neither)
    printed = protocol.averaging == "as printed"
    tests = {
        cell: paired_test(
            part,
            "english",
            OWN[cell[2]],
            with_neither=kind.with_neither,
            empty=kind.tested if printed else "words",
            infinite=printed and kind.tested != "words",
        )
        for cell, part in cells
    }
    if not printed:
        tests = holm_over(tests)
    names = [f"{condition}_{letter}" for condition in CONDITIONS for letter in "mf"]
    return Table(
        name=kind.name,
        title=kind.title,
        levels=LEVELS,
        columns=(
            *(Column(name=name) for name in names),
            *(Column(name=f"gendered_{letter}_stars", unit="p", decimals=3) for letter in "mf"),
        ),
        rows=tuple(
            _row(cell, part, average, tests[cell], kind if printed else None)
            for cell, part in cells
        ),
        notes=(kind.average if printed else ONE_RULE,),
    )


def _row(cell: Cell, part: Part, average: Average, test: Test, printed: Kind | None) -> Row:
    own = OWN[cell[2]]
    mark = stars(test.p, printed.most_stars if printed else 3)
    if printed and mark and _reversed(average, part, own):
        mark = ""
    shares: list[Estimate] = []
    for condition in CONDITIONS:
        male = average.share(part, condition, "male")
        # Of words' means the authors take women as 1 - men, which decides some rounded halves.
        whole = average.rule != "images" and not average.with_neither
        female = complement(male) if whole else average.share(part, condition, "female")
        shares += [male, female]
    starred = CONDITIONS.index("gendered") * 2 + (own == "female")
    shares[starred] = msgspec.structs.replace(shares[starred], mark=mark)
    other = Estimate(value=None, why=_OTHER_GENDER)
    tested = [shown(test, mark) if own == each else other for each in ("male", "female")]
    return Row(keys=cell, cells=(*shares, *tested))


def _reversed(average: Average, part: Part, own: str) -> bool:
    effect = replace(average, intervals=False).effect(part, "english", own).value
    return effect is not None and effect < 0


def complement(share: Estimate) -> Estimate:
    """Of a share of men the share of women, where there is no third."""
    return _turned(share, 1.0)


def opposite(effect: Estimate) -> Estimate:
    """Of an effect on men the effect on women, where there is no third."""
    return _turned(effect, 0.0)


def _turned(estimate: Estimate, whole: float) -> Estimate:
    value, low, high = (
        None if number is None else whole - number
        for number in (estimate.value, estimate.high, estimate.low)
    )
    return msgspec.structs.replace(estimate, value=value, low=low, high=high)


def points(share: Estimate) -> Estimate:
    """A share in hundredths."""
    return _each(share, lambda number: 100 * number)


def share_of(points: Estimate) -> Estimate:
    """The share that hundredths are."""
    return _each(points, lambda number: number / 100)


def _each(estimate: Estimate, changed: Callable[[float], float]) -> Estimate:
    value, low, high = (
        None if number is None else changed(number)
        for number in (estimate.value, estimate.low, estimate.high)
    )
    return msgspec.structs.replace(estimate, value=value, low=low, high=high)


def bias_table(counts: Counts, protocol: GramvisProtocol) -> Table:
    """Table 14: gendered less control in percentage points."""
    average = average_of(protocol, "images")
    rows = []
    for cell, part in counts.cells():
        scores: list[Estimate] = []
        for control in CONTROLS:
            male = points(average.effect(part, control, "male"))
            scores += [male, opposite(male)]
        rows.append(Row(keys=cell, cells=tuple(scores)))
    printed = protocol.averaging == "as printed"
    return Table(
        name="14",
        title="Bias scores: percentage points by which the gendered prompt shifts who is shown",
        levels=LEVELS,
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
