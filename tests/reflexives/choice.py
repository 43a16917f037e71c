"""A study of data alone: which of two sentences is the better one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.core.records import Judgement, Table
from epicene.stats import annotator_agreement
from epicene.studies.design.sampling import Candidate
from epicene.studies.design.schema import ChoiceQuestion, Study, StudyItem, TextPanel
from epicene.suites.studies import Material, StudyKind, StudyResults

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.studies.design.schema import Response
    from reflexives import ReflexiveProtocol, Sentence


def study(_protocol: ReflexiveProtocol) -> Study:
    """The study without its items: both sentences, and which is better."""
    return Study(
        name="reflexives-choice",
        suite="reflexives",
        title={"en": "Sentences"},
        show=(TextPanel(field="good"), TextPanel(field="bad")),
        questions=(ChoiceQuestion(id="better", ask={"en": "Which?"}, between=("good", "bad")),),
        judgements=3,
    )


def candidates(material: Material[Sentence, ReflexiveProtocol]) -> Iterator[Candidate]:
    """Every sentence."""
    item = material.item
    good, bad = item.texts
    drawn = StudyItem(id=item.id, language=item.language, fields={"good": good, "bad": bad})
    yield Candidate((item.gender,), item.id, item.id, lambda: drawn)


def judge(item: StudyItem, response: Response) -> Iterator[Judgement]:
    """Right where the sentence was chosen that agrees."""
    chosen = str(response.answers["better"])
    yield Judgement(
        item=item.id,
        name="choice",
        label=chosen,
        outcome="right" if chosen == "good" else "wrong",
    )


def tables(results: StudyResults[ReflexiveProtocol]) -> Iterator[Table]:
    """Whether people agree."""
    pairs = annotator_agreement.annotator_pairs(results.frame)
    yield Table(
        name="people",
        title="Agreement of people",
        levels=("facet", "of"),
        columns=annotator_agreement.COLUMNS,
        rows=tuple(annotator_agreement.by_facet(pairs, (), clustered=True)),
    )


choice = StudyKind(study=study, candidates=candidates, judge=judge, tables=tables, from_runs=False)
