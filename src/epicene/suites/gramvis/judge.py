"""From counts, the votes on an image, or the images of a run, to judgements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.records import Choice, Judgement
from epicene.suites.gramvis.counts import Counted
from epicene.suites.gramvis.names import ERROR, LABELS, OWN
from epicene.suites.gramvis.parsing import parse
from epicene.suites.gramvis.prompted import Prompted
from epicene.suites.gramvis.shots import shots_of
from epicene.suites.gramvis.votes import Picture
from epicene.suites.gramvis.voting import vote

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.records import Facets, Outcome
    from epicene.suites import Answers
    from epicene.suites.gramvis.names import Label
    from epicene.suites.gramvis.protocol import GramvisProtocol

COUNTS = "counts"
MAJORITY = "majority"
VOTE = "vote of "


def judge(
    item: Counted | Picture | Prompted, answers: Answers, protocol: GramvisProtocol
) -> Iterator[Judgement]:
    """The counts as they are; of an image each vote, and what they come to."""
    match item:
        case Counted():
            yield _counted(item)
        case Picture():
            yield from _voted(item, answers, protocol)
        case Prompted():
            for shot in shots_of(item, answers, protocol):
                if shot.missing:
                    yield _missing(shot.picture, shot.missing)
                else:
                    yield from _voted(shot.picture, shot.votes, protocol)


def _counted(item: Counted) -> Judgement:
    numbers = (item.male, item.female, item.neither, item.error)
    counts = dict(zip((*LABELS, ERROR), map(float, numbers), strict=True))
    return _judgement(item, COUNTS, _facets(item), counts=counts)


def _missing(item: Picture, why: str) -> Judgement:
    """An image that was refused or never came shows nobody, and no judge is to blame for it."""
    return _judgement(
        item,
        MAJORITY,
        _facets(item),
        outcome="undetected",
        counts={name: float(name == ERROR) for name in (*LABELS, ERROR)},
        evidence={"not drawn": why},
    )


def _voted(item: Picture, answers: Answers, protocol: GramvisProtocol) -> Iterator[Judgement]:
    labels: list[Label | None] = []
    for given in answers:
        if isinstance(given.answer, Choice):
            label = _label(given.answer, protocol)
            labels.append(label)
            # The image's own judgement says all else of it.
            voted = {"drawer": item.drawer, "judge": given.model} | _likeliest(given.answer)
            said = {"said": given.answer.text} if given.answer.text else {}
            yield _judgement(item, f"{VOTE}{given.model}", voted, label, evidence=said)
    verdict = vote(labels)
    yield _judgement(
        item,
        MAJORITY,
        {**_facets(item), "agreement": verdict.agreement},
        verdict.label,
        outcome=outcome_of(verdict.label, item.grammar),
        counts={name: float(name == (verdict.label or ERROR)) for name in (*LABELS, ERROR)},
    )


def _facets(item: Counted | Picture) -> Facets:
    facets = {
        "drawer": item.drawer,
        "grammar": item.grammar,
        "category": item.category,
        "word": item.word,
        "condition": item.condition,
    }
    if isinstance(item, Picture):
        facets |= {"template": item.template, "shot": item.shot}
        if item.stereotype:
            facets["stereotype"] = item.stereotype
    return facets


def outcome_of(label: str | None, grammar: str) -> Outcome:
    """Right is an image that shows the grammar's gender."""
    if label not in OWN.values():
        return "undetected"
    return "right" if label == OWN[grammar] else "wrong"


def _likeliest(answer: Choice) -> Facets:
    """The choice by log-probability, of judges that tell it; votes are by what was said."""
    if len(answer.logprobs) != len(LABELS):
        return {}
    likely = dict(zip(LABELS, answer.logprobs, strict=True))
    return {"likeliest": max(LABELS, key=likely.__getitem__)}


def _label(answer: Choice, protocol: GramvisProtocol) -> Label | None:
    """A choice that was made as such (by log-probability) stands; words are read."""
    if answer.choice in LABELS:
        return answer.choice
    return parse(answer.text, protocol.parsing)


def _judgement(
    item: Counted | Picture,
    name: str,
    facets: Facets,
    label: str | None = None,
    *,
    outcome: Outcome | None = None,
    counts: dict[str, float] | None = None,
    evidence: Facets | None = None,
) -> Judgement:
    return Judgement(
        item=item.id,
        group=item.cluster,
        language=item.language,
        name=name,
        outcome=outcome,
        label=label,
        counts=counts or {},
        facets=facets,
        evidence=evidence or {},
    )
