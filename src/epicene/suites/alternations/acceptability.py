"""Which sentence of a pair is likelier."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.records import Judgement, Scores
from epicene.suites.alternations.ask import scores_name
from epicene.suites.alternations.protocol import ACCEPTABILITY
from epicene.suites.alternations.unigrams import slor
from epicene.suites.likelihood import MEASURES, measured

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.records import Outcome
    from epicene.suites import Answers
    from epicene.suites.alternations.pairs import Pair
    from epicene.suites.alternations.protocol import AlternationsProtocol

SLOR = "SLOR"


def judge(pair: Pair, answers: Answers, protocol: AlternationsProtocol) -> Iterator[Judgement]:
    """The likelier sentence by every measure; the protocol's own goes by the bare name."""
    for place, masking in enumerate(protocol.maskings):
        for scores in answers.where(name=scores_name(masking)).of(Scores):
            own = protocol.measure if place == 0 else ""
            yield from _by_scores(pair, scores, masking, own)


def _by_scores(pair: Pair, scores: Scores, masking: str, own: str) -> Iterator[Judgement]:
    good, bad = scores.texts
    measures: dict[str, tuple[float, float]] = {
        measure: (measured(good, measure), measured(bad, measure)) for measure in MEASURES
    }
    controlled = slor((pair.good, good), (pair.bad, bad), pair.language)
    if controlled is not None:
        measures[SLOR] = controlled
    for measure, values in measures.items():
        main = measure == own
        outcome, credit = _compared(*values)
        yield Judgement(
            item=pair.id,
            group=pair.cluster,
            language=pair.language,
            name=ACCEPTABILITY if main else f"{ACCEPTABILITY} ({measure}, {masking})",
            outcome=outcome,
            value=values[0] - values[1],
            counts={"credit": credit},
            facets={
                **facets(pair),
                "format": ACCEPTABILITY,
                "measure": measure,
                "method": scores.method,
                "main": "yes" if main else "no",
            },
            evidence=evidence(pair) if main else {},
        )


def _compared(good: float, bad: float) -> tuple[Outcome, float]:
    """The outcome, and how much of a right answer it is: a tie prefers neither, and is half."""
    if good == bad:
        return "undetected", 0.5
    return ("right", 1.0) if good > bad else ("wrong", 0.0)


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
