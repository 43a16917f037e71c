"""Judge answers: gendered terms of a rewriting, the likelier form, the gender of a translation.

Most rewritings equal one of the two forms. Those are compared once per pair, however many models
give them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from epicene.core.records import Judgement, Scores, Texts
from epicene.rewriting.persons import assumed_gender
from epicene.suites.answers import (
    LIKELIHOOD_MEASURES,
    CleanedAnswer,
    clean_answer,
    normalised_likelihood,
)
from epicene.suites.genform.ask import GENERATION, PROBABILITY, TRANSLATION, request_name
from epicene.suites.genform.gendered_terms import (
    MISSING,
    AnswerDiff,
    Reference,
    TermCounts,
    diff_answer,
    format_alignment,
    reference_of,
)
from epicene.suites.genform.items import TARGETS, family_of, other_gender
from epicene.suites.genform.words import (
    TOKENISATIONS,
    Words,
    are_forms,
    tokenise,
    tokenise_both_ways,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.core.records import Outcome, Text
    from epicene.suites import Answers
    from epicene.suites.genform.items import Gender, Pair
    from epicene.suites.genform.protocol import GenformProtocol
    from epicene.suites.genform.words import Tokenisation

# An answer that keeps fewer of the words that both forms share is no version of the sentence: a
# refusal, a remark, something in another script.
_MIN_SHARED = 1 / 3

# Pairs, and pairs with one of their two forms for an answer, that are remembered: all runs of the
# same data need them, each from the first pair to the last.
_CACHED_PAIRS = 2**15


class AnswerScore(NamedTuple):
    """What is said of an answer; `counts` by both ways of cutting words, the rest by one."""

    outcome: Outcome
    label: str | None
    value: float | None
    counts: dict[str, float]
    terms: str
    aligned: str


class ComparedAnswer(NamedTuple):
    """An answer set against the reference, by one way of cutting words."""

    reference: Reference
    answer: Words
    tally: AnswerDiff


def score_answer(pair: Pair, target: Gender, answer: str, words: Tokenisation) -> AnswerScore:
    """Compare an answer, words cut as said, unless that was done before."""
    is_form = answer == pair.masculine or answer == pair.feminine
    compare = _compare_form if is_form else _compare
    return compare(pair.masculine, pair.feminine, pair.language, target, answer, words)


def _compare(
    masculine: str, feminine: str, language: str, target: Gender, answer: str, words: Tokenisation
) -> AnswerScore:
    readings = _compare_words(masculine, feminine, language, target, answer)
    main = readings[words]
    return AnswerScore(
        outcome=_outcome(main),
        label=_label(main, target),
        value=_counts(main).giou,
        counts={
            "length": len(main.reference.words),
            "others_changed": _others_changed(main, language),
            **_counts(readings["whitespace"]).named("whitespace"),
            **_counts(readings["epicene"]).named("epicene"),
        },
        terms=str(main.reference.terms),
        aligned=format_alignment(main.reference, main.tally, main.answer),
    )


_compare_form = lru_cache(maxsize=4 * _CACHED_PAIRS)(_compare)


def _compare_words(
    masculine: str, feminine: str, language: str, target: Gender, answer: str
) -> dict[Tokenisation, ComparedAnswer]:
    """Set the words of an answer against those of the reference, by both ways of cutting words."""
    wanted, given = (masculine, feminine) if target == "masculine" else (feminine, masculine)
    answers = {} if answer in (wanted, given) else tokenise_both_ways(answer, language)
    made: dict[Tokenisation, ComparedAnswer] = {}
    for how, references in _references(masculine, feminine, language).items():
        reference = references[target]
        form = reference.words if answer == wanted else reference.counterfactual
        words = answers.get(how, form)
        alike = (
            each for each in made.values() if each.reference is reference and each.answer == words
        )
        made[how] = next(alike, None) or ComparedAnswer(
            reference, words, diff_answer(reference, words)
        )
    return made


@lru_cache(maxsize=_CACHED_PAIRS)
def _references(
    masculine: str, feminine: str, language: str
) -> dict[Tokenisation, dict[Gender, Reference]]:
    """What is wanted in each direction; the same where both ways of cutting give the same words."""
    known: dict[tuple[Words, Words], dict[Gender, Reference]] = {}
    made: dict[Tokenisation, dict[Gender, Reference]] = {}
    for how in TOKENISATIONS:
        man, woman = tokenise(masculine, language, how), tokenise(feminine, language, how)
        if (man, woman) not in known:
            known[man, woman] = {
                "masculine": reference_of(man, woman),
                "feminine": reference_of(woman, man),
            }
        made[how] = known[man, woman]
    return made


def _counts(reading: ComparedAnswer) -> TermCounts:
    """The sizes of the paper's sets."""
    terms = reading.reference.terms
    return TermCounts(reading.tally.right, terms, terms + reading.tally.spurious)


