"""Statistics of a set of pairs: the paper's Table 1, the verbs by class, words per sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.core.records import Column, Estimate, Row, Table
from epicene.suites.alternations.hindi_verbs import verbs
from epicene.suites.alternations.items import VALENCY_CLASSES, VARIANTS
from epicene.suites.alternations.published import VERBS_PER_VALENCY
from epicene.suites.alternations.unigrams import has_frequencies, zipf_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.suites.alternations.items import Pair
    from epicene.suites.alternations.protocol import AlternationsProtocol


def statistics(
    pairs: Sequence[Pair], _protocol: AlternationsProtocol | None = None
) -> Iterator[Table]:
    """Table 1 of Hindi frames, their verbs if they have a valency; words per sentence of all."""
    frames = [pair for pair in pairs if pair.phenomenon in VARIANTS and pair.prefix]
    if frames:
        yield _table_1(frames)
    if any(pair.columns.get("valency") for pair in frames):
        yield _verbs_table(frames)
    yield _lengths_table([pair for pair in pairs if pair.good])


def _table_1(frames: Sequence[Pair]) -> Table:
    """One verb in all its variants, and its gap."""
    shown = [pair for pair in frames if pair.cluster == frames[0].cluster]
    rows = [
        Row(
            keys=("acceptability", pair.phenomenon, pair.prefix),
            cells=(f"{pair.gold} {pair.after}", pair.bad.removeprefix(pair.prefix).strip()),
        )
        for pair in shown
    ]
    rows += [
        Row(keys=("cloze", pair.phenomenon, pair.prefix), cells=(f"____ {pair.after}", ""))
        for pair in shown
        if pair.has_gap
    ]
    return Table(
        name="1",
        title="One verb in every variant",
        levels=("task", "variant", "prefix"),
        columns=(Column(name="acceptable", unit="text"), Column(name="other", unit="text")),
        rows=tuple(rows),
        notes=tuple(filter(None, (shown[0].gloss,))),
    )


def _verbs_table(frames: Sequence[Pair]) -> Table:
    """The number of verbs per valency, compared with the paper's, and how frequent they are."""
    table = {verb.iast: verb for verb in verbs().values()}
    found = {
        # A file without a column `verb` has its pairs of one verb in a group.
        (pair.columns.get("valency", ""), pair.columns.get("verb") or pair.cluster)
        for pair in frames
    }

    def zipf(valency: str) -> Estimate:
        values = [
            zipf_value(table[verb]) for name, verb in found if name == valency and verb in table
        ]
        if not values or not has_frequencies("hi"):
            return Estimate(
                value=None, why="they are missing from the package wordfreq or from the verb table"
            )
        return Estimate(value=min(values), n=len(values))

    rows = [
        Row(
            keys=(valency,),
            cells=(
                Estimate(value=sum(name == valency for name, _ in found)),
                Estimate(value=VERBS_PER_VALENCY[valency]),
                zipf(valency),
            ),
        )
        for valency in VALENCY_CLASSES
    ]
    return Table(
        name="verbs",
        title="Verbs by valency",
        levels=("valency",),
        columns=(
            Column(name="verbs", unit="count"),
            Column(name="verbs of the paper", unit="count"),
            Column(name="lowest Zipf value", unit="number", decimals=2),
        ),
        rows=tuple(rows),
        notes=(
            "The Zipf value is that of the base's most frequent form in wordfreq; the paper "
            "chose verbs with high values in the Shabd database and gives no limit.",
        ),
    )


def _lengths_table(pairs: Sequence[Pair]) -> Table:
    rows = []
    for phenomenon in dict.fromkeys(pair.phenomenon for pair in pairs):
        lengths = [len(pair.good.split()) for pair in pairs if pair.phenomenon == phenomenon]
        cells = (len(lengths), min(lengths), max(lengths))
        rows.append(Row(keys=(phenomenon,), cells=tuple(Estimate(value=each) for each in cells)))
    return Table(
        name="lengths",
        title="Pairs and words of the acceptable sentence",
        levels=("phenomenon",),
        columns=tuple(Column(name=name, unit="count") for name in ("pairs", "fewest", "most")),
        rows=tuple(rows),
        notes=("Words are separated by spaces. The paper's sentences have 9 to 11 words.",),
    )
