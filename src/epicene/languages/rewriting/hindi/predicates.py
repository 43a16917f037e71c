"""What is said of the subject: adjectives, roles and states that agree with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.languages.rewriting.hindi import nouns, pronouns
from epicene.languages.rewriting.hindi.adjectives import (
    agrees,
    cell_of,
    citation,
    is_adjective,
    is_genitive,
    is_state,
)
from epicene.languages.rewriting.hindi.findings import Finding
from epicene.languages.rewriting.hindi.lexicon import function_words
from epicene.languages.rewriting.hindi.phrases import Phrase, is_degree, phrase, said
from epicene.languages.rewriting.hindi.verb_forms import analyse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.languages.rewriting.hindi.subjects import Reading, Subject
    from epicene.languages.rewriting.hindi.words import Stretch

_JOINS = frozenset("और या एवं तथा लेकिन मगर बल्कि".split()) | {","}
# They may stand between a predicate and its verb without being said of anyone.
_PASSED = frozenset("महसूस साबित दिखाई नजर घोषित सिद्ध तब अब भले जरूर अवश्य इसलिए शायद".split())


def predicates(stretch: Stretch, reading: Reading) -> Iterator[Finding]:
    """The words of a clause that say what its subject is."""
    clause, verb = reading.clause, reading.clause.verb
    subject, actor = reading.agrees, reading.actor
    if subject is not None and subject.who is not None:
        if verb is None:
            yield from _without_verb(stretch, reading, subject)
            return
        if verb.valency == "copular" or stretch[stretch.before(verb.first)] == "महसूस":
            yield from _of_copula(stretch, verb.first, clause.first, subject)
        elif verb.valency == "intransitive":
            yield from _degree(stretch, verb.first, subject)
            before = stretch.before(verb.first)
            if stretch[before] in _JOINS and agrees(stretch[before - 1]):  # बूढ़ा और थका हुआ हूँ
                yield from _of_copula(stretch, before, clause.first, subject)
        yield from _states(stretch, reading, subject)
    if verb is not None and actor is not None and actor.who is not None:
        yield from _not_finite(stretch, reading, actor)


def findings_of(
    stretch: Stretch,
    found: Phrase,
    subject: Subject,
    rule: str,
    *,
    oblique: bool = False,
    any_number: bool = False,
) -> Iterator[Finding]:
    """A finding for each word of a phrase that is said of the subject.

    `any_number`: what agrees may be in the plural though the subject is not known to be.
    """
    if subject.who is None:
        return
    common = (subject.who, rule, subject.sure, subject.plural, oblique)
    if nouns.person(stretch[found.head]) and found.head not in found.agreeing:
        yield Finding(found.head, "noun", *common)
    for at in found.agreeing:
        if any_number or _number_fits(stretch, at, subject, oblique):
            yield Finding(at, "adjective", *common)


def _number_fits(stretch: Stretch, at: int, subject: Subject, oblique: bool = False) -> bool:
    """पहले and अकेले are adverbs beside one person."""
    return cell_of(stretch.words[at].text) != "mp" or subject.plural or oblique


# --- beside a copula ------------------------------------------------------------------------


def _of_copula(stretch: Stretch, at: int, start: int, subject: Subject) -> Iterator[Finding]:
    """What stands before a copula, or before the pronoun that stands before it."""
    head = _head(stretch, at, start)
    if head == subject.at:
        head = _head(stretch, head, start)
    while head >= start:
        found = said(stretch, head, start)
        if found is None:
            return
        yield from findings_of(stretch, found, subject, "said of the subject")
        head = _next_head(stretch, found, subject)


def _head(stretch: Stretch, at: int, start: int) -> int:
    head = stretch.before(at)
    while head >= start and stretch[head] in _PASSED:
        head = stretch.before(head)
    return head


def _next_head(stretch: Stretch, found: Phrase, subject: Subject) -> int:
    """The head of what is joined to it on the left: थका और भूखा, गायक तो अच्छा; -1 if nothing."""
    words = function_words()
    before = found.first - 1
    between = words.intensifiers | words.invariable_adjectives | {"एक", "भले", "बस"}
    while stretch[before] in between - _JOINS:
        before -= 1
    if nouns.person(stretch[before]) and is_adjective(stretch[found.head]):
        named = subject.at is None or subject.at < before
        if citation(stretch[before + 1]) in {"जितना", "जैसा"}:  # बहन जितनी बहादुर
            return -1
        return before if named and not stretch.oblique(before) else -1
    if stretch[before] in {"से", "में"} and stretch[before - 2] in _JOINS:
        before -= 2  # ऊपर से कड़ा और अंदर से मुलायम
    if stretch[before] not in _JOINS:
        return -1
    while stretch[before] in _JOINS or stretch[before] in words.negations:
        before -= 1
    return before if before != subject.at else -1


def _without_verb(stretch: Stretch, reading: Reading, subject: Subject) -> Iterator[Finding]:
    """… हूँ, झूठा नहीं; मैं छोटा दुकानदार सही: said of the subject, without a copula."""
    clause = reading.clause
    end = clause.last + 1
    while stretch.is_mark(end - 1) or stretch[end - 1] in {"नहीं", "सही", "भी", "न", "ही"}:
        end -= 1
        if end <= clause.first:
            return
    found = said(stretch, end - 1, clause.first)
    if found is None or found.head == subject.at:
        return
    joined = _next_head(stretch, found, subject)
    first = found.first if joined < clause.first else joined
    if subject.at is None and _names_another(stretch, clause.first, first):
        return
    yield from findings_of(stretch, found, subject, "said without a verb")
    if joined >= clause.first:
        noun = phrase(stretch, joined, clause.first)
        yield from findings_of(stretch, noun, subject, "said without a verb")


def _names_another(stretch: Stretch, start: int, end: int) -> bool:
    """मेरा भाई वकील: the fragment has a subject of its own."""
    words = stretch.words[start:end]
    return any(word.key in pronouns.THIRD or nouns.person(word.key) for word in words)


def _degree(stretch: Stretch, at: int, subject: Subject) -> Iterator[Finding]:
    """इतना थक गया: the degree agrees with who is tired."""
    before = stretch.before(at)
    if is_degree(stretch[before]) and _number_fits(stretch, before, subject):
        assert subject.who is not None
        yield Finding(before, "adjective", subject.who, "degree", subject.sure, subject.plural)


# --- elsewhere in the clause ----------------------------------------------------------------


def _states(stretch: Stretch, reading: Reading, subject: Subject) -> Iterator[Finding]:
    """अकेला गया, थका हुआ लौटा, गाता हुआ चला: how someone is while they act."""
    assert subject.who is not None
    for at in reading.clause.field:
        pair = is_state(stretch[at], stretch[at + 1])
        known = citation(stretch[at]) in function_words().depictives or _rather(stretch[at])
        if not (pair or known) or not _number_fits(stretch, at, subject):
            continue
        last = at + 1 if pair else at
        if _qualifies_noun(stretch, last + 1):
            continue
        for each in range(at, last + 1):
            yield Finding(each, "adjective", subject.who, "state", subject.sure, subject.plural)


def _rather(word: str) -> bool:
    """बावला-सा घूमा"""
    return word.endswith(("-सा", "-सी", "-से")) and agrees(word)


def _qualifies_noun(stretch: Stretch, at: int) -> bool:
    """Whether a noun follows that the state may be said of instead."""
    word = stretch[at]
    if stretch.oblique(at) or word in nouns.places() or word in nouns.times():
        return False
    return bool(nouns.person(word) or nouns.thing(word))


def _not_finite(stretch: Stretch, reading: Reading, actor: Subject) -> Iterator[Finding]:
    """शिक्षक बनना चाहता हूँ, बड़ा होकर, सचिव होते हुए: said of who acts."""
    clause, verb = reading.clause, reading.clause.verb
    assert verb is not None
    for at in range(clause.first, verb.last + 1):
        if not _is_copula_not_finite(stretch, at):
            continue
        head = stretch.before(at)
        if head < clause.first or not (nouns.person(stretch[head]) or agrees(stretch[head])):
            continue
        found = said(stretch, head, clause.first)
        if found is None or _has_own_subject(stretch, found, clause.first):
            continue
        yield from findings_of(stretch, found, actor._replace(sure="likely"), "role to be")
        if verb.obligation and at == verb.first and nouns.person(stretch[head]):
            yield from _agreeing_infinitive(stretch, at, actor)


def _agreeing_infinitive(stretch: Stretch, at: int, actor: Subject) -> Iterator[Finding]:
    """अच्छी छात्रा होनी चाहिए: होना agrees with what is to be; बनना need not, but may."""
    assert actor.who is not None
    if stretch[at] in {"होना", "होनी", "बननी"}:
        yield Finding(at, "verb", actor.who, "role to be", "likely")


def _is_copula_not_finite(stretch: Stretch, at: int) -> bool:
    if stretch[at] == "होते" and stretch[at + 1] in {"हुए", "ही"}:
        return True
    return any(
        form.stem in {"बन", "हो", "रह"} and form.shape in {"infinitive", "conjunctive"}
        for form in analyse(stretch[at])
    )


def _has_own_subject(stretch: Stretch, found: Phrase, start: int) -> bool:
    """काम पूरा होने पर: something else stands right before, in the direct case."""
    before = found.first - 1
    if before < start or is_genitive(stretch[found.first]) or stretch[before] in nouns.times():
        return False
    return bool(nouns.thing(stretch[before]) or nouns.person(stretch[before]))
