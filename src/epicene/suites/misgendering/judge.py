"""Score answers by probability (right, wrong) and by the first pronoun generated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.core.records import Choice, Judgement, Scores, Texts
from epicene.suites import ScoredText
from epicene.suites.answers import measures_of, normalised_likelihood
from epicene.suites.misgendering.ask import (
    CONTRACTION,
    CONVERTED,
    OPEN,
    POST,
    converted_candidates,
    first_gap,
    read_by,
)
from epicene.suites.misgendering.continuations import (
    bracket_spans,
    extraneous_mentions,
    find_pronouns,
    repetition_rate,
    tokens,
)
from epicene.suites.misgendering.expected_disagreement import (
    NEXT_WORD,
    after_filled_template,
    by_expectation,
)
from epicene.suites.misgendering.items import yes_or_no
from epicene.suites.misgendering.protocol import PROBABILITY

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.core.records import Outcome, Text
    from epicene.suites import AnsweredRequest, Answers
    from epicene.suites.answers import LikelihoodMeasure
    from epicene.suites.misgendering.items import Candidate, Instance
    from epicene.suites.misgendering.protocol import MisgenderingProtocol


def judge(item: Instance, answers: Answers, protocol: MisgenderingProtocol) -> Iterator[Judgement]:
    """All judgements of one instance."""
    for answered in answers:
        if isinstance(answered.answer, Texts):
            for number, text in enumerate(answered.answer.texts, start=1):
                yield by_generation(item, answered.name, number, text, protocol)
        elif isinstance(answered.answer, Choice):
            yield by_given_choice(item, answered.name, answered.answer, protocol)
        elif isinstance(answered.answer, Scores) and not answered.name.startswith(CONTRACTION):
            if answered.name == PROBABILITY:
                yield from by_probability(item, answered.answer, protocol)
            elif answered.name.startswith(CONVERTED):
                yield by_conversion(item, answers, answered, protocol)
            else:
                setting = answered.name.removeprefix(f"{NEXT_WORD} ")
                yield from by_next_word(item, answers, setting, answered.answer, protocol)


# --- probability ---------------------------------------------------------------------------


def by_probability(
    item: Instance, scores: Scores, protocol: MisgenderingProtocol
) -> Iterator[Judgement]:
    """The candidate with the highest likelihood, by each normalisation."""
    for measure in measures_of(scores, protocol.measure):
        chosen = likeliest(item.candidates, scores, measure)
        main = measure == protocol.measure
        yield Judgement(
            item=item.id,
            group=item.cluster,
            language=item.language,
            name=PROBABILITY if main else f"{PROBABILITY} ({measure})",
            outcome="right" if chosen.pronoun == item.pronoun else "wrong",
            label=chosen.pronoun,
            facets={**item.facets, "format": PROBABILITY, "measure": measure},
            evidence={"answer": item.filled(chosen), "reference": item.filled(item.gold)}
            if main
            else {},
        )


def likeliest(
    choices: Sequence[Candidate], scores: Scores, measure: LikelihoodMeasure
) -> Candidate:
    """The choice whose text has the highest likelihood; the first if tied."""
    likelihoods = [normalised_likelihood(text, measure) for text in scores.texts]
    return choices[likelihoods.index(max(likelihoods))]


def scored_texts(
    item: Instance, answers: Answers, protocol: MisgenderingProtocol
) -> Iterator[ScoredText]:
    """Every candidate of each request: the whole text, or the next word alone."""
    for answered in answers:
        name = answered.name
        if not isinstance(answered.answer, Scores) or name.startswith(CONTRACTION):
            continue
        choices = _choices(item, answers, name, protocol)
        for choice, score in zip(choices, answered.answer.texts, strict=True):
            text = item.filled(choice) if name == PROBABILITY else choice.form
            yield ScoredText(name, choice.pronoun, choice.pronoun == item.pronoun, text, score)


def _choices(
    item: Instance, answers: Answers, name: str, protocol: MisgenderingProtocol
) -> Sequence[Candidate]:
    """The candidates of a request for scores, in its order."""
    if name.startswith(CONVERTED):
        number = int(name.removeprefix(f"{CONVERTED} "))
        text = answers.only(Texts).texts[number - 1].text
        return converted_candidates(item, text, protocol, read_by(answers, number))
    if name == f"{NEXT_WORD} {POST}":
        return after_filled_template(item, protocol)[1]
    if name == f"{NEXT_WORD} {OPEN}":
        gap = first_gap(item, answers.only(Texts).texts[0].text, protocol)
        assert gap is not None, "a next word was requested where there is no pronoun"
        return gap[1]
    return item.candidates


# --- probability of the model's own generations --------------------------------------------


def by_conversion(
    item: Instance, answers: Answers, answered: AnsweredRequest, protocol: MisgenderingProtocol
) -> Judgement:
    """The pronoun that makes one of the model's own generations most likely."""
    assert isinstance(answered.answer, Scores)
    number = answered.name.removeprefix(f"{CONVERTED} ")
    choices = _choices(item, answers, answered.name, protocol)
    chosen = likeliest(choices, answered.answer, protocol.measure)
    gold = next(each.form for each in choices if each.pronoun == item.pronoun)
    return Judgement(
        item=item.id,
        group=item.cluster,
        language=item.language,
        name=answered.name,
        outcome="right" if chosen.pronoun == item.pronoun else "wrong",
        label=chosen.pronoun,
        facets={**item.facets, "format": CONVERTED, "sample": number},
        evidence={"answer": chosen.form, "reference": gold},
    )


