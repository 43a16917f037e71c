"""Every word of a stretch that agrees with somebody who is to be rewritten."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.languages.rewriting.hindi.controllers import read
from epicene.languages.rewriting.hindi.findings import Finding
from epicene.languages.rewriting.hindi.predicates import predicates

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.languages.rewriting.hindi.controllers import Reading
    from epicene.languages.rewriting.hindi.voices import Voice
    from epicene.languages.rewriting.hindi.words import Stretch
    from epicene.languages.rewriting.people import Wanted


def findings(stretch: Stretch, voice: Voice, wanted: Wanted) -> Iterator[Finding]:
    """The findings of the people named, surest first for each word."""
    for reading in read(stretch, voice):
        for finding in _of_clause(stretch, reading):
            if finding.who in wanted:
                yield finding


def _of_clause(stretch: Stretch, reading: Reading) -> Iterator[Finding]:
    yield from _verbs(reading)
    yield from predicates(stretch, reading)


def _verbs(reading: Reading) -> Iterator[Finding]:
    subject, verb = reading.agrees, reading.clause.verb
    if subject is None or subject.who is None or verb is None:
        return
    for at in verb.agreeing:
        yield Finding(
            at, "verb", subject.who, subject.rule, subject.sure, subject.plural, final=at == verb.last
        )
