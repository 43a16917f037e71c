"""Score answers: gendered terms of a rewriting, the more likely form, the gender of a translation.

Most rewritings equal one of the two forms. Those are compared once per pair, however many models
give them.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from epicene.core.records import Judgement, Scores, Texts
from epicene.rewriting.persons import assumed_gender
from epicene.suites import ScoredText
from epicene.suites.answers import clean_answer, measures_of, normalised_likelihood
from epicene.suites.genform.ask import (
    GENERATION,
    NEUTRAL,
    PROBABILITY,
    TRANSLATION,
    request_name,
)
from epicene.suites.genform.gendered_terms import (
    MISSING,
    SPELLING_IGNORED,
    AnswerDiff,
    Reference,
    TermCounts,
    diff_answer,
    format_alignment,
    reference_of,
)
from epicene.suites.genform.items import TARGETS, other_gender, pair_facets
from epicene.suites.genform.judge_neutral import by_neutral
from epicene.suites.genform.spelling import (
    QUOTES,
    SpellingVariant,
    other_quotation_marks,
    respell,
)
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
    from epicene.suites.genform.protocol import GenformProtocol, Spelling
    from epicene.suites.genform.words import Tokenisation

# An answer that keeps a smaller share of the words that both forms have in place, and a smaller one
# anywhere, is no version of the sentence: a refusal, a remark, something in another script.
_MIN_SHARED = 1 / 3
_MIN_SHARED_ANYWHERE = 2 / 3

# How many pairs, and pairs with one of their two forms as an answer, are cached: all runs of the
# same data need them, each from the first pair to the last.
_CACHED_PAIRS = 2**15


class AnswerScore(NamedTuple):
    """The judgement of an answer; `counts` by both tokenisations, the rest by the protocol's.

    `variants` are the spelling variants in the answer.
    """

    outcome: Outcome
    label: str | None
    value: float | None
    counts: dict[str, float]
    terms: str
    aligned: str
    variants: tuple[SpellingVariant, ...] = ()


class ComparedAnswer(NamedTuple):
    """An answer compared with its reference, by one tokenisation."""

    reference: Reference
    answer: Words
    diff: AnswerDiff
    variants: tuple[SpellingVariant, ...] = ()


def score_answer(
    pair: Pair, target: Gender, answer: str, words: Tokenisation, spelling: Spelling
) -> AnswerScore:
    """Score an answer by a tokenisation; that of one of the pair's own forms is cached."""
    is_form = answer in (pair.masculine, pair.feminine)
    compare = _compare_form if is_form else _compare
    return compare(pair.masculine, pair.feminine, pair.language, target, answer, words, spelling)


def _compare(
    masculine: str,
    feminine: str,
    language: str,
    target: Gender,
    answer: str,
    words: Tokenisation,
    spelling: Spelling,
) -> AnswerScore:
    written = _compare_words(masculine, feminine, language, target, answer)
    counts: dict[str, float] = {
        "length": len(written[words].reference.words),
        "others_changed": _others_changed(written[words], language),
        **_counts(written["whitespace"]).named("whitespace"),
        **_counts(written["epicene"]).named("epicene"),
    }
    compared = {each: _respelled(written[each], language) for each in TOKENISATIONS}
    respelled = compared[words]
    counts |= {
        "spelling variants": len(respelled.variants),
        f"others_changed ({SPELLING_IGNORED})": _others_changed(respelled, language),
        **_counts(compared["whitespace"]).named("whitespace", ignored=True),
        **_counts(compared["epicene"]).named("epicene", ignored=True),
    }
    main = respelled if spelling == "ignored" else written[words]
    return AnswerScore(
        outcome=_outcome(main, recognised=_is_recognised(respelled) or _is_reordered(respelled)),
        label=_label(main, target),
        value=_counts(main).giou,
        counts=counts,
        terms=str(main.reference.terms),
        aligned=format_alignment(main.reference, main.diff, written[words].answer),
        variants=respelled.variants,
    )


def _respelled(compared: ComparedAnswer, language: str) -> ComparedAnswer:
    """The comparison of the answer in the spelling of the pair's forms."""
    reference, answer = compared.reference, compared.answer
    if answer in (reference.words, reference.counterfactual):
        return compared
    respelled, variants = respell(reference, answer, language)
    if not variants:
        return compared
    diff = diff_answer(reference, respelled)
    return ComparedAnswer(reference, respelled, diff, tuple(variants))


_compare_form = lru_cache(maxsize=4 * _CACHED_PAIRS)(_compare)


def _compare_words(
    masculine: str, feminine: str, language: str, target: Gender, answer: str
) -> dict[Tokenisation, ComparedAnswer]:
    """Compare the words of an answer with those of the reference, by both tokenisations."""
    wanted, source = (masculine, feminine) if target == "masculine" else (feminine, masculine)
    answers = {} if answer in (wanted, source) else tokenise_both_ways(answer, language)
    compared: dict[Tokenisation, ComparedAnswer] = {}
    for tokenisation, references in _references(masculine, feminine, language).items():
        reference = references[target]
        form = reference.words if answer == wanted else reference.counterfactual
        words = answers.get(tokenisation, form)
        alike = (
            each
            for each in compared.values()
            if each.reference is reference and each.answer == words
        )
        compared[tokenisation] = next(alike, None) or ComparedAnswer(
            reference, words, diff_answer(reference, words)
        )
    return compared


