"""The study `rewritings`: people judge sentences that a model rewrote for other people."""

from __future__ import annotations

import operator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from epicene.core.records import Judgement, Texts
from epicene.languages.normalisers import normalise
from epicene.studies.design.sampling import Candidate, item_id
from epicene.studies.design.schema import StudyItem
from epicene.studies.exchange.study_files import read_study_definition
from epicene.suites.apgc.ask import REWRITING, request_name
from epicene.suites.apgc.construction.annotation import describe_people
from epicene.suites.apgc.items import OTHER_GENDER, TARGETS, SentenceLabel
from epicene.suites.apgc.judge import by_edits
from epicene.suites.apgc.metrics import REWRITTEN_RIGHT
from epicene.suites.rewriting_studies import (
    NONE,
    PER_CELL,
    RIGHT,
    UNTOUCHED,
    RewritingStudy,
    automatic_field,
    yes_or_no,
)
from epicene.suites.studies import HeadlineCheck, StudyKind, stratified

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.studies.design.schema import Study
    from epicene.suites import Results
    from epicene.suites.apgc.items import Sentence
    from epicene.suites.apgc.protocol import ApgcProtocol
    from epicene.suites.studies import Material

    Rewritten = Material[Sentence, ApgcProtocol]

PERSONS = ("speaker", "listener")
_REWRITINGS = RewritingStudy(
    persons=PERSONS,
    facets=("target", "change"),
    reference_note=(
        "By the automatic score, a rewriting is right if it is the reference, word for word."
    ),
)


def study(_protocol: ApgcProtocol) -> Study:
    """The study without its items."""
    return read_study_definition(Path(__file__).with_suffix(".toml"))


# --- sampling --------------------------------------------------------------------------------


def candidates(material: Rewritten) -> Iterator[Candidate]:
    """Every rewriting that is not empty, by model, target and whether a word was to change."""
    sentence, model = material.item, material.model
    for target in TARGETS:
        for written in material.answers.where(name=request_name(REWRITING, target)).of(Texts):
            judged = by_edits(sentence, target, written.only, material.protocol)
            if judged.outcome != "undetected":
                yield Candidate(
                    cell=(model, target, _change(sentence, target)),
                    unit=sentence.cluster,
                    name=f"{model}/{sentence.id}/{target}",
                    make=partial(_item, sentence, model, target, judged, material.protocol),
                    judged=(sentence.id, judged.name),
                    uncertain=partial(operator.ne, judged.outcome, "right"),
                )


def _change(sentence: Sentence, target: str) -> str:
    same = sentence.targets[target].split() == sentence.text.split()
    return "to leave" if same else "to change"


def _item(
    sentence: Sentence, model: str, target: str, judged: Judgement, protocol: ApgcProtocol
) -> StudyItem:
    return StudyItem(
        id=item_id("rewritings", model, target, sentence.id),
        language="ar",
        group=sentence.cluster,
        fields={
            "people": describe_people(SentenceLabel(*target)),
            "text": sentence.text,
            "rewriting": judged.evidence["answer"],
            "model": model,
            "target": target,
            "change": _change(sentence, target),
            "reference": sentence.targets[target],
            "sentence": sentence.id,
            automatic_field(RIGHT): yes_or_no(judged.outcome == "right"),
            **automatic_labels(sentence, target, judged.evidence["answer"], protocol),
        },
    )


def automatic_labels(
    sentence: Sentence, target: str, answer: str, protocol: ApgcProtocol
) -> dict[str, str]:
    """Whether the answer has each person's words for the target, and no other word changed.

    A person's words are those in which the forms for a man and for a woman differ.
    """
    forms = {
        name: normalise(text, protocol.normalisers).split()
        for name, text in sentence.targets.items()
    }
    wanted, found = forms[target], normalise(answer, protocol.normalisers).split()
    labels, gendered = {}, set()
    for index, person in enumerate(PERSONS):
        other = forms[
            "".join(
                OTHER_GENDER[gender] if at == index else gender for at, gender in enumerate(target)
            )
        ]
        places = {at for at, word in enumerate(wanted) if word != other[at]}
        gendered |= places
        fits = all(
            wanted[at] in found and (other[at] not in found or other[at] in wanted) for at in places
        )
        labels[automatic_field(person)] = yes_or_no(fits) if places else NONE
    same = len(found) == len(wanted) and all(
        word == wanted[at] for at, word in enumerate(found) if at not in gendered
    )
    return labels | {automatic_field(UNTOUCHED): yes_or_no(same)}


def checks(_results: Results[ApgcProtocol]) -> Iterator[HeadlineCheck]:
    """A rewriting is right if people judge it right, whether or not it is the reference."""
    yield HeadlineCheck(
        headline=REWRITTEN_RIGHT,
        judgement=RIGHT,
        judged=lambda item: (
            item.fields["sentence"],
            request_name(REWRITING, item.fields["target"]),
        ),
        value=lambda label, _automatic, _item: float(label == "yes"),
    )


kind = StudyKind(
    study=study,
    candidates=candidates,
    sample=stratified(PER_CELL),
    judge=_REWRITINGS.judge,
    automatic=_REWRITINGS.automatic,
    metrics=_REWRITINGS.metrics,
    tables=_REWRITINGS.tables,
    checks=checks,
)
