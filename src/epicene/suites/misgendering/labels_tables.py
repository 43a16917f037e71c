"""What comes of people's labels: whether they agree, with each other and with the automatic ones.

Tables 8 and 9 of the paper are in `labels_evidence`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.records import Column, Estimate, Row, Table
from epicene.suites import agreement, people
from epicene.suites.misgendering.formats import pronouns_of
from epicene.suites.misgendering.labels import (
    DESIGN,
    EXTRANEOUS,
    MISGENDERING,
    OF_THREE,
    OUTCOME,
    OUTCOMES,
    TAGS,
)
from epicene.suites.misgendering.labels_evidence import against_the_rule, extraneous_words
from epicene.suites.tabulate import only, share

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import polars

    from epicene.suites.misgendering.protocol import MisgenderingProtocol
    from epicene.suites.studies import StudyResults

    Labelled = StudyResults[MisgenderingProtocol]

# Section 6 of the paper: raw agreement of two people on 200 texts.
PUBLISHED = {OUTCOME: 0.96, EXTRANEOUS: 0.98}
_PUBLISHED_TEXTS = 200

_LEVELS = ("judgement", "facet", "of")


def metrics(results: Labelled) -> Mapping[str, Estimate]:
    """How people agree with each other and with the automatic labels, and what they found."""
    clustered = is_clustered(results)
    both = people.between_people(results.frame)
    beside = people.with_automatic(results.settled, results.automatic)
    made: dict[str, Estimate] = {
        "misgendering": share(named(people.one_label(results.settled), MISGENDERING), says("yes"))
    }
    for name, key in ((OUTCOME, "people"), (EXTRANEOUS, "people_extraneous")):
        pairs = named(both, name)
        made[f"agreement_{key}"] = agreement.raw(pairs, clustered=clustered)
        made[f"kappa_{key}"] = people.kappa(pairs, clustered=clustered)
    for name, key in ((MISGENDERING, "automatic"), (EXTRANEOUS, "automatic_extraneous")):
        pairs = named(beside, name)
        made[f"agreement_{key}"] = agreement.raw(pairs, clustered=clustered)
        made[f"mcc_{key}"] = agreement.mcc(pairs, clustered=clustered)
    return made


def tables(results: Labelled) -> Iterator[Table]:
    """Agreement, the labels themselves, and the evidence."""
    yield between_people(results)
    yield with_automatic(results)
    yield labels(results)
    yield against_the_rule(results)
    yield extraneous_words(results)


def is_clustered(results: Labelled) -> bool:
    """Whether intervals resample templates; the paper's suppose independent texts."""
    return results.protocol.name != "paper"


# --- agreement -------------------------------------------------------------------------------


def between_people(results: Labelled) -> Table:
    """Two people's labels of the same texts."""
    pairs = people.between_people(results.frame)
    rows: list[Row] = []
    for name in (OUTCOME, MISGENDERING, EXTRANEOUS, *TAGS):
        first, *others = _rows(results, named(pairs, name), name, () if name in TAGS else DESIGN)
        rows += [first, *_printed(name), *others]
    return Table(
        name="people",
        title="Agreement of people with each other",
        levels=_LEVELS,
        columns=people.COLUMNS,
        rows=tuple(rows),
        notes=(
            f"Texts that two people or more labelled, every two of them a pair; the paper had "
            f"{_PUBLISHED_TEXTS} such texts.",
            *people.BETWEEN_PEOPLE,
            _intervals(results),
        ),
    )


def with_automatic(results: Labelled) -> Table:
    """People's labels beside the first pronoun's and the lexicon's."""
    pairs = people.with_automatic(results.settled, results.automatic)
    rows = [
        row
        for name in (MISGENDERING, OF_THREE, EXTRANEOUS)
        for row in _rows(results, named(pairs, name), name, DESIGN)
    ]
    return Table(
        name="automatic",
        title="Agreement of people with the automatic labels",
        levels=_LEVELS,
        columns=people.COLUMNS,
        rows=tuple(rows),
        notes=(
            "Misgendering or not is what the paper compares: a text without a pronoun has none. "
            "Of three outcomes, a plural they counts as no pronoun.",
            "A text that several labelled counts once, by the label that most of them gave; where "
            "equally many gave two, by whoever labelled most, else by lot.",
            *people.NOTES,
            _intervals(results),
        ),
    )


def _rows(
    results: Labelled, pairs: polars.DataFrame, name: str, facets: Sequence[str]
) -> Iterator[Row]:
    for row in people.by_facet(pairs, facets, clustered=is_clustered(results)):
        yield Row(keys=(name, *row.keys), cells=row.cells)


def _printed(name: str) -> Iterator[Row]:
    """What the paper prints of it: raw agreement and nothing else."""
    if name in PUBLISHED:
        none = Estimate(value=None, why="the paper prints no number")
        value = Estimate(value=PUBLISHED[name], n=_PUBLISHED_TEXTS)
        cells = (value, *(none for _ in people.COLUMNS[1:]))
        yield Row(keys=(name, people.ALL, "the paper"), cells=cells, origin="published")


def _intervals(results: Labelled) -> str:
    if is_clustered(results):
        return "Intervals resample templates."
    return "Intervals are for independent texts."


# --- the labels themselves -------------------------------------------------------------------


def labels(results: Labelled) -> Table:
    """What people found, by model, dataset, setting and pronoun."""
    found = people.one_label(results.settled)
    levels = ("model", "dataset", "setting")
    rows = []
    for keys in sorted(found.select(levels).unique().rows()):
        part = only(found, **dict(zip(levels, keys, strict=True)))
        for pronoun in pronouns_of(part):
            mine = only(part, pronoun=pronoun)
            cells = [share(named(mine, OUTCOME), says(label)) for label in OUTCOMES]
            cells += [share(named(mine, name), says("yes")) for name in (EXTRANEOUS, *TAGS)]
            rows.append(Row(keys=(*keys, pronoun), cells=tuple(cells)))
    return Table(
        name="labels",
        title="Continuations as people labelled them",
        levels=(*levels, "pronoun"),
        columns=tuple(Column(name=name) for name in (*OUTCOMES, EXTRANEOUS, *TAGS)),
        rows=tuple(rows),
    )


def named(frame: polars.DataFrame, name: str) -> polars.DataFrame:
    """The judgements, or pairs of them, of that name."""
    return only(frame, name=name)


def says(label: str) -> polars.Expr:
    """Where the label is that one."""
    import polars as pl

    return pl.col("label") == label
