"""How a suite defines a human study: its items and questions, its judgements and tables."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic

from epicene.core.errors import pluralise
from epicene.core.records import Judgement
from epicene.stats.annotator_agreement import without_ties
from epicene.studies.design.sampling import stratified_sample
from epicene.suites import Answers, ItemT, ProtocolT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    import polars

    from epicene.core.records import Estimate, Figure, Outcome, Table
    from epicene.studies.design.sampling import Candidate, SamplingOptions
    from epicene.studies.design.schema import Response, Study, StudyItem
    from epicene.suites import Protocol, Results


@dataclass(frozen=True)
class Material(Generic[ItemT, ProtocolT]):
    """What a study samples from: an item and, if the study is about a run, one model's answers."""

    item: ItemT
    protocol: ProtocolT
    model: str = ""
    answers: Answers = field(default_factory=Answers)


def _counts_always(_label: str) -> bool:
    return True


@dataclass(frozen=True)
class HeadlineCheck:
    """How people's labels correct a headline metric of a run.

    `judgement` is the name of people's judgement; `judged` is the run's judgement that an item
    shows: the item's id and the judgement's name. `value` is the score between 0 and 1 according to
    people's label, given the automatic score and the item; None if the label leaves it open. By
    default the headline is the mean of its `item_scores`; otherwise `rates` has the judgements of
    each rate in it, with the sign, and columns `score` and `below` (what is counted: 0 or 1, by
    labels `counted`).
    """

    headline: str
    judgement: str
    judged: Callable[[StudyItem], tuple[str, str]]
    value: Callable[[str, float, StudyItem], float | None]
    counted: Callable[[str], bool] = _counts_always
    rates: Callable[[Results[Any]], Sequence[tuple[int, polars.DataFrame]]] | None = None


@dataclass(frozen=True)
class StudyResults(Generic[ProtocolT]):
    """People's judgements of a study's items, and the suite's own.

    `frame` has one row per judgement of a person, with the columns of `Results.frame` and the name
    in `person`; agreement is computed from it. `adjudicated` has the same rows as if every
    participant had given the adjudicated answers; labels are taken from it. `automatic` has the
    suite's own judgements, paired by item and name. `other_responses` are those to practice,
    attention checks and fillers; `runs` the judgements of runs to compare with, if any.
    """

    study: Study
    responses: Sequence[Response]
    frame: polars.DataFrame
    adjudicated: polars.DataFrame
    automatic: polars.DataFrame
    protocol: ProtocolT
    other_responses: Sequence[Response] = ()
    runs: polars.DataFrame | None = None

    @property
    def decided(self) -> polars.DataFrame:
        """`adjudicated` without ties between people; the label of each item is taken from it."""
        return without_ties(self.adjudicated)

    @property
    def ties_note(self) -> str:
        """How many labels are left out because of ties between people; "" if none."""
        return self.ties_note_of(*self.adjudicated["name"].unique())

    def ties_note_of(self, *names: str) -> str:
        """The same, of the judgements with these names."""
        given, decided = (
            frame.filter(frame["name"].is_in(names)).select("item", "name").n_unique()
            for frame in (self.adjudicated, self.decided)
        )
        left = given - decided
        if not left:
            return ""
        return (
            f"Left out because of ties: {pluralise(left, 'label')}; resolve them with `epicene "
            "annotate adjudicate`."
        )


def stratified(
    per_cell: int | None = None,
) -> Callable[[Iterable[Candidate], Protocol, SamplingOptions], tuple[StudyItem, ...]]:
    """The `sample` of a kind of study that takes the same number from each cell.

    `per_cell` is the number if the user gives none; None takes all.
    """
    return lambda candidates, _protocol, wanted: stratified_sample(
        candidates, wanted, per_cell=per_cell
    )


def judgement_of(
    item: StudyItem,
    name: str,
    label: str,
    outcome: Outcome | None = None,
    *,
    value: float | None = None,
    facets: Iterable[str],
) -> Judgement:
    """A judgement of a study's item, with the fields that are named as facets."""
    return Judgement(
        item=item.id,
        group=item.group,
        language=item.language,
        name=name,
        outcome=outcome,
        label=label,
        value=value,
        facets={facet: item.fields[facet] for facet in facets},
    )


@dataclass(frozen=True)
class StudyKind(Generic[ItemT, ProtocolT]):
    """One of a suite's human studies: its items and questions, its judgements and tables.

    An item from a run names the model in its field `model`, which the study hides along with
    everything else that could influence a participant. Responses are judged like answers; a
    person's judgement and the suite's own have the same name and may differ in `label`.
    """

    study: Callable[[ProtocolT], Study]  # without items
    candidates: Callable[[Material[ItemT, ProtocolT]], Iterable[Candidate]]
    judge: Callable[[StudyItem, Response], Iterable[Judgement]]
    tables: Callable[[StudyResults[ProtocolT]], Iterable[Table]]
    metrics: Callable[[StudyResults[ProtocolT]], Mapping[str, Estimate]] = field(
        default=lambda _results: {}
    )
    figures: Callable[[StudyResults[ProtocolT]], Iterable[Figure]] = field(
        default=lambda _results: ()
    )
    automatic: Callable[[StudyItem], Iterable[Judgement]] = field(default=lambda _item: ())
    # The candidates can be iterated more than once.
    sample: Callable[[Iterable[Candidate], ProtocolT, SamplingOptions], tuple[StudyItem, ...]] = (
        field(default=stratified())
    )
    # Adapts the study to its items, such as to their language.
    for_items: Callable[[Study], Study] = field(default=lambda study: study)
    from_runs: bool = True  # or from data alone
    # Whether runs under a protocol can have answers for it; --study can be left out if only one
    # study of a suite fits.
    fits: Callable[[ProtocolT], bool] = field(default=lambda _protocol: True)
    pictures: Path | None = None  # the folder of pictures that come with the study, for practice
    # Which headlines of a run, given its results, people's labels correct; none where a study
    # measures something else.
    checks: Callable[[Results[ProtocolT]], Iterable[HeadlineCheck]] | None = None
    # Reads the labels in a file or folder of external answers: the items with what people said of
    # them. None where the layout has no labels.
    read_labels: (
        Callable[[Path, ProtocolT], tuple[tuple[StudyItem, ...], Sequence[Response]]] | None
    ) = None
