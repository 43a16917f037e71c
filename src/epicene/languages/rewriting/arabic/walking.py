"""A stretch read from its first word to its last."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from epicene.languages.rewriting.arabic import addresses, fixed, groups, nouns, phrases, pronouns
from epicene.languages.rewriting.arabic.clauses import possessive, read_verb
from epicene.languages.rewriting.arabic.connectives import read_function_word
from epicene.languages.rewriting.arabic.expecting import inverted, is_expected, likened, subjectless
from epicene.languages.rewriting.arabic.words import ENDS

if TYPE_CHECKING:
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
        return read_function_word(walk, at, function)
    parses = walk.reading.verbs(at)
    if parses and not (walk.scope.expects == "predicate" and is_expected(walk, at)):
        return read_verb(walk, at, parses)
    end = _nominal(walk, at)
    walk.scope.next_case = None  # غير means the next word alone
    return end


def _nominal(walk: Walk, at: int) -> int:
    scope = walk.scope
    if fixed.member(walk.reading.line[at].letters) is not None:
        return groups.member(walk, at)
    possessive(walk, at)
    if at == scope.subject_at:
        return phrases.phrase(walk, at, scope.subject, "nominative", "subject", "likely")
    if walk.reading.line[at].key in _ALL_OF_US:
        if walk.reading.line.begins(at):
            scope.state(walk.person(1, "plural"))
        return at + 1
    asked = inverted(walk, at)
    if asked is None and is_expected(walk, at):
        end = phrases.phrase(walk, at, scope.target, scope.take_case(), scope.rule)
        scope.found = True
        scope.found_definite = nouns.is_definite(walk.reading, end - 1)
        return end
    if addresses.is_called(walk, at):
        return addresses.call(walk, at)
    asked = asked or subjectless(walk, at) or likened(walk, at)
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
        myself = walk.reading.line[at].key.startswith(("نفس", "انفس"))
        if scope.finds and not myself and nouns.is_definite(walk.reading, at):
            scope.target, scope.finds = referent, False
    return end


def _opens(walk: Walk, at: int) -> bool:
    """Whether a definite noun begins a new clause: ، وأبي ممرض."""
    if not nouns.is_definite(walk.reading, at):
        return False
    letters = walk.reading.line[at].letters
    joined = letters.startswith("و") and not walk.reading.is_thing(at)
    return walk.reading.line.begins(at) or (joined and not walk.scope.verbal)
