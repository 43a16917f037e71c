"""What people are said to be without being subjects: as a teacher, called a teacher, like me."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.languages.rewriting.hindi import nouns, pronouns
from epicene.languages.rewriting.hindi.adjectives import agrees, is_genitive, is_state
from epicene.languages.rewriting.hindi.lexicon import function_words
from epicene.languages.rewriting.hindi.phrases import Phrase, phrase, said
from epicene.languages.rewriting.hindi.predicates import findings_of
from epicene.languages.rewriting.hindi.subjects import Subject
from epicene.languages.rewriting.hindi.verb_forms import analyse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.languages.rewriting.hindi.findings import Finding
    from epicene.languages.rewriting.hindi.subjects import Reading
    from epicene.languages.rewriting.hindi.voices import Voice
    from epicene.languages.rewriting.hindi.words import Stretch

_LIKE = frozenset({"जैसा", "जैसे", "जैसी", "सरीखा", "सरीखे", "सरीखी"})
_ME = frozenset({"मुझ", "मेरे"})
_YOU = frozenset({"तुझ", "तुम", "आप", "तेरे", "तुम्हारे", "आपके"})
_MOST_WORDS = 8  # of an apposition, and of a phrase after मुझ जैसा


def roles(stretch: Stretch, reading: Reading, voice: Voice) -> Iterator[Finding]:
    """The findings of a clause beyond what its verb says of its subject."""
    yield from _as(stretch, reading, voice)
    yield from _called(stretch, reading, voice)
    yield from _apposed(stretch, reading)
    yield from _like(stretch, reading, voice)


# --- शिक्षक के रूप में ------------------------------------------------------------------------


def _as(stretch: Stretch, reading: Reading, voice: Voice) -> Iterator[Finding]:
    """In the role of: said of the object if there is one, otherwise of who acts."""
    clause = reading.clause
    for at in range(clause.first, clause.last + 1):
        if not nouns.person(stretch[at]) or not _marks_role(stretch, at + 1):
            continue
        who = _object(stretch, reading, voice) or reading.actor
        if who is not None and who.who is not None:
            found = phrase(stretch, at, clause.first)
            yield from findings_of(stretch, found, who, "in the role of", oblique=True)


def _marks_role(stretch: Stretch, at: int) -> bool:
    if stretch[at] == "होने":
        at += 1
    if stretch[at] == "की" and stretch[at + 1] == "तरह":  # with एक one of the kind, no simile
        return any(stretch[before] == "एक" for before in range(at - 4, at))
    return stretch[at] in {"के", "की", "का"} and stretch[at + 1] in function_words().role_markers


def _object(stretch: Stretch, reading: Reading, voice: Voice) -> Subject | None:
    """Whom the clause has as its object."""
    for at in range(reading.clause.first, reading.clause.last + 1):
        word = stretch[at]
        if word in pronouns.FIRST_OBJECT or (
            word in pronouns.FIRST_POSSESSIVE and stretch[at + 1] in {"परिचय", "जिक्र", "नाम"}
        ):
            return Subject(voice.speaker, at)
        if word in pronouns.SECOND_OBJECT:
            return Subject(voice.listener, at)
        if word in pronouns.THIRD_OBJECT or (nouns.person(word) and stretch[at + 1] == "को"):
            return Subject("others", at)
        itself = word in {"खुद", "स्वयं", "आप"} and stretch[at + 1] == "को"
        if itself and reading.actor is not None:
            return reading.actor._replace(at=at)
    return None


# --- मुझे शिक्षक कहा ---------------------------------------------------------------------------


def _called(stretch: Stretch, reading: Reading, voice: Voice) -> Iterator[Finding]:
    """Called, thought, made, left: said of the object."""
    clause, verb = reading.clause, reading.clause.verb
    if verb is None:
        return
    someone = _object(stretch, reading, voice)
    if someone is None or someone.who is None:
        return
    for at in range(clause.first, verb.first + 1):
        if not _calls(stretch, at, finite=at == verb.first, main=verb.main):
            continue
        head = stretch.before(at)
        while stretch[head] in {"घोषित", "नियुक्त", "साबित", "महसूस"}:
            head = stretch.before(head)
        if head <= (someone.at or 0) or not (nouns.person(stretch[head]) or agrees(stretch[head])):
            continue
        found = said(stretch, head, (someone.at or 0) + 1)
        if found is not None and not stretch.oblique(head):
            yield from findings_of(stretch, found, someone, "said of the object")


def _calls(stretch: Stretch, at: int, *, finite: bool, main: str) -> bool:
    callers = function_words().object_complement_verbs
    if finite:
        return main in callers or stretch[stretch.before(at)] in callers
    return any(
        form.stem in callers and form.shape in {"conjunctive", "infinitive"}
        for form in analyse(stretch[at])
    )


# --- मैं, एक शिक्षक, … ------------------------------------------------------------------------


def _apposed(stretch: Stretch, reading: Reading) -> Iterator[Finding]:
    """Between commas after the pronoun."""
    subject = reading.agrees
    if subject is None or subject.at is None or stretch[subject.at + 1] != ",":
        return
    start = subject.at + 2
    for end in range(start, min(start + _MOST_WORDS, len(stretch))):
        if not stretch.is_mark(end):
            continue
        if end > start and nouns.person(stretch[end - 1]):
            found = phrase(stretch, end - 1, start)
            yield from findings_of(stretch, found, subject, "beside the pronoun")
        return


# --- मुझ जैसा शिक्षक ---------------------------------------------------------------------------


def _like(stretch: Stretch, reading: Reading, voice: Voice) -> Iterator[Finding]:
    """Like me: a kind of person that whoever says so belongs to."""
    for at in range(reading.clause.first, reading.clause.last):
        if stretch[at + 1] not in _LIKE:
            continue
        who = voice.speaker if stretch[at] in _ME else voice.listener
        head = _head_after(stretch, at + 2)
        if stretch[at] not in _ME | _YOU or head is None or who is None:
            continue
        found = Phrase(at + 1, head, _agreeing(stretch, at + 1, head))
        someone, oblique = Subject(who, at), stretch.oblique(head) or stretch[at + 1] == "जैसे"
        yield from findings_of(stretch, found, someone, "one like them", oblique=oblique)


def _head_after(stretch: Stretch, start: int) -> int | None:
    """The noun that the likeness is said of, None if it names no person."""
    for at in range(start, min(start + _MOST_WORDS, len(stretch))):
        word = stretch[at]
        if stretch.is_mark(at) or nouns.thing(word) or is_genitive(word):
            return None
        if stretch.oblique(at) or stretch[at + 1] in function_words().postpositions:
            return at
        if nouns.person(word) and not nouns.person(stretch[at + 1]):
            return at
    return None


def _agreeing(stretch: Stretch, first: int, head: int) -> tuple[int, ...]:
    return tuple(
        at
        for at in range(first, head)
        if stretch[at] in _LIKE
        or agrees(stretch[at])
        or is_state(stretch[at], stretch[at + 1])
        or is_state(stretch[at - 1], stretch[at])
    )
