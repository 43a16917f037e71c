"""What comes of the study `image`: whether people agree, with each other and with the judges.

The sample has equally many images of every stratum, so that there are enough of those on which
the judges disagree; what holds of the run weighs every image by how many it stands for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.records import Column, Estimate, Row, Table
from epicene.stats.bootstrap import clustered
from epicene.stats.raters import fleiss, krippendorff
from epicene.suites import agreement, people
from epicene.suites.gramvis.judge import VOTE
from epicene.suites.gramvis.names import LABELS
from epicene.suites.gramvis.voting import AGREEMENTS
from epicene.suites.tabulate import codes, only, values_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import polars

    from epicene.suites.gramvis.protocol import GramvisProtocol
    from epicene.suites.studies import StudyResults

    Answered = StudyResults[GramvisProtocol]

GENDER = "gender"

# Which judgements a row is about: the facet and its value.
_FACETS = ("model", "language", "condition")
_LEVELS = ("facet", "of")
_COLUMNS = (
    Column(name="images", unit="count"),
    Column(name="agreement"),
    Column(name="κ", unit="number", decimals=3),
    Column(name="α", unit="number", decimals=3),
)
_CLUSTERED = "Intervals cluster by word."
_UNWEIGHTED = Estimate(value=None, why="it is given of the sample only")


def metrics(results: Answered) -> Mapping[str, Estimate]:
    """Whether people agree, and how often the judges of the run were right by them."""
    pairs = _beside_judges(results)
    labels, words = people.rated(results.frame)
    return {
        "agreement_judges": _in_the_run(pairs),
        **{f"agreement_{name.replace(' ', '_')}": _raw(_split(pairs, name)) for name in AGREEMENTS},
        "alpha_people": krippendorff(labels, words),
    }


def tables(results: Answered) -> Iterator[Table]:
    """People with each other, people with the judges, and what each called what."""
    yield _between_people(results)
    yield _with_judges(results)
    yield _each_judge(results)
    yield _labels(results)


def _split(frame: polars.DataFrame, name: str) -> polars.DataFrame:
    return only(frame, agreement=name)


def _parts(frame: polars.DataFrame) -> Iterator[tuple[tuple[str, str], polars.DataFrame]]:
    """All, then by how far the judges agreed, then by each facet."""
    yield (people.ALL, "the sample"), frame
    for name in AGREEMENTS:
        yield ("judges", name), _split(frame, name)
    for facet in _FACETS:
        for value in values_of(frame, facet):
            yield (facet, value), only(frame, **{facet: value})


def _between_people(results: Answered) -> Table:
    rows = []
    for keys, part in _parts(results.frame):
        labels, words = people.rated(part)
        raw = _raw(people.between_people(part))
        cells = (_count(len(labels)), raw, fleiss(labels, words), krippendorff(labels, words))
        rows.append(Row(keys=keys, cells=cells))
    return Table(
        name="people",
        title="Whether people agree with each other",
        levels=_LEVELS,
        columns=_COLUMNS,
        rows=tuple(rows),
        notes=(
            "Agreement is of every two people who judged one image; κ is Fleiss', α "
            f"Krippendorff's. {_CLUSTERED}",
        ),
    )


def _with_judges(results: Answered) -> Table:
    pairs = _beside_judges(results)
    rows = []
    for keys, part in _parts(pairs):
        cells = (
            _count(len(part)),
            _raw(part),
            agreement.kappa(part, clustered=True),
            people.alpha(part, clustered=True),
        )
        rows.append(Row(keys=keys, cells=cells))
    whole = (_count(len(pairs)), _in_the_run(pairs), _UNWEIGHTED, _UNWEIGHTED)
    rows.insert(1, Row(keys=(people.ALL, "the run"), cells=whole))
    return Table(
        name="judges",
        title="Whether people agree with the judges",
        levels=_LEVELS,
        columns=_COLUMNS,
        rows=tuple(rows),
        notes=(
            "The label that most people gave an image, beside the one the judges came to. The "
            "sample has equally many images of every stratum; in “the run” each counts for as many "
            "as its stratum has there. An image of which no vote could be read is left out. κ "
            "is Cohen's, α Krippendorff's. " + _CLUSTERED,
            "The paper's validation: over 93 % where all judges agreed and almost 100 % where two "
            "did, of 500 images; how many people looked is not said.",
        ),
    )


def _each_judge(results: Answered) -> Table:
    """Each judge's own votes beside people's labels."""
    import polars as pl

    seen = people.one_label(results.settled).with_columns(pl.col("label").alias("a"))
    names = [name for name in values_of(results.automatic, "name") if name.startswith(VOTE)]
    rows = []
    for name in names:
        own = only(results.automatic, name=name).select(
            "item", pl.col("label").cast(pl.String).alias("b")
        )
        pairs = seen.join(own, on="item", maintain_order="left").filter(pl.col("b").is_not_null())
        cells = (
            _count(len(pairs)),
            _raw(pairs),
            agreement.kappa(pairs, clustered=True),
            people.alpha(pairs, clustered=True),
        )
        rows.append(Row(keys=(name.removeprefix(VOTE),), cells=cells))
    return Table(
        name="each judge",
        title="Whether people agree with each judge",
        levels=("judge",),
        columns=_COLUMNS,
        rows=tuple(rows),
        notes=(f"Votes that could not be read are left out. Of the sample. {_CLUSTERED}",),
    )


def _labels(results: Answered) -> Table:
    """How many images people called one thing and the judges another."""
    pairs = _beside_judges(results)
    rows = tuple(
        Row(
            keys=(label,),
            cells=tuple(_count(len(only(pairs, a=label, b=other))) for other in LABELS),
        )
        for label in LABELS
    )
    return Table(
        name="labels",
        title="What people saw (rows) and what the judges said (columns)",
        levels=("people",),
        columns=tuple(Column(name=label, unit="count") for label in LABELS),
        rows=rows,
    )


def _beside_judges(results: Answered) -> polars.DataFrame:
    """A row per image: people's label `a` and the judges' `b`."""
    return people.with_automatic(results.settled, only(results.automatic, name=GENDER))


def _raw(pairs: polars.DataFrame) -> Estimate:
    return agreement.raw(pairs, clustered=True)


def _in_the_run(pairs: polars.DataFrame) -> Estimate:
    """Raw agreement, each image weighed by how many of the run it stands for."""
    if not len(pairs):
        return Estimate(value=None, why="no item was judged both ways")
    weights = pairs["weight"].to_numpy()
    same = (pairs["a"] == pairs["b"]).to_numpy()
    return clustered(weights * same, weights, codes(pairs), bounds=(0, 1))


def _count(number: int) -> Estimate:
    return Estimate(value=number, n=number)
