"""What an answer made of the gendered terms; which form was likelier; which gender was assumed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.records import Judgement, Scores, Texts
from epicene.suites.cleaning import Cleaned, clean
from epicene.suites.genform.ask import GENERATION, PROBABILITY, TRANSLATION, name_of
from epicene.suites.genform.pairs import TARGETS, other
from epicene.suites.genform.rules import family_of
from epicene.suites.genform.translation import by_translation
from epicene.suites.genform.verdicts import verdict_on
from epicene.suites.likelihood import MEASURES, measured

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.records import Outcome, Text
    from epicene.suites import Answers
    from epicene.suites.genform.pairs import Gender, Pair
    from epicene.suites.genform.protocol import GenformProtocol


def judge(pair: Pair, answers: Answers, protocol: GenformProtocol) -> Iterator[Judgement]:
    """All judgements of one pair."""
    for given in answers:
        form, _, direction = given.name.partition(" ")
        for target in TARGETS:
            if direction != target:
                continue
            if form == GENERATION and isinstance(given.answer, Texts):
                yield by_generation(pair, target, given.answer.texts[0], protocol)
            elif form == PROBABILITY and isinstance(given.answer, Scores):
                yield from by_probability(pair, target, given.answer, protocol)
        if form == TRANSLATION and isinstance(given.answer, Texts):
            yield by_translation(pair, given.answer.only, facets(pair))


def facets(pair: Pair) -> dict[str, str]:
    """What the tables break down by."""
    named = {"rule": pair.rule, "family": family_of(pair.language, pair.rule)}
    return {name: value for name, value in named.items() if value}


# --- generation ----------------------------------------------------------------------------


def by_generation(pair: Pair, target: Gender, text: Text, protocol: GenformProtocol) -> Judgement:
    """Right is the sentence as it should be: every gendered term, and nothing else changed."""
    source = pair.form(other(target))
    cleaned = clean(text.text, source) if protocol.clean else Cleaned(text.text.strip(), ())
    verdict = verdict_on(pair, target, cleaned.text, protocol.words)
    outcome = "undetected" if text.finish == "refused" else verdict.outcome
    return Judgement(
        item=pair.id,
        group=pair.cluster,
        language=pair.language,
        name=name_of(GENERATION, target),
        outcome=outcome,
        label=None if outcome == "undetected" else verdict.label,
        value=verdict.value,
        counts=verdict.counts,
        facets={
            **facets(pair),
            "format": GENERATION,
            "target": target,
            "gendered terms": verdict.terms,
            "cleaned": cleaned.how,
        },
        evidence={
            "answer": cleaned.text,
            "reference": pair.form(target),
            "counterfactual": source,
            "aligned": verdict.aligned,
            **({"answer as it came": text.text} if cleaned.by else {}),
        },
    )


# --- probability ---------------------------------------------------------------------------


def by_probability(
    pair: Pair, target: Gender, scores: Scores, protocol: GenformProtocol
) -> Iterator[Judgement]:
    """The likelier of the two forms, by each normalisation; a tie is neither right nor wrong."""
    for measure in MEASURES:
        masculine, feminine = (measured(text, measure) for text in scores.texts)
        likelier: Gender = "masculine" if masculine > feminine else "feminine"
        outcome: Outcome = "right" if likelier == target else "wrong"
        if masculine == feminine:
            outcome = "undetected"
        main = measure == protocol.measure
        name = name_of(PROBABILITY, target)
        gap = masculine - feminine if target == "masculine" else feminine - masculine
        yield Judgement(
            item=pair.id,
            group=pair.cluster,
            language=pair.language,
            name=name if main else f"{name} ({measure})",
            outcome=outcome,
            label=None if outcome == "undetected" else likelier,
            value=gap,
            facets={**facets(pair), "format": PROBABILITY, "target": target, "measure": measure},
            evidence={"answer": pair.form(likelier), "reference": pair.form(target)}
            if main
            else {},
        )
