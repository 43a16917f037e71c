"""Requests for both directions of a pair: rewriting, scoring, and translation from English."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.core.records import Decoding, Expected, Generate, Score, Translate
from epicene.suites.answers import said_twice
from epicene.suites.genform.items import TARGETS, other_gender
from epicene.suites.genform.neutral_words import both_forms, neutral_languages
from epicene.suites.genform.prompts import make_neutral_prompt, make_prompt
from epicene.suites.wordings import wording_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.core.records import Request
    from epicene.suites import Answers
    from epicene.suites.genform.items import Gender, Pair
    from epicene.suites.genform.protocol import GenformProtocol

GENERATION, PROBABILITY, TRANSLATION = "generation", "probability", "translation"
# Rewriting that removes the speaker's gender: its requests are named after the form that is given.
NEUTRAL = "neutral"


def request_name(format_name: str, target: Gender) -> str:
    """The name of a request in one direction, and of its judgement."""
    return f"{format_name} {target}"


def expected_form(pair: Pair, target: Gender) -> Expected:
    """The form for that gender; the wrong one is the other form or, for a neutral sentence, a
    changed copy."""
    right, other = pair.form(target), pair.form(other_gender(target))
    return Expected(right=right, wrong=(said_twice(right) if pair.is_neutral else other,))


def ask_to_write(pair: Pair, _answers: Answers, protocol: GenformProtocol) -> Iterator[Request]:
    """Rewrite the other form of the sentence for a speaker of each gender."""
    for target in protocol.genders:
        source = pair.form(other_gender(target))
        yield Generate(
            item=pair.id,
            name=request_name(GENERATION, target),
            group=pair.cluster,
            language=pair.language,
            expected=expected_form(pair, target),
            prompt=make_prompt(source, target, pair.language, protocol, wording_of(pair.id)),
            decoding=_greedy(protocol),
            source=source,
            target={"speaker": target},
            choices=tuple(dict.fromkeys(pair.form(each) for each in TARGETS)),
        )


def ask_for_neutral(pair: Pair, _answers: Answers, protocol: GenformProtocol) -> Iterator[Request]:
    """Rewrite both forms of the sentence so that the speaker's gender does not show; a neutral
    pair is asked once. Languages without neutral forms are not asked."""
    if pair.language not in neutral_languages():
        return
    right = both_forms(pair)
    for source in TARGETS[:1] if pair.is_neutral else TARGETS:
        given = pair.form(source)
        yield Generate(
            item=pair.id,
            name=request_name(NEUTRAL, source),
            group=pair.cluster,
            language=pair.language,
            expected=Expected(
                right=right, wrong=(said_twice(given) if pair.is_neutral else given,)
            ),
            prompt=make_neutral_prompt(given, pair.language, protocol),
            decoding=_greedy(protocol),
            source=given,
            target={"speaker": NEUTRAL} | ({"style": protocol.style} if protocol.style else {}),
            choices=tuple(dict.fromkeys((pair.masculine, pair.feminine, right))),
        )


def ask_for_scores(pair: Pair, _answers: Answers, protocol: GenformProtocol) -> Iterator[Request]:
    """Score both forms after the same instruction; a neutral pair is not asked."""
    if pair.is_neutral:
        return
    for target in protocol.genders:
        source = pair.form(other_gender(target))
        yield Score(
            item=pair.id,
            name=request_name(PROBABILITY, target),
            group=pair.cluster,
            language=pair.language,
            expected=expected_form(pair, target),
            texts=tuple(pair.form(each) for each in TARGETS),
            context=make_prompt(source, target, pair.language, protocol, wording_of(pair.id)),
        )


def ask_for_translation(
    pair: Pair, _answers: Answers, protocol: GenformProtocol
) -> Iterator[Request]:
    """Translate the English, which does not show the speaker's gender."""
    if pair.english.strip() and wording_of(pair.id) == 1:
        yield Translate(
            item=pair.id,
            name=TRANSLATION,
            group=pair.cluster,
            language="en",
            text=pair.english,
            into=pair.language,
            decoding=_greedy(protocol),
        )


def _greedy(protocol: GenformProtocol) -> Decoding:
    return Decoding(max_new_tokens=protocol.new_tokens, temperature=0.0, seed=protocol.seed)