# --- probability that was measured elsewhere -----------------------------------------------


def by_given_choice(
    item: Instance, name: str, answer: Choice, protocol: MisgenderingProtocol
) -> Judgement:
    """The pronoun that external probabilities chose; if none is given, it was a wrong one."""
    converted = name.startswith(CONVERTED)
    facets = {"format": CONVERTED, "sample": name.removeprefix(f"{CONVERTED} ")}
    if not converted:
        facets = {"format": PROBABILITY, "measure": protocol.measure}
    chosen = [each for each in item.candidates if each.pronoun == answer.choice]
    return Judgement(
        item=item.id,
        group=item.cluster,
        language=item.language,
        name=name,
        outcome="right" if answer.choice == item.pronoun else "wrong",
        label=answer.choice,
        facets={**item.facets, **facets},
        evidence={"answer": item.filled(chosen[0]), "reference": item.filled(item.gold)}
        if chosen
        else {},
    )


# --- how far the formats must differ -------------------------------------------------------


def by_next_word(
    item: Instance, answers: Answers, setting: str, scores: Scores, protocol: MisgenderingProtocol
) -> Iterator[Judgement]:
    """The expected disagreement of the pronoun that probability chose and the next word."""
    name = f"{CONVERTED} 1" if setting == OPEN else PROBABILITY
    whole = answers.where(name=name).only(Scores)
    chosen = likeliest(_choices(item, answers, name, protocol), whole, protocol.measure)
    choices = _choices(item, answers, f"{NEXT_WORD} {setting}", protocol)
    yield from by_expectation(item, setting, scores, choices, chosen.pronoun)


# --- generation ----------------------------------------------------------------------------


def by_generation(
    item: Instance, setting: str, number: int, text: Text, protocol: MisgenderingProtocol
) -> Judgement:
    """The first pronoun decides; without a pronoun the outcome is undetected."""
    found = find_pronouns(text.text, item.sets, protocol.tokeniser)
    outcome: Outcome = "right" if found.set == item.pronoun else "wrong"
    if not found.sets:
        outcome = "undetected"
    context = item.filled(item.gold) if setting == POST else item.before
    spans = [(each.start, each.end) for each in extraneous_mentions(text.text, context)]
    # spaCy takes a second blank for a token; Epicene's words need one between the two texts.
    whole = context + text.text if protocol.counts_as_paper else f"{context} {text.text}"
    words = [token.lower() for token in tokens(whole, protocol.tokeniser)]
    return Judgement(
        item=item.id,
        group=item.cluster,
        language=item.language,
        name=f"{setting} {number}",
        outcome=outcome,
        label=found.set or None,
        value=repetition_rate(words),
        facets={
            **item.facets,
            "format": "generation",
            "setting": setting,
            "sample": str(number),
            "wrong_later": yes_or_no(any(each != item.pronoun for each in found.sets)),
            "extraneous": yes_or_no(bool(spans)),
        },
        evidence={
            "context": context,
            "answer": text.text,
            "first pronoun": found.first,
            **({"extraneous words": bracket_spans(text.text, spans)} if spans else {}),
        },
    )
