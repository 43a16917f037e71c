"""Score a pair: which sentence is more likely, and whether the verb in the gap fits its frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

import regex

from epicene.core.records import Choice, Completions, Judgement, Scores, Texts
from epicene.languages.normalisers import nfc
from epicene.languages.tokenisation import words
from epicene.suites import ScoredText
from epicene.suites.alternations.ask import scores_name
from epicene.suites.alternations.external_answers import CHOICE, GIVEN, GOOD
from epicene.suites.alternations.hindi_analyser import (
    INDIRECT,
    NOT_A_VERB,
    agrees_with_pair,
    analyse_verb,
)
from epicene.suites.alternations.items import RegionTest
from epicene.suites.alternations.protocol import ACCEPTABILITY, CLOZE, PROMPT
from epicene.suites.alternations.regions import holds, region_scores, surprisals
from epicene.suites.alternations.unigrams import slor
from epicene.suites.answers import measures_of, normalised_likelihood

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from epicene.core.records import Completion, Outcome
    from epicene.suites import Answers
    from epicene.suites.alternations.items import Pair
    from epicene.suites.alternations.protocol import AlternationsProtocol

SLOR = "SLOR"


def judge_acceptability(
    pair: Pair, answers: Answers, protocol: AlternationsProtocol
) -> Iterator[Judgement]:
    """The more likely sentence by every measure; the protocol's own measure has the plain name."""
    for index, masking in enumerate(protocol.maskings):
        for scores in answers.where(name=scores_name(masking)).of(Scores):
            if isinstance(pair.test, RegionTest):
                yield _test_judgement(pair, pair.test, scores, masking, main=index == 0)
                continue
            own = protocol.measure if index == 0 else ""
            yield from _judgements_by_measure(pair, scores, masking, own, protocol.ties)
        for chosen in answers.where(name=scores_name(masking)).of(Choice):
            yield _choice_judgement(pair, chosen.choice)


def scored_texts(
    pair: Pair, answers: Answers, protocol: AlternationsProtocol
) -> Iterator[ScoredText]:
    """Both sentences, or each region of a test, by each way of masking."""
    for masking in protocol.maskings:
        name = scores_name(masking)
        for scores in answers.where(name=name).of(Scores):
            # A causal model has no masks, whatever the request is called.
            shown = ACCEPTABILITY if scores.method.startswith("causal") else name
            if isinstance(pair.test, RegionTest):
                yield from _scored_regions(pair.test, scores, shown)
                continue
            good, bad = scores.texts
            yield ScoredText(shown, "good", True, pair.good, good)
            yield ScoredText(shown, "bad", False, pair.bad, bad)


def _scored_regions(test: RegionTest, scores: Scores, name: str) -> Iterator[ScoredText]:
    """A text per condition and region, `match/8`."""
    for condition, score in zip(test.conditions, scores.texts, strict=True):
        parts = region_scores(condition, score)
        for region in condition.regions:
            if region.text:
                shown = f"{condition.name}/{region.number}"
                yield ScoredText(name, shown, None, region.text, parts[region.number])


def _test_judgement(
    pair: Pair, test: RegionTest, scores: Scores, masking: str, *, main: bool
) -> Judgement:
    """Whether the prediction of a test holds; undetected if a region in it has no score."""
    found = surprisals(test, scores)
    held = holds(test, found)
    return Judgement(
        item=pair.id,
        group=pair.cluster,
        language=pair.language,
        name=ACCEPTABILITY if main else f"{ACCEPTABILITY} ({test.metric}, {masking})",
        outcome="undetected" if held is None else "right" if held else "wrong",
        counts={"credit": float(held is True)},
        facets={
            **pair_facets(pair),
            "format": ACCEPTABILITY,
            "measure": test.metric,
            "method": scores.method,
            "main": "yes" if main else "no",
        },
        evidence=_test_evidence(test, found) if main else {},
    )


def _test_evidence(
    test: RegionTest, found: Mapping[tuple[str, int], float | None]
) -> dict[str, str]:
    """The prediction, and the surprisal of every region in bits."""
    shown = {"prediction": test.formula}
    for condition in test.conditions:
        shown[condition.name] = " ".join(
            f"{region.text} [{'–' if value is None else f'{value:.2f}'}]"
            for region in condition.regions
            if region.text
            for value in (found[condition.name, region.number],)
        )
    return shown


def _choice_judgement(pair: Pair, choice: str | None) -> Judgement:
    """Whether the acceptable sentence was chosen; undetected if neither was."""
    return Judgement(
        item=pair.id,
        group=pair.cluster,
        language=pair.language,
        name=ACCEPTABILITY,
        outcome="undetected" if choice is None else "right" if choice == GOOD else "wrong",
        counts={"credit": float(choice == GOOD)},
        facets={
            **pair_facets(pair),
            "format": ACCEPTABILITY,
            "measure": CHOICE,
            "method": CHOICE,
            "main": "yes",
        },
        evidence=pair_evidence(pair),
    )


def _judgements_by_measure(
    pair: Pair, scores: Scores, masking: str, own: str, ties: str
) -> Iterator[Judgement]:
    if scores.method == GIVEN and own:
        own = GIVEN
    for measure, values in _by_measure(pair, scores, own).items():
        main = measure == own
        outcome, credit = _outcome_and_credit(*values, ties)
        yield Judgement(
            item=pair.id,
            group=pair.cluster,
            language=pair.language,
            name=ACCEPTABILITY if main else f"{ACCEPTABILITY} ({measure}, {masking})",
            outcome=outcome,
            value=values[0] - values[1],
            counts={"credit": credit},
            facets={
                **pair_facets(pair),
                "format": ACCEPTABILITY,
                "measure": measure,
                "method": scores.method,
                "main": "yes" if main else "no",
            },
            evidence=pair_evidence(pair) if main else {},
        )