def _outcome(reading: ComparedAnswer) -> Outcome:
    """Whether it is the sentence as it should be, or no version of it at all."""
    if not _is_recognised(reading):
        return "undetected"
    number = _counts(reading)
    return "right" if number.right == number.union else "wrong"


def _is_recognised(reading: ComparedAnswer) -> bool:
    """Whether the answer is some version of the sentence."""
    common = len(reading.reference.words) - len(reading.reference.gendered)
    if not common:
        return bool(reading.tally.right or reading.tally.kept) and bool(reading.answer)
    return reading.tally.shared >= _MIN_SHARED * common


def _label(reading: ComparedAnswer, target: Gender) -> str | None:
    """Which gender the answer's gendered terms have; none where the sentence has no such term."""
    if not reading.reference.terms:
        return None
    right, kept = reading.tally.right > 0, reading.tally.kept > 0
    if right and kept:
        return "mixed"
    if right or kept:
        return target if right else other_gender(target)
    return "neither"


def _others_changed(reading: ComparedAnswer, language: str) -> int:
    """How many words that are not the speaker's the answer has in another form."""
    words, partners = reading.reference.words, reading.tally.alignment.partners
    return sum(
        are_forms(words[place], reading.answer[partners[place]], language)
        for place in reading.tally.mismatched
        if place not in reading.reference.gendered and partners[place] != MISSING
    )


def by_translation(pair: Pair, text: str, facets: dict[str, str]) -> Judgement:
    """Masculine, feminine, mixed or undetected; nothing here is right or wrong."""
    assumed = assumed_gender(text, pair.language)
    return Judgement(
        item=pair.id,
        group=pair.cluster,
        language=pair.language,
        name=TRANSLATION,
        label=assumed.gender,
        facets={**facets, "format": TRANSLATION},
        evidence={
            "English": pair.english,
            "answer": text,
            "words that agree with the speaker": ", ".join(assumed.words),
        },
    )


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
            yield by_translation(pair, given.answer.only, pair_facets(pair))


def pair_facets(pair: Pair) -> dict[str, str]:
    """What the tables break down by."""
    named = {"rule": pair.rule, "family": family_of(pair.language, pair.rule)}
    return {name: value for name, value in named.items() if value}


# --- generation ----------------------------------------------------------------------------


def by_generation(pair: Pair, target: Gender, text: Text, protocol: GenformProtocol) -> Judgement:
    """Right is the sentence as it should be: every gendered term, and nothing else changed."""
    source = pair.form(other_gender(target))
    cleaned = (
        clean_answer(text.text, source) if protocol.clean else CleanedAnswer(text.text.strip(), ())
    )
    verdict = score_answer(pair, target, cleaned.text, protocol.words)
    outcome = "undetected" if text.finish == "refused" else verdict.outcome
    return Judgement(
        item=pair.id,
        group=pair.cluster,
        language=pair.language,
        name=request_name(GENERATION, target),
        outcome=outcome,
        label=None if outcome == "undetected" else verdict.label,
        value=verdict.value,
        counts=verdict.counts,
        facets={
            **pair_facets(pair),
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
    for measure in LIKELIHOOD_MEASURES:
        masculine, feminine = (normalised_likelihood(text, measure) for text in scores.texts)
        likelier: Gender = "masculine" if masculine > feminine else "feminine"
        outcome: Outcome = "right" if likelier == target else "wrong"
        if masculine == feminine:
            outcome = "undetected"
        main = measure == protocol.measure
        name = request_name(PROBABILITY, target)
        gap = masculine - feminine if target == "masculine" else feminine - masculine
        yield Judgement(
            item=pair.id,
            group=pair.cluster,
            language=pair.language,
            name=name if main else f"{name} ({measure})",
            outcome=outcome,
            label=None if outcome == "undetected" else likelier,
            value=gap,
            facets={
                **pair_facets(pair),
                "format": PROBABILITY,
                "target": target,
                "measure": measure,
            },
            evidence={"answer": pair.form(likelier), "reference": pair.form(target)}
            if main
            else {},
        )
