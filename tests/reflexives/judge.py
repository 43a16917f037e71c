"""By probability the likelier sentence wins; by generation the first reflexive counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.core.records import Judgement, Outcome, Scores, Texts
from epicene.languages.tokenisation import words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.suites import Answers
    from reflexives.items import Sentence
    from reflexives.protocol import ReflexiveProtocol


def judge(item: Sentence, answers: Answers, _protocol: ReflexiveProtocol) -> Iterator[Judgement]:
    """One judgement by probability, one per sample by generation."""
    good, bad = answers.only(Scores).texts
    margin = good.sum - bad.sum
    preferred = item.texts[0] if margin > 0 else item.texts[1]
    outcome: Outcome = "right" if margin > 0 else "wrong"
    yield _judgement(item, "probability", outcome, margin, preferred)
    for number, text in enumerate(answers.only(Texts).texts, start=1):
        found = first_reflexive(text.text)
        outcome = "undetected" if found is None else "right" if found == item.reflexive else "wrong"
        yield _judgement(item, f"generation {number}", outcome, None, item.before + text.text)


def first_reflexive(text: str) -> str | None:
    """The first himself or herself of a text."""
    for start, end, _ in words(text, "en"):
        if text[start:end].lower() in ("himself", "herself"):
            return text[start:end].lower()
    return None


def _judgement(
    item: Sentence, name: str, outcome: Outcome, value: float | None, answer: str
) -> Judgement:
    return Judgement(
        item=item.id,
        group=item.cluster,
        language=item.language,
        name=name,
        outcome=outcome,
        value=value,
        facets={"format": name.split()[0], "gender": item.gender},
        evidence={"reference": item.texts[0], "answer": answer},
    )
