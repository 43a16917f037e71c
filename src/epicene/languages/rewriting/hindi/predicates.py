"""What is said of a person: adjectives, roles and states that agree with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.languages.rewriting.hindi import nouns
from epicene.languages.rewriting.hindi.adjectives import (
    agrees,
    cell_of,
    citation,
    is_genitive,
    is_participle,
)
from epicene.languages.rewriting.hindi.findings import Finding
from epicene.languages.rewriting.hindi.lexicon import function_words
from epicene.languages.rewriting.hindi.phrases import Phrase, is_intensifier_that_agrees, phrase
from epicene.languages.rewriting.hindi.verb_forms import analyse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.languages.rewriting.hindi.controllers import Reading, Subject
    from epicene.languages.rewriting.hindi.words import Stretch

_JOINS = frozenset("और या एवं तथा लेकिन मगर बल्कि".split()) | {","}
_SELF = frozenset("खुद स्वयं".split())


def predicates(stretch: Stretch, reading: Reading) -> Iterator[Finding]:
    """The words of a clause that say what its subject or its object is."""
    clause, verb = reading.clause, reading.clause.verb
    if verb is None:
        return
    subject = reading.agrees
    if subject is not None and subject.who is not None:
        if verb.valency == "copular" or _feels(stretch, verb.first):
            yield from said_before(stretch, verb.first, clause.first, subject, "predicate")
        else:
            yield from _degree(stretch, verb.first, subject)
        yield from _depictives(stretch, reading, subject)
    actor = reading.actor
    if actor is not None and actor.who is not None:
        yield from _not_finite(stretch, reading, actor)


def _feels(stretch: Stretch, at: int) -> bool:
    return stretch[stretch.before(at)] == "महसूस"


def said_before(
    stretch: Stretch, at: int, start: int, subject: Subject, rule: str
) -> Iterator[Finding]:
    """What stands before a copula and is said of the subject, joined parts too."""
    words = function_words()
    head = stretch.before(at)
    if stretch[head] in words.verbal_nominals and not nouns.person(stretch[head]):
        if stretch[head] in {"महसूस", "साबित", "दिखाई", "नजर", "घोषित", "सिद्ध"}:
            head = stretch.before(head)
    while head >= start:
        found = _said(stretch, head, start)
        if found is None:
            return
        yield from findings_of(stretch, found, subject, rule)
        head = found.first - 1
        while stretch[head] in words.intensifiers | {"एक"} and stretch[head] not in _JOINS:
            head -= 1
        if stretch[head] not in _JOINS or head <= start:
            return
        head -= 1
        while stretch[head] in _JOINS:
            head -= 1


def _said(stretch: Stretch, head: int, start: int) -> Phrase | None:
    """The phrase with that head, if it can be said of a person."""
    word, words = stretch[head], function_words()
    if stretch.is_mark(head) or word in words.adverbs:
        return None
    if is_genitive(word):
        return Phrase(head, head, (head,))
    named = nouns.person(word)
    if word in words.postpositions or (not named and _is_thing(word)):
        return None
    found = phrase(stretch, head, start)
    if agrees(word) or word in {"हुआ", "हुई", "हुए"} or _state(word):
        return found._replace(agreeing=(*found.agreeing, head))
    return found


def _is_thing(word: str) -> bool:
    return bool(nouns.thing(word) or nouns.abstract(word)) and not agrees(word)


def _state(word: str) -> bool:
    return is_participle(word) and not nouns.person(word) and not nouns.thing(word)


def findings_of(
    stretch: Stretch, found: Phrase, subject: Subject, rule: str, *, oblique: bool = False
) -> Iterator[Finding]:
    """A finding for each word of a phrase that is said of the subject."""
    if subject.who is None:
        return
    common = (subject.who, rule, subject.sure, subject.plural, oblique)
    if nouns.person(stretch[found.head]) and found.head not in found.agreeing:
        yield Finding(found.head, "noun", *common)
    for at in found.agreeing:
        if _may_agree(stretch, at, subject, oblique):
            yield Finding(at, "adjective", *common)


def _may_agree(stretch: Stretch, at: int, subject: Subject, oblique: bool) -> bool:
    """Whether the number fits: पहले and अकेले are no adjectives beside one person."""
    return cell_of(stretch.words[at].text) != "mp" or subject.plural or oblique


def _degree(stretch: Stretch, at: int, subject: Subject) -> Iterator[Finding]:
    """इतना थक गया: the degree agrees with who is tired."""
    before = stretch.before(at)
    if is_intensifier_that_agrees(stretch[before]) and _may_agree(stretch, before, subject, False):
        assert subject.who is not None
        yield Finding(before, "adjective", subject.who, "degree", subject.sure, subject.plural)


def _depictives(stretch: Stretch, reading: Reading, subject: Subject) -> Iterator[Finding]:
    """अकेला गया, थका हुआ लौटा: said of who acts."""
    assert subject.who is not None
    for at in reading.clause.field:
        word = citation(stretch[at])
        if word not in function_words().depictives or not _may_agree(stretch, at, subject, False):
            continue
        last = at + 1 if stretch[at + 1] in {"हुआ", "हुई"} else at
        following = stretch[last + 1]
        if nouns.person(following) or (nouns.thing(following) and following not in nouns.places()):
            continue
        for each in range(at, last + 1):
            yield Finding(
                each, "adjective", subject.who, "state", subject.sure, subject.plural
            )


def _not_finite(stretch: Stretch, reading: Reading, actor: Subject) -> Iterator[Finding]:
    """शिक्षक बनना चाहता हूँ, बड़ा होकर: said of who acts."""
    clause, verb = reading.clause, reading.clause.verb
    assert verb is not None
    for at in range(clause.first, verb.last + 1):
        forms = analyse(stretch[at])
        if not any(
            form.stem in {"बन", "हो"} and form.shape in {"infinitive", "conjunctive"}
            for form in forms
        ):
            continue
        head = stretch.before(at)
        if head < clause.first or stretch.is_mark(head):
            continue
        word = stretch[head]
        if not (nouns.person(word) or agrees(word)):
            continue
        found = phrase(stretch, head, clause.first)
        if agrees(word):
            found = found._replace(agreeing=(*found.agreeing, head))
        if _has_own_subject(stretch, found, clause.first):
            continue
        yield from findings_of(stretch, found, actor._replace(sure="likely"), "role to be")


def _has_own_subject(stretch: Stretch, found: Phrase, start: int) -> bool:
    """काम पूरा होने पर: something else stands right before, in the direct case."""
    before = found.first - 1
    word = stretch[before]
    return before >= start and bool(nouns.thing(word) or nouns.person(word))
