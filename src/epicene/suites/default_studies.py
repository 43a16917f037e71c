"""Human studies for suites that define none.

`check`: people see what was asked, what was answered and how it was scored, and say whether the
score is right. `choice`: people choose the better of the two texts that models choose between.
"""

from __future__ import annotations

import operator
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec
import regex

from epicene.core.records import (
    Column,
    Judgement,
    Outcome,
    Row,
    Score,
    Table,
    prompt_texts,
    to_json,
)
from epicene.stats import annotator_agreement
from epicene.stats.tabulate import accuracy, distinct_values, undetected_share
from epicene.studies.design.sampling import Candidate, item_id
from epicene.studies.design.schema import ChoiceQuestion, Option, Study, StudyItem, TextPanel
from epicene.suites import FRAME_COLUMNS, Answers, StudyCard
from epicene.suites.definition_functions import MEASURE
from epicene.suites.headline_metrics import headline_metrics_of
from epicene.suites.single_answer_judge import NeedsAllAnswersError, SingleAnswerJudge
from epicene.suites.studies import HeadlineCheck, StudyKind, stratified

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import polars

    from epicene.core.records import Estimate, Item
    from epicene.studies.design.schema import AnswerValue, Response
    from epicene.suites import Results, Suite
    from epicene.suites.studies import Material, StudyResults

    GetSuite = Callable[[], Suite[Any, Any]]

CHECK, CHOICE = "check", "choice"
_PER_CELL = 25
_TABLES = ("people", "agreement")

STUDY_CARDS = {
    CHECK: StudyCard(
        about="People say whether the automatic score of an answer is right.", tables=_TABLES
    ),
    CHOICE: StudyCard(about="People say which of two texts is better.", tables=_TABLES),
}


def default_studies(
    suite: GetSuite, facets_of: Callable[[Item], dict[str, str]]
) -> dict[str, StudyKind[Any, Any]]:
    """Both studies, for a suite that is given when they are drawn."""
    return {
        CHECK: StudyKind(
            study=lambda _protocol: _check_study(suite()),
            candidates=partial(_check_candidates, suite),
            judge=_judge_check,
            tables=_tables,
            metrics=_metrics,
            sample=stratified(_PER_CELL),
            checks=partial(_checks, suite),
        ),
        CHOICE: StudyKind(
            study=lambda _protocol: _choice_study(suite()),
            candidates=partial(_choice_candidates, suite, facets_of),
            judge=_judge_choice,
            tables=_tables,
            metrics=_metrics,
            sample=stratified(_PER_CELL),
            from_runs=False,
        ),
    }


def _study_name(suite: Suite[Any, Any], kind: str) -> str:
    """A name of lower-case letters, digits and hyphens."""
    return regex.sub(r"[^a-z0-9]+", "-", f"{suite.name.lower()}-{kind}").strip("-")


# --- check ---------------------------------------------------------------------------------

_ANSWERS: dict[str, Outcome] = {"yes": "right", "no": "wrong", "unclear": "undetected"}


def _check_study(suite: Suite[Any, Any]) -> Study:
    return Study(
        name=_study_name(suite, CHECK),
        suite=suite.name,
        title={"en": suite.card.title},
        instructions={
            "en": "A program judged the answers of language models. Read what was asked and what "
            "was answered, and say whether the judgement is correct."
        },
        show=(
            TextPanel(field="asked", title={"en": "What was asked"}),
            TextPanel(field="answer", title={"en": "What was answered"}),
            TextPanel(field="judgement", title={"en": "The program's judgement"}, language="en"),
        ),
        questions=(
            ChoiceQuestion(
                id="correct",
                ask={"en": "Is the judgement correct?"},
                options=(
                    Option(id="yes", label={"en": "Yes"}),
                    Option(id="no", label={"en": "No"}),
                    Option(id="unclear", label={"en": "I cannot tell"}),
                ),
            ),
        ),
        hidden=("model", "item", "name", "facets"),
        practice=tuple(
            _practice(
                number, {"correct": expected}, why, asked=asked, answer=answer, judgement=said
            )
            for number, (asked, answer, said, expected, why) in enumerate(_CHECK_PRACTICE, 1)
        ),
    )


