"""Every word of a stretch that agrees with somebody who is to be rewritten."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from epicene.languages.rewriting.hindi.adjectives import citation
from epicene.languages.rewriting.hindi.clauses import RELATIVE
from epicene.languages.rewriting.hindi.findings import Finding
from epicene.languages.rewriting.hindi.others import others
from epicene.languages.rewriting.hindi.phrases import phrase
from epicene.languages.rewriting.hindi.predicates import findings_of, predicates
from epicene.languages.rewriting.hindi.reader import read
from epicene.languages.rewriting.hindi.roles import roles
from epicene.languages.rewriting.hindi.subjects import Subject
from epicene.languages.rewriting.hindi.vocatives import vocatives

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.languages.rewriting.hindi.subjects import Reading
    from epicene.languages.rewriting.hindi.voices import Voice
    from epicene.languages.rewriting.hindi.words import Stretch
    from epicene.languages.rewriting.people import Wanted


def findings(stretch: Stretch, voice: Voice, wanted: Wanted) -> Iterator[Finding]:
    """The findings of the people named; of two for one word the first counts."""
    readings = read(stretch, voice)
    found = list(_of_readings(stretch, readings, voice))
    if "others" in wanted:
        taken = {finding.at for finding in found}
        plural = {
            reading.agrees.at: reading.agrees.plural
            for reading in readings
            if reading.agrees is not None and reading.agrees.at is not None
        }
        found += others(stretch, wanted["others"], taken, plural)
    return (finding for finding in found if finding.who in wanted)


def _of_readings(stretch: Stretch, readings: Sequence[Reading], voice: Voice) -> Iterator[Finding]:
    yield from _addressed(stretch, voice)
    for at, reading in enumerate(readings):
        yield from _verbs(reading)
        yield from predicates(stretch, _singular(reading, readings[at + 1 :]))
        yield from roles(stretch, reading, voice)
    yield from _as_much_as(stretch, readings)


def _verbs(reading: Reading) -> Iterator[Finding]:
    subject, verb = reading.agrees, reading.clause.verb
    if subject is None or subject.who is None or verb is None:
        return
    for at in verb.agreeing:
        final = at == verb.last
        yield Finding(
            at, "verb", subject.who, subject.rule, subject.sure, subject.plural, final=final
        )


def _singular(reading: Reading, following: Sequence[Reading]) -> Reading:
    """तुम एक अनोखा इंसान हो जो … समझता है: the role is singular if जो takes it up so."""
    if not following or following[0].clause.opener not in RELATIVE or reading.agrees is None:
        return reading
    again = following[0].agrees
    if again is None or again.plural or again.who != reading.agrees.who:
        return reading
    return reading._replace(agrees=reading.agrees._replace(plural=False))


def _as_much_as(stretch: Stretch, readings: Sequence[Reading]) -> Iterator[Finding]:
    """उतना भोला नहीं हूँ जितना आप समझते हैं: जितना agrees as उतना does."""
    for reading, following in pairwise(readings):
        subject, at = reading.agrees, following.clause.first
        if subject is None or subject.who is None or following.clause.verb is None:
            continue
        if citation(stretch[at]) != "जितना":
            continue
        if any(citation(stretch[place]) == "उतना" for place in reading.clause.field):
            yield Finding(at, "adjective", subject.who, "degree", subject.sure, subject.plural)


def _addressed(stretch: Stretch, voice: Voice) -> Iterator[Finding]:
    """Nouns that address who is spoken to; with a word that agrees they are oblique."""
    if voice.listener is None:
        return
    for at in vocatives(stretch):
        found = phrase(stretch, at, 0)
        subject = Subject(voice.listener, at, plural=False)
        oblique = bool(found.agreeing)
        yield from findings_of(stretch, found, subject, "addressed", oblique=oblique)
