"""Quality per participant and agreement per question, computed from a study's responses.

Only the study's own items count towards agreement: practice, fillers and attention checks do not.
Intervals are over groups of items. How an answer becomes a label depends on its question:

- a choice: its id; a text: its letters, with every run of blanks as one;
- tags: the whole set, and for each option whether it was chosen;
- marks: for each word of the text its mark, or nothing.

Texts and whole sets of tags come from no fixed list, so there is no chance agreement and only the
raw one is computed.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter, defaultdict
from datetime import datetime
from typing import TYPE_CHECKING, Literal, TypeAlias

from epicene.core.records import Estimate, Record
from epicene.languages.tokenisation import words
from epicene.stats import annotator_agreement, paired_agreement
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

# "" for the whole question, or one of its tags
QuestionPart: TypeAlias = str


def question_parts(question: Question) -> tuple[QuestionPart, ...]:
    """The parts of a question for which agreement is computed; none for notes."""
    if isinstance(question, NoteQuestion):
        return ()
    return ("", *choice_ids(question)) if isinstance(question, TagsQuestion) else ("",)


def has_fixed_labels(question: Question, part: QuestionPart) -> bool:
    """Whether labels come from a fixed list, so that there is chance agreement."""
    return bool(part) or not isinstance(question, TagsQuestion | TextQuestion)


def multiply_judged(
    responses: Iterable[Response], items: Mapping[str, StudyItem]
) -> list[Response]:
    """The responses to items that more than one participant judged."""
    own = [response for response in responses if response.item in items]
    given = Counter(response.item for response in own)
    return [response for response in own if given[response.item] > 1]


def ratings(
    question: Question,
    part: QuestionPart,
    responses: Iterable[Response],
    items: Mapping[str, StudyItem],
) -> polars.DataFrame:
    """A row per label, with the columns that `epicene.stats.annotator_agreement` reads.

    These are `item`, `group`, `person`, `name` and `label`. For marks, `item` is a word and `of`
    the item itself. Participants who were not asked have no row.
    """
    import polars as pl

    word_spans: dict[str, list[tuple[int, int]]] = {}
    rows: dict[str, list[str]] = {"of": [], "group": [], "person": []}
    labels: list[str | list[str]] = []
    for response in responses:
        answer = answer_or_empty(question, response.answers)
        if answer is None:
            continue
        item = items[response.item]
        rows["of"].append(item.id)
        rows["group"].append(item.cluster)
        rows["person"].append(response.participant)
        if isinstance(question, MarksQuestion):
            if item.id not in word_spans:
                found = words(item.fields[question.field], item.language)
                word_spans[item.id] = [(word.start, word.end) for word in found]
            labels.append(_word_labels(word_spans[item.id], answer))
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


def answer_or_empty(question: Question, answers: Mapping[str, AnswerValue]) -> AnswerValue | None:
    """The answer; an optional list that was asked for and not given is empty."""
    answer = answers.get(question.id)
    # If a required list is missing, it was added to the study after the response.
    optional = isinstance(question, TagsQuestion | MarksQuestion) and not question.required
    return () if answer is None and optional and is_asked(question, answers) else answer


def _answer_label(answer: AnswerValue, part: QuestionPart) -> str:
    if part:
        return "yes" if part in answer else "no"
    if isinstance(answer, str):
        return str(comparison_key(answer))
    return ";".join(sorted(map(str, normalise_answer(answer))))


def _word_labels(word_spans: Sequence[tuple[int, int]], answer: AnswerValue) -> list[str]:
    """The label of each word; a mark applies to every word that it overlaps."""
    touched: dict[int, set[str]] = {}
    for span in answer:
        assert isinstance(span, Span)
        for word, (start, end) in enumerate(word_spans):
            if span.start < end and start < span.end:
                touched.setdefault(word, set()).add(span.label or "marked")
    labels = [""] * len(word_spans)
    for word, names in touched.items():
        labels[word] = ";".join(sorted(names))
    return labels


# The share of attention checks that a participant must answer right
PASS_THRESHOLD = 0.75


def pass_threshold(study: Study) -> float:
    """The share of attention checks that passes: of the study's rule, if it has one."""
    rule = study.exclude
    return PASS_THRESHOLD if rule is None or rule.checks is None else rule.checks


# The most pairs of labels from which Cohen's κ is computed
_MAX_PAIRS = 250_000

# The most responses that the points of a chart read in total, as a page waits for it
_MAX_GROWTH_RESPONSES = 120_000

NO_SHARED_ITEM = "no item was judged by two people"

_NO_FIXED_LABELS = (
    "answers of this kind come from no fixed list, so there is no agreement by chance"
)

_GroupedResponse: TypeAlias = "tuple[Response, str]"  # with the group of its item
AgreementMeasure: TypeAlias = Literal["krippendorff", "raw"]


class ParticipantQuality(Record, frozen=True, kw_only=True):
    """The work of one participant; `passed` is None if they saw no attention check."""

    participant: str
    items: int
    checks_seen: int
    checks_right: int
    median_seconds: float | None
    passed: bool | None