_CHECK_PRACTICE = (
    ("The plural of “child” is …", "children", "right", "yes", "“Children” is the plural."),
    ("The plural of “foot” is …", "foots", "right", "no", "The plural is “feet”."),
    ("The plural of “mouse” is …", "mice", "wrong", "no", "“Mice” is the plural."),
)


def _practice(number: int, expected: dict[str, AnswerValue], why: str, **fields: str) -> StudyItem:
    return StudyItem(
        id=f"practice-{number}",
        language="en",
        fields=fields,
        expected=expected,
        feedback={"en": why},
    )


def _check_candidates(suite: GetSuite, material: Material[Any, Any]) -> Iterator[Candidate]:
    """Every judgement; each model and each verdict is a cell of the design."""
    item = material.item
    for judgement in suite().judge(item, material.answers, material.protocol):
        yield Candidate(
            cell=(
                material.model,
                judgement.facets.get(MEASURE, ""),
                judgement.outcome or judgement.label or "",
            ),
            unit=item.cluster,
            name=f"{material.model}/{item.id}/{judgement.name}",
            make=partial(_check_item, material.model, judgement),
            judged=(judgement.item, judgement.name),
            uncertain=partial(operator.eq, judgement.outcome, "undetected"),
        )


def _check_item(model: str, judgement: Judgement) -> StudyItem:
    return StudyItem(
        id=item_id(model, judgement.item, judgement.name),
        language=judgement.language,
        group=judgement.group,
        fields={
            "asked": _joined(judgement.evidence, "asked"),
            "answer": _joined(judgement.evidence, "answer"),
            "judgement": _verdict(judgement),
            "model": model,
            "item": judgement.item,
            "name": judgement.name,
            "facets": to_json(judgement.facets).decode(),
        },
    )


def _joined(evidence: Mapping[str, str], name: str) -> str:
    texts = [text for key, text in evidence.items() if key == name or key.startswith(f"{name} ")]
    return "\n\n".join(texts) or "–"


def _verdict(judgement: Judgement) -> str:
    said = [
        *([_OUTCOMES[judgement.outcome]] if judgement.outcome else ()),
        *([judgement.label] if judgement.label else ()),
        *([f"{judgement.value:g}"] if judgement.value is not None else ()),
    ]
    return f"{judgement.name}: {', '.join(said)}" if judgement.name else ", ".join(said)


_OUTCOMES = {"right": "right", "wrong": "wrong", "undetected": "neither right nor wrong"}


def _judge_check(item: StudyItem, response: Response) -> Iterator[Judgement]:
    label = str(response.answers["correct"])
    yield _judged(item, CHECK, label, _ANSWERS[label])


def _checks(suite: GetSuite, results: Results[Any]) -> Iterator[HeadlineCheck]:
    """Every headline that is a share of right judgements: judgements that people reject are
    reversed."""
    for headline in headline_metrics_of(suite(), results):
        if headline.item_scores is not None:
            yield HeadlineCheck(
                headline=headline.name,
                judgement=CHECK,
                judged=lambda item: (item.fields["item"], item.fields["name"]),
                value=_checked_value,
            )


def _checked_value(label: str, automatic: float, item: StudyItem) -> float | None:
    """The score after the check; open if people cannot tell, or if they reject the score “neither
    right nor wrong”."""
    if label == "yes":
        return automatic
    rejected_neither = item.fields["judgement"].endswith(_OUTCOMES["undetected"])
    return None if label == "unclear" or rejected_neither else 1 - automatic


# --- choice --------------------------------------------------------------------------------


def _choice_study(suite: Suite[Any, Any]) -> Study:
    return Study(
        name=_study_name(suite, CHOICE),
        suite=suite.name,
        title={"en": suite.card.title},
        show=(TextPanel(field="first"), TextPanel(field="second")),
        questions=(
            ChoiceQuestion(
                id="better", ask={"en": "Which text is better?"}, between=("first", "second")
            ),
        ),
        hidden=("item", "name", "right", "facets"),
        practice=tuple(
            _practice(number, {"better": "first"}, why, first=first, second=second)
            for number, (first, second, why) in enumerate(_CHOICE_PRACTICE, 1)
        ),
    )