@lru_cache(maxsize=_CACHED_PAIRS)
def _references(
    masculine: str, feminine: str, language: str
) -> dict[Tokenisation, dict[Gender, Reference]]:
    """The reference of each direction; one object where both tokenisations give the same words."""
    known: dict[tuple[Words, Words], dict[Gender, Reference]] = {}
    references: dict[Tokenisation, dict[Gender, Reference]] = {}
    for each in TOKENISATIONS:
        forms = tokenise(masculine, language, each), tokenise(feminine, language, each)
        if forms not in known:
            known[forms] = {
                "masculine": reference_of(*forms),
                "feminine": reference_of(*reversed(forms)),
            }
        references[each] = known[forms]
    return references


def _counts(compared: ComparedAnswer) -> TermCounts:
    """The sizes of the paper's sets."""
    terms = compared.reference.terms
    return TermCounts(compared.diff.right, terms, terms + compared.diff.spurious)


def _outcome(compared: ComparedAnswer, *, recognised: bool) -> Outcome:
    """Whether the answer is exactly the expected sentence, or not a version of it at all."""
    if not recognised:
        return "undetected"
    number = _counts(compared)
    return "right" if number.right == number.union else "wrong"


def _is_recognised(compared: ComparedAnswer) -> bool:
    """Whether the answer is some version of the sentence."""
    common = len(compared.reference.words) - len(compared.reference.gendered)
    if not common:
        return bool(compared.diff.right or compared.diff.kept) and bool(compared.answer)
    return compared.diff.shared >= _MIN_SHARED * common


def _is_reordered(compared: ComparedAnswer) -> bool:
    """Whether the answer has most of the words that both forms share, wherever they are."""
    reference = compared.reference
    shared = Counter(
        word.lower()
        for index, word in enumerate(reference.words)
        if index not in reference.gendered
    )
    found = shared & Counter(word.lower() for word in compared.answer)
    return found.total() >= _MIN_SHARED_ANYWHERE * shared.total() > 0


def _label(compared: ComparedAnswer, target: Gender) -> str | None:
    """The gender of the answer's gendered terms; None if the sentence has no such term."""
    if not compared.reference.terms:
        return None
    right, kept = compared.diff.right > 0, compared.diff.kept > 0
    if right and kept:
        return "mixed"
    if right or kept:
        return target if right else other_gender(target)
    return "neither"


def _others_changed(compared: ComparedAnswer, language: str) -> int:
    """How many words that are not gendered terms the answer has in another form."""
    words, partners = compared.reference.words, compared.diff.alignment.partners
    return sum(
        are_forms(words[index], compared.answer[partners[index]], language)
        for index in compared.diff.mismatched
        if index not in compared.reference.gendered and partners[index] != MISSING
    )


def by_translation(pair: Pair, text: str, facets: dict[str, str]) -> Judgement:
    """The gender that a translation assumes; none is right or wrong."""
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
    for answered in answers:
        name, _, direction = answered.name.partition(" ")
        for target in TARGETS:
            if direction != target:
                continue
            if name == GENERATION and isinstance(answered.answer, Texts):
                yield by_generation(pair, target, answered.answer.texts[0], protocol)
            elif name == PROBABILITY and isinstance(answered.answer, Scores):
                yield from by_probability(pair, target, answered.answer, protocol)
            elif name == NEUTRAL and isinstance(answered.answer, Texts):
                yield by_neutral(pair, target, answered.answer.texts[0], protocol)
        if name == TRANSLATION and isinstance(answered.answer, Texts):
            yield by_translation(pair, answered.answer.only, pair_facets(pair))


# --- generation ----------------------------------------------------------------------------


def by_generation(pair: Pair, target: Gender, text: Text, protocol: GenformProtocol) -> Judgement:
    """Right if every gendered term is right and nothing else is changed."""
    source = pair.form(other_gender(target))
    cleaned = clean_answer(text.text, source, clean=protocol.clean)
    score = score_answer(pair, target, cleaned.text, protocol.words, protocol.spelling)
    outcome = "undetected" if text.finish == "refused" else score.outcome
    return Judgement(
        item=pair.id,
        group=pair.cluster,
        language=pair.language,
        name=request_name(GENERATION, target),
        outcome=outcome,
        label=None if outcome == "undetected" else score.label,
        value=score.value,
        counts=score.counts,
        facets={
            **pair_facets(pair),
            "format": GENERATION,
            "target": target,
            "gendered terms": score.terms,
            "cleaned": cleaned.how,
            "spelling": _spelling_kinds(score, cleaned.text, pair.form(target)),
        },
        evidence={
            "answer": cleaned.text,
            "reference": pair.form(target),
            "counterfactual": source,
            "aligned": score.aligned,
            **({"spelling": ", ".join(map(str, score.variants))} if score.variants else {}),
            **({"answer as it came": text.text} if cleaned.by else {}),
        },
    )


def _spelling_kinds(score: AnswerScore, answer: str, wanted: str) -> str:
    """The kinds of spelling in which the answer differs, joined by +, or `no`."""
    kinds = {kind for variant in score.variants for kind in variant.kinds}
    if score.outcome != "undetected" and other_quotation_marks(answer, wanted):
        kinds.add(QUOTES)
    return "+".join(sorted(kinds)) or "no"


# --- probability ---------------------------------------------------------------------------


def scored_texts(pair: Pair, answers: Answers, _protocol: GenformProtocol) -> Iterator[ScoredText]:
    """Both forms of the sentence, after the instruction for each gender."""
    for target in TARGETS:
        name = request_name(PROBABILITY, target)
        for scores in answers.where(name=name).of(Scores):
            for gender, score in zip(TARGETS, scores.texts, strict=True):
                yield ScoredText(name, gender, gender == target, pair.form(gender), score)


def by_probability(
    pair: Pair, target: Gender, scores: Scores, protocol: GenformProtocol
) -> Iterator[Judgement]:
    """The more likely of the two forms, by each normalisation; a tie is undetected."""
    for measure in measures_of(scores, protocol.measure):
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
