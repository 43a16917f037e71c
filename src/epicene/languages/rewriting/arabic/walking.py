"""A stretch read from its first word to its last."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from epicene.languages.rewriting.arabic import fixed, nouns, numerals, phrases, pronouns
from epicene.languages.rewriting.arabic.clauses import (
    meant_by,
    possessive,
    read_verb,
    third_person_suffix,
)
from epicene.languages.rewriting.arabic.expecting import inverted, is_expected, likened, subjectless
from epicene.languages.rewriting.arabic.findings import Fixed
from epicene.languages.rewriting.arabic.parsing import thing_of
from epicene.languages.rewriting.arabic.scope import Referent
from epicene.languages.rewriting.arabic.words import ENDS

if TYPE_CHECKING:
    from epicene.languages.rewriting.arabic.parsing import FunctionParse
    from epicene.languages.rewriting.arabic.state import Walk


_ALL_OF_US = frozenset({"كلنا", "جميعنا", "فكلنا", "وكلنا"})


def walk_through(walk: Walk) -> None:
    """Find all that agrees with somebody."""
    line = walk.reading.line
    at = 0
    walk.topic = pronouns.topic(walk, at)
    while at < len(line):
        word = line[at]
        if not word.is_mark:
            at = max(_step(walk, at), at + 1)
            continue
        at += 1
        if word.text[:1] in ENDS:
            walk.end_sentence()
            walk.topic = pronouns.topic(walk, at)
        else:
            _pause(walk, at, resumes=word.text == ":")
    walk.end_sentence()


def _pause(walk: Walk, at: int, *, resumes: bool) -> None:
    """After a comma: a clause about a thing is over, and one set in between may be."""
    scope = walk.scope
    if scope.third is not None and scope.third.who is None:
        scope.third = None
    if scope.suspended is None:
        return
    while (function := walk.reading.function(at)) and function.sort in {
        "negations",
        "coordinators",
    }:
        at += 1
    resumed = replace(walk, scope=replace(scope.suspended))
    if walk.reading.function(at) is not None or not is_expected(resumed, at):
        return
    accusative = scope.case == "nominative" and nouns.is_nunated(walk.reading, at)
    if resumes or accusative or not is_expected(walk, at):
        scope.resume()


def _step(walk: Walk, at: int) -> int:
    function = walk.reading.function(at)
    if function is not None:
        return _function(walk, at, function)
    parses = walk.reading.verbs(at)
    if parses and not (walk.scope.expects == "predicate" and is_expected(walk, at)):
        return read_verb(walk, at, parses)
    return _nominal(walk, at)


def _nominal(walk: Walk, at: int) -> int:
    scope = walk.scope
    if fixed.member(walk.reading.line[at].letters) is not None:
        return _member(walk, at)
    possessive(walk, at)
    if at == scope.subject_at:
        return phrases.phrase(walk, at, scope.subject, "nominative", "subject", "likely")
    if walk.reading.line[at].key in _ALL_OF_US:
        if walk.reading.line.begins(at):
            scope.state(walk.person(1, "plural"))
        return at + 1
    if is_expected(walk, at):
        end = phrases.phrase(walk, at, scope.target, scope.take_case(), scope.rule)
        scope.found = True
        scope.found_definite = nouns.is_definite(walk.reading, end - 1)
        return end
    if pronouns.is_called(walk, at):
        return pronouns.call(walk, at)
    asked = inverted(walk, at) or subjectless(walk, at) or likened(walk, at)
    if asked is not None:
        return phrases.phrase(walk, at, asked, "nominative", "predicate", "likely")
    return _other(walk, at)


def _other(walk: Walk, at: int) -> int:
    """A phrase that nothing asked for: a new subject, or an object."""
    scope = walk.scope
    referent = nouns.referent_of(walk, at)
    if walk.topic is not None and scope.subject is None:
        referent = walk.topic
    opens = scope.subject is None or _opens(walk, at)
    expected = (scope.target, scope.expects, scope.case, scope.rule, scope.found)
    held = scope.third
    end = phrases.phrase(walk, at, referent, "nominative", "noun", "likely")
    if scope.third is not held:  # the phrase opened a clause about itself
        return end
    if opens:
        scope.state(referent)
    elif referent.who in {"speaker", "listener"}:  # واحد منا ينتظر
        scope.third = scope.subject = referent
    else:
        scope.target, scope.expects, scope.case, scope.rule, scope.found = expected
    return end


def _opens(walk: Walk, at: int) -> bool:
    """Whether a definite noun begins a new clause: ، وأبي ممرض."""
    if not nouns.is_definite(walk.reading, at):
        return False
    letters = walk.reading.line[at].letters
    joined = letters.startswith("و") and not walk.reading.is_thing(at)
    return walk.reading.line.begins(at) or (joined and not walk.scope.verbal)


def _member(walk: Walk, at: int) -> int:
    found = fixed.member(walk.reading.line[at].letters)
    assert found is not None
    referent = nouns.referent_of(walk, at)
    expected = walk.scope.target if walk.scope.expects == "predicate" else None
    if referent.who == "others" and expected is not None and not walk.scope.found:
        referent = expected
    walk.add(at, referent, Fixed(found[0], "members", found[1]), "one of a group", "likely")
    if at != walk.scope.subject_at:
        walk.scope.state(referent)
    return at + 1


def _function(walk: Walk, at: int, function: FunctionParse) -> int:
    scope = walk.scope
    sort = function.sort
    if sort in {"I", "we", "you", "you all", "you two"}:
        return pronouns.first_or_second(walk, at, function)
    if sort in {"he", "they", "they two"}:
        return pronouns.third(walk, at, function)
    if sort == "inna" and function.suffix is not None:
        return pronouns.suffixed_subject(walk, at, function.suffix)
    if sort == "role_markers" and function.suffix is not None:
        third_person_suffix(walk, at)
        scope.expect(meant_by(walk, function.suffix), "predicate", "accusative", "role")
    elif sort == "prepositions":
        return _preposition(walk, at, function)
    elif sort == "demonstratives":
        return pronouns.demonstrative(walk, at, function)
    elif sort == "relatives":
        return pronouns.relative(walk, at, function)
    elif sort == "transparent" and scope.expects is not None:
        end = _first_of(walk, at, function)
        if end:
            return end
        if function.base != "الا":
            scope.next_case = "genitive"
        if function.base not in {"كل", "بعض", "اي"}:
            scope.expects = "predicate" if scope.expects != "state" else "role"
    elif sort == "vocatives":
        return pronouns.vocative(walk, at, function)
    elif sort == "inna":
        _clause_of_its_own(walk, at, function)
    elif sort == "subordinators" and not pronouns.is_relative_who(walk, at, function):
        scope.suspend()
        scope.end_clause()
    return at + 1


def _first_of(walk: Walk, at: int, function: FunctionParse) -> int:
    """أول الواصلين, آخر المغادرات: the place after people of whom one is the first, 0 if not so."""
    scope = walk.scope
    if function.base not in {"اول", "اولي", "اخر"} or scope.target is None:
        return 0
    for parse in walk.reading.known_nouns(at + 1):
        if not parse.prefix.article or parse.form.number != "plural":
            continue
        if function.base != "اخر" and scope.target.number == "singular":
            first = Fixed(function.prefix, "elatives", function.written)
            walk.add(at, scope.target, first, "one of a group", "likely")
        group = Referent(scope.target.who, "plural", parse.form.gender)
        scope.found = scope.found_definite = True
        return phrases.phrase(walk, at + 1, group, "genitive", "one of a group", "likely")
    return 0


def _clause_of_its_own(walk: Walk, at: int, function: FunctionParse) -> None:
    """أن السماء, لكن الطبيب: a noun follows that is its subject; لكن may only join adjectives."""
    scope = walk.scope
    joins = function.base == "لكن" and is_expected(walk, at + 1)
    if joins and not nouns.is_definite(walk.reading, at + 1):
        parse = nouns.choose(walk.reading, at + 1, scope.target)
        if parse is not None and not nouns.is_bound(walk.reading, at + 1, parse):
            return
    scope.suspend()
    scope.end_clause()
    if walk.reading.is_nominal(at + 1):
        scope.subject = None


def _preposition(walk: Walk, at: int, function: FunctionParse) -> int:
    suffix = function.suffix
    if suffix is not None:
        if suffix.person == 2 and suffix.gender is not None:
            walk.add(at, walk.person(2, "plural"), suffix, "object pronoun")
        elif suffix.person == 3:
            third_person_suffix(walk, at)
        return at + 1
    if pronouns.is_relative_who(walk, at, function):
        return at + 1
    place = at + 1
    following = walk.reading.function(place)
    if following is not None and following.sort == "transparent":
        place += 1
        following = walk.reading.function(place)
    if following is not None and following.sort == "demonstratives":
        if not nouns.is_definite(walk.reading, place + 1):
            return place + 1
    elif following is not None or walk.reading.line[place].is_mark:
        return place
    elif walk.reading.verbs(place):
        if function.base == "من":  # somebody: إلى من يخبرني
            walk.scope.third = Referent(None, "singular", "masculine")
            walk.scope.subject = walk.scope.third
        return place
    possessive(walk, place)
    return phrases.phrase(walk, place, _among(walk, place, function), "genitive", "noun", "likely")


def _among(walk: Walk, at: int, function: FunctionParse) -> Referent:
    """أنا من المترجمين, كنت واحدًا من المنشدين: people of whom the speaker is one."""
    referent = nouns.referent_of(walk, at)
    scope = walk.scope
    if numerals.counted(walk.reading, at) is not None:
        referent = nouns.referent_of(walk, at + 1)
    if function.base != "من" or scope.expects != "predicate" or scope.target is None:
        return referent
    one_of = walk.reading.line[at - 2].key.startswith("واحد")
    if referent.who is None or referent.number != "plural" or (scope.found and not one_of):
        return referent
    scope.found = True
    return Referent(scope.target.who, "plural", referent.gender)