_CHOICE_PRACTICE = (
    (
        "The children are in the garden.",
        "The children is in the garden.",
        "“Are” agrees with “children”.",
    ),
    ("She gave me the key.", "She gave me key the.", "“The” comes before its noun."),
)


def _choice_candidates(
    suite: GetSuite, facets_of: Callable[[Item], dict[str, str]], material: Material[Any, Any]
) -> Iterator[Candidate]:
    """Every request that scores two texts."""
    item, (stage, *_) = material.item, suite().stages
    block, stratum = suite().stratum(item)
    judge = SingleAnswerJudge(suite(), material.protocol)
    for request in stage.ask(item, Answers(), material.protocol):
        if isinstance(request, Score) and len(request.texts) == 2:
            try:
                right = judge.right_text(item, stage, request)
            except NeedsAllAnswersError:
                right = None
            yield Candidate(
                cell=(block, *((stratum,) if isinstance(stratum, str) else stratum)),
                unit=item.cluster,
                name=f"{item.id}/{request.name}",
                make=partial(_choice_item, request, right, to_json(facets_of(item)).decode()),
            )


def _choice_item(request: Score, right: int | None, facets: str) -> StudyItem:
    before = "\n".join(text for text in prompt_texts(request.context) if text)
    first, second = (f"{before}{text}" for text in request.texts)
    return StudyItem(
        id=item_id(request.item, request.name),
        language=request.language,
        group=request.group,
        fields={
            "first": first,
            "second": second,
            "item": request.item,
            "name": request.name,
            "right": "" if right is None else ("first", "second")[right],
            "facets": facets,
        },
    )


def _judge_choice(item: StudyItem, response: Response) -> Iterator[Judgement]:
    """Right if people choose the text that the suite's judge counts as right."""
    label, right = str(response.answers["better"]), item.fields["right"]
    outcome: Outcome | None = None if not right else "right" if label == right else "wrong"
    yield _judged(item, CHOICE, label, outcome)


# --- results -------------------------------------------------------------------------------


def _judged(item: StudyItem, name: str, label: str, outcome: Outcome | None) -> Judgement:
    facets = msgspec.json.decode(item.fields["facets"], type=dict[str, str])
    if "judgement" in item.fields:
        facets["judgement"] = item.fields["judgement"]
    return Judgement(
        item=item.id,
        group=item.group,
        language=item.language,
        name=name,
        label=label,
        outcome=outcome,
        facets=facets,
    )


def _metrics(results: StudyResults[Any]) -> dict[str, Estimate]:
    return {"right": accuracy(annotator_agreement.majority_labels(results.decided))}


def _tables(results: StudyResults[Any]) -> Iterator[Table]:
    """What people say, by facet; and whether they agree."""
    frame = annotator_agreement.majority_labels(results.decided)
    yield Table(
        name="people",
        title="Right by the majority of people",
        levels=("facet", "of"),
        columns=(Column(name="right"), Column(name="unclear")),
        rows=tuple(_rows(frame)),
    )
    yield annotator_agreement.agreement_table(
        annotator_agreement.annotator_pairs(results.frame),
        (),
        name="agreement",
        title="Agreement of people",
        notes=annotator_agreement.PAIR_NOTES,
    )


def _rows(frame: polars.DataFrame) -> Iterator[Row]:
    import polars as pl

    yield Row(keys=("all", "all"), cells=(accuracy(frame), undetected_share(frame)))
    own = set(frame.columns) - {*FRAME_COLUMNS, "person"}
    for facet in ("model", "language", *sorted(own)):
        values = distinct_values(frame, facet)
        for value in values if len(values) > 1 else ():
            part = frame.filter(pl.col(facet) == value)
            yield Row(keys=(facet, value), cells=(accuracy(part), undetected_share(part)))
