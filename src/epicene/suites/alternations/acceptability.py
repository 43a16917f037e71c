"""Which sentence of a pair is likelier."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.records import Judgement, Score, Scores
from epicene.suites.alternations.unigrams import slor
from epicene.suites.likelihood import MEASURES, measured

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.records import Outcome, Request
    from epicene.suites import Answers
    from epicene.suites.alternations.pairs import Pair
    from epicene.suites.alternations.protocol import AlternationsProtocol

ACCEPTABILITY = "acceptability"
SLOR = "SLOR"


def ask(pair: Pair, _answers: Answers, protocol: AlternationsProtocol) -> Iterator[Request]:
    """Both sentences, by each way of masking."""
    for masking in protocol.maskings:
        yield Score(
            item=pair.id,
            name=f"{ACCEPTABILITY} {masking}",
            group=pair.cluster,
            language=pair.language,
            texts=(pair.good, pair.bad),
            first_token=protocol.first_token,
            masking=masking,
        )


def judge(pair: Pair, answers: Answers, protocol: AlternationsProtocol) -> Iterator[Judgement]:
    """The likelier sentence by every measure; the protocol's own goes by the bare name."""
    for place, masking in enumerate(protocol.maskings):
        for scores in answers.where(name=f"{ACCEPTABILITY} {masking}").of(Scores):
            yield from _by_scores(pair, scores, masking, protocol, main=place == 0)


def _by_scores(
    pair: Pair, scores: Scores, masking: str, protocol: AlternationsProtocol, *, main: bool
) -> Iterator[Judgement]:
    good, bad = scores.texts
    measures: dict[str, tuple[float, float] | None] = {
        measure: (measured(good, measure), measured(bad, measure)) for measure in MEASURES
    }
    measures[SLOR] = slor((pair.good, good), (pair.bad, bad), pair.language)
    for measure, values in measures.items():
        if values is None:
            continue
        own = main and measure == protocol.measure
        name = ACCEPTABILITY if own else f"{ACCEPTABILITY} ({measure}, {masking})"
        yield Judgement(
            item=pair.id,
            group=pair.cluster,
            language=pair.language,
            name=name,
            outcome=_compared(*values),
            value=values[0] - values[1],
            facets={
                **facets(pair),
                "format": ACCEPTABILITY,
                "measure": measure,
                "method": scores.method,
                "main": "yes" if own else "no",
            },
            evidence=evidence(pair) if own else {},
        )


def _compared(good: float, bad: float) -> Outcome:
    if good == bad:
        return "undetected"  # a tie: neither is preferred
    return "right" if good > bad else "wrong"


def facets(pair: Pair) -> dict[str, str]:
    """What tables break down by: the phenomenon and every column of the file."""
    return {**pair.columns, "phenomenon": pair.phenomenon}


def evidence(pair: Pair) -> dict[str, str]:
    """What a person would want to read."""
    shown = {"reference": pair.good, "counterfactual": pair.bad}
    if pair.transliteration:
        shown["transliteration"] = pair.transliteration
    if pair.gloss:
        shown["gloss"] = pair.gloss
    return shown
