"""Quality per participant and agreement per question, computed from a study's responses.

Only the study's own items count towards agreement: practice, fillers and attention checks do not.
Intervals resample groups of items. How an answer becomes a label depends on its question:

- a choice is its id, a text its letters with every run of blanks counted as one; - tags are one
label as a whole set, and for each option whether it was given; - marks give each word of the text a
label: its mark, or nothing.

Texts and whole sets of tags come from no fixed list that chance could draw from, so only raw
agreement is given for them.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter, defaultdict
from datetime import datetime
from typing import TYPE_CHECKING, Literal, TypeAlias

from epicene.core.records import Estimate, Record
from epicene.languages.tokenisation import words
from epicene.stats import annotator_agreement as suite_people
from epicene.stats.tabulate import group_codes
from epicene.studies.design.answers import (
    choice_ids,
    comparison_key,
    is_asked,
    matches_expected,
    normalise_answer,
)
from epicene.studies.design.schema import (
    ChoiceQuestion,
    MarksQuestion,
    NoteQuestion,
    Span,
    TagsQuestion,
    TextQuestion,
)

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

    import polars

    from epicene.studies.design.schema import AnswerValue, Question, Response, Study, StudyItem

# Of what of a question: "" for all of it, or one of its tags.
QuestionPart: TypeAlias = str


def question_parts(question: Question) -> tuple[QuestionPart, ...]:
    """Of what the agreement is told; a remark has none."""
    if isinstance(question, NoteQuestion):
        return ()
    return ("", *choice_ids(question)) if isinstance(question, TagsQuestion) else ("",)


def has_fixed_labels(question: Question, part: QuestionPart) -> bool:
    """Whether labels come from a fixed list, so that two may be the same by chance."""
    return bool(part) or not isinstance(question, TagsQuestion | TextQuestion)


def multiply_judged(
    responses: Iterable[Response], items: Mapping[str, StudyItem]
) -> list[Response]:
    """The responses to those of the items that more than one person judged."""
    own = [response for response in responses if response.item in items]
    given = Counter(response.item for response in own)
    return [response for response in own if given[response.item] > 1]


def ratings(
    question: Question,
    part: QuestionPart,
    responses: Iterable[Response],
    items: Mapping[str, StudyItem],
) -> polars.DataFrame:
    """A row for each label that a person gave, with the columns of people's judgements.

    Those are `item`, `group`, `person`, `name` and `label`, as in
    `epicene.stats.annotator_agreement`. For marks, `item` is a word and `of` the item itself.
    People who were not asked gave no label.
    """
    import polars as pl

    places: dict[str, list[tuple[int, int]]] = {}
    rows: dict[str, list[str]] = {"of": [], "group": [], "person": []}
    labels: list[str | list[str]] = []
    for response in responses:
        answer = answer_or_empty(question, response.answers)
        if answer is None:
            continue
        item = items[response.item]
        rows["of"].append(item.id)
        rows["group"].append(resampling_group(item))
        rows["person"].append(response.participant)
        if isinstance(question, MarksQuestion):
            if item.id not in places:
                found = words(item.fields[question.field], item.language)
                places[item.id] = [(word.start, word.end) for word in found]
            labels.append(_word_labels(places[item.id], answer))
        else:
            labels.append(_answer_label(answer, part))
    kind = pl.List(pl.String) if isinstance(question, MarksQuestion) else pl.String()
    frame = pl.DataFrame(rows, schema=dict.fromkeys(rows, pl.String)).with_columns(
        pl.Series("label", labels, kind), pl.lit(part).alias("name"), pl.col("of").alias("item")
    )
    return _explode_words(frame) if isinstance(question, MarksQuestion) else frame


def _explode_words(frame: polars.DataFrame) -> polars.DataFrame:
    import polars as pl

    numbered = frame.with_columns(pl.int_ranges(pl.col("label").list.len()).alias("word"))
    whole = numbered.filter(pl.col("label").list.len() > 0).explode("label", "word")
    return whole.with_columns(pl.concat_str("item", "word", separator=" ")).drop("word")


def resampling_group(item: StudyItem) -> str:
    """What is resampled together: the versions of one thing."""
    return item.group or item.id


def answer_or_empty(question: Question, answers: Mapping[str, AnswerValue]) -> AnswerValue | None:
    """What was answered; an optional list that was left out says that there is none."""
    answer = answers.get(question.id)
    # One that had to be answered and was not came into the study after the response.
    optional = isinstance(question, TagsQuestion | MarksQuestion) and not question.required
    return () if answer is None and optional and is_asked(question, answers) else answer


def _answer_label(answer: AnswerValue, part: QuestionPart) -> str:
    if part:
        return "yes" if part in answer else "no"
    if isinstance(answer, str):
        return str(comparison_key(answer))
    return ";".join(sorted(map(str, normalise_answer(answer))))


def _word_labels(places: Sequence[tuple[int, int]], answer: AnswerValue) -> list[str]:
    """The label of each word; a mark touches every word of which it has a character."""
    touched: dict[int, set[str]] = {}
    for span in answer:
        assert isinstance(span, Span)
        for word, (start, end) in enumerate(places):
            if span.start < end and start < span.end:
                touched.setdefault(word, set()).add(span.label or "marked")
    labels = [""] * len(places)
    for word, names in touched.items():
        labels[word] = ";".join(sorted(names))
    return labels


# Who answered fewer of the attention checks right than this share did not pass.
PASS_THRESHOLD = 0.75

# Pairs of labels that Cohen's κ is computed from, at most.
_MAX_PAIRS = 250_000

# Answers that the points of growth look at, at most, all together: it stands on a page.
_MAX_GROWTH_RESPONSES = 120_000
_GROWTH_RESAMPLES = 200  # are enough for a band on a small chart

_NO_SHARED_ITEM = "no item was judged by two people"

_NO_FIXED_LABELS = (
    "answers of this kind come from no fixed list, so there is no agreement by chance"
)

_GroupedResponse: TypeAlias = "tuple[Response, str]"  # with the group of its item
AgreementMeasure: TypeAlias = Literal["krippendorff", "raw"]


class ParticipantQuality(Record, frozen=True, kw_only=True):
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
    measure: AgreementMeasure
    points: tuple[GrowthPoint, ...]


def participant_quality(
    study: Study, responses: Sequence[Response], *, passing: float = PASS_THRESHOLD
) -> tuple[ParticipantQuality, ...]:
    """How each person did, by name; seconds are those of the items alone."""
    items = {item.id for item in study.items}
    checks = {item.id: item for item in study.checks}
    by_person: defaultdict[str, list[Response]] = defaultdict(list)
    for response in responses:
        by_person[response.participant].append(response)
    found = []
    for person, given in sorted(by_person.items()):
        own = [response for response in given if response.item in items]
        right = [matches_expected(checks[each.item], each) for each in given if each.item in checks]
        seconds = [response.seconds for response in own if response.seconds is not None]
        found.append(
            ParticipantQuality(
                participant=person,
                items=len(own),
                checks_seen=len(right),
                checks_right=sum(right),
                median_seconds=statistics.median(seconds) if seconds else None,
                passed=sum(right) >= passing * len(right) if right else None,
            )
        )
    return tuple(found)


def question_agreement(
    study: Study, responses: Sequence[Response]
) -> tuple[QuestionAgreement, ...]:
    """How far people agree on each question but notes, in the order asked."""
    items = {item.id: item for item in study.items}
    given = multiply_judged(responses, items)
    return tuple(
        _agreement(question, part, ratings(question, part, given, items))
        for question in study.questions
        for part in question_parts(question)
    )


def agreement_over_time(
    study: Study, responses: Sequence[Response], *, points: int = 12
) -> tuple[QuestionGrowth, ...]:
    """How the agreement on each question changed as responses came in.

    Responses whose time is not known count as there from the beginning. Many responses to many
    questions are looked at fewer times.
    """
    items = {item.id: item for item in study.items}
    given = sorted(multiply_judged(responses, items), key=_time)
    seen = [(response, resampling_group(items[response.item])) for response in given]
    asked = [question for question in study.questions if not isinstance(question, NoteQuestion)]
    # Each look is at half of the responses on average.
    affordable = 2 * _MAX_GROWTH_RESPONSES // max(1, len(seen) * len(asked))
    looks = max(1, min(points, affordable))
    return tuple(_growth(question, seen, looks) for question in asked)


def _time(response: Response) -> float:
    return float("-inf") if response.at is None else response.at.timestamp()


def _agreement(
    question: Question, part: QuestionPart, rated: polars.DataFrame
) -> QuestionAgreement:
    import polars as pl

    from epicene.stats.agreement import fleiss, krippendorff

    frame = rated.filter(pl.len().over("item") > 1)
    if has_fixed_labels(question, part):
        labels, groups = suite_people.labels_by_item(frame)
        cohen, kappa, alpha = _cohen(frame), fleiss(labels, groups), krippendorff(labels, groups)
    else:
        cohen = kappa = alpha = Estimate(value=None, why=_NO_FIXED_LABELS)
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


def _pair_count(labels: polars.Expr) -> polars.Expr:
    """How many pairs so many make."""
    return labels * (labels - 1) // 2


def _raw(frame: polars.DataFrame) -> Estimate:
    """The share of pairs with one label; counted, as many people make very many pairs."""
    import polars as pl

    from epicene.stats.intervals import proportion

    if not len(frame):
        return Estimate(value=None, why=_NO_SHARED_ITEM)
    alike = frame.group_by("item", "group", "label").len("given")
    items = alike.group_by("item", "group", maintain_order=True).agg(
        _pair_count(pl.col("given")).sum().alias("same"),
        _pair_count(pl.col("given").sum()).alias("pairs"),
    )
    return proportion(items["same"].to_numpy(), items["pairs"].to_numpy(), group_codes(items))


def _cohen(frame: polars.DataFrame) -> Estimate:
    import polars as pl

    pairs = frame.group_by("item").len("given").select(_pair_count(pl.col("given")).sum()).item()
    if pairs > _MAX_PAIRS:
        why = f"{pairs} pairs are too many to list; Fleiss' κ and Krippendorff's α need no pairs"
        return Estimate(value=None, n=pairs, why=why)
    return suite_people.kappa(suite_people.annotator_pairs(frame), clustered=True)


# --- growth ----------------------------------------------------------------------------------


def _growth(question: Question, seen: Sequence[_GroupedResponse], looks: int) -> QuestionGrowth:
    alpha = isinstance(question, ChoiceQuestion)
    so_far = _RunningAlpha() if alpha else _RunningRawAgreement()
    stops = _stops([response for response, _ in seen], looks)
    made = []
    for number, (response, group) in enumerate(seen, start=1):
        answer = answer_or_empty(question, response.answers)
        if answer is not None:
            so_far.add(response.item, group, comparison_key(answer))
        if number in stops:
            made.append(GrowthPoint(responses=number, at=response.at, agreement=so_far.estimate()))
    measure: AgreementMeasure = "krippendorff" if alpha else "raw"
    return QuestionGrowth(question=question.id, measure=measure, points=tuple(made))


def _stops(given: Sequence[Response], looks: int) -> set[int]:
    """After how many responses to look: evenly spread over those whose time is known."""
    untimed = sum(response.at is None for response in given)
    timed = len(given) - untimed
    if not timed:
        return {untimed}
    return {untimed + math.ceil(timed * look / looks) for look in range(1, looks + 1)}


class _RunningAlpha:
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
        from epicene.stats.agreement import krippendorff

        return krippendorff([*self._labels.values()], self._groups, resamples=_GROWTH_RESAMPLES)


class _RunningRawAgreement:
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
        from epicene.stats.intervals import proportion

        items = self._groups
        same = [self._same[item] for item in items]
        return proportion(same, [self._pairs[item] for item in items], [*items.values()])
