"""Whoever is called is the listener: يا صديقي, أيها الزميل, عزيزتي."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from epicene.languages.rewriting.arabic import phrases
from epicene.languages.rewriting.arabic.findings import Fixed

if TYPE_CHECKING:
    from epicene.languages.rewriting.arabic.particles import FunctionParse
    from epicene.languages.rewriting.arabic.state import Walk

_DEAR = frozenset("عزيز حبيب سيد بني".split())
_TITLES = frozenset("سيد دكتور أستاذ معلم".split())


def vocative(walk: Walk, at: int, function: FunctionParse) -> int:
    """يا, أيها and whoever follows."""
    referent = walk.person(2)
    if function.base != "يا":
        walk.add(at, referent, Fixed(function.prefix, "vocatives", function.written), "vocative")
    after = walk.reading.function(at + 1)
    if after is not None and after.sort == "vocatives":
        return at + 1
    known = walk.reading.known_nouns(at + 1)
    if function.base != "يا":
        known = known or walk.reading.nouns(at + 1)
    if not known:
        return at + 2
    number = known[0].form.number
    held = replace(walk.scope)
    called = referent._replace(number=number)
    end = phrases.phrase(walk, at + 1, called, "nominative", "vocative", "certain")
    walk.scope.__dict__.update(held.__dict__)
    return end


def is_called(walk: Walk, at: int) -> bool:
    """صديقي، …: somebody of mine who stands alone between marks, or a title before a name."""
    reading = walk.reading
    begins = reading.line.begins(at)
    for parse in reading.known_nouns(at):
        if parse.prefix.letters:
            continue
        mine = parse.suffix is not None and parse.suffix.letters == "ي"
        if mine and reading.line[at + 1].is_mark and begins:
            return True
        if mine and parse.lemma.masculine in _DEAR and (begins or reading.line[at + 1].is_mark):
            return not reading.is_preposition(at - 1)
        if begins and parse.lemma.masculine in _TITLES and reading.line[at + 1].text == "(":
            return True
    return False


def call(walk: Walk, at: int) -> int:
    """Whoever is called so is the listener."""
    held = replace(walk.scope)
    end = phrases.phrase(walk, at, walk.person(2), "nominative", "vocative", "likely")
    walk.scope.__dict__.update(held.__dict__)
    return end
