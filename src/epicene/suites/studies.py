"""How a suite defines a human study: its items and questions, its judgements and tables."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic

from epicene.studies.design.sampling import stratified_sample
from epicene.suites import Answers, ItemT, ProtocolT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import polars

    from epicene.core.records import Estimate, Figure, Judgement, Table
    from epicene.studies.design.sampling import Candidate, SamplingOptions
    from epicene.studies.design.schema import Response, Study, StudyItem
    from epicene.suites import Protocol


@dataclass(frozen=True)
class Material(Generic[ItemT, ProtocolT]):
    """What study items are drawn from: an item, with one model's answers if there are any."""

    item: ItemT
    protocol: ProtocolT
    model: str = ""
    answers: Answers = field(default_factory=Answers)


@dataclass(frozen=True)
class StudyResults(Generic[ProtocolT]):
    """People's answers to a study's items, without practice items and attention checks.

    `frame` has a row per judgement of a person, with the columns of `Results.frame` and the
    person's name in `person`; agreement is computed from it. `settled` has the same rows with the
    owner's adjudicated answers in place of everybody's; one label per item is taken from it.
    `automatic` has a row per judgement of the suite itself of the same items, paired by item and
    name. `besides` are the responses to practice items, attention checks and fillers; `runs` the
    judgements of runs that the owner compares with the study, if any.
    """

    study: Study
    responses: Sequence[Response]
    frame: polars.DataFrame
    settled: polars.DataFrame
    automatic: polars.DataFrame
    protocol: ProtocolT
    besides: Sequence[Response] = ()
    runs: polars.DataFrame | None = None


def _default_sample(
    candidates: Iterable[Candidate], _protocol: Protocol, wanted: SamplingOptions
) -> tuple[StudyItem, ...]:
    return stratified_sample(candidates, wanted)


@dataclass(frozen=True)
class StudyKind(Generic[ItemT, ProtocolT]):
    """One of a suite's human studies: what people see and are asked, judgements and tables.

    An item drawn from a run names the model in its field `model`, which the study hides along with
    everything else that could influence a person. A response is judged as an answer is; a person's
    and the suite's own judgement of one thing have the same name and may differ in `label`.
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
    draw: Callable[[Iterable[Candidate], ProtocolT, SamplingOptions], tuple[StudyItem, ...]] = (
        _default_sample
    )
    from_runs: bool = True  # or from data alone
