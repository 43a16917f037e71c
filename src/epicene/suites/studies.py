"""How a suite defines a human study: its items and questions, its judgements and tables."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic

from epicene.studies.design.sampling import stratified_sample
from epicene.suites import Answers, ItemT, ProtocolT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    import polars

    from epicene.core.records import Estimate, Figure, Judgement, Table
    from epicene.studies.design.sampling import Candidate, SamplingOptions
    from epicene.studies.design.schema import Response, Study, StudyItem
    from epicene.suites import Protocol


@dataclass(frozen=True)
class Material(Generic[ItemT, ProtocolT]):
    """What a study samples from: an item, and one model's answers if it is about a run."""

    item: ItemT
    protocol: ProtocolT
    model: str = ""
    answers: Answers = field(default_factory=Answers)


@dataclass(frozen=True)
class StudyResults(Generic[ProtocolT]):
    """People's judgements of a study's items, and the suite's own.

    `frame` has a row per judgement of a person, with the columns of `Results.frame` and the name in
    `person`; agreement is computed from it. `adjudicated` has the same rows as if every participant
    had given the adjudicated answers; labels are taken from it. `automatic` has the suite's own
    judgements, paired by item and name. `other_responses` are those to practice, attention checks
    and fillers; `runs` the judgements of runs to compare with, if any.
    """

    study: Study
    responses: Sequence[Response]
    frame: polars.DataFrame
    adjudicated: polars.DataFrame
    automatic: polars.DataFrame
    protocol: ProtocolT
    other_responses: Sequence[Response] = ()
    runs: polars.DataFrame | None = None


def _default_sample(
    candidates: Iterable[Candidate], _protocol: Protocol, wanted: SamplingOptions
) -> tuple[StudyItem, ...]:
    return stratified_sample(candidates, wanted)


@dataclass(frozen=True)
class StudyKind(Generic[ItemT, ProtocolT]):
    """One of a suite's human studies: its items and questions, its judgements and tables.

    An item from a run names the model in its field `model`, which the study hides with all else
    that could influence a participant. Responses are judged like answers; a person's judgement and
    the suite's own have the same name and may differ in `label`.
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
        _default_sample
    )
    # Adapts the study to its items, such as to their language.
    for_items: Callable[[Study], Study] = field(default=lambda study: study)
    from_runs: bool = True  # or from data alone
    # Reads the labels in a file or folder of external answers: the items with what people said of
    # them. None where the layout has no labels.
    read_labels: (
        Callable[[Path, ProtocolT], tuple[tuple[StudyItem, ...], Sequence[Response]]] | None
    ) = None
