"""From counts, or the votes on an image, to judgements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.records import Choice, Judgement
from epicene.suites.gramvis.counts import Counted
from epicene.suites.gramvis.names import ERROR, LABELS, OWN
from epicene.suites.gramvis.parsing import parse
from epicene.suites.gramvis.voting import vote

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.records import Facets, Outcome
    from epicene.suites import Answers
    from epicene.suites.gramvis.names import Label
    from epicene.suites.gramvis.protocol import GramvisProtocol
    from epicene.suites.gramvis.votes import Picture

COUNTS = "counts"
MAJORITY = "majority"
VOTE = "vote of "


def judge(
    item: Counted | Picture, answers: Answers, protocol: GramvisProtocol
) -> Iterator[Judgement]:
    """The counts as they are; of an image each vote, and what they come to."""
    facets = {
        "drawer": item.drawer,
        "grammar": item.grammar,
        "category": item.category,
        "word": item.word,
        "condition": item.condition,
    }
    if isinstance(item, Counted):
        numbers = (item.male, item.female, item.neither, item.error)
        counts = dict(zip((*LABELS, ERROR), map(float, numbers), strict=True))
        yield _judgement(item, COUNTS, facets, counts=counts)
        return
    facets |= {"template": item.template, "shot": item.shot}
    labels: list[Label | None] = []
    for given in answers:
        if isinstance(given.answer, Choice):
            label = _label(given.answer, protocol)
            labels.append(label)
            # The image's own judgement says all else of it.
            voted = {"drawer": item.drawer, "judge": given.model}
            yield _judgement(item, f"{VOTE}{given.model}", voted, label, text=given.answer.text)
    verdict = vote(labels)
    yield _judgement(
        item,
        MAJORITY,
        {**facets, "agreement": verdict.agreement},
        verdict.label,
        outcome=_outcome(verdict.label, item.grammar),
        counts={name: float(name == (verdict.label or ERROR)) for name in (*LABELS, ERROR)},
    )


def _outcome(label: Label | None, grammar: str) -> Outcome:
    """Right is an image that shows the grammar's gender."""
    if label not in OWN.values():
        return "undetected"
    return "right" if label == OWN[grammar] else "wrong"


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
    text: str = "",
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
        evidence={"said": text} if text else {},
    )
