"""How well people did and how far they agree, question by question; pure functions of a study.

Only the study's own items count towards agreement: practice, fillers and attention checks do not.
Intervals resample groups of items. `ratings` says what of an answer is compared. Texts and whole
sets of tags come from no fixed list that chance could draw from, so only raw agreement is given of
them.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter, defaultdict
from datetime import datetime
from typing import TYPE_CHECKING, Literal, TypeAlias

from epicene.annotate.ratings import answer_of, group_of, is_listed, parts, ratings, shared
from epicene.records import Estimate, Record
from epicene.studies import Choose, Note
from epicene.studies.responses import as_expected, comparable
from epicene.suites import people as suite_people
from epicene.suites.tabulate import codes

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    import polars

    from epicene.annotate.ratings import Part
    from epicene.studies import Question, Response, Study

# Who answered fewer of the attention checks right than this share did not pass.
PASSING = 0.75

# Pairs of labels that Cohen's κ is computed from, at most.
_PAIRS = 250_000

# Answers that the points of growth look at, at most, all together: it stands on a page.
_LOOKED_AT = 120_000
_RESAMPLES = 200  # are enough for a band on a small chart

_NOT_TWICE = "no item was judged by two people"

_NO_CHANCE = "answers of this kind come from no fixed list, so there is no agreement by chance"

_Seen: TypeAlias = "tuple[Response, str]"  # with the group of its item
Measure: TypeAlias = Literal["krippendorff", "raw"]


class PersonQuality(Record, frozen=True, kw_only=True):
    """What one person did; `passed` is None where they saw no attention check."""

    participant: str
    items: int
    checks_seen: int
    checks_right: int
    median_seconds: float | None
    passed: bool | None


class QuestionAgreement(Record, frozen=True, kw_only=True):
    """How far people agree on a question, or on one `option` of its tags.

    `items` were judged by two people or more. Raw agreement and Cohen's κ are over every two
    people who judged the same item; of three people or more, κ takes each pair in both orders.
    """

    question: str
    option: str = ""
    items: int
    people: int
    raw: Estimate
    cohen: Estimate
    fleiss: Estimate
    krippendorff: Estimate


class GrowthPoint(Record, frozen=True, kw_only=True):
    """Agreement among the first so many responses to items that two people or more judged.

    `at` is when the last of them came.
    """

    responses: int
    at: datetime | None
    agreement: Estimate


class QuestionGrowth(Record, frozen=True, kw_only=True):
    """How the agreement on a question grew: α of a choice, else the raw one of whole answers."""

    question: str
    measure: Measure
    points: tuple[GrowthPoint, ...]


def people(
    study: Study, responses: Sequence[Response], *, passing: float = PASSING
) -> tuple[PersonQuality, ...]:
    """How each person did, by name; seconds are those of the items alone."""
    items = {item.id for item in study.items}
    checks = {item.id: item for item in study.checks}
    by_person: defaultdict[str, list[Response]] = defaultdict(list)
    for response in responses:
        by_person[response.participant].append(response)
    found = []
    for person, given in sorted(by_person.items()):
        own = [response for response in given if response.item in items]
        right = [as_expected(checks[each.item], each) for each in given if each.item in checks]
        seconds = [response.seconds for response in own if response.seconds is not None]
        found.append(
            PersonQuality(
                participant=person,
                items=len(own),
                checks_seen=len(right),
                checks_right=sum(right),
                median_seconds=statistics.median(seconds) if seconds else None,
                passed=sum(right) >= passing * len(right) if right else None,
            )
        )
    return tuple(found)


def agreement(study: Study, responses: Sequence[Response]) -> tuple[QuestionAgreement, ...]:
    """How far people agree on each question but notes, in the order asked."""
    items = {item.id: item for item in study.items}
    given = shared(responses, items)
    return tuple(
        _agreement(question, part, ratings(question, part, given, items))
        for question in study.questions
        for part in parts(question)
    )


def agreement_growth(
    study: Study, responses: Sequence[Response], *, points: int = 12
) -> tuple[QuestionGrowth, ...]:
    """How the agreement on each question changed as responses came in.

    Responses whose time is not known count as there from the beginning. Many responses to many
    questions are looked at fewer times.
    """
    items = {item.id: item for item in study.items}
    given = sorted(shared(responses, items), key=_time)
    seen = [(response, group_of(items[response.item])) for response in given]
    asked = [question for question in study.questions if not isinstance(question, Note)]
    # Each look is at half of the responses on average.
    affordable = 2 * _LOOKED_AT // max(1, len(seen) * len(asked))
    looks = max(1, min(points, affordable))
    return tuple(_growth(question, seen, looks) for question in asked)


def _time(response: Response) -> float:
    return float("-inf") if response.at is None else response.at.timestamp()


def _agreement(question: Question, part: Part, rated: polars.DataFrame) -> QuestionAgreement:
    import polars as pl

    from epicene.stats.raters import fleiss, krippendorff

    frame = rated.filter(pl.len().over("item") > 1)
    if is_listed(question, part):
        labels, groups = suite_people.rated(frame)
        cohen, kappa, alpha = _cohen(frame), fleiss(labels, groups), krippendorff(labels, groups)
    else:
        cohen = kappa = alpha = Estimate(value=None, why=_NO_CHANCE)
    return QuestionAgreement(
        question=question.id,
        option=part,
        items=frame["of"].n_unique(),
        people=frame["person"].n_unique(),
        raw=_raw(frame),
        cohen=cohen,
        fleiss=kappa,
        krippendorff=alpha,
    )


def _pairs(labels: polars.Expr) -> polars.Expr:
    """How many pairs so many make."""
    return labels * (labels - 1) // 2


def _raw(frame: polars.DataFrame) -> Estimate:
    """The share of pairs with one label; counted, as many people make very many pairs."""
    import polars as pl

    from epicene.stats.proportions import proportion

    if not len(frame):
        return Estimate(value=None, why=_NOT_TWICE)
    alike = frame.group_by("item", "group", "label").len("given")
    items = alike.group_by("item", "group", maintain_order=True).agg(
        _pairs(pl.col("given")).sum().alias("same"), _pairs(pl.col("given").sum()).alias("pairs")
    )
    return proportion(items["same"].to_numpy(), items["pairs"].to_numpy(), codes(items))


def _cohen(frame: polars.DataFrame) -> Estimate:
    import polars as pl

    pairs = frame.group_by("item").len("given").select(_pairs(pl.col("given")).sum()).item()
    if pairs > _PAIRS:
        why = f"{pairs} pairs are too many to list; Fleiss' κ and Krippendorff's α need no pairs"
        return Estimate(value=None, n=pairs, why=why)
    return suite_people.kappa(suite_people.between_people(frame), clustered=True)


# --- growth ----------------------------------------------------------------------------------


def _growth(question: Question, seen: Sequence[_Seen], looks: int) -> QuestionGrowth:
    alpha = isinstance(question, Choose)
    so_far = _Alpha() if alpha else _Raw()
    stops = _stops([response for response, _ in seen], looks)
    made = []
    for number, (response, group) in enumerate(seen, start=1):
        answer = answer_of(question, response.answers)
        if answer is not None:
            so_far.add(response.item, group, comparable(answer))
        if number in stops:
            made.append(GrowthPoint(responses=number, at=response.at, agreement=so_far.estimate()))
    measure: Measure = "krippendorff" if alpha else "raw"
    return QuestionGrowth(question=question.id, measure=measure, points=tuple(made))


def _stops(given: Sequence[Response], looks: int) -> set[int]:
    """After how many responses to look: evenly spread over those whose time is known."""
    untimed = sum(response.at is None for response in given)
    timed = len(given) - untimed
    if not timed:
        return {untimed}
    return {untimed + math.ceil(timed * look / looks) for look in range(1, looks + 1)}


class _Alpha:
    """Krippendorff's α of the labels so far."""

    def __init__(self) -> None:
        self._labels: dict[str, list[Hashable]] = {}
        self._groups: list[str] = []

    def add(self, item: str, group: str, label: Hashable) -> None:
        if item not in self._labels:
            self._labels[item] = []
            self._groups.append(group)
        self._labels[item].append(label)

    def estimate(self) -> Estimate:
        from epicene.stats.raters import krippendorff

        return krippendorff([*self._labels.values()], self._groups, resamples=_RESAMPLES)


class _Raw:
    """Raw agreement of every two who judged the same item, so far."""

    def __init__(self) -> None:
        self._labels: defaultdict[str, Counter[Hashable]] = defaultdict(Counter)
        self._same: Counter[str] = Counter()
        self._pairs: Counter[str] = Counter()
        self._groups: dict[str, str] = {}

    def add(self, item: str, group: str, label: Hashable) -> None:
        given = self._labels[item]
        self._same[item] += given[label]
        self._pairs[item] += given.total()
        self._groups[item] = group
        given[label] += 1

    def estimate(self) -> Estimate:
        from epicene.stats.proportions import proportion

        items = self._groups
        same = [self._same[item] for item in items]
        return proportion(same, [self._pairs[item] for item in items], [*items.values()])
