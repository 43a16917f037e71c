"""Function words as they are walked over: what they open, end or let pass."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from epicene.languages.rewriting.arabic import addresses, groups, nouns, phrases, pronouns
from epicene.languages.rewriting.arabic.clauses import (
    meant_by,
    possessive,
    says_of_it,
    third_person_suffix,
)
from epicene.languages.rewriting.arabic.expecting import is_expected
from epicene.languages.rewriting.arabic.particles import FunctionParse
from epicene.languages.rewriting.arabic.scope import Referent
from epicene.languages.rewriting.arabic.state import Walk

if TYPE_CHECKING:
    from collections.abc import Mapping

    from epicene.languages.rewriting.arabic.clitics import Suffix

_Step: TypeAlias = Callable[[Walk, int, FunctionParse], int]

_HAVING = frozenset("ل لدي عند".split())
_CROWDS = frozenset("الاف مئات عشرات ملايين مجموعه كبار صغار اوائل اواخر".split())


def read_function_word(walk: Walk, at: int, function: FunctionParse) -> int:
    """Read a function word; the place after it, and after what belongs to it."""
    if function.suffix is not None and function.sort in {"inna", "role_markers"}:
        return _suffixed(walk, at, function)
    step = _STEPS.get(function.sort)
    return step(walk, at, function) if step is not None else at + 1


def _suffixed(walk: Walk, at: int, function: FunctionParse) -> int:
    """إنني, بصفتي: whom the pronoun means has something said of them."""
    suffix = function.suffix
    assert suffix is not None
    if function.sort == "inna":
        return pronouns.suffixed_subject(walk, at, suffix)
    third_person_suffix(walk, at)
    walk.scope.expect(meant_by(walk, suffix), "predicate", "accusative", "role")
    return at + 1


def _transparent(walk: Walk, at: int, function: FunctionParse) -> int:
    """غير قادر, سوى ممرض, أول محام: what agrees is the next word."""
    scope = walk.scope
    if scope.expects is None:
        return at + 1
    end = groups.first_of(walk, at, function)
    if end:
        return end
    if function.base in {"كل", "بعض", "اي"}:
        return at + 1
    if function.base != "الا":
        scope.next_case = "genitive"
    scope.expects = "predicate" if scope.expects != "state" else "role"
    return at + 1


def _subordinator(walk: Walk, at: int, function: FunctionParse) -> int:
    if not pronouns.is_relative_who(walk, at, function):
        walk.scope.suspend()
        walk.scope.end_clause()
    return at + 1


def _clause_of_its_own(walk: Walk, at: int, function: FunctionParse) -> int:
    """أن السماء, لكن الطبيب: a noun follows that is its subject; لكن may only join adjectives."""
    scope = walk.scope
    joins = function.base == "لكن" and is_expected(walk, at + 1)
    if joins and not nouns.is_definite(walk.reading, at + 1):
        parse = nouns.choose(walk.reading, at + 1, scope.target)
        if parse is not None and not nouns.is_bound(walk.reading, at + 1, parse):
            return at + 1
    scope.suspend()
    scope.end_clause()
    if walk.reading.is_nominal(at + 1):
        scope.subject = None
    return at + 1


def _preposition(walk: Walk, at: int, function: FunctionParse) -> int:
    if function.suffix is not None:
        return _object(walk, at, function, function.suffix)
    if pronouns.is_relative_who(walk, at, function):
        return at + 1
    reading = walk.reading
    place = at + 1
    if function.base == "من" and says_of_it(walk, place):
        return place + 1
    following = reading.function(place)
    if following is not None and following.sort == "transparent":
        place += 1
        following = reading.function(place)
    if following is not None and following.sort == "demonstratives":
        if not nouns.is_definite(reading, place + 1):
            return place + 1
    elif following is not None or reading.line[place].is_mark:
        return place
    elif reading.verbs(place):
        return _somebody(walk, place, function)
    if reading.line[place].key in _CROWDS and reading.known_nouns(place + 1):
        place += 1  # واحد من آلاف المتظاهرين
    possessive(walk, place)
    referent = groups.among(walk, place, function)
    return phrases.phrase(walk, place, referent, "genitive", "noun", "likely")


def _object(walk: Walk, at: int, function: FunctionParse, suffix: Suffix) -> int:
    """لكم, إليه, عنك; and ولي ولد, where what I have follows."""
    after = walk.reading.nouns(at + 1)
    if function.base in _HAVING and after and not (after[0].definite or after[0].form.nunated):
        walk.scope.end_clause()
    if suffix.person == 2 and suffix.gender is not None:
        walk.add(at, walk.person(2, "plural"), suffix, "object pronoun")
    elif suffix.person == 2:
        walk.add_vowel(at)
    elif suffix.person == 3:
        third_person_suffix(walk, at)
    return at + 1


def _somebody(walk: Walk, at: int, function: FunctionParse) -> int:
    """إلى من يخبرني: whoever it is, nobody who was named."""
    if function.base == "من":
        walk.scope.third = walk.scope.subject = Referent(None, "singular", "masculine")
    return at


_STEPS: Mapping[str, _Step] = {
    **dict.fromkeys(("I", "we", "you", "you all", "you two"), pronouns.first_or_second),
    **dict.fromkeys(("he", "they", "they two"), pronouns.third),
    "prepositions": _preposition,
    "demonstratives": pronouns.demonstrative,
    "relatives": pronouns.relative,
    "transparent": _transparent,
    "vocatives": addresses.vocative,
    "inna": _clause_of_its_own,
    "subordinators": _subordinator,
}