class QuestionAgreement(Record, frozen=True, kw_only=True):
    """Agreement on a question, or on one `option` of its tags.

    `items` were judged by at least two people. Raw agreement and Cohen's κ are over all pairs of
    people who judged the same item; with three people or more, κ takes each pair in both orders.
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
    """Agreement among the first `responses` to items that at least two people judged.

    `at` is the time of the last of them.
    """

    responses: int
    at: datetime | None
    agreement: Estimate


class QuestionGrowth(Record, frozen=True, kw_only=True):
    """Agreement on a question over time: α of a choice, else raw agreement of whole answers."""

    question: str
    measure: AgreementMeasure
    points: tuple[GrowthPoint, ...]


def participant_quality(
    study: Study, responses: Sequence[Response], *, passing: float | None = None
) -> tuple[ParticipantQuality, ...]:
    """The quality of each participant, ordered by name; seconds are those of the items only."""
    passing = pass_threshold(study) if passing is None else passing
    items = {item.id for item in study.items}
    checks = {item.id: item for item in study.checks}
    by_participant: defaultdict[str, list[Response]] = defaultdict(list)
    for response in responses:
        by_participant[response.participant].append(response)
    found = []
    for participant, given in sorted(by_participant.items()):
        own = [response for response in given if response.item in items]
        right = [matches_expected(checks[each.item], each) for each in given if each.item in checks]
        seconds = [response.seconds for response in own if response.seconds is not None]
        found.append(
            ParticipantQuality(
                participant=participant,
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
    """Agreement on each question except notes, in the order asked."""
    items = {item.id: item for item in study.items}
    given = multiply_judged(responses, items)
    return tuple(
        _agreement(question, part, ratings(question, part, given, items))
        for question in study.questions
        for part in question_parts(question)
    )


def agreement_with_others(
    study: Study, responses: Sequence[Response], participant: str
) -> dict[str, tuple[int, int]]:
    """How often a participant's answers equal those of others, and of how many comparisons."""
    items = {item.id: item for item in study.items}
    given = multiply_judged(responses, items)
    own = {each.item: each for each in given if each.participant == participant}
    found = {}
    for question in study.questions:
        pairs = [
            (one, other)
            for each in given
            if each.participant != participant
            and each.item in own
            and (one := answer_or_empty(question, own[each.item].answers)) is not None
            and (other := answer_or_empty(question, each.answers)) is not None
        ]
        if pairs and not isinstance(question, NoteQuestion):
            same = sum(comparison_key(one) == comparison_key(other) for one, other in pairs)
            found[question.id] = (same, len(pairs))
    return found


def agreement_over_time(
    study: Study, responses: Sequence[Response], *, points: int = 12
) -> tuple[QuestionGrowth, ...]:
    """How agreement on each question developed as responses came in.

    Responses without a time count as the first. With many responses and questions there are fewer
    points.
    """
    items = {item.id: item for item in study.items}
    given = sorted(multiply_judged(responses, items), key=_time)
    grouped = [(response, items[response.item].cluster) for response in given]
    asked = [question for question in study.questions if not isinstance(question, NoteQuestion)]
    # A point reads half of the responses on average.
    affordable = 2 * _MAX_GROWTH_RESPONSES // max(1, len(grouped) * len(asked))
    points = max(1, min(points, affordable))
    return tuple(_growth(question, grouped, points) for question in asked)


def _time(response: Response) -> float:
    return float("-inf") if response.at is None else response.at.timestamp()


def _agreement(
    question: Question, part: QuestionPart, rated: polars.DataFrame
) -> QuestionAgreement:
    import polars as pl

    from epicene.stats.agreement import fleiss, krippendorff

    frame = rated.filter(pl.len().over("item") > 1)
    if has_fixed_labels(question, part):
        labels, groups = annotator_agreement.labels_by_item(frame)
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
    """The number of pairs that this many labels form."""
    return labels * (labels - 1) // 2


def _raw(frame: polars.DataFrame) -> Estimate:
    """The share of pairs with equal labels, from counts, as there may be very many pairs."""
    import polars as pl

    from epicene.stats.intervals import proportion

    if not len(frame):
        return Estimate(value=None, why=NO_SHARED_ITEM)
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
    return paired_agreement.kappa(annotator_agreement.annotator_pairs(frame), clustered=True)


# --- growth ----------------------------------------------------------------------------------


def _growth(question: Question, grouped: Sequence[_GroupedResponse], points: int) -> QuestionGrowth:
    alpha = isinstance(question, ChoiceQuestion)
    running = _RunningAlpha() if alpha else _RunningRawAgreement()
    stops = _stops([response for response, _ in grouped], points)
    made = []
    for number, (response, group) in enumerate(grouped, start=1):
        answer = answer_or_empty(question, response.answers)
        if answer is not None:
            running.add(response.item, group, comparison_key(answer))
        if number in stops:
            made.append(GrowthPoint(responses=number, at=response.at, agreement=running.estimate()))
    measure: AgreementMeasure = "krippendorff" if alpha else "raw"
    return QuestionGrowth(question=question.id, measure=measure, points=tuple(made))


def _stops(given: Sequence[Response], points: int) -> set[int]:
    """After how many responses to compute a point: evenly spread over those with a time."""
    untimed = sum(response.at is None for response in given)
    timed = len(given) - untimed
    if not timed:
        return {untimed}
    return {untimed + math.ceil(timed * point / points) for point in range(1, points + 1)}


class _RunningAlpha:
    """Krippendorff's α of the labels added so far."""

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

        return krippendorff([*self._labels.values()], self._groups)


class _RunningRawAgreement:
    """Raw agreement of the labels added so far, over all pairs of an item."""

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
