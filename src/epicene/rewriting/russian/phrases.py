"""The adjectives and possessives that stand before a noun of a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.rewriting.russian.conjugation import past_form
from epicene.rewriting.russian.declension import adjective_readings, noun_readings
from epicene.rewriting.russian.lexicon import function_words

if TYPE_CHECKING:
    from epicene.rewriting.russian.line import Line

_SKIPPED = frozenset("его ее их очень самый и , не - более".split())


def modifiers(line: Line, noun: int, start: int, case: str) -> list[int]:
    """The indices of the adjectives before a noun that agree with it, in that case if given."""
    gender = next((each.gender for each in noun_readings(line[noun]) if not each.plural), None)
    found: list[int] = []
    at = noun - 1
    while at >= start:
        word = line[at]
        if word in function_words().governs or past_form(word) is not None:
            break
        readings = [
            each
            for each in adjective_readings(word, strict=at != noun - 1)
            if (not case or case in each.cases) and gender in {each.gender, None}
        ]
        if readings and not noun_readings(word):
            found.append(at)
        elif word not in _SKIPPED or (word == "," and not adjective_readings(line[at - 1])):
            break
        at -= 1
    return found
