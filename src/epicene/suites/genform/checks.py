"""What is wrong with a file of pairs, or should be looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

import regex

from epicene import languages
from epicene.errors import unknown
from epicene.suites import Finding
from epicene.suites.genform.alignment import MISSING
from epicene.suites.genform.forms import are_forms
from epicene.suites.genform.repetition import Sentence, repetitions
from epicene.suites.genform.rules import rules_of
from epicene.suites.genform.terms import reference_of
from epicene.suites.genform.words import cut

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.suites.genform.pairs import Gender, Pair
    from epicene.suites.genform.protocol import GenformProtocol

_LETTER = regex.compile(r"\p{L}")


def check(pairs: Sequence[Pair], _protocol: GenformProtocol) -> Iterator[Finding]:
    """Errors that make a pair useless, and warnings about pairs that a person should read."""
    yield from _without_rule(pairs)
    for pair in pairs:
        if not pair.masculine.strip() or not pair.feminine.strip():
            yield Finding("error", pair.id, "one of its forms is empty.")
            continue
        yield from _rule(pair)
        yield from _scripts(pair)
        yield from _differences(pair)
        if not pair.english.strip():
            yield Finding("warning", pair.id, "it has no English, so it cannot be translated.")
    texts = (Sentence(pair.id, pair.language, pair.masculine) for pair in pairs)
    for repetition in repetitions(texts):
        yield Finding("warning", repetition.id, f"it {repetition}.")


def _without_rule(pairs: Sequence[Pair]) -> Iterator[Finding]:
    """Pairs that name no rule; said once where none of them does."""
    nameless = [pair for pair in pairs if not pair.rule and rules_of(pair.language)]
    if len(nameless) == len(pairs) > 1:
        message = "neither this pair nor any other names a rule, so that no table has rules."
        yield Finding("warning", nameless[0].id, message)
        return
    for pair in nameless:
        yield Finding("warning", pair.id, "it names no rule, so that no rule's row counts it.")


def _rule(pair: Pair) -> Iterator[Finding]:
    known = rules_of(pair.language)
    if not pair.rule:
        return
    if known and pair.rule not in known:
        yield Finding("warning", pair.id, str(unknown("rule", pair.rule, known)))
        return
    marks = known[pair.rule].marks if known else "some"
    if pair.is_neutral and marks == "yes":
        message = f"its forms are equal, which is unusual for the rule {pair.rule}."
        yield Finding("warning", pair.id, message)
    if not pair.is_neutral and marks == "no":
        message = f"its forms differ, which is unusual for the rule {pair.rule}."
        yield Finding("warning", pair.id, message)


def _scripts(pair: Pair) -> Iterator[Finding]:
    """Letters of another script than the language's; two scripts in one word are a mistake."""
    own = regex.compile(
        "|".join(rf"\p{{Script={s}}}" for s in languages.get(pair.language).scripts)
    )
    words = dict.fromkeys(pair.masculine.split() + pair.feminine.split())
    for word in words:
        letters = _LETTER.findall(word)
        foreign = [letter for letter in letters if not own.match(letter)]
        if foreign and len(foreign) < len(letters):
            yield Finding("error", pair.id, f"{word} mixes two scripts ({''.join(foreign)}).")
        elif foreign:
            yield Finding("warning", pair.id, f"{word} is in another script.")


def _differences(pair: Pair) -> Iterator[Finding]:
    """Differences between the forms that are no two forms of one word."""
    masculine, feminine = (
        cut(text, pair.language, "epicene") for text in (pair.masculine, pair.feminine)
    )
    found = reference_of(masculine, feminine)
    if pair.masculine != pair.feminine and not found.terms:
        yield Finding("warning", pair.id, "its forms differ in punctuation or spelling only.")
    partners = found.alignment.partners
    for place in sorted(found.gendered):
        word, partner = masculine[place], partners[place]
        beside = [partners[each] for each in (place - 1, place + 1) if 0 <= each < len(masculine)]
        if partner == MISSING:
            others = [feminine[each] for each in beside if each != MISSING]
            yield from _alone(pair, word, "masculine", others)
        elif not are_forms(word, feminine[partner], pair.language):
            message = f"{word} / {feminine[partner]} do not look like one word."
            yield Finding("warning", pair.id, message)
    for gap, places in found.alignment.extra.items():
        for place in places:
            yield from _alone(
                pair, feminine[place], "feminine", masculine[max(gap - 1, 0) : gap + 1]
            )


def _alone(pair: Pair, word: str, gender: Gender, beside: Sequence[str]) -> Iterator[Finding]:
    """A word that one form has and the other has not, unless it is part of a contraction there:
    au, à la."""
    if not any(are_forms(word, other, pair.language) for other in beside):
        yield Finding("warning", pair.id, f"only the {gender} form has {word}.")