def _by_measure(pair: Pair, scores: Scores, own: str) -> dict[str, tuple[float, float]]:
    """The two scores by every measure; given numbers have only one, the numbers themselves."""
    good, bad = scores.texts
    if scores.method == GIVEN:
        return {GIVEN: (good.sum, bad.sum)}
    measures: dict[str, tuple[float, float]] = {
        measure: (normalised_likelihood(good, measure), normalised_likelihood(bad, measure))
        for measure in measures_of(scores, own)
    }
    controlled = slor((pair.good, good), (pair.bad, bad), pair.language)
    if controlled is not None:
        measures[SLOR] = controlled
    return measures


def _outcome_and_credit(good: float, bad: float, ties: str) -> tuple[Outcome, float]:
    """The outcome and its credit: 1 if right, 0 if wrong; the protocol decides for a tie."""
    if good == bad:
        return "undetected", 0.5 if ties == "half" else 0.0
    return ("right", 1.0) if good > bad else ("wrong", 0.0)


def pair_facets(pair: Pair) -> dict[str, str]:
    """The facets for breakdowns: the phenomenon and every column of the file."""
    return {**pair.columns, "phenomenon": pair.phenomenon}


def pair_evidence(pair: Pair) -> dict[str, str]:
    """The texts that help a person to read a judgement."""
    shown = {"reference": pair.good, "counterfactual": pair.bad}
    if pair.transliteration:
        shown["transliteration"] = pair.transliteration
    if pair.gloss:
        shown["gloss"] = pair.gloss
    return shown


# How completions can be ranked: by the verb alone, or with the word after the gap.
BY_VERB, WITH_AFTER = "by the verb", "with what follows"


def judge_gap(pair: Pair, answers: Answers, protocol: AlternationsProtocol) -> Iterator[Judgement]:
    """The first verb of each ranking, and of a chat model's answer."""
    for form, ranking, texts, main in ranked_fillers(pair, answers, protocol):
        yield _gap_judgement(pair, form, texts, ranking, main=main)


def ranked_fillers(
    pair: Pair, answers: Answers, protocol: AlternationsProtocol
) -> Iterator[tuple[str, str, list[str], bool]]:
    """The format, the ranking, its fillers (best first), and whether it is the format's main
    ranking.
    """
    for filled in answers.where(name=CLOZE).of(Completions):
        own = main_ranking(filled.completions)
        for ranking, texts in rankings(filled.completions, protocol.top).items():
            yield CLOZE, ranking, texts, ranking == own
    for written in answers.where(name=PROMPT).of(Texts):
        yield PROMPT, PROMPT, [first_word(written.only, pair.language)], True


def main_ranking(completions: Sequence[Completion]) -> str:
    """The ranking that takes what follows the gap into account.

    A masked model always sees it; a causal model only if it is scored too.
    """
    return WITH_AFTER if any(each.with_after is not None for each in completions) else BY_VERB


def rankings(completions: Sequence[Completion], top: int) -> dict[str, list[str]]:
    """The different texts best first, by each ranking there is."""
    ranked = {BY_VERB: sorted(completions, key=lambda each: -each.logprob)}
    rescored = [each for each in completions if each.with_after is not None]
    if rescored:
        ranked[WITH_AFTER] = sorted(rescored, key=lambda each: -(each.with_after or 0.0))
    return {
        name: list(dict.fromkeys(each.text.strip() for each in best))[:top]
        for name, best in ranked.items()
    }


def first_word(text: str, language: str) -> str:
    """The first word of an answer, "" if it has none."""
    stripped = regex.sub(r"^[\s\p{P}]+", "", text)
    spans = words(stripped, language)
    return stripped[spans[0].start : spans[0].end] if spans else ""


def _gap_judgement(
    pair: Pair, form: str, texts: list[str], ranking: str, *, main: bool
) -> Judgement:
    """The -vā causative in the agreeing form is right; a word that is not a verb is undetected."""
    first = texts[0] if texts else ""
    reading = analyse_verb(first)
    fits = agrees_with_pair(reading, pair)
    right = reading.kind == INDIRECT and fits
    kinds = [analyse_verb(text).kind for text in texts]
    # A model may spell a letter with its nukta in two characters, the data in one.
    written, gold = [nfc(text) for text in texts], nfc(pair.gold)
    return Judgement(
        item=pair.id,
        group=pair.cluster,
        language=pair.language,
        name=form if main else f"{form} ({ranking})",
        outcome="undetected" if reading.kind == NOT_A_VERB else "right" if right else "wrong",
        label=reading.kind,
        value=sum(kind == INDIRECT for kind in kinds) / len(kinds) if kinds else None,
        counts={
            "is_verb": float(reading.kind != NOT_A_VERB),
            "agrees": float(fits),
            "gold_first": float(written[:1] == [gold]),
            "gold_among": float(gold in written),
        },
        facets={
            **pair_facets(pair),
            "format": form,
            "ranking": ranking,
            "main": "yes" if main else "no",
        },
        evidence={
            **pair_evidence(pair),
            "answer": pair.filled(first),
            "completions": " / ".join(texts),
            "expected": pair.gold,
        },
    )


def judge(pair: Pair, answers: Answers, protocol: AlternationsProtocol) -> Iterator[Judgement]:
    """Acceptability by every measure, and what fills the gap by every ranking."""
    yield from judge_acceptability(pair, answers, protocol)
    yield from judge_gap(pair, answers, protocol)
